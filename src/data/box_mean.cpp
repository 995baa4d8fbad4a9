#include "data/box_mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cauchy::detail {
namespace {

/// Fine nodes across a box, at least.
constexpr double nodes_across = 4;

}  // namespace

BoxMean::BoxMean(std::vector<FieldGrid::Axis> axes, double width) : fine_(std::move(axes)) {
  for (FieldGrid::Axis& axis : fine_) {
    const FieldGrid::Axis coarse = axis;
    const int steps =
        std::max(1, static_cast<int>(std::lround(nodes_across * coarse.spacing() / width)));
    axis.n = coarse.periodic ? coarse.n * steps : (coarse.n - 1) * steps + 1;
    const double h = axis.spacing(), length = coarse.upper - coarse.lower;
    const double half = std::min(width, length) / 2;
    std::vector<Row>& rows = rows_.emplace_back();
    for (int i = 0; i < coarse.n; ++i) {
      // In steps of the fine grid; fine node j holds from j - 1/2 to j + 1/2.
      double begin = i * steps - half / h, end = i * steps + half / h;
      if (!coarse.periodic) {
        begin = std::max(begin, 0.0);
        end = std::min(end, static_cast<double>(axis.n - 1));
      }
      const auto first = static_cast<int>(std::floor(begin + 0.5));
      const auto last = static_cast<int>(std::ceil(end - 0.5));
      Row row;
      for (int j = first; j <= last; ++j) {
        row.weights.push_back(std::min(end, j + 0.5) - std::max(begin, j - 0.5));
      }
      const double sum = std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
      for (double& w : row.weights) w /= sum;
      row.first = static_cast<std::size_t>(first < 0 ? first + axis.n : first);
      rows.push_back(std::move(row));
    }
  }
}

std::vector<double> BoxMean::operator()(std::vector<double> values) const {
  for (std::size_t a = 0; a < fine_.size(); ++a) {
    const auto n = static_cast<std::size_t>(fine_[a].n);
    std::size_t outer = 1, inner = 1;  // axes before this one are done
    for (std::size_t k = 0; k < a; ++k) outer *= rows_[k].size();
    for (std::size_t k = a + 1; k < fine_.size(); ++k) {
      inner *= static_cast<std::size_t>(fine_[k].n);
    }
    std::vector<double> means(outer * rows_[a].size() * inner, 0.0);
    double* to = means.data();
    for (std::size_t o = 0; o < outer; ++o) {
      for (const Row& row : rows_[a]) {
        for (std::size_t k = 0; k < row.weights.size(); ++k) {
          const double* from = values.data() + (o * n + (row.first + k) % n) * inner;
          for (std::size_t i = 0; i < inner; ++i) to[i] += row.weights[k] * from[i];
        }
        to += inner;
      }
    }
    values = std::move(means);
  }
  return values;
}

}  // namespace cauchy::detail
