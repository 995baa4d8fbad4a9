#include <cauchy/sampling/measure.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include "sampling/domain_selection.hpp"
#include "sampling/frame.hpp"
#include "sampling/replicates.hpp"
#include "sampling/selected_pieces.hpp"

namespace cauchy {
namespace {

constexpr std::size_t n_replicates = 16;

void check(std::size_t n) {
  if (n < 2 * n_replicates) {
    throw Error(fmt::format("a measure needs at least {} points, got {}", 2 * n_replicates, n),
                "[sampling.measure]");
  }
}

}  // namespace

Estimate measure(const Shape& shape, std::size_t n) {
  check(n);
  if (!std::isnan(shape.measure())) return {shape.measure(), 0, true, 0};
  detail::check_bounded(shape, {});
  std::vector<double> x(shape.dimension());
  Estimate share =
      detail::replicated_mean({}, shape.dimension(), n, n_replicates, [&](const double* u) {
        detail::box_point(shape, u, x.data());
        return shape.contains(x.data()) ? 1.0 : 0.0;
      });
  share.value *= detail::box_measure(shape);
  share.error *= detail::box_measure(shape);
  return share;
}

Estimate boundary_measure(const Domain& domain, std::string_view where, std::size_t n) {
  check(n);
  detail::DomainSelection selection(domain, where);
  const detail::Frame frame = detail::frame_of(domain);
  if (frame.varies) {
    throw Error("the boundary has a measure for each value of the ranges, not one",
                "[sampling.measure]", "give the parameters of the region values with with()");
  }
  std::vector<double> row(frame.width());
  for (std::size_t i = 0; i < frame.time.size(); ++i) row[i] = frame.time[i].lower;
  std::vector<double> ranges;
  for (const detail::Axis& a : frame.ranges) {
    row[frame.time.size() + frame.space + ranges.size()] = a.lower;
    ranges.push_back(a.lower);
  }
  const ShapePtr shape = frame.shape(ranges);

  // What has a closed form is summed; the others stay for the points.
  const auto is_open = [&](const Piece& piece) {
    return !selection.condition(piece).is_constant() || std::isnan(piece.measure);
  };
  double exact = 0;
  bool selected = false, open = false;
  for (const Piece& piece : shape->pieces()) {
    if (selection.condition(piece).is_constant(0)) continue;
    selected = true;
    if (is_open(piece)) {
      open = true;
    } else {
      exact += piece.measure;
    }
  }
  if (!selected) {
    throw Error(ErrorKind::not_found, fmt::format("'{}' selects no part of the boundary", where),
                "[sampling.measure]",
                fmt::format("the pieces are {}", detail::piece_names(*shape)));
  }
  if (!open) return {exact, 0, true, 0};

  const auto open_condition = [&](const Piece& piece) {
    return is_open(piece) ? selection.condition(piece) : Expr(0);
  };
  detail::ConditionTable conditions(frame);
  const detail::SelectedPieces pieces(*shape, {open_condition, selection.text()}, conditions);
  const std::size_t d = frame.space, s = std::max<std::size_t>(d, 2) - 1;
  std::vector<double> v(s), normal(d);
  double* x = row.data() + frame.time.size();
  const auto on_it = [&](const double* u) {
    std::copy_n(u, s, v.begin());
    if (selection.varies_in_time()) row[0] = frame.time[0].at(u[s]);
    const auto& entry = pieces.choose(v[0]);
    if (!shape->boundary_point(entry.piece, v.data(), x, normal.data())) return 0.0;
    double truth = 1;
    if (entry.condition != detail::ConditionTable::always) {
      conditions.program(entry.condition).run(row.data(), 1, &truth);
    }
    return truth > 0.5 ? 1.0 : 0.0;
  };
  const std::size_t width = s + (selection.varies_in_time() ? 1 : 0);
  Estimate share = detail::replicated_mean({}, width, n, n_replicates, on_it);
  return {exact + share.value * pieces.total(), share.error * pieces.total(), false, share.n};
}

}  // namespace cauchy
