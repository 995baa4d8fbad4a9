#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <cauchy/sampling/sampler.hpp>

namespace cauchy::test_unit_grid {
namespace {

std::vector<double> grid(std::size_t d, std::size_t n) {
  return unit_points({.kind = SamplerKind::grid}, d, n);
}

std::size_t distinct_values(const std::vector<double>& x, std::size_t d, std::size_t k) {
  std::set<double> values;
  for (std::size_t i = k; i < x.size(); i += d) values.insert(x[i]);
  return values.size();
}

TEST(UnitGrid, PowersGiveTheFullGridOfCellCentres) {
  EXPECT_EQ(grid(1, 4), (std::vector<double>{0.125, 0.375, 0.625, 0.875}));
  EXPECT_EQ(grid(2, 4), (std::vector<double>{0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75}));
  for (const auto& [d, m] : std::vector<std::pair<std::size_t, std::size_t>>{
           {2, 10}, {3, 10}, {4, 5}, {10, 2}, {1, 1000}}) {
    const auto n = static_cast<std::size_t>(std::llround(std::pow(m, d)));
    const auto x = grid(d, n);
    std::set<std::vector<double>> points;
    for (std::size_t p = 0; p < n; ++p) {
      points.emplace(&x[p * d], &x[p * d] + d);
    }
    EXPECT_EQ(points.size(), n);
    for (std::size_t k = 0; k < d; ++k) EXPECT_EQ(distinct_values(x, d, k), m);
  }
}

TEST(UnitGrid, OtherNumbersGiveExactlyNDistinctPointsOnNearlyEqualAxes) {
  for (const std::size_t d : {1, 2, 3, 5}) {
    for (std::size_t n = 1; n < 140; ++n) {
      const auto x = grid(d, n);
      ASSERT_EQ(x.size(), n * d);
      std::set<std::vector<double>> points;
      for (std::size_t p = 0; p < n; ++p) points.emplace(&x[p * d], &x[p * d] + d);
      ASSERT_EQ(points.size(), n);
      std::size_t least = n, most = 1;
      for (std::size_t k = 0; k < d; ++k) {
        least = std::min(least, distinct_values(x, d, k));
        most = std::max(most, distinct_values(x, d, k));
      }
      EXPECT_LE(most, least + 1) << d << ' ' << n;
    }
  }
}

TEST(UnitGrid, SurplusCellsAreLeftOutEvenly) {
  // 97 of 10 x 10 cells: at most one of any 10 neighbours in the count is missing.
  const auto x = grid(2, 97);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto in_row = std::count_if(x.begin(), x.end(), [&, at = 0](double v) mutable {
      return at++ % 2 == 0 && std::abs(v - (static_cast<double>(i) + 0.5) / 10) < 1e-9;
    });
    EXPECT_GE(in_row, 9);
  }
}

TEST(UnitGrid, HighDimensionsDoNotOverflow) {
  const auto x = grid(1000, 10);  // 16 cells: 4 axes with 2 cells, the others with one
  std::size_t split = 0;
  for (std::size_t k = 0; k < 1000; ++k) split += distinct_values(x, 1000, k) == 2 ? 1 : 0;
  EXPECT_EQ(split, 4u);
  const auto sampler = make_sampler({.kind = SamplerKind::grid}, 3, (std::uint64_t{1} << 48) - 1);
  std::vector<double> last(3);
  sampler->fill((std::uint64_t{1} << 48) - 2, 1, last.data());
  for (const double v : last) EXPECT_EQ(v, (65535.5) / 65536);
}

}  // namespace
}  // namespace cauchy::test_unit_grid
