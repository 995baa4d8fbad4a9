#include <cauchy/tensor/field_grid.hpp>

#include <numeric>

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace cauchy::test_field_grid {
namespace {

FieldGrid rectangle() {
  return {.axes = {{.name = "x", .n = 3, .lower = 0, .upper = 1},
                   {.name = "y", .n = 4, .lower = -1, .upper = 1, .periodic = true}}};
}

TEST(FieldGrid, HasBothEndsAsNodesUnlessItIsPeriodic) {
  const FieldGrid g = rectangle();
  EXPECT_EQ(g.axes[0].node(2), 1);
  EXPECT_EQ(g.axes[0].spacing(), 0.5);
  EXPECT_EQ(g.axes[1].node(3), 0.5);
  EXPECT_EQ(g.axes[1].spacing(), 0.5);
}

TEST(FieldGrid, PositionsRunAlongTheLastAxisFirst) {
  const std::vector<double> x = rectangle().positions();
  ASSERT_EQ(x.size(), 24u);
  EXPECT_EQ((std::vector<double>{x[0], x[1], x[2], x[3], x[8], x[9]}),
            (std::vector<double>{0, -1, 0, -0.5, 0.5, -1}));
}

TEST(FieldGrid, WeightsAreTrapezoidalAndAddUpToTheMeasure) {
  const std::vector<double> w = rectangle().weights();
  EXPECT_EQ(w[0], 0.125);
  EXPECT_EQ(w[4], 0.25);
  EXPECT_EQ(w[11], 0.125);
  EXPECT_DOUBLE_EQ(std::accumulate(w.begin(), w.end(), 0.0), 2);
}

TEST(FieldGrid, IntegratesALinearFunctionExactly) {
  const FieldGrid g{.axes = {{.n = 5, .lower = 1, .upper = 4}}};
  const std::vector<double> x = g.positions(), w = g.weights();
  EXPECT_DOUBLE_EQ(std::inner_product(x.begin(), x.end(), w.begin(), 0.0), 7.5);
}

TEST(FieldGrid, ACloudHasOneAxisAndEqualWeightsUnlessTheyAreGiven) {
  FieldGrid g = rectangle();
  g.cloud = {0.25, 0, 0.5, 0.5, 1, -1};
  EXPECT_EQ(g.sizes(), std::vector<int>{3});
  EXPECT_EQ(g.n_points(), 3u);
  EXPECT_EQ(g.positions(), g.cloud);
  EXPECT_EQ(g.weights(), std::vector<double>(3, 2.0 / 3));
  g.cloud_weights = {1, 0.5, 0.5};
  EXPECT_EQ(g.weights(), g.cloud_weights);
}

TEST(FieldGrid, ResizedKeepsTheBox) {
  const FieldGrid g = rectangle().resized({5, 8});
  EXPECT_EQ(g.sizes(), (std::vector<int>{5, 8}));
  EXPECT_EQ(g.axes[1].upper, 1);
  EXPECT_TRUE(g.axes[1].periodic);
  EXPECT_EQ(g.resized({3, 4}), rectangle());
}

TEST(FieldGrid, SaysWhatCannotBeResized) {
  FieldGrid cloud = rectangle();
  cloud.cloud = {0, 0};
  EXPECT_EQ(message_of([&] {
              return cloud.resized({2, 2});
            }),
            "[tensor]: a cloud of points has no other resolution; give other points");
  EXPECT_EQ(message_of([] { return rectangle().resized({2}); }),
            "[tensor]: 1 sizes for a grid of 2 axes; give one number of nodes per axis");
  EXPECT_EQ(message_of([] {
              return rectangle().resized({2, 1});
            }),
            "[tensor]: axis 'y' needs at least 2 nodes, got 1");
}

TEST(FieldGrid, DescribesItself) { EXPECT_EQ(to_string(rectangle()), "3 x 4 on [0, 1] x [-1, 1)"); }

}  // namespace
}  // namespace cauchy::test_field_grid
