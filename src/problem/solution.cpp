#include <cauchy/problem/solution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/error_meter.hpp"

namespace cauchy {

std::string_view to_string(Grade g) noexcept {
  switch (g) {
    case Grade::converged:
      return "converged";
    case Grade::stalled:
      return "stalled";
    case Grade::diverged:
      return "diverged";
    case Grade::suspicious:
      return "suspicious";
  }
  return "unknown";
}

double TrainingRecord::loss() const {
  return history.empty() ? std::numeric_limits<double>::quiet_NaN() : history.back().loss;
}

double ErrorReport::relative_l2() const {
  if (fields.empty()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  for (const FieldError& f : fields) {
    if (std::isnan(f.relative_l2)) return f.relative_l2;
    largest = std::max(largest, f.relative_l2);
  }
  return largest;
}

std::vector<double> Solution::evaluate(std::span<const Expr> expressions,
                                       std::span<const double> rows) const {
  const std::size_t D = problem.coordinates().size();
  if (D == 0 || rows.size() % D != 0) {
    throw Error(fmt::format("{} numbers are no rows of ({})", rows.size(),
                            fmt::join(problem.coordinates(), ", ")),
                "[solution]");
  }
  std::vector<double> out(rows.size() / D * expressions.size());
  if (!out.empty()) model->evaluate(expressions, rows, out);
  return out;
}

std::vector<double> Solution::operator()(const Expr& expression,
                                         std::span<const double> rows) const {
  return evaluate(std::span(&expression, 1), rows);
}

std::vector<double> Solution::operator()(std::string_view text,
                                         std::span<const double> rows) const {
  return (*this)(parse(text, problem.context()), rows);
}

double Solution::operator()(const Expr& expression, std::initializer_list<double> point) const {
  const std::vector<std::string> names = problem.coordinates();
  if (point.size() != names.size()) {
    throw Error(fmt::format("a point has {} coordinates ({}), got {} numbers", names.size(),
                            fmt::join(names, ", "), point.size()),
                "[solution]", "several points are rows of a std::vector<double>");
  }
  return (*this)(expression, std::span(point.begin(), point.size())).front();
}

double Solution::operator()(std::string_view text, std::initializer_list<double> point) const {
  return (*this)(parse(text, problem.context()), point);
}

ErrorReport measure_error(const Solution& solution, std::size_t n) {
  ErrorReport report = detail::ErrorMeter(solution.problem, n).measure(*solution.model);
  for (const Unknown& u : solution.problem.unknowns) {
    const auto found = solution.unknowns.find(u.name);
    if (!u.truth || found == solution.unknowns.end()) continue;
    const double scale = *u.truth != 0 ? std::abs(*u.truth) : 1;
    report.unknowns[u.name] = std::abs(found->second - *u.truth) / scale;
  }
  return report;
}

namespace {

/// Residuals in units of their size that count as fulfilled and as violated.
constexpr double fulfilled = 1e-2, violated = 1e-1;

void look_at_checks(const Solution& s, std::vector<std::string>& doubts) {
  if (!s.training) return;
  for (const TermCheck& c : s.training->checks) {
    if (!(c.fresh <= violated)) {
      doubts.push_back(fmt::format(
          "'{}' is violated: the residual is {:.2g} of its size on fresh points", c.name, c.fresh));
    } else if (c.fresh > 10 * c.trained && c.fresh > fulfilled) {
      doubts.push_back(
          fmt::format("'{}' holds on the training points ({:.2g}) but not between "
                      "them ({:.2g}): use more points",
                      c.name, c.trained, c.fresh));
    }
  }
}

}  // namespace

void grade(Solution& s, const GradeInput& input) {
  s.findings = input.troubles;
  const double error = s.error.relative_l2();
  const bool has_reference = !s.error.fields.empty();
  const double tolerance = s.problem.tolerance.value_or(1e-2);
  if (!input.finite) {
    s.grade = Grade::diverged;
    if (input.troubles.empty()) s.findings.emplace_back("the loss is NaN or infinite");
    return;
  }
  if (has_reference && !(error <= 1e3)) {
    s.grade = Grade::diverged;
    s.findings.push_back(fmt::format("the error against the reference is {:.2g}", error));
    return;
  }
  std::vector<std::string> doubts;
  look_at_checks(s, doubts);
  // A method that trains has a loss, which may be small although the answer is wrong.
  const double loss = s.training ? s.training->loss() : std::numeric_limits<double>::quiet_NaN();
  const bool reached = has_reference && error <= tolerance;
  if (has_reference && s.error.reference_error > 0.1 * tolerance) {
    s.findings.push_back(
        fmt::format("the reference itself is only good to {:.0e}", s.error.reference_error));
  }
  if (has_reference) {
    s.findings.push_back(fmt::format("relative L2 error {:.2e} against {}, {} {:.0e}", error,
                                     s.error.reference, reached ? "within" : "above", tolerance));
  } else {
    s.findings.emplace_back("there is no reference: the error is not known");
  }
  for (const auto& [name, value] : s.error.unknowns) {
    s.findings.push_back(
        fmt::format("'{}' = {:.6g} is off by {:.2g} %", name, s.unknowns.at(name), 100 * value));
  }
  // A small loss that goes with a wrong answer is worse than a large one.
  const bool small_loss = loss < 1e-2;
  if (has_reference && !reached && small_loss && error > 10 * tolerance) {
    doubts.push_back(
        fmt::format("the loss is small ({:.1e}) but the reference is missed by far", loss));
  }
  s.findings.insert(s.findings.end(), doubts.begin(), doubts.end());
  if (reached) {
    s.grade = Grade::converged;
  } else if (!doubts.empty() && small_loss) {
    s.grade = Grade::suspicious;
  } else if (!has_reference && doubts.empty() && input.improved && small_loss) {
    s.grade = Grade::converged;
  } else {
    s.grade = Grade::stalled;
  }
}

}  // namespace cauchy
