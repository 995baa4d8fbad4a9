#include "plane_shape.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr double shape_inf = std::numeric_limits<double>::infinity();

/// Size of the box around the bounded curves and the ends of rays. Lines alone have no size: the
/// spread of the points that they were given by stands in for it, or else their coordinates.
double scale_of(const std::vector<Curve>& curves) {
  PlaneBox ends = PlaneBox::empty(), origins = PlaneBox::empty();
  bool any_bounded = false;
  for (const Curve& c : curves) {
    any_bounded = any_bounded || c.bounded();
    if (c.bounded()) {
      ends.add(c.box());
      continue;
    }
    origins.add(c.origin);
    if (c.starts()) ends.add(c.start);
    if (c.ends()) ends.add(c.end);
  }
  const double size = norm(ends.upper - ends.lower);
  if (any_bounded) return size;
  const double spread = norm(origins.upper - origins.lower);
  const double reach = std::max(norm(origins.upper), norm(origins.lower));
  if (spread > 1e-9 * reach) return spread;
  return reach > 0 ? reach : 1;
}

}  // namespace

const PlaneShape& as_plane(const Shape& shape) {
  const auto* plane = dynamic_cast<const PlaneShape*>(&shape);
  if (!plane) {
    throw Error(
        fmt::format("a shape of {} dimensions is not a shape of the plane", shape.dimension()),
        "[geometry]", "use shapes such as rectangle or disk");
  }
  return *plane;
}

Piece named_piece(std::string name, const std::string& label) {
  Piece piece;
  piece.labels.push_back(name);
  if (!label.empty()) piece.labels.push_back(label);
  piece.name = std::move(name);
  return piece;
}

PlaneShape::PlaneShape(std::vector<Curve> curves, std::vector<Piece> pieces, EqualAreaMap map) {
  auto data = std::make_shared<Data>();
  std::vector<std::size_t> renumbered(pieces.size(), pieces.size());
  std::vector<char> used(pieces.size(), 0);
  for (const Curve& c : curves) used[c.piece] = 1;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!used[i]) continue;
    renumbered[i] = pieces_.size();
    pieces_.push_back(std::move(pieces[i]));
  }
  data->piece_curves.resize(pieces_.size());
  data->piece_lengths.resize(pieces_.size());
  for (Piece& p : pieces_) p.measure = 0;
  std::vector<PlaneBox> boxes;
  data->slit_only = true;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Curve& c = curves[i];
    c.piece = renumbered[c.piece];
    boxes.push_back(c.box());
    pieces_[c.piece].measure += c.length();
    data->piece_curves[c.piece].push_back(i);
    data->piece_lengths[c.piece].push_back(pieces_[c.piece].measure);
    data->slit_only = data->slit_only && c.slit;
  }
  for (Piece& p : pieces_) p.carrier_measure = p.measure;
  data->tree = BoxTree(std::move(boxes));
  data->scale = scale_of(curves);
  data->winding = Winding(curves, data->scale);
  data->map = std::move(map);
  data->curves = std::move(curves);
  data_ = std::move(data);
  set_bounds();
  set_measure();
}

void PlaneShape::set_bounds() {
  PlaneBox box = PlaneBox::empty();
  for (const Curve& c : data_->curves) box.add(c.box());
  const bool bounded = std::ranges::all_of(data_->curves, &Curve::bounded);
  if (bounded && data_->winding.inside_far())
    box = {{-shape_inf, -shape_inf}, {shape_inf, shape_inf}};
  bounds_.lower = {box.lower.x, box.lower.y};
  bounds_.upper = {box.upper.x, box.upper.y};
  if (bounded) return;
  // An unbounded shape may end along an axis (a quadrant, a strip): it reaches to infinity in a
  // direction exactly when a point far out in it, off the unbounded curves, is inside.
  PlaneBox far = PlaneBox::empty();
  for (const Curve& c : data_->curves)
    far.add(c.bounded() ? c.box() : PlaneBox{c.origin, c.origin});
  const Vec middle = 0.5 * (far.lower + far.upper);
  const double reach = 1e3 * (norm(far.upper - far.lower) + data_->scale);
  constexpr int directions = 720;
  for (int k = 0; k < directions; ++k) {
    const double angle = (k + 0.123) * (6.283185307179586 / directions);
    const Vec d{std::cos(angle), std::sin(angle)};
    if (!covers(middle + reach * d)) continue;
    // Open sectors of directions are inside as wholes; thin ones along an axis are strips.
    if (d.x > 0.01) bounds_.upper[0] = shape_inf;
    if (d.x < -0.01) bounds_.lower[0] = -shape_inf;
    if (d.y > 0.01) bounds_.upper[1] = shape_inf;
    if (d.y < -0.01) bounds_.lower[1] = -shape_inf;
  }
}

void PlaneShape::set_measure() {
  measure_ = 0;
  if (data_->slit_only) return;
  const Vec middle{0.5 * (bounds_.lower[0] + bounds_.upper[0]),
                   0.5 * (bounds_.lower[1] + bounds_.upper[1])};
  for (const Curve& c : data_->curves) {
    if (!c.bounded() || data_->winding.inside_far()) {
      measure_ = shape_inf;
      return;
    }
    if (!c.slit) measure_ += c.swept_area(middle);
  }
}

bool PlaneShape::covers(Vec p) const { return data_->winding.locate(p).inside; }

