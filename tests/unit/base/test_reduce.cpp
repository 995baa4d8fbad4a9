#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>
#include <cauchy/base/rng.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace cauchy::test_reduce {
namespace {

// Numbers of very different size, so that every order of addition rounds differently.
std::vector<double> rough_numbers(std::size_t n) {
  Rng rng(1, n);
  std::vector<double> x(n);
  for (double& v : x) v = rng.normal() * std::exp(10.0 * rng.normal());
  return x;
}

// The plain reference: add neighbours until one number is left.
template <class T>
T sum_of_neighbours(std::vector<T> x) {
  if (x.empty()) return 0;
  while (x.size() > 1) {
    std::vector<T> next;
    for (std::size_t i = 0; i < x.size(); i += 2) {
      next.push_back(i + 1 < x.size() ? x[i] + x[i + 1] : x[i]);
    }
    x = next;
  }
  return x[0];
}

TEST(TreeSum, AddsNeighboursLevelByLevel) {
  for (std::size_t n = 0; n < 70; ++n) {
    const auto x = rough_numbers(n);
    EXPECT_EQ(tree_sum(x), sum_of_neighbours(x)) << n;
    const std::vector<float> y(x.begin(), x.end());
    EXPECT_EQ(tree_sum(y), sum_of_neighbours(y)) << n;
  }
}

TEST(TreeSum, ErrorGrowsOnlyWithTheDepthOfTheTree) {
  const std::size_t n = 1 << 16;
  const std::vector<float> x(n, 0.1F);
  // Bound depth * eps * sum with depth 16 and unit roundoff eps = 2^-24.
  const double exact = static_cast<double>(0.1F) * static_cast<double>(n);
  EXPECT_LT(std::fabs(static_cast<double>(tree_sum(x)) - exact), 16 * 0x1p-24 * exact);
}

TEST(TreeSumRows, GivesEachColumnTheBitsOfTreeSum) {
  for (const std::size_t n_rows : {1, 2, 3, 7, 16, 21}) {
    for (const std::size_t n_columns : {0, 1, 5, 3000}) {
      const auto rows = rough_numbers(n_rows * n_columns);
      std::vector<double> expected;
      for (std::size_t j = 0; j < n_columns; ++j) {
        std::vector<double> column;
        for (std::size_t i = 0; i < n_rows; ++i) column.push_back(rows[i * n_columns + j]);
        expected.push_back(sum_of_neighbours(column));
      }
      auto serial = rows;
      tree_sum_rows(serial, n_rows, n_columns);
      serial.resize(n_columns);
      EXPECT_EQ(serial, expected);
      for (const int size : {1, 3}) {
        Threads threads(size);
        auto parallel = rows;
        tree_sum_rows(threads, parallel, n_rows, n_columns);
        parallel.resize(n_columns);
        EXPECT_EQ(parallel, expected);
      }
    }
  }
}

TEST(TreeSumRows, WorksInSinglePrecision) {
  std::vector<float> rows = {1, 2, 3, 4, 5, 6}, again = rows;
  tree_sum_rows(rows, 3, 2);
  EXPECT_EQ(rows[0], 9.0F);
  EXPECT_EQ(rows[1], 12.0F);
  Threads threads(2);
  tree_sum_rows(threads, again, 3, 2);
  EXPECT_EQ(again, rows);
}

TEST(TreeSumRows, RefusesAWrongShape) {
  std::vector<double> rows(6);
  Threads threads(1);
  EXPECT_THROW(tree_sum_rows(rows, 4, 2), Error);
  EXPECT_THROW(tree_sum_rows(rows, 0, 2), Error);
  EXPECT_THROW(tree_sum_rows(threads, rows, 3, 3), Error);
}

TEST(ParallelSum, HasTheSameBitsForAnyNumberOfThreads) {
  const auto x = rough_numbers(10'007);
  const std::size_t n_chunks = 37;
  const auto term = [&](std::size_t chunk, int) {
    const IndexRange r = chunk_range(x.size(), n_chunks, chunk);
    return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(r.begin),
                           x.begin() + static_cast<std::ptrdiff_t>(r.end), 0.0);
  };
  std::vector<double> reference(n_chunks);
  for (std::size_t i = 0; i < n_chunks; ++i) reference[i] = term(i, 0);
  for (const int size : {1, 2, 3, 5}) {
    Threads threads(size);
    for (int round = 0; round < 20; ++round) {
      std::vector<double> partials(n_chunks, std::numeric_limits<double>::quiet_NaN());
      EXPECT_EQ(parallel_sum(threads, partials, term), sum_of_neighbours(reference));
    }
  }
}

}  // namespace
}  // namespace cauchy::test_reduce
