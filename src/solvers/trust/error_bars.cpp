#include <cauchy/solvers/error_bars.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/point_evaluator.hpp"
#include "solvers/auto_classical/prepared_auto_classical.hpp"
#include "solvers/classical/contradiction.hpp"
#include "solvers/trust/corrected_model.hpp"
#include "solvers/trust/error_problem.hpp"
#include "solvers/trust/hidden_defects.hpp"
#include "solvers/trust/neutral_direction.hpp"

namespace cauchy {
namespace detail {
namespace {

/// A correction of this part of the answer is one step of Newton's method away from the next.
constexpr double small_correction = 0.02;
constexpr int max_corrections = 4;
/// A classical answer that is compared with must be this much better.
constexpr double direct_factor = 3;
/// Points at which errors are measured.
constexpr std::size_t n_measured = 10'000;

std::vector<Expr> fields_of(const Problem& problem) {
  std::vector<Expr> fields;
  for (const std::string& name : problem.fields) fields.emplace_back(Field(name));
  return fields;
}

/// Errors of the answer if `truth` were the solution.
std::vector<FieldError> errors_against(const Solution& s,
                                       const std::shared_ptr<const FieldModel>& truth) {
  Solution compared;
  compared.problem = s.problem;
  compared.problem.reference = {};
  compared.model = s.model;
  ReferenceCode code;
  code.fields = s.problem.fields;
  code.evaluate = [truth, fields = fields_of(s.problem)](std::span<const double> points,
                                                         std::span<double> values) {
    truth->evaluate(fields, points, values);
  };
  compared.problem.reference.code = std::move(code);
  return measure_error(compared, n_measured).fields;
}

/// Over the variation of the fields: what is compared with tolerances.
double largest_of(const std::vector<FieldError>& fields) {
  ErrorReport report;
  report.fields = fields;
  return report.judged();
}

void set_errors(ErrorEstimate& made, std::vector<FieldError> fields) {
  ErrorReport report;
  report.fields = std::move(fields);
  made.relative_l2 = report.relative_l2();
  made.of_variation = report.judged();
  made.fields = std::move(report.fields);
}

class ErrorEstimator final {
 public:
  ErrorEstimator(const Solution& s, const ErrorBarOptions& o) : s_(s), o_(o) {
    Problem known = PointEvaluator(s).problem();
    known.reference = {};
    known.observation.clear();
    known_ = std::make_shared<const Problem>(std::move(known));
  }

  ErrorBars run() {
    if (const std::vector<std::string> open = facts(*known_).warnings; !open.empty()) {
      return {.reason = "the equations have no one solution: " + open[0]};
    }
    std::vector<ErrorBars (ErrorEstimator::*)()> ways = {&ErrorEstimator::by_defect,
                                                         &ErrorEstimator::by_classical};
    // Integrators see what hides, and a coarse grid is enough for an answer that is far off.
    if (s_.problem.domain->space() == nullptr || far_off()) std::swap(ways[0], ways[1]);
    std::string reasons;
    for (const auto way : ways) {
      limit_ = way == ways[0] ? whole_.share(first_share) : whole_;
      ErrorBars bars;
      try {
        const LimitScope scope(limit_);
        bars = (this->*way)();
      } catch (const Error& e) {  // never costs the answer
        bars.reason = e.message();
      }
      if (bars.estimate) return bars;
      if (!bars.reason.empty()) reasons += (reasons.empty() ? "" : "; ") + bars.reason;
    }
    return {.reason = reasons};
  }

 private:
  [[nodiscard]] bool far_off() const {
    return std::any_of(s_.checks.begin(), s_.checks.end(), [](const TermCheck& c) {
      return c.kind != TermCheck::Kind::observation && !(c.fresh <= large_residual);
    });
  }

  struct Solved {
    std::shared_ptr<const FieldModel> model;
    double error = 0;  // relative, of itself
    std::string method;
  };
  /// The answer of a classical method; none with the reason.
  std::optional<Solved> solved_by(const Problem& problem, const Method& method,
                                  const RunLimit& limit, std::string& reason) {
    return solved_by(
        problem, [&] { return prepare(problem, method, o_.threads); }, limit, reason);
  }

