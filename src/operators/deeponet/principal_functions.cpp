#include "operators/deeponet/principal_functions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>

#include "operators/channels.hpp"  // channel_of

namespace cauchy::detail {

std::vector<double> answer_weights(const FieldGrid& grid, std::size_t n_times) {
  const std::vector<double> w = grid.weights();
  double sum = 0;
  for (const double x : w) sum += x;
  std::vector<double> all;
  for (std::size_t t = 0; t < n_times; ++t) {
    for (const double x : w) all.push_back(x * static_cast<double>(w.size()) / sum);
  }
  return all;
}

void put_principal_functions(DeepOnetMap& map, const AnswerPoints& answers, const DataSet& train) {
  const std::size_t K = answers.times.size(), nodes = train.grid.n_points(), n = K * nodes;
  const std::size_t S = train.size(), p = map.width();
  if (p > S || p > n) {
    throw Error(fmt::format("{} samples at {} points have no {} principal functions", S, n, p),
                "[train.width]", fmt::format("give width = {} or less", std::min(S, n)));
  }
  const std::vector<double> weights = answer_weights(train.grid, K);
  map.pod_times = answers.times;
  map.pod.assign(map.fields.size() * (1 + p) * n, 0.0);
  for (std::size_t i = 0; i < answers.field.size(); ++i) {
    double* const to = &map.pod[answers.field[i] * (1 + p) * n];
    Matrix a(S, n);
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t k = 0; k < K; ++k) {
        const auto v = channel_of(train, s, {false, answers.channel[i * K + k]});
        for (std::size_t j = 0; j < nodes; ++j) a(s, k * nodes + j) = v[j];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      double mean = 0;
      for (std::size_t s = 0; s < S; ++s) mean += a(s, j);
      to[j] = mean / static_cast<double>(S);
      for (std::size_t s = 0; s < S; ++s) a(s, j) = (a(s, j) - to[j]) * std::sqrt(weights[j]);
    }
    // The smaller of both Gram matrices.
    const bool by_sample = S <= n;
    const std::size_t m = by_sample ? S : n;
    Matrix gram(m, m);
    gemm(by_sample ? Transpose::no : Transpose::yes, by_sample ? Transpose::yes : Transpose::no,
         1.0, a, a, 0.0, gram);
    const SymmetricEigen<double> eigen = symmetric_eigen(gram);
    for (std::size_t k = 0; k < p; ++k) {
      const std::size_t column = m - 1 - k;  // eigenvalues ascend
      const double value = std::max(eigen.values[column], 0.0);
      const double size = std::sqrt(value / static_cast<double>(S));
      for (std::size_t j = 0; j < n; ++j) {
        double v = 0;
        if (by_sample) {
          for (std::size_t s = 0; s < S; ++s) v += a(s, j) * eigen.vectors(s, column);
          v = value > 0 ? v / std::sqrt(value) : 0;
        } else {
          v = eigen.vectors(j, column);
        }
        to[(1 + k) * n + j] = weights[j] > 0 ? v * size / std::sqrt(weights[j]) : 0;
      }
    }
  }
}

}  // namespace cauchy::detail
