#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/region.hpp>

namespace cauchy {

/// lower <= t <= upper.
///   error    throws Error unless lower < upper, both finite
struct Time final {
  Time(const Coordinate& t, double lower, double upper);
  std::string name;
  double lower, upper;
};

/// A parameter of the problem with a range: it becomes one more coordinate of the points.
struct Range final {
  Range(const Parameter& parameter, double lower, double upper);
  std::string name;
  double lower, upper;
};

/// Space, time and parameter ranges: `Interval(x, -1, 1) * Time(t, 0, 1) * Range(nu, 0.01, 0.1)`.
///   columns  points of a domain have the columns time, space, ranges, in this order
///   error    a product throws Error when a name occurs twice or there are two times
class Domain final {
 public:
  Domain(const Region& space);  // NOLINT: a region is a domain without time
  Domain(const Time& time);     // NOLINT: ordinary differential equations live on a time alone

  [[nodiscard]] const Region* space() const noexcept { return space_ ? &*space_ : nullptr; }
  [[nodiscard]] const Time* time() const noexcept { return time_ ? &*time_ : nullptr; }
  [[nodiscard]] const std::vector<Range>& ranges() const noexcept { return ranges_; }

  /// Names of the columns.
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::size_t dimension() const;
  /// Column of the first space coordinate (0 or 1).
  [[nodiscard]] std::size_t space_column() const noexcept { return time_ ? 1 : 0; }

  /// Numbers for parameters of the region that are neither ranges nor unknown.
  [[nodiscard]] Domain with(const ParameterValues& values) const;
  [[nodiscard]] const ParameterValues& values() const noexcept { return values_; }
  /// Whether the shape of space depends on a range.
  [[nodiscard]] bool shape_varies() const;
  /// The shape of space for given values of the ranges (one number per range, in their order).
  ///   error    throws Error when there is no space or a parameter of it has no value
  [[nodiscard]] ShapePtr shape(std::span<const double> range_values = {}) const;

  /// Products, in any order of factors.
  friend Domain operator*(const Domain& a, const Domain& b);
  friend Domain operator*(const Domain& a, const Range& b);
  friend Domain operator*(const Range& a, const Domain& b);

 private:
  Domain() = default;
  std::optional<Region> space_;
  std::optional<Time> time_;
  std::vector<Range> ranges_;
  ParameterValues values_;
};

// Seen by factors that are not yet domains: Interval(x, 0, 1) * Time(t, 0, 1).
Domain operator*(const Domain& a, const Domain& b);
Domain operator*(const Domain& a, const Range& b);
Domain operator*(const Range& a, const Domain& b);

}  // namespace cauchy
