#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <cauchy/tensor/graph.hpp>

#include "networks/fields/point_set.hpp"

namespace cauchy::detail {

/// Pairs (x, y) of queries x and keys y, query by query, and the weight of y in the sum at x.
struct PointPairs {
  std::size_t n_queries = 0, n_keys = 0;
  std::vector<std::size_t> offsets;  ///< of the queries, n_queries + 1
  std::vector<std::size_t> keys;
  std::vector<double> weights;
  [[nodiscard]] std::size_t size() const noexcept { return keys.size(); }
};

/// Every key with every query, with the weights of the keys.
[[nodiscard]] PointPairs all_pairs(const PointSet& queries, const PointSet& keys);
/// The keys within a radius of each query, or the nearest one where there is none; weights of a
/// query add up to 1. More than `most` (0: any number) are sorted by distance and cut into as many
/// runs; the middle one of a run has the weight of the run.
///   cost     O(n_queries 3^d keys per cube of side radius)
[[nodiscard]] PointPairs near_pairs(const PointSet& queries, const PointSet& keys, double radius,
                                    std::size_t most);

/// Values at points as values at pairs, and back. Tables are shared by all layers of a network.
class PairTables final {
 public:
  explicit PairTables(const PointPairs& pairs);
  [[nodiscard]] std::size_t size() const noexcept { return at_keys_->rows(); }
  /// [C, queries] to [C, pairs].
  int at_queries(TensorGraph& graph, int x) const;
  /// [C, keys] to [C, pairs].
  int at_keys(TensorGraph& graph, int x) const;
  /// sum_y w(x, y) p(x, y): [C, pairs] to [C, sizes], whose product are the queries.
  int sum(TensorGraph& graph, int p, std::vector<int> sizes) const;

 private:
  std::shared_ptr<const PointMatrix> at_queries_, at_keys_, sum_;
};

}  // namespace cauchy::detail
