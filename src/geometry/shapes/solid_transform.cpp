#include "geometry/shapes/solid_transform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>
#include <cauchy/math/lapack.hpp>

#include "geometry/shapes/solid_table.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* solid_transform_place = "[geometry.transform]";

/// Small scratch for d coordinates without allocation in up to 8 dimensions.
class Scratch {
 public:
  explicit Scratch(std::size_t n) : data_(n <= 8 ? small_ : nullptr) {
    if (!data_) {
      large_.resize(n);
      data_ = large_.data();
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  double* get() { return data_; }

 private:
  double small_[8] = {};
  std::vector<double> large_;
  double* data_;
};

class StretchedShape final : public SolidShape {
 public:
  StretchedShape(ShapePtr original, Affine affine)
      : original_(std::move(original)), affine_(std::move(affine)), inverse_(affine_.inverse()) {
    const std::size_t d = affine_.dimension();
    factor_ = affine_.similarity();
    similar_ = !std::isnan(factor_);
    const double volume_factor = std::abs(affine_.determinant());
    if (!similar_) {
      const auto parts = svd(MatrixView<const double>(affine_.linear.data(), d, d));
      if (parts.status != Factorization::ok || !(parts.values.back() > 0)) {
        throw Error("a transformation that flattens the region has no inverse",
                    solid_transform_place, "use scale factors of similar size");
      }
      factor_ = parts.values.back();
    }
    measure_ = original_->measure() * volume_factor;
    bound_by_support(d);
    tables_.resize(original_->pieces().size());
    for (std::size_t k = 0; k < original_->pieces().size(); ++k) {
      Piece piece = original_->pieces()[k];
      const double stretch = similar_ ? std::pow(factor_, static_cast<double>(d - 1))
                                      : stretch_piece(k, volume_factor);
      piece.measure *= stretch;
      // A trimmed piece is not stretched alike everywhere.
      const bool whole = original_->pieces()[k].measure == original_->pieces()[k].carrier_measure;
      if (tables_[k] && !whole) piece.measure = unknown;
      piece.carrier_measure *= stretch;
      pieces_.push_back(std::move(piece));
    }
  }

  bool is_exact() const noexcept override { return similar_ && original_->is_exact(); }
  bool exact_at(const double* x) const override {
    if (!similar_) return false;
    Scratch y(dimension());
    inverse_.apply(x, y.get());
    return distance_is_exact_at(*original_, y.get());
  }

  double distance(const double* x) const override {
    Scratch y(dimension());
    inverse_.apply(x, y.get());
    return factor_ * original_->distance(y.get());
  }
  bool contains(const double* x) const override {
    Scratch y(dimension());
    inverse_.apply(x, y.get());
    return original_->contains(y.get());
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    Scratch y(dimension()), z(dimension()), n(dimension());
    inverse_.apply(x, y.get());
    Nearest near = original_->nearest(y.get(), z.get(), n.get());
    affine_.apply(z.get(), foot);
    push_normal(n.get(), normal);
    near.distance *= factor_;
    return near;
  }

  bool has_map() const noexcept override { return original_->has_map(); }
  void map(const double* u, double* x) const override {
    Scratch y(dimension());
    original_->map(u, y.get());
    affine_.apply(y.get(), x);
  }

  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    if (std::isnan(pieces_[piece].carrier_measure)) {
      throw Error(
          "there is no uniform map onto a curved surface that was stretched unevenly in "
          "more than 3 dimensions",
          solid_transform_place, "scale all coordinates alike");
    }
    Scratch y(dimension()), n(dimension());
    double st[2];
    if (tables_[piece]) {
      tables_[piece]->map(u, st);
      u = st;
    }
    const bool kept = original_->boundary_point(piece, u, y.get(), n.get());
    affine_.apply(y.get(), x);
    push_normal(n.get(), normal);
    return kept;
  }

  double support(const double* direction) const override {
    const std::size_t d = affine_.dimension();
    Scratch back(d);
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      back.get()[i] = 0;
      for (std::size_t j = 0; j < d; ++j) back.get()[i] += affine_.linear[j * d + i] * direction[j];
      sum += direction[i] * affine_.shift[i];
    }
    return sum + support_of(*original_, back.get());
  }

