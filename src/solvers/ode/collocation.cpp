#include "solvers/ode/collocation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/quadrature.hpp>

#include "optimizers/vector_ops.hpp"  // all_finite

namespace cauchy::detail {
namespace {

constexpr std::size_t collocation_stages = 4;
constexpr std::size_t most_collocation_unknowns = 100'000;

/// Gauss points c in (0, 1), and integrals of the Lagrange polynomials through them.
struct GaussTableau {
  std::array<double, collocation_stages> c;
  Matrix slopes{collocation_stages,
                collocation_stages};  ///< row l: coefficients of L_l in powers of theta

  GaussTableau() {
    const Rule rule = scaled(gauss_legendre(collocation_stages), 0, 1);
    for (std::size_t l = 0; l < collocation_stages; ++l) c[l] = rule.nodes[l];
    for (std::size_t l = 0; l < collocation_stages; ++l) {
      std::array<double, collocation_stages> p = {1};
      for (std::size_t m = 0, degree = 0; m < collocation_stages; ++m) {
        if (m == l) continue;
        ++degree;
        for (std::size_t k = degree + 1; k-- > 0;) {
          p[k] = ((k > 0 ? p[k - 1] : 0) - c[m] * p[k]) / (c[l] - c[m]);
        }
      }
      for (std::size_t k = 0; k < collocation_stages; ++k) slopes(l, k) = p[k];
    }
  }
  /// L_l(theta), and its integral from 0.
  [[nodiscard]] double slope(std::size_t l, double theta) const {
    double sum = 0;
    for (std::size_t k = collocation_stages; k-- > 0;) sum = sum * theta + slopes(l, k);
    return sum;
  }
  [[nodiscard]] double weight(std::size_t l, double theta) const {
    double sum = 0;
    for (std::size_t k = collocation_stages; k-- > 0;) {
      sum = sum * theta + slopes(l, k) / static_cast<double>(k + 1);
    }
    return sum * theta;
  }
};

/// The equations of a mesh. Unknowns per interval: the state at its left end, then the slopes at
/// its Gauss points; the state at the right end comes last. Where coefficients jump the state of a
/// node is that on its right.
class OdeCollocation final {
 public:
  OdeCollocation(const OdeProblem& problem, std::vector<double> mesh)
      : problem_(problem), system_(*problem.system), n_(system_.size()), mesh_(std::move(mesh)) {
    x_.resize((mesh_.size() - 1) * block() + n_);
  }

  [[nodiscard]] const std::vector<double>& mesh() const { return mesh_; }
  [[nodiscard]] std::span<double> state(std::size_t i) { return {&x_[i * block()], n_}; }
  [[nodiscard]] std::span<double> slope(std::size_t i, std::size_t l) {
    return {&x_[i * block() + (l + 1) * n_], n_};
  }
  [[nodiscard]] std::size_t unknowns() const { return x_.size(); }

  /// The polynomial and its slope at theta of interval i.
  void evaluate(std::size_t i, double theta, std::span<double> y, std::span<double> dy) {
    const double h = mesh_[i + 1] - mesh_[i];
    std::copy_n(state(i).begin(), n_, y.begin());
    std::fill(dy.begin(), dy.end(), 0.0);
    for (std::size_t l = 0; l < collocation_stages; ++l) {
      const double w = h * gauss_.weight(l, theta), v = gauss_.slope(l, theta);
      for (std::size_t c = 0; c < n_; ++c) {
        y[c] += w * slope(i, l)[c];
        dy[c] += v * slope(i, l)[c];
      }
    }
  }

  /// Largest modulus of every component at the mesh points, not 0.
  [[nodiscard]] std::vector<double> component_sizes() {
    std::vector<double> sizes(n_);
    for (std::size_t i = 0; i < mesh_.size(); ++i) {
      for (std::size_t c = 0; c < n_; ++c) sizes[c] = std::max(sizes[c], std::abs(state(i)[c]));
    }
    const double largest = *std::max_element(sizes.begin(), sizes.end());
    for (double& s : sizes) s = std::max(s, largest > 0 ? 1e-6 * largest : 1);
    return sizes;
  }

  /// Newton's method with the natural monotonicity test: a damped step is good when the simplified
  /// correction behind it is smaller (Deuflhard). Empty, or what went wrong.
  [[nodiscard]] std::string solve(double tolerance, const StopAsked& stop) {
    std::vector<double> r, trial;
    double damping = 1;
    for (int iteration = 0; iteration < 60; ++iteration) {
      if (stop && stop(mesh_.front())) return {};
      assemble();
      if (!residual(r)) return "the equations are not finite along the way to the solution";
      const bool regular = lu_.factor(matrix_) == Factorization::ok;
      if (regular) lu_.solve(r);
      const double change = norm(r);
      if (!regular || !std::isfinite(change)) return singular;
      const std::vector<double> before = x_;
      bool done = false;
      for (damping = std::min(1.0, 4 * damping); !done; damping /= 2) {
        if (damping < 1e-5) return nearly_singular() ? singular : stuck;
        for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = before[k] - damping * r[k];
        if (!residual(trial)) continue;
        lu_.solve(trial);
        const double next = norm(trial);
        done = next <= (1 - damping / 2) * change || change <= tolerance;
        if (done) break;
      }
      if (damping == 1 && change <= tolerance) return {};
    }
    return "Newton's method for the boundary value problem did not converge";
  }

