#include <cauchy/geometry/domain.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/primitives.hpp>

namespace cauchy::test_domain {
namespace {

const Coordinate x("x"), t("t");
const Parameter R("R"), nu("nu");

TEST(Domain, HasTheColumnsTimeSpaceRangesInThisOrder) {
  const Domain domain = Range(nu, 0.1, 1) * (Interval(x, -1, 1) * Time(t, 0, 1));
  EXPECT_EQ(domain.columns(), (std::vector<std::string>{"t", "x", "nu"}));
  EXPECT_EQ(domain.dimension(), 3u);
  EXPECT_EQ(domain.space_column(), 1u);
  EXPECT_FALSE(domain.shape_varies());
  EXPECT_EQ(Domain(Time(t, 0, 1)).columns(), std::vector<std::string>{"t"});
  EXPECT_EQ((Time(t, 0, 1) * Disk({0, 0}, 1)).columns(), (std::vector<std::string>{"t", "x", "y"}));
}

TEST(Domain, BuildsTheShapeOfEveryParameterValue) {
  const Domain domain = Disk({0, 0}, R) * Range(R, 0.5, 2);
  EXPECT_TRUE(domain.shape_varies());
  const double value[] = {2};
  EXPECT_LT(std::abs(domain.shape(value)->measure() - 4 * pi), 1e-13);
  const Domain fixed = Domain(Disk({0, 0}, R)).with({{"R", 1}});
  EXPECT_FALSE(fixed.shape_varies());
  EXPECT_LT(std::abs(fixed.shape()->measure() - pi), 1e-14);
}

TEST(Domain, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)Time(t, 1, 1), Error);
  EXPECT_THROW((void)Range(R, 0, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW((void)(Domain(Time(t, 0, 1)) * Domain(Time(x, 0, 1))), Error);
  EXPECT_THROW((void)(Domain(Interval(x, 0, 1)) * Domain(Interval(t, 0, 1))), Error);
  EXPECT_THROW((void)(Interval(x, 0, 1) * Time(x, 0, 1)), Error);
  EXPECT_THROW((void)Domain(Time(t, 0, 1)).shape(), Error);
  EXPECT_THROW((void)Domain(Disk({0, 0}, R)).shape(), Error);
}

}  // namespace
}  // namespace cauchy::test_domain
