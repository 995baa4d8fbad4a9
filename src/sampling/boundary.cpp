#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include "sampling/collect.hpp"
#include "sampling/selected_pieces.hpp"
#include "sampling/selection_search.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy::detail {
namespace {

Error never_met(const Selection& where, const Shape& shape) {
  return Error(ErrorKind::not_found,
               fmt::format("'{}' selects no part of the boundary, or less than {} of it",
                           where.text, least_share),
               "[sampling.boundary]", fmt::format("the pieces are {}", piece_names(shape)));
}

std::uint32_t name_index(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

/// One shape for all rows: candidates of a block, then the conditions over the block at once.
Points fixed_boundary(const Frame& frame, const Shape& shape, const Selection& where, std::size_t n,
                      const SamplerOptions& options) {
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  ConditionTable conditions(frame);
  const SelectedPieces pieces(shape, where, conditions);
  Points points;
  points.columns = frame.columns;
  std::vector<std::uint32_t> name(shape.pieces().size());
  double known = 0;
  for (const auto& e : pieces.entries()) {
    name[e.piece] = name_index(points.pieces, shape.pieces()[e.piece].name);
    known += e.condition == ConditionTable::always ? shape.pieces()[e.piece].measure : 0;
  }

  const std::size_t width = boundary_width(frame), s = surface_width(frame);
  std::vector<double> u(s), truth;
  std::vector<const SelectedPieces::Entry*> entry;
  std::vector<char> good;
  std::uint64_t tried = 0, accepted = 0;
  bool searched = false;
  const auto accept = [&](const double* unit, std::size_t rows, Points& out) {
    const std::size_t first = out.size();
    if (!searched && tried >= tries_before_search && accepted < few_hits) {
      searched = true;
      if (!may_be_met(frame, shape, pieces, conditions, nullptr)) throw never_met(where, shape);
    }
    tried += rows;
    out.values.resize((first + rows) * D);
    out.normals.resize((first + rows) * d);
    out.piece.resize(first + rows);
    entry.resize(rows);
    good.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      double* row = out.values.data() + (first + i) * D;
      const double* surface = fill_surface_axes(frame, unit + i * width, row);
      std::copy_n(surface, s, u.begin());
      entry[i] = &pieces.choose(u[0]);
      good[i] = shape.boundary_point(entry[i]->piece, u.data(), row + x0,
                                     out.normals.data() + (first + i) * d)
                    ? 1
                    : 0;
    }
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      truth.resize(rows);
      conditions.program(c).run(out.values.data() + first * D, rows, truth.data());
      for (std::size_t i = 0; i < rows; ++i) {
        if (entry[i]->condition == c && !(truth[i] > 0.5)) good[i] = 0;
      }
    }
    std::size_t end = first;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!good[i]) continue;
      const std::size_t k = first + i;
      std::copy_n(out.values.data() + k * D, D, out.values.data() + end * D);
      std::copy_n(out.normals.data() + k * d, d, out.normals.data() + end * d);
      out.piece[end++] = name[entry[i]->piece];
    }
    out.values.resize(end * D);
    out.normals.resize(end * d);
    out.piece.resize(end);
    accepted += end - first;
  };
  return collect(options, width, n, known / pieces.total(), std::move(points), accept,
                 [&] { return never_met(where, shape); });
}

/// A shape per row. As inside, a rejected row keeps its parameters and draws again; it keeps its
/// time too, unless the selection depends on that.
Points varying_boundary(const Frame& frame, ShapeCache& shapes, const Selection& where,
                        std::size_t n, const SamplerOptions& options) {
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  ConditionTable conditions(frame);
  Points points;
  points.columns = frame.columns;
  const std::size_t width = boundary_width(frame), s = surface_width(frame);
  std::vector<double> u(s);
  const Rng seeds(options.seed, 0x72657472);
  const auto accept = [&](const double* unit, std::size_t rows, Points& out) {
    const std::size_t first = out.size();
    out.values.resize((first + rows) * D);
    out.normals.resize((first + rows) * d);
    out.piece.resize(first + rows);
    for (std::size_t k = first; k < first + rows; ++k) {
      double* row = out.values.data() + k * D;
      const double* surface = fill_surface_axes(frame, unit + (k - first) * width, row);
      const Shape& shape = shapes.at({row + x0 + d, frame.ranges.size()});
      const SelectedPieces pieces(shape, where, conditions);
      const auto place = [&] {
        const auto& e = pieces.choose(u[0]);
        if (!shape.boundary_point(e.piece, u.data(), row + x0, out.normals.data() + k * d)) {
          return false;
        }
        double truth = 1;
        if (e.condition != ConditionTable::always) {
          conditions.program(e.condition).run(row, 1, &truth);
        }
        out.piece[k] = name_index(out.pieces, shape.pieces()[e.piece].name);
        return truth > 0.5;
      };
      std::copy_n(surface, s, u.begin());
      if (place()) continue;
      Rng rng = seeds.split(k);
      for (std::uint64_t tried = 1;; ++tried) {
        if (is_hopeless(tried, 0) ||
            (tried == tries_before_search &&
             !may_be_met(frame, shape, pieces, conditions, row, !where.varies_in_time))) {
          throw never_met(where, shape);
        }
        rng.fill_uniform(u);
        if (where.varies_in_time) row[0] = frame.time[0].at(rng.uniform());
        if (place()) break;
      }
    }
  };
  return collect(options, width, n, 1, std::move(points), accept,
                 [&] { return never_met(where, shapes.at({})); });
}

}  // namespace

Points boundary_rows(const Frame& frame, const Selection& where, std::size_t n,
                     const SamplerOptions& options) {
  check_count(n, frame.width());
  if (frame.space == 0) {
    throw Error("a domain without space has no boundary", "[sampling.boundary]",
                "use initial_points for its beginning");
  }
  ShapeCache shapes(frame);
  if (frame.varies) return varying_boundary(frame, shapes, where, n, options);
  return fixed_boundary(frame, shapes.at({}), where, n, options);
}

}  // namespace cauchy::detail
