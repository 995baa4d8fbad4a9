#include "sampling/boundary_rule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include "sampling/cell_rules.hpp"
#include "sampling/row_program.hpp"

namespace cauchy::detail {
namespace {

Error only_in_part(const Piece& piece, const Selection& where) {
  return Error(ErrorKind::unsupported,
               fmt::format("only a part of piece '{}' belongs to '{}'", piece.name, where.text),
               "[sampling.boundary_gauss]",
               "use boundary_points, or choose whole pieces that are not cut by other surfaces");
}

/// Parameters where a curve of the plane jumps or has a corner: pieces can consist of several
/// segments and arcs.
class Breaks final {
 public:
  Breaks(const Shape& shape, std::size_t piece) : shape_(shape), piece_(piece) {
    length_ = shape.pieces()[piece].measure;
    // Differences of coordinates carry rounding of their size, which must not look like a jump.
    double scale = length_;
    for (std::size_t i = 0; i < 2; ++i) {
      scale += std::abs(shape.bounds().lower[i]) + std::abs(shape.bounds().upper[i]);
    }
    rounding_ = 1e-12 * scale;
    constexpr int parts = 64;
    for (int k = 0; k < parts; ++k) {
      search(at(static_cast<double>(k) / parts), at(static_cast<double>(k + 1) / parts));
    }
  }
  [[nodiscard]] const std::vector<double>& found() const noexcept { return found_; }

 private:
  struct Place {
    double u, x[2], normal[2];
  };

  [[nodiscard]] Place at(double u) const {
    Place p{u, {}, {}};
    (void)shape_.boundary_point(piece_, &u, p.x, p.normal);
    return p;
  }
  /// A chord is never longer than its arc, and over a short arc the normal turns little.
  [[nodiscard]] bool is_broken(const Place& a, const Place& b) const {
    const double chord = std::hypot(a.x[0] - b.x[0], a.x[1] - b.x[1]);
    const double turn = std::hypot(a.normal[0] - b.normal[0], a.normal[1] - b.normal[1]);
    return chord > length_ * (b.u - a.u) * (1 + 1e-9) + rounding_ || turn > 0.3;
  }
  void search(const Place& a, const Place& b) {
    if (!is_broken(a, b)) return;
    if (b.u - a.u < 1e-14) {
      if (found_.empty() || b.u - found_.back() > 1e-13) found_.push_back(b.u);
      return;
    }
    const Place middle = at((a.u + b.u) / 2);
    search(a, middle);
    search(middle, b);
  }

  const Shape& shape_;
  std::size_t piece_;
  double length_, rounding_;
  std::vector<double> found_;
};

/// Whether the condition holds on the whole piece (true) or nowhere (false), by looking at many
/// points of it.
bool holds(const Frame& frame, const Shape& shape, std::size_t piece, const Selection& where,
           const Expr& condition, std::span<const double> ranges) {
  if (condition.is_constant()) return condition.value() != 0;
  constexpr std::size_t probes = 257;
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  std::vector<double> rows(probes * D), truth(probes), normal(d), u(d);
  for (std::size_t k = 0; k < probes; ++k) {
    double* row = &rows[k * D];
    if (x0 > 0) row[0] = frame.time[0].lower;
    std::copy(ranges.begin(), ranges.end(), row + x0 + d);
    const double step = (static_cast<double>(k) + 0.5) / probes;
    u[0] = step;
    // Multiples of square roots: irrational, hence never on a lattice with the first coordinate.
    for (std::size_t i = 1; i < d; ++i) {
      u[i] = std::fmod(static_cast<double>(k + 1) * std::sqrt(static_cast<double>(i * i + 1)), 1.0);
    }
    (void)shape.boundary_point(piece, u.data(), row + x0, normal.data());
  }
  RowProgram(condition, frame).run(rows.data(), probes, truth.data());
  const auto yes = std::count_if(truth.begin(), truth.end(), [](double t) { return t > 0.5; });
  if (yes != 0 && yes != static_cast<std::ptrdiff_t>(probes)) {
    throw only_in_part(shape.pieces()[piece], where);
  }
  return yes != 0;
}

class Builder final {
 public:
  Builder(const Shape& shape, BoundaryRule& out) : shape_(shape), out_(out) {}

  void add(std::size_t piece, std::size_t order) {
    const std::size_t d = shape_.dimension();
    const Piece& p = shape_.pieces()[piece];
    if (d == 1) {  // a piece of the line is a point
      point(piece, {0.5}, p.measure);
    } else if (d == 2) {
      std::vector<double> ends = Breaks(shape_, piece).found();
      ends.insert(ends.begin(), 0.0);
      ends.push_back(1.0);
      const CellRule unit = unit_rule(1, order);
      for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
        const double length = ends[s + 1] - ends[s];
        if (length < 1e-12) continue;
        for (std::size_t i = 0; i < unit.size(); ++i) {
          point(piece, {ends[s] + length * unit.points[i]}, p.measure * length * unit.weights[i]);
        }
      }
    } else if (const auto triangle = triangle_face_rule(shape_, piece, order)) {
      std::vector<double> x(d), normal(d), u(d - 1, 0.4);
      (void)shape_.boundary_point(piece, u.data(), x.data(), normal.data());
      for (std::size_t i = 0; i < triangle->size(); ++i) {
        push(&triangle->points[i * d], normal.data(), triangle->weights[i], piece);
      }
    } else {
      const CellRule unit = unit_rule(d - 1, order);
      for (std::size_t i = 0; i < unit.size(); ++i) {
        const double* u = &unit.points[i * (d - 1)];
        point(piece, {u, u + d - 1}, p.measure * unit.weights[i]);
      }
    }
  }

 private:
  void point(std::size_t piece, const std::vector<double>& u, double weight) {
    const std::size_t d = shape_.dimension();
    std::vector<double> x(d), normal(d);
    (void)shape_.boundary_point(piece, u.data(), x.data(), normal.data());
    push(x.data(), normal.data(), weight, piece);
  }
  void push(const double* x, const double* normal, double weight, std::size_t piece) {
    const std::size_t d = shape_.dimension();
    out_.cell.points.insert(out_.cell.points.end(), x, x + d);
    out_.cell.weights.push_back(weight);
    out_.normals.insert(out_.normals.end(), normal, normal + d);
    out_.names.push_back(shape_.pieces()[piece].name);
  }

  const Shape& shape_;
  BoundaryRule& out_;
};

}  // namespace

BoundaryRule boundary_rule(const Frame& frame, const Shape& shape, const Selection& where,
                           std::span<const double> ranges, std::size_t order) {
  check_order(order);
  BoundaryRule rule;
  rule.cell.dimension = shape.dimension();
  Builder builder(shape, rule);
  for (std::size_t i = 0; i < shape.pieces().size(); ++i) {
    const Piece& piece = shape.pieces()[i];
    if (!holds(frame, shape, i, where, where.condition(piece), ranges)) continue;
    if (piece.measure == 0) continue;
    const bool trimmed =
        piece.carrier_measure > 0 &&
        !(std::abs(piece.measure - piece.carrier_measure) <= 1e-9 * piece.carrier_measure);
    if (!std::isfinite(piece.measure) || trimmed) throw only_in_part(piece, where);
    builder.add(i, order);
  }
  if (rule.cell.weights.empty()) {
    throw Error(ErrorKind::not_found,
                fmt::format("'{}' selects no part of the boundary", where.text),
                "[sampling.boundary_gauss]", fmt::format("the pieces are {}", piece_names(shape)));
  }
  return rule;
}

}  // namespace cauchy::detail