  std::optional<Solved> solved_by(const Problem& problem,
                                  FunctionRef<std::unique_ptr<PreparedMethod>()> make,
                                  const RunLimit& limit, std::string& reason) {
    PreparedMethod::Answer answer;
    try {
      const auto prepared = make();
      require_fit(prepared->cost());
      answer = prepared->run({.threads = o_.threads, .limit = limit});
    } catch (const Error& e) {
      reason = e.message();
      return std::nullopt;
    }
    Solution& found = answer.solution;
    if (!answer.outcome.finite || !answer.outcome.troubles.empty() || !found.model) {
      reason = answer.outcome.troubles.empty() ? found.method + " found no finite answer"
                                               : answer.outcome.troubles[0];
      return std::nullopt;
    }
    if (!found.estimate) {
      reason = fmt::format("{} had no time for a second grid", found.method);
      return std::nullopt;
    }
    // A witness passes every check that an answer must pass.
    found.problem = problem;
    found.checks = check_terms(found);
    if (std::string why = contradiction_of(found); !why.empty()) {
      reason = std::move(why);
      return std::nullopt;
    }
    add_neutral_direction(found);
    return Solved{found.model, found.estimate->judged(), found.method};
  }

  /// A classical answer to the problem by another method than that of the answer; by the same where
  /// there is no other.
  std::optional<Solved> witness(double tolerance, bool& own, std::string& reason) {
    const std::string_view kind = s_.model->kind();
    own = false;
    std::optional<Solved> other = solved_by(
        *known_, [&] { return prepare_classical_besides(known_, tolerance, o_.threads, kind); },
        limit_, reason);
    if (other || !is_classical(kind)) return other;
    own = true;
    return classical(*known_, tolerance, reason);
  }

  std::optional<Solved> classical(const Problem& problem, double tolerance, std::string& reason) {
    return solved_by(problem, AutoClassical{.tolerance = tolerance}, limit_, reason);
  }

  /// Volumes first where the error is carried along; the better one.
  std::optional<Solved> error_of(const ErrorProblem& problem, std::string& reason) {
    std::optional<Solved> first;
    if (problem.transport) {
      first =
          solved_by(*problem.problem, Fvm{.tolerance = o_.precision}, limit_.share(0.5), reason);
    }
    if (first && first->error <= good_enough) return first;
    std::optional<Solved> second = classical(*problem.problem, o_.precision, reason);
    return first && !(second && second->error < first->error) ? first : second;
  }

  ErrorBars by_defect() {
    if (std::string hidden = hidden_defects(s_); !hidden.empty()) return {.reason = hidden};
    std::shared_ptr<const FieldModel> correction;
    double size = 0, own = 0;  // of the last correction, and what all of them may be off by
    std::string method;
    bool linear = true;
    for (int step = 0; step < max_corrections; ++step) {
      Solution base;
      base.problem = *known_;
      base.model =
          correction ? std::make_shared<CorrectedModel>(known_, s_.model, correction) : s_.model;
      std::string reason;
      std::optional<Solved> e;
      try {
        const ErrorProblem problem = error_problem(base);
        if (std::string why = left_out(problem); !why.empty()) return {.reason = why};
        linear = problem.linear;
        e = error_of(problem, reason);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::memory) throw;
        reason = error.message();
      }
      if (!e) {
        return {.reason = "the equation of the error was not solved: " + reason};
      }
      const auto next = std::make_shared<CorrectedModel>(known_, base.model, e->model);
      const double before = size;
      size = largest_of(errors_against(base, next));
      method = e->method;
      if (step == 0) own = e->error;
      correction =
          correction ? std::make_shared<CorrectedModel>(known_, correction, e->model) : e->model;
      if (!std::isfinite(size)) return {.reason = "the estimated error is not finite"};
      if (linear || size <= small_correction) break;
      if (step > 0 && !(size <= before / 2)) {
        return {.reason = fmt::format(
                    "the answer is too far from a solution: corrections of {:.1e} and {:.1e} do "
                    "not settle",
                    before, size)};
      }
    }
    ErrorEstimate made;
    set_errors(made,
               errors_against(s_, std::make_shared<CorrectedModel>(known_, s_.model, correction)));
    const bool settled = linear || size <= small_correction;
    made.unsure = settled ? own : std::max(own, size / made.judged());
    made.correction = correction;
    made.how = fmt::format("equation of the error, {}, whose own estimate is {:.0e}", method, own);
    return {.estimate = std::move(made)};
  }

