#include "data/box_mean.hpp"

#include <gtest/gtest.h>

namespace cauchy::test_box_mean {
namespace {

TEST(BoxMean, IsThePartOfABoxOnEachSideOfAJump) {
  // 5 nodes, boxes of one spacing with 4 steps across: 17 fine nodes of 1/16.
  const detail::BoxMean mean({{.name = "x", .n = 5}}, 0.25);
  ASSERT_EQ(mean.fine().size(), 1U);
  ASSERT_EQ(mean.fine()[0].n, 17);
  std::vector<double> step(17, 0.0);
  for (std::size_t j = 9; j < 17; ++j) step[j] = 1;  // from 1/2 + 1/32 on
  const std::vector<double> got = mean(step), want{0, 0, 0.375, 1, 1};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(got[i], want[i], 1e-15);
}

TEST(BoxMean, IsTheMiddleOfALinearFunctionAndOneSidedAtTheEnds) {
  const detail::BoxMean mean({{.name = "x", .n = 4}, {.name = "y", .n = 3, .upper = 2}}, 0.5);
  const std::size_t n = static_cast<std::size_t>(mean.fine()[0].n),
                    m = static_cast<std::size_t>(mean.fine()[1].n);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      values.push_back(mean.fine()[0].node(static_cast<int>(i)) +
                       10 * mean.fine()[1].node(static_cast<int>(j)));
    }
  }
  const std::vector<double> got = mean(values);
  ASSERT_EQ(got.size(), 12U);
  EXPECT_NEAR(got[1 * 3 + 1], 1.0 / 3 + 10, 1e-12);
  // At the corner boxes reach from 0 to 1/4; values hold up to halfway, which costs h / 8.
  EXPECT_NEAR(got[0], 1.0 / 8 + 10.0 / 8, 11 * 0.125 / 8);
}

TEST(BoxMean, GoesAroundACircle) {
  const detail::BoxMean mean({{.name = "x", .n = 4, .periodic = true}}, 0.25);
  ASSERT_EQ(mean.fine()[0].n, 16);
  std::vector<double> one(16, 0.0);
  one[15] = 1;
  const std::vector<double> got = mean(one);
  EXPECT_NEAR(got[0], 0.25, 1e-15);
  EXPECT_NEAR(got[1] + got[2] + got[3], 0, 1e-15);
}

}  // namespace
}  // namespace cauchy::test_box_mean
