#include "geometry/shapes/solid_round.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cauchy::detail {

using std::numbers::pi;

RoundShape::RoundShape(const Point3& base, const Point3& top, double radius, bool pointed)
    : base_(base),
      top_(top),
      radius_(radius),
      height_(length(top - base)),
      pointed_(pointed),
      frame_(frame_of(top - base)) {
  const double slant = std::hypot(height_, pointed ? radius : 0);
  slope_r_ = height_ / slant;
  slope_h_ = (pointed ? radius : 0) / slant;
  measure_ = pi * radius * radius * height_ / (pointed ? 3 : 1);
  add_piece("side", pointed ? pi * radius * slant : 2 * pi * radius * height_);
  add_piece(pointed ? "base" : "bottom", pi * radius * radius);
  if (!pointed) add_piece("top", pi * radius * radius);
  bound_by_support(3);
}

RoundShape::Profile RoundShape::profile(const double* x) const {
  const Point3 p = point3(x) - base_;
  const double a = dot(p, frame_.e1), b = dot(p, frame_.e2);
  const double r = std::hypot(a, b);
  return {r, dot(p, frame_.axis),
          r > 0 ? (a / r) * frame_.e1 + (b / r) * frame_.e2 : frame_.e1};
}

bool RoundShape::inside(const Profile& p) const {
  return p.h > 0 && p.h < height_ && slope_r_ * (p.r - radius_) + slope_h_ * p.h < 0;
}

RoundShape::Foot RoundShape::nearest_in_profile(const Profile& p) const {
  // Side: from (radius, 0) to (radius or 0, height).
  const double dr = pointed_ ? -radius_ : 0, dh = height_;
  const double t = std::clamp(((p.r - radius_) * dr + p.h * dh) / (dr * dr + dh * dh), 0.0, 1.0);
  Foot best{radius_ + t * dr, t * dh, 0, 0};
  best.square = (p.r - best.r) * (p.r - best.r) + (p.h - best.h) * (p.h - best.h);
  const auto cap = [&](double h, std::size_t piece) {
    Foot f{std::min(p.r, radius_), h, 0, piece};
    f.square = (p.r - f.r) * (p.r - f.r) + (p.h - h) * (p.h - h);
    if (f.square < best.square) best = f;
  };
  cap(0, 1);
  if (!pointed_) cap(height_, 2);
  return best;
}

double RoundShape::distance(const double* x) const {
  const Profile p = profile(x);
  const double d = std::sqrt(nearest_in_profile(p).square);
  return inside(p) ? d : -d;
}

bool RoundShape::contains(const double* x) const { return inside(profile(x)); }

Nearest RoundShape::nearest(const double* x, double* foot, double* normal) const {
  const Profile p = profile(x);
  const Foot f = nearest_in_profile(p);
  put(base_ + f.h * frame_.axis + f.r * p.out, foot);
  if (f.piece == 0) {
    put(slope_r_ * p.out + slope_h_ * frame_.axis, normal);
  } else {
    put((f.piece == 1 ? -1.0 : 1.0) * frame_.axis, normal);
  }
  const double d = std::sqrt(f.square);
  return {inside(p) ? d : -d, f.piece};
}

void RoundShape::map(const double* u, double* x) const {
  // A cone is cut at equal volumes by heights whose distances from the apex are cube roots.
  const double scale = pointed_ ? std::cbrt(u[0]) : 1;
  const double h = pointed_ ? height_ * (1 - scale) : height_ * u[0];
  const auto q = disk_point(u[1], u[2]);
  const double r = radius_ * scale;
  put(base_ + h * frame_.axis + (r * q[0]) * frame_.e1 + (r * q[1]) * frame_.e2, x);
}

Point3 RoundShape::around(double angle) const {
  return std::cos(angle) * frame_.e1 + std::sin(angle) * frame_.e2;
}

bool RoundShape::boundary_point(std::size_t piece, const double* u, double* x,
                                double* normal) const {
  if (piece == 0) {
    const double scale = pointed_ ? std::sqrt(u[0]) : 1;
    const double h = pointed_ ? height_ * (1 - scale) : height_ * u[0];
    const Point3 out = around(2 * pi * u[1]);
    put(base_ + h * frame_.axis + (radius_ * scale) * out, x);
    put(slope_r_ * out + slope_h_ * frame_.axis, normal);
    return true;
  }
  const auto q = disk_point(u[0], u[1]);
  const Point3& center = piece == 1 ? base_ : top_;
  put(center + (radius_ * q[0]) * frame_.e1 + (radius_ * q[1]) * frame_.e2, x);
  put((piece == 1 ? -1.0 : 1.0) * frame_.axis, normal);
  return true;
}

double RoundShape::support(const double* direction) const {
  const Point3 d = point3(direction);
  const double disk = radius_ * std::hypot(dot(d, frame_.e1), dot(d, frame_.e2));
  return std::max(dot(d, base_) + disk, dot(d, top_) + (pointed_ ? 0 : disk));
}

Bounds RoundShape::piece_bounds(std::size_t piece) const {
  if (piece == 0) return bounds_;
  const Point3& center = piece == 1 ? base_ : top_;
  Bounds box{std::vector<double>(3), std::vector<double>(3)};
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = radius_ * std::hypot(frame_.e1[i], frame_.e2[i]);
    box.lower[i] = center[i] - half;
    box.upper[i] = center[i] + half;
  }
  return box;
}

std::shared_ptr<SolidShape> RoundShape::image(const Affine& affine) const {
  const Point3 a = linear_image(affine, frame_.e1), b = linear_image(affine, frame_.e2),
               c = linear_image(affine, frame_.axis);
  const double across = length(a), along = length(c), tolerance = 1e-12;
  const bool round = std::abs(length(b) - across) <= tolerance * across &&
                     std::abs(dot(a, b)) <= tolerance * across * across;
  const bool upright = std::abs(dot(a, c)) <= tolerance * across * along &&
                       std::abs(dot(b, c)) <= tolerance * across * along;
  if (!round || !upright) return nullptr;
  auto result = std::make_shared<RoundShape>(image_of(affine, base_), image_of(affine, top_),
                                             across * radius_, pointed_);
  result->take_names(pieces_);
  return result;
}

}  // namespace cauchy::detail
