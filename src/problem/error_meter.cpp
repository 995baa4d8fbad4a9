#include "problem/error_meter.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/field_units.hpp"
#include "problem/scattered_reference.hpp"

namespace cauchy::detail {
namespace {

/// A grid of about n points of the closed domain, or points inside where a grid has too many axes
/// or none of its points lies in the region.
Points error_points(const Domain& domain, std::size_t n) {
  const std::size_t D = domain.dimension();
  const auto per_axis = static_cast<std::size_t>(
      std::round(std::pow(static_cast<double>(n), 1.0 / static_cast<double>(D))));
  if (D > 3 || domain.shape_varies()) return interior_points(domain, n);
  try {
    return grid_points(domain, std::vector<std::size_t>(D, std::max<std::size_t>(2, per_axis)));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::not_found) throw;
    return interior_points(domain, n);  // a region that is small in its box falls between the nodes
  }
}

}  // namespace

ErrorMeter::ErrorMeter(const Problem& problem, std::size_t n) {
  if (problem.reference.empty()) return;
  if (auto scattered = scattered_reference(problem)) {
    points_ = std::move(scattered->points);
    reference_ = std::move(scattered->reference);
    return;
  }
  points_ = error_points(domain_of(problem), n);
  reference_ = reference_values(problem, points_.values);
}

ErrorReport ErrorMeter::measure(const FieldModel& model) const {
  ErrorReport report;
  if (!reference_) return report;
  report.reference = reference_->description;
  report.reference_error = reference_->error;
  report.n_points = points_.size();
  std::vector<Expr> fields;
  for (const std::string& name : reference_->fields) fields.emplace_back(Field(name));
  const std::size_t F = fields.size();
  std::vector<double> values(points_.size() * F);
  model.evaluate(fields, points_.values, values);
  const std::vector<double> units = field_units(reference_->values, values, F);
  double all_differences = 0, all_sizes = 0;
  for (std::size_t f = 0; f < F; ++f) {
    FieldError error{reference_->fields[f], 0, 0, {}};
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double exact = reference_->values[i * F + f], e = values[i * F + f] - exact;
      difference += e * e;
      size += exact * exact;
      // The first NaN stays: comparisons with it are false, and it would be overwritten.
      if (!std::isnan(error.max) && !(std::abs(e) <= error.max)) {
        error.max = std::abs(e);
        error.where.assign(points_.row(i).begin(), points_.row(i).end());
      }
    }
    error.relative_l2 = std::sqrt(difference / (size > 0 ? size : 1));
    error.of_variation = std::sqrt(difference / static_cast<double>(points_.size())) / units[f];
    report.fields.push_back(std::move(error));
    all_differences += difference;
    all_sizes += size;
  }
  report.joint_l2 = std::sqrt(all_differences / (all_sizes > 0 ? all_sizes : 1));
  return report;
}

}  // namespace cauchy::detail
