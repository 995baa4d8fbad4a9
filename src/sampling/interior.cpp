#include <vector>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include "sampling/collect.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy::detail {
namespace {

Error no_volume() {
  return Error(ErrorKind::not_found,
               fmt::format("the region has no volume or fills less than {} of its bounding box",
                           least_share),
               "[sampling]", "check the sizes of its parts, or cut it into several regions");
}

/// Fills the columns of time and ranges from the unit point and returns its space part.
const double* fill_interior_axes(const Frame& frame, const double* u, double* row) {
  for (const Axis& a : frame.time) *row++ = a.is_fixed() ? a.lower : a.at(*u++);
  const double* space = u;
  u += frame.space;
  row += frame.space;
  for (const Axis& a : frame.ranges) *row++ = a.is_fixed() ? a.lower : a.at(*u++);
  return space;
}

/// The point of the shape, or of its box, that belongs to u; whether it is inside.
bool place(const Shape& shape, bool mapped, const double* u, std::vector<double>& inner,
           double* x) {
  if (mapped) {
    for (std::size_t i = 0; i < inner.size(); ++i) inner[i] = off_the_edge(u[i]);
    shape.map(inner.data(), x);
  } else {
    box_point(shape, u, x);
  }
  return shape.contains(x);
}

}  // namespace

Points interior_rows(const Frame& frame, std::size_t n, const SamplerOptions& options) {
  check_count(n, frame.width());
  if (options.kind == SamplerKind::grid && frame.space > 0 && !frame.varies) {
    return interior_grid(frame, n, options);
  }
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  Points points;
  points.columns = frame.columns;
  ShapeCache shapes(frame);
  std::vector<double> inner(d);

  if (d == 0 || frame.varies) {
    // A rejected row must not cost its parameter, or small shapes would be rare: the space part
    // alone is drawn again, from a stream that belongs to the row.
    std::vector<double> again(d);
    const Rng seeds(options.seed, 0x72657472);
    const auto accept = [&](const double* u, std::size_t rows, Points& out) {
      const std::size_t first = out.size();
      out.values.resize((first + rows) * D);
      for (std::size_t i = 0; i < rows; ++i) {
        double* row = out.values.data() + (first + i) * D;
        const double* space = fill_interior_axes(frame, u + i * frame.free_columns(), row);
        if (d == 0) continue;
        const Shape& shape = shapes.at({row + x0 + d, frame.ranges.size()});
        const bool mapped = shape.has_map();
        if (place(shape, mapped, space, inner, row + x0)) continue;
        Rng rng = seeds.split(first + i);
        for (std::uint64_t tried = 1;; ++tried) {
          if (is_hopeless(tried, 0)) throw no_volume();
          rng.fill_uniform(again);
          if (place(shape, mapped, again.data(), inner, row + x0)) break;
        }
      }
    };
    return collect(options, frame.free_columns(), n, 1, std::move(points), accept, no_volume);
  }

  const Shape& shape = shapes.at({});
  const bool mapped = shape.has_map();
  const double share = mapped ? 1 : shape.measure() / box_measure(shape);
  const std::size_t width = frame.free_columns();
  const auto accept = [&](const double* u, std::size_t rows, Points& out) {
    std::size_t end = out.values.size();
    out.values.resize(end + rows * D);
    for (std::size_t i = 0; i < rows; ++i) {
      double* row = out.values.data() + end;
      const double* space = fill_interior_axes(frame, u + i * width, row);
      if (place(shape, mapped, space, inner, row + x0)) end += D;
    }
    out.values.resize(end);
  };
  return collect(options, width, n, share, std::move(points), accept, no_volume);
}

}  // namespace cauchy::detail
