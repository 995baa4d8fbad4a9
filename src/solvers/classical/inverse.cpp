#include "solvers/classical/inverse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>

#include "problem/lowering.hpp"
#include "problem/point_data.hpp"
#include "solvers/student_quantile.hpp"

namespace cauchy::detail {
namespace {

/// Of an expression by an unknown constant, fields among what changes with it.
Expr tangent_of(const Expr& e, const std::string& unknown) {
  const Expr canonical = plain(e);
  Expr sum = partial(canonical, Parameter(unknown));
  for (const Expr& atom : field_atoms(std::array{canonical})) {
    sum = sum + partial(canonical, atom) *
                    field_derivative(tangent_name(atom.name(), unknown), atom.index());
  }
  return sum;
}

/// The same for an equation, whose divergences stay divergences.
Expr written_tangent(const Expr& e, const std::string& unknown) {
  Expr sum = 0;
  for (const Summand& s : summands(e)) {
    if (s.is_plain()) {
      sum = sum + tangent_of(s.coefficient, unknown);
      continue;
    }
    Expr value = 0, change = 0;
    for (std::size_t i = 0; i < s.flux.size(); ++i) {
      value = value + d(plain(s.flux[i]), s.by[i]);
      change = change + d(tangent_of(s.flux[i], unknown), s.by[i]);
    }
    sum = sum + plain(tangent_of(s.coefficient, unknown)) * plain(value) + s.coefficient * change;
  }
  return sum;
}

}  // namespace

std::string tangent_name(const std::string& field, const std::string& unknown) {
  return fmt::format("{}_by_{}", field, unknown);
}

Problem tangent_problem(const Problem& problem, std::span<const double> values) {
  Problem p = problem;
  p.unknowns.clear();
  p.observation.clear();
  p.reference = {};
  for (std::size_t k = 0; k < problem.unknowns.size(); ++k) {
    p.parameters.push_back({problem.unknowns[k].name, Expr(values[k])});
  }
  for (const Unknown& u : problem.unknowns) {
    for (const std::string& f : problem.fields) p.fields.push_back(tangent_name(f, u.name));
    for (const ProblemEquation& e : problem.equation) {
      ProblemEquation tangent = e;
      tangent.name.clear();
      tangent.form = {written_tangent(e.form.residual(), u.name), Expr(0)};
      p.equation.push_back(std::move(tangent));
    }
    for (const Condition& c : problem.condition) {
      if (c.kind == Condition::Kind::periodic) continue;  // holds for all fields
      if (c.kind == Condition::Kind::interface) {
        throw Error(ErrorKind::unsupported,
                    fmt::format("unknown constants together with condition '{}' inside the domain",
                                name_of(c)),
                    "[solvers]", "use pinn");
      }
      Condition tangent = c;
      tangent.name.clear();
      tangent.form = {tangent_of(c.form.left, u.name), tangent_of(c.form.right, u.name)};
      p.condition.push_back(std::move(tangent));
    }
  }
  return p;
}

namespace {

constexpr int most_gauss_newton = 30;
constexpr double constants_settled = 1e-7;  // relative change of all constants
constexpr double interval_share = 0.95;

class InverseSolver final : public ClassicalSolver {
 public:
  InverseSolver(std::string kind, std::shared_ptr<const Problem> problem, MakeClassicalSolver make)
      : kind_(std::move(kind)),
        problem_(std::move(problem)),
        make_(std::move(make)),
        free_(Lowering(*problem_).unknowns()) {
    const std::string place = "[solvers." + kind_ + "]";
    if (problem_->observation.empty()) {
      throw Error(ErrorKind::unsupported, "unknown constants need observations", place,
                  "add [[observation]]");
    }
    for (const Lowering::Free& f : free_) state_.push_back(f.initial);
    const std::vector<double> first = constants(state_);
    Problem forward = *problem_;
    forward.unknowns.clear();
    forward.observation.clear();
    for (std::size_t k = 0; k < first.size(); ++k) {
      forward.parameters.push_back({problem_->unknowns[k].name, Expr(first[k])});
    }
    const ProblemFacts known = facts(forward);
    if (!known.warnings.empty()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{} fits constants of problems that are determined without the "
                              "observations; here {}",
                              kind_, known.warnings.front()),
                  place, "add what is missing, or use pinn");
    }
    first_ = make_(std::make_shared<const Problem>(tangent_problem(*problem_, first)));
    std::size_t count = 0;
    for (const Observation& o : problem_->observation) count += o.table.column(o.column).size();
    if (count < free_.size()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{} values do not determine {} constants", count, free_.size()),
                  place, "add observations");
    }
  }

  [[nodiscard]] int levels() const override { return first_->levels(); }
  [[nodiscard]] double order() const override { return first_->order(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return first_->warnings(); }
  [[nodiscard]] MethodCost cost(int level) const override {
    MethodCost all = first_->cost(level);
    all.method = fmt::format("{}, Gauss-Newton for {} constants", all.method, free_.size());
    all.work = all.work.times(level == 0 ? 10 : 4);
    return all;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    const std::size_t m = free_.size();
    const std::vector<double> before = constants(state_);
    Fit fit = evaluate_at(state_, level, options);
    if (!fit.good) return fit.answer;
    double damping = 1e-6, change = INFINITY;
    int steps = 0;
    for (; steps < most_gauss_newton && change > constants_settled; ++steps) {
      bool better = false;
      Fit next;
      std::vector<double> trial(m);
      for (int attempt = 0; attempt < 12 && !better; ++attempt) {
        const std::vector<double> step = solve_normal(fit, damping);
        for (std::size_t k = 0; k < m; ++k) trial[k] = state_[k] + step[k];
        if (!finite(trial)) {
          damping = std::max(10 * damping, 1e-3);
          continue;
        }
        next = evaluate_at(trial, level, options);
        if (next.answer.interrupted) return next.answer;
        const double slack = 1 + 1e-12;  // rounding of a misfit that is already smallest
        better = next.good && next.misfit <= slack * fit.misfit;
        damping = better ? damping / 10 : std::max(10 * damping, 1e-3);
      }
      if (!better) break;
      change = 0;
      const std::vector<double> a = constants(state_), b = constants(trial);
      for (std::size_t k = 0; k < m; ++k) {
        change = std::max(change, std::abs(b[k] - a[k]) / std::max(std::abs(b[k]), 1e-300));
      }
      state_ = trial;
      fit = std::move(next);
    }
    ClassicalAnswer answer = std::move(fit.answer);
    finish(fit, answer);
    answer.remarks.push_back(fmt::format(
        "{} Gauss-Newton steps, the last changed the constants by {:.1e}", steps, change));
    answer.method += fmt::format(", {} Gauss-Newton steps", steps);
    const std::vector<double> now = constants(state_);
    if (solved_before_) {
      for (std::size_t k = 0; k < m; ++k) {
        const double scale = std::max(std::abs(now[k]), 1e-300);
        answer.error = std::max(answer.error, std::abs(now[k] - before[k]) / scale);
      }
    }
    solved_before_ = true;
    return answer;
  }

 private:
  struct Fit {
    ClassicalAnswer answer;
    bool good = false;
    double misfit = 0;                    // sum of squares
    std::vector<double> residuals, rows;  // rows: n x m, derivatives by the free constants
  };

  static bool finite(const std::vector<double>& list) {
    return std::all_of(list.begin(), list.end(), [](double v) { return std::isfinite(v); });
  }

  /// The unknowns of the problem from the free ones.
  [[nodiscard]] std::vector<double> constants(const std::vector<double>& state) const {
    std::vector<double> out;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      out.push_back(value_of(k, state[k]));
    }
    return out;
  }
  [[nodiscard]] double value_of(std::size_t k, double s) const {
    Values v;
    v.set(Parameter(free_[k].name), s);
    return evaluate(free_[k].value, v);
  }

  [[nodiscard]] Fit evaluate_at(const std::vector<double>& state, int level,
                                const RunOptions& options) const {
    const std::size_t m = free_.size();
    const std::vector<double> values = constants(state);
    Fit fit;
    if (!finite(values)) return fit;
    const auto tangent = std::make_shared<const Problem>(tangent_problem(*problem_, values));
    fit.answer = make_(tangent)->solve(level, options);
    if (!fit.answer.model || !fit.answer.troubles.empty() || fit.answer.interrupted) return fit;
    std::vector<double> slope(m);  // of the unknowns by the free constants
    for (std::size_t k = 0; k < m; ++k) {
      Values v;
      v.set(Parameter(free_[k].name), state[k]);
      slope[k] = evaluate(partial(free_[k].value, Parameter(free_[k].name)), v);
    }
    for (const Observation& o : problem_->observation) {
      const Points points = given_points(*problem_, o);
      const std::vector<double> observed = o.table.column(o.column), noise = noise_of(o);
      std::vector<Expr> wanted = {plain(o.quantity)};
      for (const Unknown& u : problem_->unknowns) wanted.push_back(tangent_of(o.quantity, u.name));
      std::vector<double> out(points.size() * wanted.size());
      fit.answer.model->evaluate(wanted, points.values, out);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double w = std::sqrt(o.weight) / (noise.empty() ? 1 : noise[i]);
        fit.residuals.push_back(w * (out[i * (m + 1)] - observed[i]));
        for (std::size_t k = 0; k < m; ++k) {
          fit.rows.push_back(w * slope[k] * out[i * (m + 1) + 1 + k]);
        }
      }
    }
    for (const double r : fit.residuals) fit.misfit += r * r;
    fit.good = std::isfinite(fit.misfit) && finite(fit.rows);
    if (!fit.good)
      fit.answer.troubles.emplace_back("the derivatives by the constants are not finite");
    return fit;
  }

  /// (J'J + damping diag) and J'r.
  void normal_equations(const Fit& fit, double damping, std::vector<double>& a,
                        std::vector<double>& b) const {
    const std::size_t m = free_.size(), n = fit.residuals.size();
    a.assign(m * m, 0.0);
    b.assign(m, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        b[k] -= fit.rows[i * m + k] * fit.residuals[i];
        for (std::size_t l = 0; l < m; ++l)
          a[k * m + l] += fit.rows[i * m + k] * fit.rows[i * m + l];
      }
    }
    for (std::size_t k = 0; k < m; ++k) a[k * m + k] *= 1 + damping;
  }

  /// Gauss's elimination in place, with the diagonal scaled to one; NaN where it is singular.
  static void solve_small(std::vector<double> a, std::vector<double>& b) {
    const std::size_t m = b.size();
    std::vector<double> unit(m);
    for (std::size_t k = 0; k < m; ++k) unit[k] = 1 / std::sqrt(a[k * m + k]);
    for (std::size_t k = 0; k < m; ++k) {
      b[k] *= unit[k];
      for (std::size_t l = 0; l < m; ++l) a[k * m + l] *= unit[k] * unit[l];
    }
    for (std::size_t k = 0; k < m; ++k) {
      const double pivot = a[k * m + k] > 1e-12 ? a[k * m + k] : NAN;
      for (std::size_t i = k + 1; i < m; ++i) {
        const double f = a[i * m + k] / pivot;
        for (std::size_t l = k; l < m; ++l) a[i * m + l] -= f * a[k * m + l];
        b[i] -= f * b[k];
      }
      if (std::isnan(pivot)) b[k] = NAN;
    }
    for (std::size_t k = m; k-- > 0;) {
      for (std::size_t l = k + 1; l < m; ++l) b[k] -= a[k * m + l] * b[l];
      b[k] /= a[k * m + k];
    }
    for (std::size_t k = 0; k < m; ++k) b[k] *= unit[k];
  }

  [[nodiscard]] std::vector<double> solve_normal(const Fit& fit, double damping) const {
    std::vector<double> a, b;
    normal_equations(fit, damping, a, b);
    solve_small(std::move(a), b);
    return b;
  }

  void finish(const Fit& fit, ClassicalAnswer& answer) const {
    const std::size_t m = free_.size(), n = fit.residuals.size();
    const std::vector<double> now = constants(state_);
    for (std::size_t k = 0; k < m; ++k) answer.unknowns[problem_->unknowns[k].name] = now[k];
    const bool given =
        std::all_of(problem_->observation.begin(), problem_->observation.end(),
                    [](const Observation& o) { return o.sigma || !o.sigma_column.empty(); });
    const double freedom = static_cast<double>(n) - static_cast<double>(m);
    if (!given && !(freedom >= 3)) return;
    const double variance = given ? 1 : fit.misfit / freedom;
    const double quantile = given ? normal_quantile((1 + interval_share) / 2)
                                  : student_quantile((1 + interval_share) / 2, freedom);
    std::vector<double> a, ignored;
    normal_equations(fit, 0, a, ignored);
    std::vector<std::string> open;
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<double> column(m, 0.0);
      column[k] = 1;
      solve_small(a, column);
      const double deviation = std::sqrt(variance * column[k]);
      if (!std::isfinite(deviation)) {
        open.push_back(fmt::format("'{}'", problem_->unknowns[k].name));
        continue;
      }
      const double lower = value_of(k, state_[k] - quantile * deviation);
      const double upper = value_of(k, state_[k] + quantile * deviation);
      answer.intervals[problem_->unknowns[k].name] = {
          std::min(lower, upper), std::max(lower, upper), interval_share,
          given ? "Gauss-Newton matrix at the solution, given noise"
                : fmt::format("Gauss-Newton matrix at the solution, noise {:.2g} estimated from "
                              "the misfit",
                              std::sqrt(variance))};
    }
    if (!open.empty()) {
      answer.troubles.push_back(
          fmt::format("the observations do not determine {}", fmt::join(open, " and ")));
    }
  }

  std::string kind_;
  std::shared_ptr<const Problem> problem_;
  MakeClassicalSolver make_;
  std::vector<Lowering::Free> free_;
  std::vector<double> state_;  // of the free constants
  std::unique_ptr<ClassicalSolver> first_;
  bool solved_before_ = false;
};

}  // namespace

std::unique_ptr<ClassicalSolver> make_inverse(std::string kind,
                                              std::shared_ptr<const Problem> problem,
                                              MakeClassicalSolver make) {
  return std::make_unique<InverseSolver>(std::move(kind), std::move(problem), std::move(make));
}

}  // namespace cauchy::detail