  Bounds piece_bounds(std::size_t piece) const override {
    const std::size_t d = dimension();
    const Bounds from = piece_bounds_of(*original_, piece);
    Bounds box{affine_.shift, affine_.shift};
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        const double l = affine_.linear[i * d + j];
        box.lower[i] += std::min(l * from.lower[j], l * from.upper[j]);
        box.upper[i] += std::max(l * from.lower[j], l * from.upper[j]);
      }
    }
    return box;
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    const Affine both = compose(affine, affine_);
    std::shared_ptr<SolidShape> result;
    if (const auto* solid = dynamic_cast<const SolidShape*>(original_.get())) {
      result = solid->image(both);
    }
    if (!result) result = std::make_shared<StretchedShape>(original_, both);
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<StretchedShape>(*this); }

 private:
  /// Unit normal of the image: along the inverse transpose.
  void push_normal(const double* n, double* normal) const {
    const double size = inverse_transpose(n, normal);
    for (std::size_t i = 0; i < dimension(); ++i) normal[i] /= size;
  }
  double inverse_transpose(const double* n, double* result) const {
    const std::size_t d = affine_.dimension();
    double size = 0;
    for (std::size_t i = 0; i < d; ++i) {
      result[i] = 0;
      for (std::size_t j = 0; j < d; ++j) result[i] += inverse_.linear[j * d + i] * n[j];
      size = std::hypot(size, result[i]);
    }
    return size;
  }

  /// Mean stretch of the area of a piece; tabulates the stretch when it varies. Area elements grow
  /// by |det L| |L^-T n|.
  double stretch_piece(std::size_t piece, double volume_factor) {
    const std::size_t d = affine_.dimension();
    Scratch x(d), n(d), image(d);
    if (d == 3) {
      const auto stretch = [&](double s, double t) {
        const double u[2] = {s, t};
        original_->boundary_point(piece, u, x.get(), n.get());
        return volume_factor * inverse_transpose(n.get(), image.get());
      };
      auto table = std::make_shared<SurfaceTable>(stretch);
      const double mean = table->total();
      if (!table->is_constant()) tables_[piece] = std::move(table);
      return mean;
    }
    // Flat pieces are stretched alike everywhere; for others there is no table beyond 3 dimensions.
    std::vector<double> u(d - 1);
    double first = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      for (std::size_t i = 0; i + 1 < d; ++i) {
        u[i] =
            std::fmod((static_cast<double>(k) + 0.5) * std::sqrt(static_cast<double>(i) + 2), 1.0);
      }
      original_->boundary_point(piece, u.data(), x.get(), n.get());
      const double stretch = volume_factor * inverse_transpose(n.get(), image.get());
      if (k == 0) first = stretch;
      if (std::abs(stretch - first) > 1e-12 * first) return unknown;
    }
    return first;
  }

  ShapePtr original_;
  Affine affine_, inverse_;
  bool similar_ = false;
  double factor_ = 1;  // of distances: the similarity, or the smallest singular value
  std::vector<std::shared_ptr<const SurfaceTable>> tables_;
};

}  // namespace

std::shared_ptr<SolidShape> stretched_solid(const ShapePtr& shape, const Affine& affine) {
  return std::make_shared<StretchedShape>(shape, affine);
}

ShapePtr transform_solid(const ShapePtr& shape, const Affine& affine) {
  check_finite(affine.linear, "the linear part", solid_transform_place);
  check_finite(affine.shift, "the shift", solid_transform_place);
  (void)affine.inverse();  // throws when the map is singular
  if (const auto* solid = dynamic_cast<const SolidShape*>(shape.get())) {
    if (auto image = solid->image(affine)) return image;
  }
  // A triangle surface moves with its vertices and stays exact under any map.
  if (shape->dimension() == 3) {
    if (auto image = transform_triangle_surface(*shape, affine)) return image;
  }
  return stretched_solid(shape, affine);
}

}  // namespace cauchy::detail