bool PlaneShape::contains(const double* x) const {
  if (!std::isfinite(x[0]) || !std::isfinite(x[1])) return false;
  const Winding::Place place = data_->winding.locate({x[0], x[1]});
  return place.inside && !place.on_boundary;
}

double PlaneShape::unsigned_distance(Vec p) const {
  double best = shape_inf;
  data_->tree.near(p, best, [&](std::uint32_t i) {
    best = std::min(best, data_->curves[i].nearest(p).distance);
    return best;
  });
  return best;
}

double PlaneShape::distance(const double* x) const {
  const Vec p{x[0], x[1]};
  if (!std::isfinite(p.x) || !std::isfinite(p.y)) return unknown;
  const double d = unsigned_distance(p);
  return covers(p) ? d : -d;
}

PlaneShape::Near PlaneShape::nearest_curve(Vec p, bool slit) const {
  Near near;
  data_->tree.near(p, near.distance, [&](std::uint32_t i) {
    if (data_->curves[i].slit == slit) {
      const Curve::Foot foot = data_->curves[i].nearest(p);
      if (foot.distance < near.distance) near = {foot.distance, i, foot};
    }
    return near.distance;
  });
  return near;
}

Nearest PlaneShape::nearest(const double* x, double* foot, double* normal) const {
  const Vec p{x[0], x[1]};
  if (!std::isfinite(p.x) || !std::isfinite(p.y)) {
    foot[0] = foot[1] = normal[0] = normal[1] = unknown;
    return {unknown, 0};
  }
  const double sign = covers(p) ? 1 : -1;
  // At corners and on cuts several curves are equally near; the one whose normal fits best to the
  // way from the foot to the point is taken.
  const double rounding = 4e-16 * (std::abs(p.x) + std::abs(p.y) + data_->scale);
  double best = shape_inf, fit = -shape_inf;
  Curve::Foot best_foot;
  std::size_t best_curve = 0;
  Vec best_normal;
  data_->tree.near(p, best, [&](std::uint32_t i) {
    const Curve& c = data_->curves[i];
    const Curve::Foot f = c.nearest(p);
    if (f.distance <= best + rounding) {
      const Vec n = c.normal(f.t);
      const double fits = -sign * dot(p - f.point, n);
      const bool nearer = f.distance < best - rounding;
      if (nearer || fits > fit || (fits == fit && i < best_curve)) {
        fit = fits;
        best_foot = f;
        best_curve = i;
        best_normal = n;
      }
      best = std::min(best, f.distance);
    }
    return best + rounding;
  });
  foot[0] = best_foot.point.x;
  foot[1] = best_foot.point.y;
  normal[0] = best_normal.x;
  normal[1] = best_normal.y;
  return {sign * best, data_->curves[best_curve].piece};
}

void PlaneShape::map(const double* u, double* x) const {
  if (!data_->map) return Shape::map(u, x);
  const Vec p = data_->map(u[0], u[1]);
  x[0] = p.x;
  x[1] = p.y;
}

bool PlaneShape::boundary_point(std::size_t piece, const double* u, double* x,
                                double* normal) const {
  if (piece >= pieces_.size()) {
    throw Error(fmt::format("piece {} of a boundary of {} pieces", piece, pieces_.size()),
                "[geometry]");
  }
  const double total = pieces_[piece].measure;
  if (!std::isfinite(total)) {
    throw Error(
        fmt::format("piece \"{}\" is unbounded: it has no uniform points", pieces_[piece].name),
        "[geometry]", "intersect the shape with a bounded one");
  }
  const std::vector<double>& lengths = data_->piece_lengths[piece];
  const double s = std::clamp(*u, 0.0, 1.0) * total;
  const auto found = std::upper_bound(lengths.begin(), lengths.end(), s);
  const std::size_t k =
      std::min(static_cast<std::size_t>(found - lengths.begin()), lengths.size() - 1);
  const Curve& c = data_->curves[data_->piece_curves[piece][k]];
  const double t = c.at_length(s - (k > 0 ? lengths[k - 1] : 0));
  const Vec p = c.point(t), n = c.normal(t);
  x[0] = p.x;
  x[1] = p.y;
  normal[0] = n.x;
  normal[1] = n.y;
  return true;
}

}  // namespace cauchy::detail

namespace cauchy {

ShapePtr detail::transform_plane(const Shape& shape, const Affine& affine) {
  const PlaneShape& plane = as_plane(shape);
  for (const auto* numbers : {&affine.linear, &affine.shift}) {
    for (const double v : *numbers) {
      if (!std::isfinite(v))
        throw Error("a number of the transformation is not finite", "[geometry.transform]");
    }
  }
  const double det = affine.determinant();
  if (!(std::abs(det) > 0)) {
    throw Error("the transformation flattens the region", "[geometry.transform]",
                "use scale factors other than 0");
  }
  std::vector<Curve> curves;
  for (const Curve& c : plane.curves()) {
    const Curve image = c.image(affine);
    // A reflection moves the inside to the right.
    curves.push_back(det > 0 ? image : image.reversed());
  }
  EqualAreaMap map;
  if (plane.has_map()) {
    map = [inner = plane.area_map(), affine](double s, double t) {
      const Vec p = inner(s, t);
      const double x[2] = {p.x, p.y};
      double y[2];
      affine.apply(x, y);
      return Vec{y[0], y[1]};
    };
  }
  return std::make_shared<PlaneShape>(
      std::move(curves), std::vector<Piece>(shape.pieces().begin(), shape.pieces().end()),
      std::move(map));
}

}  // namespace cauchy
