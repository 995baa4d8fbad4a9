#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/multigrid.hpp>

#include "math/multigrid/axis_grid.hpp"

namespace cauchy {
namespace {

/// Calls visit(node, places along the axes) for all nodes, the last axis fastest.
template <class Visit>
void for_box_nodes(const std::vector<std::size_t>& shape, Visit visit) {
  std::vector<std::size_t> at(shape.size(), 0);
  std::size_t n = 1;
  for (const std::size_t s : shape) n *= s;
  for (std::size_t node = 0; node < n; ++node) {
    visit(node, at);
    for (std::size_t k = shape.size(); k-- > 0 && ++at[k] == shape[k];) at[k] = 0;
  }
}

std::vector<std::size_t> shape_of(const BoxOperator& op) {
  std::vector<std::size_t> shape;
  for (const BoxAxis& axis : op.axes) shape.push_back(axis.n);
  return shape;
}

/// The value of a at the face below (or above) a node across an axis.
double face_value(const BoxOperator& op, const std::vector<std::size_t>& at, std::size_t axis,
                  bool upper) {
  if (op.a.empty()) return 1;
  std::size_t place = 0;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    place = place * (op.axes[k].n + (k == axis ? 1 : 0)) + at[k] + (k == axis && upper ? 1 : 0);
  }
  return op.a[axis][place];
}

}  // namespace

void BoxOperator::check() const {
  constexpr const char* where = "[math.multigrid]";
  if (axes.empty() || axes.size() > 3) {
    throw Error(fmt::format("a box has one to three axes, got {}", axes.size()), where);
  }
  for (const BoxAxis& axis : axes) {
    using End = BoxAxis::End;
    const bool periodic = axis.at_lower == End::periodic;
    if (periodic != (axis.at_upper == End::periodic)) {
      throw Error("an axis is periodic at one end only", where);
    }
    const bool closed = axis.at_lower == End::neumann && axis.at_upper == End::neumann;
    const std::size_t least = periodic || (closed && !axis.cells) ? 2 : 1;
    if (axis.n < least || !(axis.upper > axis.lower) || !std::isfinite(axis.upper - axis.lower)) {
      throw Error(fmt::format("an axis from {} to {} with {} unknowns makes no grid", axis.lower,
                              axis.upper, axis.n),
                  where);
    }
  }
  if (!(c >= 0 && std::isfinite(c))) {
    throw Error(fmt::format("c must not be negative, got {}", c), where,
                "a Helmholtz operator -laplacian - k^2 is indefinite: use SparseLu");
  }
  if (a.empty()) return;
  if (a.size() != axes.size()) throw Error("a needs values at the faces across every axis", where);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (a[k].size() != size() / axes[k].n * (axes[k].n + 1)) {
      throw Error(fmt::format("a has {} values at the faces across axis {}, not {}", a[k].size(), k,
                              size() / axes[k].n * (axes[k].n + 1)),
                  where);
    }
    for (const double v : a[k]) {
      if (!(v > 0 && std::isfinite(v))) {
        throw Error(fmt::format("a must be positive at all faces, got {}", v), where);
      }
    }
  }
}

std::size_t BoxOperator::size() const {
  std::size_t n = 1;
  for (const BoxAxis& axis : axes) n *= axis.n;
  return n;
}

std::vector<double> BoxOperator::positions(std::size_t axis) const {
  return detail::AxisGrid::of(axes.at(axis)).x;
}

SparseMatrix BoxOperator::matrix() const {
  check();
  std::vector<detail::AxisGrid> grids;
  for (const BoxAxis& axis : axes) grids.push_back(detail::AxisGrid::of(axis));
  std::vector<std::size_t> stride(axes.size(), 1);
  for (std::size_t k = axes.size(); k-- > 1;) stride[k - 1] = stride[k] * axes[k].n;
  std::vector<SparseMatrix::Entry> entries;
  for_box_nodes(shape_of(*this), [&](std::size_t node, const std::vector<std::size_t>& at) {
    entries.push_back({node, node, c});
    for (std::size_t k = 0; k < axes.size(); ++k) {
      for (const bool upper : {false, true}) {
        const double weight = face_value(*this, at, k, upper) *
                              (upper ? grids[k].toward_upper(at[k]) : grids[k].toward_lower(at[k]));
        if (weight == 0) continue;
        entries.push_back({node, node, weight});
        const std::size_t last = axes[k].n - 1;
        std::size_t neighbour = node;
        if (at[k] != (upper ? last : 0)) {
          neighbour = upper ? node + stride[k] : node - stride[k];
        } else if (grids[k].periodic()) {
          neighbour = upper ? node - last * stride[k] : node + last * stride[k];
        } else {
          continue;
        }
        entries.push_back({node, neighbour, -weight});
      }
    }
  });
  return {size(), size(), entries};
}

void BoxOperator::add_boundary(std::size_t axis, bool upper, std::span<const double> values,
                               std::span<double> f) const {
  const BoxAxis& along = axes.at(axis);
  const BoxAxis::End end = upper ? along.at_upper : along.at_lower;
  if (end == BoxAxis::End::periodic || values.size() != size() / along.n || f.size() != size()) {
    throw Error("values at an end do not fit the box", "[math.multigrid]");
  }
  const detail::AxisGrid grid = detail::AxisGrid::of(along);
  const std::size_t i = upper ? along.n - 1 : 0;
  std::size_t next = 0;
  for_box_nodes(shape_of(*this), [&](std::size_t node, const std::vector<std::size_t>& at) {
    if (at[axis] != i) return;
    const double value = values[next++];
    f[node] += end == BoxAxis::End::neumann
                   ? value / grid.w[i]
                   : value * face_value(*this, at, axis, upper) *
                         (upper ? grid.toward_upper(i) : grid.toward_lower(i));
  });
}

}  // namespace cauchy
