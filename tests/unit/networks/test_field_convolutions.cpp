#include <gtest/gtest.h>

#include <algorithm>

#include <cauchy/networks/field_network.hpp>

#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_convolutions {
namespace {

using test::largest;
using test::largest_difference;
using test::TriedField;
using test::unit_grid;

std::size_t count(const FieldNetwork& network, const FieldGrid& grid) {
  return TriedField(network, grid, 2, 3).theta.size();
}

TEST(Cnn, HasAsManyParametersAsTheFormulaSays) {
  const FieldGrid grid = unit_grid({8, 8}, false);  // 2 inputs and 2 coordinates
  EXPECT_EQ(count(Cnn{.width = 5, .depth = 3, .kernel = 3}, grid),
            (4u * 9 + 1) * 5 + 2 * (5 * 9 + 1) * 5 + 6 * 3);
  // Down to 2 x 2 with 5 and 10 channels, one layer of 20 between, up by 10 and 5.
  EXPECT_EQ(count(Cnn{.width = 5, .depth = 1, .levels = 2}, grid),
            (4u * 9 + 1) * 5 + (5 * 9 + 1) * 10 + (10 * 9 + 1) * 20 + (20 * 4 * 10 + 10) +
                (10 * 4 * 5 + 5) + 6 * 3);
}

TEST(Resnet, HasAsManyParametersAsTheFormulaSays) {
  const FieldGrid grid = unit_grid({8, 8}, false);
  EXPECT_EQ(count(Resnet{.width = 6, .blocks = 2, .kernel = 3, .groups = 3}, grid),
            (4u * 9 + 1) * 6 + 2 * (2 * 36 * 9 + 6 * 6) + 2 * 6 + 7 * 3);
}

TEST(Unet, HasAsManyParametersAsTheFormulaSays) {
  const FieldGrid grid = unit_grid({8, 8, 4}, false);  // 2 inputs and 3 coordinates
  const auto block = [](std::size_t c, std::size_t w) { return 27 * c * w + 27 * w * w + 4 * w; };
  const std::size_t w = 4;
  std::size_t expected = block(5, w) + (w + 1) * 3;
  for (const std::size_t fine : {w, 2 * w}) {
    expected += block(fine, 2 * fine) + block(2 * fine, fine) + 8 * 2 * fine * fine + fine;
  }
  EXPECT_EQ(count(Unet{.width = 4, .levels = 2, .groups = 2}, grid), expected);
}

/// values[x][y] moved by whole points around the torus, or along one axis.
std::vector<double> moved(const std::vector<double>& values, int nx, int ny, int bx, int by) {
  std::vector<double> result(values.size());
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      result[static_cast<std::size_t>((i + bx) % nx * ny + (j + by) % ny)] =
          values[static_cast<std::size_t>(i * ny + j)];
    }
  }
  return result;
}

TEST(Convolutions, CommuteWithTranslationsAlongPeriodicAxesAlone) {
  // Levels halve the grid: translations by multiples of 2^levels.
  const std::vector<FieldNetwork> networks{
      Cnn{.width = 3, .coordinates = false},
      Cnn{.width = 3, .depth = 2, .levels = 2, .coordinates = false},
      Resnet{.width = 4, .blocks = 2, .groups = 2, .coordinates = false},
      Unet{.width = 4, .levels = 2, .groups = 2, .coordinates = false}};
  std::vector<double> a(8 * 12);
  Rng(2).fill_normal(a);
  for (const FieldNetwork& network : networks) {
    SCOPED_TRACE(describe(network));
    FieldGrid grid = unit_grid({8, 12}, true);
    const TriedField torus(network, grid);
    const std::vector<double> u = torus.values(a);
    EXPECT_LT(largest_difference(torus.values(moved(a, 8, 12, 4, 8)), moved(u, 8, 12, 4, 8)),
              1e-12 * largest(u));
    grid.axes[0].periodic = false;  // a tube
    const TriedField tube(network, grid);
    const std::vector<double> v = tube.values(a);
    EXPECT_LT(largest_difference(tube.values(moved(a, 8, 12, 0, 8)), moved(v, 8, 12, 0, 8)),
              1e-12 * largest(v));
    EXPECT_GT(largest_difference(tube.values(moved(a, 8, 12, 4, 0)), moved(v, 8, 12, 4, 0)), 1e-6);
  }
}

TEST(Unet, HandsFineDetailOverBesideTheCoarseGrids) {
  const FieldGrid grid = unit_grid({16, 16}, true);
  TriedField tried(Unet{.width = 2, .levels = 2, .groups = 0, .coordinates = false}, grid);
  for (int i = 0; i < 4; ++i) std::ranges::fill(tried.block("upsampling", i), 0.0);
  std::vector<double> a(256);
  Rng(2).fill_normal(a);
  std::vector<double> b = a;
  b[17] += 1;
  const std::vector<double> u = tried.values(a), v = tried.values(b);
  EXPECT_GT(std::abs(u[17] - v[17]), 1e-3);
  EXPECT_EQ(u[17 + 8 * 16 + 8], v[17 + 8 * 16 + 8]);  // far away: by the coarse grids alone
}

TEST(Resnet, IsItsInputLayerWhenTheBlocksAreZero) {
  // The second convolution of every block and the last layer by hand: v_0 comes through.
  const FieldGrid grid = unit_grid({6, 6}, true);
  TriedField tried(Resnet{.width = 2, .blocks = 2, .groups = 0, .activation = Activation::identity},
                   grid, 1, 2);
  for (const int block : {4, 5, 8, 9}) {  // weight and bias of the second of each
    std::ranges::fill(tried.block("convolution", block), 0.0);
  }
  TriedField first({1, {6, 6}}, [&](TensorGraph& g, int a) {
    return add_field_network(g, Cnn{.width = 2, .depth = 1, .activation = Activation::identity}, a,
                             grid, 2);
  });
  for (const int block : {0, 1}) {
    std::ranges::copy(tried.block("convolution", block), first.block("convolution", block).begin());
    std::ranges::copy(tried.block("output", block), first.block("output", block).begin());
  }
  std::vector<double> a(36);
  Rng(2).fill_normal(a);
  EXPECT_LT(largest_difference(tried.values(a), first.values(a)), 1e-14);
}

TEST(Convolutions, RefuseWhatDoesNotFit) {
  const auto message = [](const FieldNetwork& network) {
    return message_of([&] { return TriedField(network, unit_grid({8, 12}, false)); });
  };
  EXPECT_EQ(message(Unet{.width = 8, .levels = 3}),
            "[networks.unet]: 3 levels need a multiple of 8 points along 'y', the grid has 12");
  EXPECT_EQ(message(Unet{.width = 12, .groups = 8}),
            "[networks.unet]: groups must divide width, got 8 and 12");
  EXPECT_EQ(message(Unet{.width = 0}), "[networks.unet]: width must be positive, got 0");
  EXPECT_EQ(message(Cnn{.levels = 4}),
            "[networks.cnn]: 4 levels need a multiple of 16 points along 'x', the grid has 8");
  EXPECT_EQ(message(Cnn{.kernel = 2}),
            "[networks.cnn]: a kernel has an odd number of points from 1 to 99, got 2");
  EXPECT_EQ(message(Resnet{.blocks = 0}), "[networks.resnet]: blocks must be positive, got 0");
  EXPECT_EQ(message(Resnet{.groups = 7}),
            "[networks.resnet]: groups must divide width, got 7 and 32");
}

}  // namespace
}  // namespace cauchy::test_field_convolutions