  /// Of every interval: the largest defect y' - f between the Gauss points, times the interval,
  /// over the size of its component.
  [[nodiscard]] std::vector<double> defects() {
    const std::vector<double> sizes = component_sizes();
    std::vector<double> all, y(n_), dy(n_), f(n_);
    Matrix by_state, by_slope;
    for (std::size_t i = 0; i + 1 < mesh_.size(); ++i) {
      const double h = mesh_[i + 1] - mesh_[i];
      double worst = 0;
      for (const double theta : {0.01, 0.5, 0.99}) {  // the equations may jump at the ends
        evaluate(i, theta, y, dy);
        system_.residual(mesh_[i] + theta * h, y, dy, f);
        system_.partials(mesh_[i] + theta * h, y, dy, by_state, by_slope);
        const Lu<double> factors = lu(by_slope.view());
        if (factors.status != Factorization::ok) continue;  // a singular point of the equations
        factors.solve(VectorView<double>(f.data(), n_));
        for (std::size_t c = 0; c < n_; ++c) {
          if (std::isfinite(f[c])) worst = std::max(worst, h * std::abs(f[c]) / sizes[c]);
        }
      }
      all.push_back(worst);
    }
    return all;
  }

 private:
  static constexpr const char* singular =
      "the equations of the boundary value problem are singular: it has no solution, or many";
  static constexpr const char* stuck = "Newton's method for the boundary value problem is stuck";

  /// Whether a change of the equations by rounding changes the solution by all of its size.
  [[nodiscard]] bool nearly_singular() {
    std::vector<double> r(x_.size());
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = k % 3 == 0 ? 1e-13 : -1e-13;
    lu_.solve(r);
    return !(norm(r) < 1);
  }

  [[nodiscard]] std::size_t block() const { return (collocation_stages + 1) * n_; }
  [[nodiscard]] std::size_t node_of(double at) const {
    return static_cast<std::size_t>(std::lower_bound(mesh_.begin(), mesh_.end(), at) -
                                    mesh_.begin());
  }

  /// Root mean square of the states in a change, over their sizes.
  [[nodiscard]] double norm(std::span<const double> change) {
    const std::vector<double> sizes = component_sizes();
    double sum = 0;
    for (std::size_t i = 0; i < mesh_.size(); ++i) {
      for (std::size_t c = 0; c < n_; ++c) {
        const double e = change[i * block() + c] / sizes[c];
        sum += e * e;
      }
    }
    return std::sqrt(sum / static_cast<double>(mesh_.size() * n_));
  }

