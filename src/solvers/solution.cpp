#include <cauchy/solvers/solution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

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

double ErrorReport::relative_l2() const {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const FieldError& f : fields) {
    if (!(f.relative_l2 <= largest)) largest = f.relative_l2;
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

namespace {

/// A grid of about n points of the closed domain, or points inside where a grid has too many axes.
Points error_points(const Domain& domain, std::size_t n) {
  const std::size_t D = domain.dimension();
  const auto per_axis = static_cast<std::size_t>(
      std::round(std::pow(static_cast<double>(n), 1.0 / static_cast<double>(D))));
  if (D > 3 || domain.shape_varies()) return interior_points(domain, n);
  return grid_points(domain, std::vector<std::size_t>(D, std::max<std::size_t>(2, per_axis)));
}

}  // namespace

ErrorReport measure_error(const Solution& solution, std::size_t n) {
  ErrorReport report;
  const Problem& problem = solution.problem;
  for (const Unknown& u : problem.unknowns) {
    const auto found = solution.unknowns.find(u.name);
    if (!u.truth || found == solution.unknowns.end()) continue;
    const double scale = *u.truth != 0 ? std::abs(*u.truth) : 1;
    report.unknowns[u.name] = std::abs(found->second - *u.truth) / scale;
  }
  if (problem.reference.empty()) return report;
  const Points points = error_points(domain_of(problem), n);
  const auto reference = reference_values(problem, points.values);
  if (!reference) return report;
  report.reference = reference->description;
  report.reference_error = reference->error;
  report.n_points = points.size();
  std::vector<Expr> fields;
  for (const std::string& name : reference->fields) fields.emplace_back(Field(name));
  const std::vector<double> values = solution.evaluate(fields, points.values);
  const std::size_t F = fields.size();
  for (std::size_t f = 0; f < F; ++f) {
    FieldError error{reference->fields[f], 0, 0, {}};
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double exact = reference->values[i * F + f], e = values[i * F + f] - exact;
      difference += e * e;
      size += exact * exact;
      if (!(std::abs(e) <= error.max)) {
        error.max = std::abs(e);
        error.where.assign(points.row(i).begin(), points.row(i).end());
      }
    }
    error.relative_l2 = std::sqrt(difference / (size > 0 ? size : 1));
    report.fields.push_back(std::move(error));
  }
  return report;
}

namespace {

/// Residuals in units of their size that count as fulfilled and as violated.
constexpr double fulfilled = 1e-2, violated = 1e-1;

void look_at_checks(const Solution& s, std::vector<std::string>& doubts) {
  for (const TermCheck& c : s.checks) {
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
  s.findings.clear();
  const double error = s.error.relative_l2();
  const bool has_reference = !s.error.fields.empty();
  const double tolerance = s.problem.tolerance.value_or(1e-2);
  if (!input.finite) {
    s.grade = Grade::diverged;
    s.findings.emplace_back("the loss became NaN or infinite; a smaller learning rate may help");
    return;
  }
  if (has_reference && !(error <= 1e3)) {
    s.grade = Grade::diverged;
    s.findings.push_back(fmt::format("the error against the reference is {:.2g}", error));
    return;
  }
  std::vector<std::string> doubts;
  look_at_checks(s, doubts);
  const double loss = s.history.empty() ? 0 : s.history.back().loss;
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
