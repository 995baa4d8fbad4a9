#include "networks/fields/point_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace cauchy::detail {
namespace {

/// Points sorted into the cells of a grid over the unit box, so that those near a place are found
/// without a look at all of them. Points outside of the box lie in the outermost cells.
class PointCells final {
 public:
  PointCells(const PointSet& points, double radius) : points_(points) {
    const std::size_t d = points.axes();
    const double fine = std::pow(static_cast<double>(points.size()), 1.0 / static_cast<double>(d));
    // Cells are no smaller than the radius, and not many more than points.
    n_ = std::clamp(static_cast<int>(std::min(1 / radius, fine)), 1, 1024);
    std::size_t cells = 1;
    for (std::size_t k = 0; k < d; ++k) cells *= static_cast<std::size_t>(n_);
    members_.resize(cells);
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::array<int, 3> at{};
      for (std::size_t k = 0; k < d; ++k) at[k] = cell(points.at(i)[k]);
      members_[number(at)].push_back(i);
    }
  }

  /// visit(point) for every point that may lie within the radius of a place.
  template <class Visit>
  void near(std::span<const double> place, Visit visit) const {
    std::array<std::vector<int>, 3> range;
    for (std::size_t k = 0; k < 3; ++k)
      range[k] = k < place.size() ? around(place, k) : std::vector{0};
    for (const int a : range[0]) {
      for (const int b : range[1]) {
        for (const int c : range[2]) {
          for (const std::size_t i : members_[number({a, b, c})]) visit(i);
        }
      }
    }
  }

 private:
  [[nodiscard]] int cell(double x) const {
    return static_cast<int>(std::clamp(std::floor(x * n_), 0.0, n_ - 1.0));
  }
  [[nodiscard]] std::size_t number(const std::array<int, 3>& at) const {
    std::size_t result = 0;
    for (std::size_t k = 0; k < points_.axes(); ++k) {
      result = result * static_cast<std::size_t>(n_) + static_cast<std::size_t>(at[k]);
    }
    return result;
  }
  /// The cell of a place and its neighbours along an axis, each once.
  [[nodiscard]] std::vector<int> around(std::span<const double> place, std::size_t k) const {
    std::vector<int> cells;
    const int middle = cell(place[k]);
    for (int c = middle - 1; c <= middle + 1; ++c) {
      const int wrapped = points_.periodic[k] ? (c + n_) % n_ : c;
      if (wrapped < 0 || wrapped >= n_) continue;
      if (std::find(cells.begin(), cells.end(), wrapped) == cells.end()) cells.push_back(wrapped);
    }
    return cells;
  }

  const PointSet& points_;
  int n_ = 1;
  std::vector<std::vector<std::size_t>> members_;
};

struct Neighbour {
  double distance2 = std::numeric_limits<double>::infinity();
  std::size_t key = 0;
  double weight = 0;
  friend bool operator<(const Neighbour& a, const Neighbour& b) {
    return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.key < b.key);
  }
};

/// One of each of `most` runs of sorted neighbours, with the weight of its run.
std::vector<Neighbour> thinned(const std::vector<Neighbour>& all, std::size_t most) {
  if (most == 0 || all.size() <= most) return all;
  std::vector<Neighbour> result;
  for (std::size_t r = 0; r < most; ++r) {
    const std::size_t begin = r * all.size() / most, end = (r + 1) * all.size() / most;
    Neighbour middle = all[begin + (end - begin - 1) / 2];
    middle.weight = 0;
    for (std::size_t i = begin; i < end; ++i) middle.weight += all[i].weight;
    result.push_back(middle);
  }
  return result;
}

}  // namespace

PointPairs all_pairs(const PointSet& queries, const PointSet& keys) {
  PointPairs pairs{queries.size(), keys.size(), {0}, {}, {}};
  pairs.keys.reserve(queries.size() * keys.size());
  pairs.weights.reserve(queries.size() * keys.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      pairs.keys.push_back(k);
      pairs.weights.push_back(keys.weights[k]);
    }
    pairs.offsets.push_back(pairs.keys.size());
  }
  return pairs;
}

PointPairs near_pairs(const PointSet& queries, const PointSet& keys, double radius,
                      std::size_t most) {
  PointPairs pairs{queries.size(), keys.size(), {0}, {}, {}};
  const PointCells cells(keys, radius);
  // Neighbours on a grid lie exactly on the sphere; rounding must not decide which of them count.
  const double reach = radius * radius * (1 + 1e-9);
  std::vector<Neighbour> found;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    found.clear();
    const std::span<const double> x = queries.at(q);
    const auto neighbour = [&](std::size_t k) {
      return Neighbour{keys.distance2(x, keys.at(k)), k, keys.weights[k]};
    };
    cells.near(x, [&](std::size_t k) {
      const Neighbour n = neighbour(k);
      if (n.distance2 <= reach) found.push_back(n);
    });
    if (found.empty()) {
      Neighbour nearest;
      for (std::size_t k = 0; k < keys.size(); ++k) nearest = std::min(nearest, neighbour(k));
      found.push_back(nearest);
    }
    std::sort(found.begin(), found.end());
    double sum = 0;
    for (const Neighbour& n : found) sum += n.weight;
    const std::vector<Neighbour> kept = thinned(found, most);
    for (const Neighbour& n : kept) {
      pairs.keys.push_back(n.key);
      // Points without weight alone: a plain mean.
      pairs.weights.push_back(sum > 0 ? n.weight / sum : 1 / static_cast<double>(kept.size()));
    }
    pairs.offsets.push_back(pairs.keys.size());
  }
  return pairs;
}

PairTables::PairTables(const PointPairs& pairs) {
  std::vector<std::size_t> queries(pairs.size()), numbers(pairs.size());
  for (std::size_t q = 0; q < pairs.n_queries; ++q) {
    for (std::size_t p = pairs.offsets[q]; p < pairs.offsets[q + 1]; ++p) queries[p] = q;
  }
  at_queries_ = taking(pairs.n_queries, std::move(queries));
  at_keys_ = taking(pairs.n_keys, pairs.keys);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  auto sum = std::make_shared<PointMatrix>();
  sum->columns = pairs.size();
  sum->offsets = pairs.offsets;
  sum->points = std::move(numbers);
  sum->weights = pairs.weights;
  sum_ = std::move(sum);
}

int PairTables::at_queries(TensorGraph& graph, int x) const {
  return graph.sparse(x, at_queries_, {static_cast<int>(at_queries_->rows())});
}

int PairTables::at_keys(TensorGraph& graph, int x) const {
  return graph.sparse(x, at_keys_, {static_cast<int>(at_keys_->rows())});
}

int PairTables::sum(TensorGraph& graph, int p, std::vector<int> sizes) const {
  return graph.sparse(p, sum_, std::move(sizes));
}

}  // namespace cauchy::detail