  /// A defect that the error problem does not see must be small by itself.
  [[nodiscard]] std::string left_out(const ErrorProblem& problem) const {
    for (const TermCheck& c : s_.checks) {
      const bool unseen = std::find(problem.left_out.begin(), problem.left_out.end(), c.name) !=
                          problem.left_out.end();
      if (unseen && !(c.fresh <= small_left_out)) {
        return fmt::format("'{}' is violated by {:.1g} of its terms", c.name, c.fresh);
      }
    }
    return {};
  }

  /// The difference from a classical answer to the same problem.
  ErrorBars by_classical() {
    if (!known_->coefficients.empty()) return {};
    std::string reason;
    if (is_classical(s_.model->kind())) {  // refining what is refuted shows nothing
      if (std::string why = contradiction_of(s_); !why.empty()) return {.reason = std::move(why)};
    }
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance /= 30) {
      bool own = false;
      const std::optional<Solved> truth = witness(tolerance, own, reason);
      if (!truth) return {.reason = "no classical answer to compare with: " + reason};
      ErrorEstimate made;
      set_errors(made, errors_against(s_, truth->model));
      // Two answers of one method may agree on something wrong: that is no error of 0.
      if (own && made.judged() == 0) {
        return {.reason = truth->method + " is the only witness, and none for itself"};
      }
      made.unsure = truth->error / made.judged();
      made.correction = std::make_shared<CorrectedModel>(known_, s_.model, truth->model, -1);
      made.how =
          fmt::format("{} {}, whose own estimate is {:.0e}",
                      own ? "refinement of the same method, difference from" : "difference from",
                      truth->method, truth->error);
      if (direct_factor * truth->error <= made.judged()) return {.estimate = std::move(made)};
      reason =
          fmt::format("{} has an estimate of {:.0e} itself, the answer differs from it by {:.0e}",
                      truth->method, truth->error, made.judged());
      if (truth->error > tolerance || limit_.reached()) break;
    }
    return {.reason = reason};
  }

  static constexpr double small_left_out = 1e-3;
  static constexpr double good_enough = 0.5;      // volumes are of low order
  static constexpr double large_residual = 3e-2;  // of the terms, in the mean
  static constexpr double first_share = 0.7;      // of the time, for the first way
  const Solution& s_;
  const ErrorBarOptions& o_;
  std::shared_ptr<const Problem> known_;  // without reference and observations, constants as found
  RunLimit whole_ = o_.limit.with_work(o_.work), limit_;  // of all ways, and of the present one
};

}  // namespace
}  // namespace detail

ErrorBars estimate_error(const Solution& solution, const ErrorBarOptions& options) {
  return detail::ErrorEstimator(solution, options).run();
}

std::vector<double> estimated_errors(const Solution& s, std::span<const Expr> expressions,
                                     std::span<const double> rows) {
  if (!s.estimate || !s.estimate->correction) {
    throw Error("the error of this answer is not known point by point", "[solvers.error-bars]",
                "solve the problem with an estimate of its error");
  }
  const auto known = std::make_shared<const Problem>(detail::PointEvaluator(s).problem());
  const detail::CorrectedModel corrected(known, s.model, s.estimate->correction);
  std::vector<double> errors = s.evaluate(expressions, rows), truth(errors.size());
  corrected.evaluate(expressions, rows, truth);
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = std::abs(truth[i] - errors[i]);
  return errors;
}

}  // namespace cauchy
