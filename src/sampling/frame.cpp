#include "sampling/frame.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

double Axis::at(double u) const noexcept {
  // Both ends exact, and never beyond them by rounding.
  return std::clamp(lower * (1 - u) + upper * u, lower, upper);
}

double Frame::axes_measure() const noexcept {
  double product = 1;
  for (const Axis& a : time) product *= a.length();
  for (const Axis& a : ranges) product *= a.length();
  return product;
}

std::size_t Frame::free_columns() const noexcept {
  std::size_t n = space;
  for (const Axis& a : time) n += a.is_fixed() ? 0 : 1;
  for (const Axis& a : ranges) n += a.is_fixed() ? 0 : 1;
  return n;
}

Frame frame_of(const Domain& domain) {
  Frame frame;
  frame.columns = domain.columns();
  if (const Time* t = domain.time()) frame.time = {{t->lower, t->upper}};
  for (const Range& r : domain.ranges()) frame.ranges.push_back({r.lower, r.upper});
  if (const Region* space = domain.space()) {
    frame.space = space->dimension();
    frame.varies = domain.shape_varies();
    frame.shape = [domain](std::span<const double> values) { return domain.shape(values); };
  }
  return frame;
}

ShapeCache::ShapeCache(const Frame& frame) : frame_(frame) {
  for (const Axis& a : frame.ranges) ranges_.push_back(a.lower);
  if (frame.space == 0) return;
  shape_ = frame.shape(ranges_);
  check_bounded(*shape_, frame);
}

const Shape& ShapeCache::at(std::span<const double> ranges) {
  if (frame_.varies && !std::equal(ranges.begin(), ranges.end(), ranges_.begin())) {
    ranges_.assign(ranges.begin(), ranges.end());
    shape_ = frame_.shape(ranges_);
    check_bounded(*shape_, frame_);
  }
  return *shape_;
}

void check_bounded(const Shape& shape, const Frame& frame) {
  const Bounds& b = shape.bounds();
  for (std::size_t i = 0; i < b.lower.size(); ++i) {
    if (std::isfinite(b.lower[i]) && std::isfinite(b.upper[i])) continue;
    const std::size_t column = frame.time.size() + i;
    throw Error(ErrorKind::unsupported,
                fmt::format("the region has no end in {}",
                            column < frame.columns.size() ? frame.columns[column]
                                                          : fmt::format("coordinate {}", i + 1)),
                "[sampling]", "intersect it with a box (region & rectangle(..))");
  }
}

double box_measure(const Shape& shape) {
  double product = 1;
  for (std::size_t i = 0; i < shape.dimension(); ++i) {
    product *= shape.bounds().upper[i] - shape.bounds().lower[i];
  }
  return product;
}

void box_point(const Shape& shape, const double* u, double* x) {
  const Bounds& b = shape.bounds();
  for (std::size_t i = 0; i < b.lower.size(); ++i) {
    x[i] = b.lower[i] + (b.upper[i] - b.lower[i]) * off_the_edge(u[i]);
  }
}

}  // namespace cauchy::detail