  /// False when a value is not finite.
  [[nodiscard]] bool residual(std::vector<double>& r) {
    r.resize(x_.size());
    std::vector<double> y(n_), dy(n_), none(n_);
    for (std::size_t i = 0; i + 1 < mesh_.size(); ++i) {
      const double h = mesh_[i + 1] - mesh_[i];
      for (std::size_t l = 0; l < collocation_stages; ++l) {
        evaluate(i, gauss_.c[l], y, dy);
        system_.residual(mesh_[i] + gauss_.c[l] * h, y, slope(i, l),
                         {&r[i * block() + l * n_], n_});
      }
      evaluate(i, 1, y, dy);
      const std::span<double> gap(&r[i * block() + collocation_stages * n_], n_);
      if (problem_.jumps_at(mesh_[i + 1])) {
        Matrix unused;
        problem_.transmission->carried(mesh_[i + 1], 1, state(i + 1), gap, unused);
        problem_.transmission->carried(mesh_[i + 1], -1, y, none, unused);
        for (std::size_t c = 0; c < n_; ++c) gap[c] -= none[c];
      } else {
        for (std::size_t c = 0; c < n_; ++c) gap[c] = state(i + 1)[c] - y[c];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      const OdeConditions::One& c = problem_.conditions->all()[k];
      double& out = r[(mesh_.size() - 1) * block() + k];
      out = c.form ? problem_.conditions->value(c, state(node_of(c.at)), none)
                   : state(0)[c.periodic] - state(mesh_.size() - 1)[c.periodic];
    }
    return all_finite(r);
  }

  void assemble() {
    std::vector<SparseMatrix::Entry> entries;
    std::vector<double> y(n_), dy(n_), row(n_);
    Matrix by_state, by_slope;
    const auto add = [&](std::size_t i, std::size_t j, double v) { entries.push_back({i, j, v}); };
    for (std::size_t i = 0; i + 1 < mesh_.size(); ++i) {
      const double h = mesh_[i + 1] - mesh_[i];
      const std::size_t base = i * block();
      for (std::size_t l = 0; l < collocation_stages; ++l) {
        evaluate(i, gauss_.c[l], y, dy);
        system_.partials(mesh_[i] + gauss_.c[l] * h, y, slope(i, l), by_state, by_slope);
        for (std::size_t r = 0; r < n_; ++r) {
          for (std::size_t c = 0; c < n_; ++c) {
            if (by_state(r, c) != 0) add(base + l * n_ + r, base + c, by_state(r, c));
            for (std::size_t m = 0; m < collocation_stages; ++m) {
              const double v = h * gauss_.weight(m, gauss_.c[l]) * by_state(r, c) +
                               (m == l ? by_slope(r, c) : 0);
              if (v != 0) add(base + l * n_ + r, base + (m + 1) * n_ + c, v);
            }
          }
        }
      }
      // What is the same on both sides of the node, by the states there.
      Matrix before(n_, n_), behind(n_, n_);
      if (problem_.jumps_at(mesh_[i + 1])) {
        evaluate(i, 1, y, dy);
        problem_.transmission->carried(mesh_[i + 1], -1, y, row, before);
        problem_.transmission->carried(mesh_[i + 1], 1, state(i + 1), row, behind);
      } else {
        for (std::size_t c = 0; c < n_; ++c) before(c, c) = behind(c, c) = 1;
      }
      for (std::size_t k = 0; k < n_; ++k) {
        const std::size_t r = base + collocation_stages * n_ + k;
        for (std::size_t c = 0; c < n_; ++c) {
          if (behind(k, c) != 0) add(r, base + block() + c, behind(k, c));
          if (before(k, c) == 0) continue;
          add(r, base + c, -before(k, c));
          for (std::size_t m = 0; m < collocation_stages; ++m) {
            add(r, base + (m + 1) * n_ + c, -before(k, c) * h * gauss_.weight(m, 1));
          }
        }
      }
    }
    const std::size_t end = (mesh_.size() - 1) * block();
    for (std::size_t k = 0; k < n_; ++k) {
      const OdeConditions::One& c = problem_.conditions->all()[k];
      if (!c.form) {
        add(end + k, c.periodic, 1);
        add(end + k, end + c.periodic, -1);
        continue;
      }
      const std::size_t node = node_of(c.at);
      (void)problem_.conditions->value(c, state(node), row);
      for (std::size_t j = 0; j < n_; ++j) {
        if (row[j] != 0) add(end + k, node * block() + j, row[j]);
      }
    }
    matrix_ = SparseMatrix(x_.size(), x_.size(), entries);
  }

  const OdeProblem& problem_;
  OdeSystem& system_;
  std::size_t n_;
  std::vector<double> mesh_, x_;
  GaussTableau gauss_;
  SparseMatrix matrix_;
  SparseLu lu_;
};

/// A first guess: states that fulfil the conditions, linearised, with the least norm, and straight
/// lines between them. Derivatives that no condition names are the slopes of these lines.
void first_guess(const OdeProblem& problem, OdeCollocation& out) {
  const std::vector<OdeConditions::One>& all = problem.conditions->all();
  const std::size_t n = problem.system->size();
  std::vector<double> places = {problem.lower, problem.upper};
  for (const auto& c : all) places.push_back(c.at);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  Matrix a(all.size(), places.size() * n), b(all.size(), 1);
  std::vector<double> zero(n), row(n);
  std::vector<char> named(n);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].form) {
      a(k, all[k].periodic) = 1;
      a(k, (places.size() - 1) * n + all[k].periodic) = -1;
      continue;
    }
    b(k, 0) = -problem.conditions->value(all[k], zero, row);
    const auto place = static_cast<std::size_t>(
        std::lower_bound(places.begin(), places.end(), all[k].at) - places.begin());
    for (std::size_t c = 0; c < n; ++c) {
      a(k, place * n + c) = row[c];
      if (row[c] != 0) named[c] = 1;
    }
  }
  const auto values = least_squares(a.view(), b.view());
  if (values.status != Factorization::ok) return;
  // Fields that are named at one place only stay as they are there.
  for (std::size_t i = 0; i < out.mesh().size(); ++i) {
    const double s = out.mesh()[i];
    std::size_t right = 1;
    while (right + 1 < places.size() && places[right] < s) ++right;
    const double length = places[right] - places[right - 1], w = (s - places[right - 1]) / length;
    for (const OdeSystem::Chain& chain : problem.system->chains()) {
      double line = 0;
      for (int j = 0; j < chain.order; ++j) {
        const std::size_t c = chain.first + static_cast<std::size_t>(j);
        const double v0 = values.x((right - 1) * n + c, 0), v1 = values.x(right * n + c, 0);
        out.state(i)[c] = j > 0 && !named[c] ? line : (1 - w) * v0 + w * v1;
        line = j == 0 ? (v1 - v0) / length : 0;
        if (i + 1 < out.mesh().size()) {
          for (std::size_t l = 0; l < collocation_stages; ++l)
            out.slope(i, l)[c] = (v1 - v0) / length;
        }
      }
    }
  }
}

