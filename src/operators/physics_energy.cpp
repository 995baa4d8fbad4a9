#include "operators/physics_energy.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/problem/weak_problem.hpp>

#include "operators/physics_place.hpp"
#include "operators/physics_residual.hpp"

namespace cauchy::detail {
namespace {

/// What the weak form says; a form that nobody can derive says no.
bool has_symmetric_form(const Problem& problem) {
  try {
    const WeakProblem weak = weak_problem(problem);
    return weak.linear && weak.symmetric;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return false;
  }
}

NodeResidual residual_at(TensorGraph& g, const FieldMap& map, const PhysicsLoss& options,
                         const OperatorProblem& problem, const FieldGrid& grid, int in, int u) {
  const PhysicsPlace place =
      physics_place(g, map, problem, grid, options.derivative, in, MapAnswer{u}, {});
  return add_node_residual(g, place, options, problem.problem.equation[0]);
}

/// r(v) for given functions v on the grid.
class ResidualOf final {
 public:
  ResidualOf(const FieldMap& map, const PhysicsLoss& options, const OperatorProblem& problem,
             const FieldGrid& grid, const std::vector<double>& values,
             const std::shared_ptr<Threads>& pool)
      : inputs_(values) {
    const auto g = std::make_shared<TensorGraph>();
    const int in = g->input("in", {static_cast<int>(map.n_in()), grid.sizes()});
    const int u = g->input("u", {1, grid.sizes()});
    const NodeResidual r = residual_at(*g, map, options, problem, grid, in, u);
    value_ = r.value;
    inner_ = g->crop(u, r.box.begin, r.box.size);
    executor_ = make_tensor_executor(g, {}, {.pool = pool, .precision = Precision::f64});
  }

  [[nodiscard]] std::vector<double> operator()(const std::vector<double>& u) {
    return at(value_, u);
  }
  [[nodiscard]] std::vector<double> inner(const std::vector<double>& u) { return at(inner_, u); }

 private:
  std::vector<double> at(int value, const std::vector<double>& u) {
    std::vector<double> out(executor_->graph().shape(value).size());
    const std::span<const double> inputs[] = {inputs_, u};
    executor_->predict(value, {}, 1, inputs, out);
    return out;
  }

  const std::vector<double>& inputs_;
  std::unique_ptr<TensorExecutor> executor_;
  int value_ = -1, inner_ = -1;
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Functions that vanish on the boundary: the slowest waves of the box, then noise.
std::vector<std::vector<double>> trial_functions(const FieldGrid& grid) {
  constexpr int waves = 3, noises = 3;
  std::vector<std::vector<double>> made;
  const std::size_t n = grid.n_points(), d = grid.axes.size();
  const auto fill = [&](auto&& factor) {  // of axis, node along it, node
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i) {
      double all = 1;
      std::size_t rest = i;
      for (std::size_t a = d; a-- > 0;) {
        const auto m = static_cast<std::size_t>(grid.axes[a].n);
        all *= factor(grid.axes[a], rest % m, a);
        rest /= m;
      }
      v[i] = all;
    }
    made.push_back(std::move(v));
  };
  std::vector<int> k(d, 0);
  do {
    fill([&](const FieldGrid::Axis& axis, std::size_t j, std::size_t a) {
      const double x = static_cast<double>(j) / (axis.periodic ? axis.n : axis.n - 1);
      if (axis.periodic) return std::cos(2 * std::numbers::pi * k[a] * x);
      return j == 0 || static_cast<int>(j) + 1 == axis.n
                 ? 0.0
                 : std::sin(std::numbers::pi * (k[a] + 1) * x);
    });
    std::size_t a = d;
    while (a > 0 && ++k[a - 1] == waves) k[--a] = 0;
    if (a == 0) break;
  } while (true);
  Rng rng(1);
  for (int i = 0; i < noises; ++i) {
    fill([&](const FieldGrid::Axis& axis, std::size_t j, std::size_t a) {
      if (!axis.periodic && (j == 0 || static_cast<int>(j) + 1 == axis.n)) return 0.0;
      return a + 1 == d ? rng.normal() : 1.0;
    });
  }
  return made;
}

/// Whether a symmetric matrix, row-major, is positive definite: Cholesky's pivots are.
bool is_positive(std::vector<double> m, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double s = m[i * n + j];
      for (std::size_t l = 0; l < j; ++l) s -= m[i * n + l] * m[j * n + l];
      if (i == j && !(s > 1e-10 * m[i * n + i])) return false;
      m[i * n + j] = i == j ? std::sqrt(s) : s / m[j * n + j];
    }
  }
  return true;
}

}  // namespace

int energy_sign(const FieldMap& map, const PhysicsLoss& options, const OperatorProblem& problem,
                const PhysicsTerms& terms, const std::vector<double>& values,
                const std::shared_ptr<Threads>& pool) {
  const Problem& p = problem.problem;
  if (!terms.boundary || options.derivative == GridDerivative::exact || options.margin != 1 ||
      p.equation.size() != 1 || !p.equation[0].where.empty() || map.channels.outputs.size() != 1 ||
      !has_symmetric_form(p)) {
    return 0;
  }
  ResidualOf residual(map, options, problem, terms.grid, values, pool);
  const std::vector<std::vector<double>> v = trial_functions(terms.grid);
  const std::size_t n = v.size();
  const std::vector<double> nothing(v[0].size(), 0.0), r0 = residual(nothing);
  std::vector<std::vector<double>> a, inner;
  const auto applied = [&](const std::vector<double>& u) {
    std::vector<double> r = residual(u);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= r0[i];
    return r;
  };
  for (const std::vector<double>& u : v) {
    a.push_back(applied(u));
    inner.push_back(residual.inner(u));
  }
  // Rounding: r0 and A v cancel, a second difference of n nodes loses n^2.
  constexpr double tolerance = 1e-8;
  std::vector<double> sum = v[n - 1], doubled = a[n - 1];
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += 2 * v[n - 2][i];
  for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] += 2 * a[n - 2][i];
  const std::vector<double> of_sum = applied(sum);
  for (std::size_t i = 0; i < of_sum.size(); ++i) doubled[i] -= of_sum[i];
  if (!(product(doubled, doubled) < tolerance * tolerance * product(of_sum, of_sum))) return 0;
  std::vector<double> m(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) m[i * n + j] = product(inner[i], a[j]);
  }
  const int sign = m[0] > 0 ? 1 : -1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double size = std::sqrt(std::abs(m[i * n + i] * m[j * n + j]));
      if (!(std::abs(m[i * n + j] - m[j * n + i]) < tolerance * size)) return 0;
    }
  }
  for (double& x : m) x *= sign;
  return is_positive(std::move(m), n) ? sign : 0;
}

int add_energy(TensorGraph& g, const FieldMap& map, const PhysicsLoss& options,
               const OperatorProblem& problem, const PhysicsTerms& terms, int in,
               const MapAnswer& answer) {
  const std::vector<int> sizes = terms.grid.sizes();
  const int given = g.constant({1, sizes}, *terms.boundary);
  const NodeResidual r = residual_at(g, map, options, problem, terms.grid, in, answer.value);
  const NodeResidual of_given = residual_at(g, map, options, problem, terms.grid, in, given);
  const int v = g.crop(g.subtract(answer.value, given), r.box.begin, r.box.size);
  const int density = g.multiply(v, g.add(r.value, of_given.value));
  const std::size_t n = g.shape(density).points();
  return g.reduce(density, std::vector<double>(n, 0.5 * terms.energy / static_cast<double>(n)));
}

}  // namespace cauchy::detail
