#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include "sampling/collect.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy::detail {
namespace {

/// One more cell along the axis with the longest cells, until there are `target` cells.
void refine(const std::vector<double>& lengths, double target, std::vector<std::size_t>& counts) {
  const auto cell = [&](std::size_t i) { return lengths[i] / static_cast<double>(counts[i]); };
  double cells = 1;
  for (const std::size_t c : counts) cells *= static_cast<double>(c);
  while (cells < target) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < lengths.size(); ++i) {
      // Rounding must not decide between equal axes.
      if (cell(i) > cell(longest) * (1 + 1e-12)) longest = i;
    }
    const auto before = static_cast<double>(counts[longest]);
    counts[longest] += 1;
    cells *= (before + 1) / before;
  }
}

/// Calls visit(index per axis) for every cell, the last axis fastest.
template <class Visit>
void for_each_cell(const std::vector<std::size_t>& counts, Visit visit) {
  std::vector<std::size_t> k(counts.size(), 0);
  for (;;) {
    visit(k);
    std::size_t i = counts.size();
    while (i > 0 && ++k[i - 1] == counts[i - 1]) k[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

Points interior_grid(const Frame& frame, std::size_t n, const SamplerOptions& options) {
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  (void)make_sampler(options, D, n);  // objects to what a grid cannot do
  ShapeCache shapes(frame);
  const Shape& shape = shapes.at({});

  // Space keeps its proportions; time and ranges have other units and count as a mean side.
  std::vector<Axis> axes = frame.time;
  double log_sides = 0;
  for (std::size_t i = 0; i < d; ++i) {
    axes.push_back({shape.bounds().lower[i], shape.bounds().upper[i]});
    log_sides += std::log(axes.back().length());
  }
  axes.insert(axes.end(), frame.ranges.begin(), frame.ranges.end());
  std::vector<double> lengths(D), offset(D, 0.5);
  for (std::size_t i = 0; i < D; ++i) {
    const bool is_space = i >= x0 && i < x0 + d;
    lengths[i] = is_space             ? axes[i].length()
                 : axes[i].is_fixed() ? 0
                                      : std::exp(log_sides / static_cast<double>(d));
  }
  if (options.randomize == Randomize::shift) Rng(options.seed).fill_uniform(offset);
  const auto at = [&](std::size_t axis, std::size_t k, const std::vector<std::size_t>& counts) {
    return axes[axis].at((static_cast<double>(k) + offset[axis]) /
                         static_cast<double>(counts[axis]));
  };

  std::vector<std::size_t> counts(D, 1);
  std::vector<double> inside;  // space coordinates of the good cells
  double share = shape.measure() / box_measure(shape);
  if (!(share > least_share && share <= 1)) share = 1;
  for (double cells = 1;;) {
    refine(lengths, static_cast<double>(n) / share * (1 - 1e-12), counts);
    inside.clear();
    std::vector<double> x(d);
    const std::vector<std::size_t> space(counts.begin() + static_cast<std::ptrdiff_t>(x0),
                                         counts.begin() + static_cast<std::ptrdiff_t>(x0 + d));
    std::uint64_t tried = 0;
    for_each_cell(space, [&](const std::vector<std::size_t>& k) {
      for (std::size_t i = 0; i < d; ++i) x[i] = at(x0 + i, k[i], counts);
      if (shape.contains(x.data())) inside.insert(inside.end(), x.begin(), x.end());
      ++tried;
    });
    cells = 1;
    for (const std::size_t c : counts) cells *= static_cast<double>(c);
    const double per_cell = cells / static_cast<double>(tried);
    const double accepted = per_cell * static_cast<double>(inside.size() / d);
    if (accepted >= static_cast<double>(n)) break;
    if (is_hopeless(tried, inside.size() / d)) {
      throw Error(ErrorKind::not_found,
                  fmt::format("the region has no volume or fills less than {} of its bounding box",
                              least_share),
                  "[sampling]", "check the sizes of its parts, or cut it into several regions");
    }
    share =
        std::min(accepted > 0 ? accepted / cells : share / 8, static_cast<double>(n) / (cells + 1));
  }

  Points points;
  points.columns = frame.columns;
  // The same order as the tensor product: time, space, ranges.
  std::vector<std::size_t> outer(counts);
  outer[x0] = inside.size() / d;
  for (std::size_t i = 1; i < d; ++i) outer[x0 + i] = 1;
  for_each_cell(outer, [&](const std::vector<std::size_t>& k) {
    for (std::size_t i = 0; i < D; ++i) {
      const bool is_space = i >= x0 && i < x0 + d;
      points.values.push_back(is_space ? inside[k[x0] * d + i - x0] : at(i, k[i], counts));
    }
  });
  thin(points, n);
  return points;
}

}  // namespace cauchy::detail