/// The mesh with intervals cut where the defect, which falls like the fifth power, is too large.
std::vector<double> refined_mesh(const std::vector<double>& mesh, std::span<const double> defects,
                                 double tolerance) {
  std::vector<double> next = {mesh.front()};
  for (std::size_t i = 0; i + 1 < mesh.size(); ++i) {
    const double wanted =
        std::ceil(std::pow(1.5 * defects[i] / tolerance, 1.0 / (collocation_stages + 1)));
    const int parts = defects[i] <= tolerance ? 1 : static_cast<int>(std::clamp(wanted, 2.0, 4.0));
    for (int k = 1; k < parts; ++k) {
      next.push_back(mesh[i] + (mesh[i + 1] - mesh[i]) * k / parts);
    }
    next.push_back(mesh[i + 1]);
  }
  return next;
}

}  // namespace

OdeNodes solve_collocation(const OdeProblem& problem, std::size_t intervals, double tolerance,
                           const StopAsked& stop) {
  OdeNodes out;
  out.method = "collocation";
  std::vector<double> mesh;
  for (std::size_t i = 0; i <= intervals; ++i) {
    const double w = static_cast<double>(i) / static_cast<double>(intervals);
    mesh.push_back(i == intervals ? problem.upper
                                  : problem.lower + w * (problem.upper - problem.lower));
  }
  for (const auto& c : problem.conditions->all()) mesh.push_back(c.at);
  mesh.insert(mesh.end(), problem.nodes.begin(), problem.nodes.end());
  std::sort(mesh.begin(), mesh.end());
  mesh.erase(std::unique(mesh.begin(), mesh.end()), mesh.end());
  auto now = std::make_unique<OdeCollocation>(problem, mesh);
  first_guess(problem, *now);
  for (;;) {
    out.trouble = now->solve(1e-3 * tolerance, stop);
    out.interrupted = stop && stop(problem.lower);
    if (!out.trouble.empty() || out.interrupted) return out;
    const std::vector<double> defects = now->defects();
    if (*std::max_element(defects.begin(), defects.end()) <= tolerance) break;
    auto next =
        std::make_unique<OdeCollocation>(problem, refined_mesh(now->mesh(), defects, tolerance));
    if (next->unknowns() > most_collocation_unknowns) {
      const auto worst = std::max_element(defects.begin(), defects.end()) - defects.begin();
      out.trouble = fmt::format("more than {} unknowns would be needed near {} = {:.6g}",
                                most_collocation_unknowns, problem.system->variable(),
                                now->mesh()[static_cast<std::size_t>(worst)]);
      return out;
    }
    const std::vector<double>& old = now->mesh();
    const std::size_t n = problem.system->size();
    std::vector<double> y(n), dy(n);
    GaussTableau gauss;
    for (std::size_t i = 0, from = 0; i < next->mesh().size(); ++i) {
      while (from + 2 < old.size() && old[from + 1] <= next->mesh()[i]) ++from;
      const double length = old[from + 1] - old[from];
      now->evaluate(from, (next->mesh()[i] - old[from]) / length, next->state(i), dy);
      if (i + 1 == next->mesh().size()) break;
      const double h = next->mesh()[i + 1] - next->mesh()[i];
      for (std::size_t l = 0; l < collocation_stages; ++l) {
        const double s = next->mesh()[i] + gauss.c[l] * h;
        now->evaluate(from, (s - old[from]) / length, y, next->slope(i, l));
      }
    }
    now = std::move(next);
  }
  out.cubics.n_components = problem.system->size();
  const std::vector<double> sizes = now->component_sizes();
  for (std::size_t i = 0; i + 1 < now->mesh().size(); ++i) {
    add_step(
        out.cubics, now->mesh()[i], now->mesh()[i + 1] - now->mesh()[i],
        [&](double theta, std::span<double> y, std::span<double> dy) {
          now->evaluate(i, theta, y, dy);
        },
        sizes, 0.1 * tolerance);
    out.cubics.nodes.back() = now->mesh()[i + 1];
  }
  out.steps = now->mesh().size() - 1;
  return out;
}

}  // namespace cauchy::detail
