#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "problem/switches.hpp"

namespace cauchy::test_switches {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Coordinate x("x"), y("y");
const Field u("u");

std::vector<double> places(const Expr& e) {
  return detail::switch_places(std::vector{e}, "x", 0, 1);
}
auto near(double at) { return DoubleNear(at, 1e-14); }

TEST(Switches, AreFoundToRounding) {
  EXPECT_THAT(places(where(x < 0.3, 1, where(x * x < 0.5, 2, 3))),
              ElementsAre(near(0.3), near(std::sqrt(0.5))));
  EXPECT_THAT(places(sin(x) + u), IsEmpty());
  EXPECT_THAT(places(where(x < y, 1, 2)), IsEmpty()) << "no place of x alone";
  EXPECT_THAT(places(abs(u - x)), IsEmpty());
  EXPECT_THAT(places(where(x < 1.5, 1, 2)), IsEmpty());
}

TEST(Switches, TwoBetweenSamplesAreTwo) {
  const double w = 1e-7;
  EXPECT_THAT(places(where(x < 0.6, 1, where(x < 0.6 + w, 2, 1))),
              ElementsAre(near(0.6), near(0.6 + w)));
  EXPECT_THAT(places(where(abs(x - 0.37) < w / 2, w, 1)),
              ElementsAre(near(0.37 - w / 2), near(0.37), near(0.37 + w / 2)));
  const std::vector<double> smooth = places(where((x - 0.37) * (x - 0.37) < w * w, 2, 1));
  ASSERT_EQ(smooth.size(), 2u);
  EXPECT_NEAR(smooth[0], 0.37 - w, 1e-12);
  EXPECT_NEAR(smooth[1], 0.37 + w, 1e-12);
}

}  // namespace
}  // namespace cauchy::test_switches
