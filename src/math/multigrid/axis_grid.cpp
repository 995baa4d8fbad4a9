#include "math/multigrid/axis_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cauchy::detail {
namespace {

using End = BoxAxis::End;

/// Fills edges, widths and distances from the places; those of cells have their edges already.
void complete(AxisGrid& g) {
  const std::size_t n = g.x.size();
  const double length = g.upper - g.lower;
  g.d.assign(n + 1, 0);
  for (std::size_t i = 1; i < n; ++i) g.d[i] = g.x[i] - g.x[i - 1];
  if (g.periodic()) {
    g.d[0] = g.d[n] = g.x[0] + length - g.x[n - 1];
  } else {
    g.d[0] = g.x[0] - g.lower;
    g.d[n] = g.upper - g.x[n - 1];
  }
  if (!g.cells) {
    g.edge.resize(n + 1);
    for (std::size_t i = 1; i < n; ++i) g.edge[i] = (g.x[i - 1] + g.x[i]) / 2;
    g.edge[0] = g.x[0] - g.d[0] / 2;
    g.edge[n] = g.x[n - 1] + g.d[n] / 2;
  }
  g.w.resize(n);
  for (std::size_t i = 0; i < n; ++i) g.w[i] = g.edge[i + 1] - g.edge[i];
}

/// Overlaps of the intervals between `fine` edges with those between `coarse` ones, as shares of
/// the coarse; fine ones are repeated with the period, if there is one.
AxisMap shares(std::span<const double> coarse, std::span<const double> fine, double period) {
  AxisMap map;
  map.n_in = fine.size() - 1;
  for (std::size_t j = 0; j + 1 < coarse.size(); ++j) {
    double total = 0;
    const std::size_t first = map.index.size();
    for (int turn = period > 0 ? -1 : 0; turn <= (period > 0 ? 1 : 0); ++turn) {
      for (std::size_t i = 0; i + 1 < fine.size(); ++i) {
        const double shift = turn * period;
        const double overlap =
            std::min(coarse[j + 1], fine[i + 1] + shift) - std::max(coarse[j], fine[i] + shift);
        if (!(overlap > 1e-9 * (coarse[j + 1] - coarse[j]))) continue;
        map.index.push_back(i);
        map.weight.push_back(overlap);
        total += overlap;
      }
    }
    // A link of no length, at a Neumann end: it carries nothing, any value will do.
    if (map.index.size() == first) {
      map.index.push_back(std::min(j, map.n_in - 1));
      map.weight.push_back(1);
      total = 1;
    }
    for (std::size_t k = first; k < map.weight.size(); ++k) map.weight[k] /= total;
    map.begin.push_back(map.index.size());
  }
  return map;
}

std::vector<double> link_edges(const AxisGrid& g) {
  std::vector<double> edges = g.x;
  edges.insert(edges.begin(), g.x.front() - g.d.front());
  edges.push_back(g.x.back() + g.d.back());
  return edges;
}

}  // namespace

AxisGrid AxisGrid::of(const BoxAxis& axis) {
  const bool cells = axis.cells;
  AxisGrid g{cells, axis.at_lower, axis.at_upper, axis.lower, axis.upper, {}, {}, {}, {}};
  const double length = axis.upper - axis.lower;
  // In spacings: where the first unknown lies, and how many fit between the ends.
  double first = 0.5, count = static_cast<double>(axis.n);
  if (!cells) {
    first = axis.at_lower == End::dirichlet ? 1 : 0;
    if (axis.at_lower != End::periodic) {
      count = static_cast<double>(axis.n) - 1 + first + (axis.at_upper == End::dirichlet ? 1 : 0);
    }
  }
  const double h = length / count;
  for (std::size_t i = 0; i < axis.n; ++i) {
    g.x.push_back(axis.lower + (static_cast<double>(i) + first) * h);
    if (cells) g.edge.push_back(axis.lower + static_cast<double>(i) * h);
  }
  if (cells) g.edge.push_back(axis.upper);
  complete(g);
  return g;
}

