#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr const char* box_place = "[geometry.box]";

/// Piece 2 i is the lower face of coordinate i, 2 i + 1 the upper one.
class BoxShape final : public SolidShape {
 public:
  BoxShape(std::vector<double> lower, std::vector<double> upper) {
    const std::size_t d = lower.size();
    measure_ = 1;
    for (std::size_t i = 0; i < d; ++i) measure_ *= upper[i] - lower[i];
    static constexpr const char* names[] = {"left", "right", "front", "back", "bottom", "top"};
    for (std::size_t i = 0; i < 2 * d; ++i) {
      double area = 1;
      for (std::size_t j = 0; j < d; ++j) area *= j == i / 2 ? 1 : upper[j] - lower[j];
      add_piece(d == 3 ? names[i] : fmt::format("{}{}", i % 2 ? "upper" : "lower", i / 2 + 1),
                area);
    }
    bounds_ = {std::move(lower), std::move(upper)};
  }

  double distance(const double* x) const override {
    double inside = INFINITY, outside = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
      const double gap = std::min(bounds_.upper[i] - x[i], x[i] - bounds_.lower[i]);
      if (!(gap >= inside)) inside = gap;  // NaN stays
      if (gap < 0) outside = std::hypot(outside, gap);
    }
    return outside > 0 && !std::isnan(inside) ? -outside : inside;
  }

  bool contains(const double* x) const override {
    for (std::size_t i = 0; i < dimension(); ++i) {
      if (!(x[i] > bounds_.lower[i] && x[i] < bounds_.upper[i])) return false;
    }
    return true;
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    // The face with the smallest gap: inside the nearest one, outside the one farthest away, on
    // which the rounded-off point lies.
    std::size_t face = 0;
    double smallest = INFINITY;
    for (std::size_t i = 0; i < dimension(); ++i) {
      const double gaps[2] = {x[i] - bounds_.lower[i], bounds_.upper[i] - x[i]};
      for (std::size_t side = 0; side < 2; ++side) {
        if (gaps[side] < smallest) {
          smallest = gaps[side];
          face = 2 * i + side;
        }
      }
      foot[i] = std::clamp(x[i], bounds_.lower[i], bounds_.upper[i]);
      normal[i] = 0;
    }
    const std::size_t axis = face / 2;
    foot[axis] = face % 2 ? bounds_.upper[axis] : bounds_.lower[axis];
    normal[axis] = face % 2 ? 1 : -1;
    return {distance(x), face};
  }

  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override {
    for (std::size_t i = 0; i < dimension(); ++i) x[i] = at(i, u[i]);
  }

  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    const std::size_t axis = piece / 2;
    for (std::size_t i = 0, k = 0; i < dimension(); ++i) {
      normal[i] = 0;
      if (i != axis) x[i] = at(i, u[k++]);
    }
    x[axis] = piece % 2 ? bounds_.upper[axis] : bounds_.lower[axis];
    normal[axis] = piece % 2 ? 1 : -1;
    return true;
  }

  Bounds piece_bounds(std::size_t piece) const override {
    Bounds box = bounds_;
    const std::size_t axis = piece / 2;
    box.lower[axis] = box.upper[axis] = piece % 2 ? box.upper[axis] : box.lower[axis];
    return box;
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    // Stays a box when each row and column has one entry: axes are stretched and exchanged.
    const std::size_t d = dimension();
    std::vector<double> lower(d), upper(d);
    std::vector<Piece> names(2 * d);
    std::vector<bool> used(d, false);
    for (std::size_t i = 0; i < d; ++i) {
      std::optional<std::size_t> from;
      for (std::size_t j = 0; j < d; ++j) {
        if (affine.linear[i * d + j] == 0) continue;
        if (from || used[j]) return nullptr;
        from = j;
      }
      if (!from) return nullptr;
      used[*from] = true;
      const double factor = affine.linear[i * d + *from];
      lower[i] = factor * bounds_.lower[*from] + affine.shift[i];
      upper[i] = factor * bounds_.upper[*from] + affine.shift[i];
      const std::size_t flip = factor < 0 ? 1 : 0;
      if (flip) std::swap(lower[i], upper[i]);
      if (!(lower[i] < upper[i]) || !std::isfinite(lower[i]) || !std::isfinite(upper[i])) {
        return nullptr;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        names[2 * i + side] = pieces_[2 * *from + (side ^ flip)];
      }
    }
    auto result = std::make_shared<BoxShape>(std::move(lower), std::move(upper));
    result->take_names(names);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<BoxShape>(*this); }

 private:
  [[nodiscard]] double at(std::size_t i, double u) const {
    return std::min(bounds_.lower[i] + u * (bounds_.upper[i] - bounds_.lower[i]), bounds_.upper[i]);
  }
};

}  // namespace
}  // namespace detail

ShapePtr box_shape(std::span<const double> lower, std::span<const double> upper) {
  using detail::box_place;
  const std::size_t d = lower.size();
  if (d == 0 || upper.size() != d) {
    throw Error(
        fmt::format("a box needs as many lower as upper ends, got {} and {}", d, upper.size()),
        box_place, "give one lower and one upper end for each coordinate");
  }
  detail::check_finite(lower, "the lower end", box_place);
  detail::check_finite(upper, "the upper end", box_place);
  for (std::size_t i = 0; i < d; ++i) {
    if (!(lower[i] < upper[i])) {
      throw Error(fmt::format("the lower end {} of coordinate {} must be below the upper end {}",
                              lower[i], i + 1, upper[i]),
                  box_place, "exchange the ends or give the box a width");
    }
  }
  if (d == 1) return interval_shape(lower[0], upper[0]);
  if (d == 2) return rectangle_shape({lower[0], lower[1]}, {upper[0], upper[1]});
  return std::make_shared<detail::BoxShape>(std::vector<double>(lower.begin(), lower.end()),
                                            std::vector<double>(upper.begin(), upper.end()));
}

}  // namespace cauchy
