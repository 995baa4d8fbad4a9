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

double ErrorReport::judged() const {
  if (fields.empty()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  for (const FieldError& f : fields) {
    const double error = std::isnan(f.of_variation) ? f.relative_l2 : f.of_variation;
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

double ErrorEstimate::stated() const {
  return std::isnan(unsure) ? relative_l2 : relative_l2 * (1 + unsure);
}

double ErrorEstimate::judged() const {
  return std::isnan(of_variation) ? relative_l2 : of_variation;
}

double ErrorEstimate::judged_stated() const {
  return std::isnan(unsure) ? judged() : judged() * (1 + unsure);
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

}  // namespace cauchy