AxisGrid AxisGrid::coarser() const {
  AxisGrid g{cells, at_lower, at_upper, lower, upper, {}, {}, {}, {}};
  if (cells) {
    for (std::size_t i = 0; i < n(); i += 2) g.edge.push_back(edge[i]);
    g.edge.push_back(edge[n()]);
    for (std::size_t i = 0; i + 1 < g.edge.size(); ++i) {
      g.x.push_back((g.edge[i] + g.edge[i + 1]) / 2);
    }
  } else {
    std::size_t last = 0;
    for (std::size_t i = at_lower == End::dirichlet ? 1 : 0; i < n(); i += 2) {
      g.x.push_back(x[i]);
      last = i;
    }
    if (at_upper == End::neumann && last + 1 != n()) g.x.push_back(x.back());
  }
  complete(g);
  return g;
}

double AxisGrid::toward_lower(std::size_t i) const {
  return i == 0 && at_lower == End::neumann ? 0 : 1 / (w[i] * d[i]);
}

double AxisGrid::toward_upper(std::size_t i) const {
  return i + 1 == n() && at_upper == End::neumann ? 0 : 1 / (w[i] * d[i + 1]);
}

AxisMap interpolation(const AxisGrid& coarse, const AxisGrid& fine) {
  AxisMap map;
  map.n_in = coarse.n();
  const std::size_t last = coarse.n() - 1;
  const auto add = [&](std::size_t index, double weight) {
    if (weight == 0) return;
    map.index.push_back(index);
    map.weight.push_back(weight);
  };
  for (const double x : fine.x) {
    const auto above = static_cast<std::size_t>(
        std::upper_bound(coarse.x.begin(), coarse.x.end(), x) - coarse.x.begin());
    if (above == 0 || above > last) {
      const bool low = above == 0;
      const double distance = low ? coarse.x[0] - x : x - coarse.x[last];
      const double gap = low ? coarse.d.front() : coarse.d.back();
      const End end = low ? coarse.at_lower : coarse.at_upper;
      const double share = end == End::neumann ? 0 : distance / gap;
      add(low ? 0 : last, 1 - share);
      if (end == End::periodic) add(low ? last : 0, share);
    } else {
      const double share = (x - coarse.x[above - 1]) / coarse.d[above];
      add(above - 1, 1 - share);
      add(above, share);
    }
    map.begin.push_back(map.index.size());
  }
  return map;
}

AxisMap restriction(const AxisGrid& coarse, const AxisGrid& fine) {
  const AxisMap p = interpolation(coarse, fine);
  std::vector<std::vector<std::pair<std::size_t, double>>> rows(coarse.n());
  for (std::size_t i = 0; i < fine.n(); ++i) {
    for (std::size_t k = p.begin[i]; k < p.begin[i + 1]; ++k) {
      rows[p.index[k]].emplace_back(i, p.weight[k] * fine.w[i] / coarse.w[p.index[k]]);
    }
  }
  AxisMap map;
  map.n_in = fine.n();
  for (const auto& row : rows) {
    for (const auto& [index, weight] : row) {
      map.index.push_back(index);
      map.weight.push_back(weight);
    }
    map.begin.push_back(map.index.size());
  }
  return map;
}

AxisMap volume_mean(const AxisGrid& coarse, const AxisGrid& fine) {
  return shares(coarse.edge, fine.edge, coarse.periodic() ? coarse.upper - coarse.lower : 0);
}

AxisMap link_mean(const AxisGrid& coarse, const AxisGrid& fine) {
  std::vector<double> edges = link_edges(fine);
  if (!coarse.periodic()) return shares(link_edges(coarse), edges, 0);
  // The first and the last link are the same one.
  edges.pop_back();
  AxisMap map = shares(link_edges(coarse), edges, coarse.upper - coarse.lower);
  map.n_in = fine.n() + 1;
  return map;
}

std::vector<double> contract(std::span<const double> in, std::span<const std::size_t> shape,
                             std::size_t axis, const AxisMap& map) {
  std::size_t outer = 1, inner = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= shape[k];
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  std::vector<double> out(outer * map.n_out() * inner, 0);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t j = 0; j < map.n_out(); ++j) {
      double* to = out.data() + (o * map.n_out() + j) * inner;
      for (std::size_t k = map.begin[j]; k < map.begin[j + 1]; ++k) {
        const double* from = in.data() + (o * map.n_in + map.index[k]) * inner;
        for (std::size_t i = 0; i < inner; ++i) to[i] += map.weight[k] * from[i];
      }
    }
  }
  return out;
}

}  // namespace cauchy::detail
