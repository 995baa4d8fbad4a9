#include "base/quantity_text.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cauchy::test_quantity_text {
namespace {

TEST(QuantityText, TimesForPeople) {
  EXPECT_EQ(detail::duration(8e-5), "80 us");
  EXPECT_EQ(detail::duration(0.0009996), "1 ms");
  EXPECT_EQ(detail::duration(0.0123456), "12.3 ms");
  EXPECT_EQ(detail::duration(0.9996), "1.0 s");
  EXPECT_EQ(detail::duration(59.94), "59.9 s");
  EXPECT_EQ(detail::duration(59.96), "1 min 00 s");
  EXPECT_EQ(detail::duration(123.4), "2 min 03 s");
  EXPECT_EQ(detail::duration(3599.7), "1 h 00 min");
  EXPECT_EQ(detail::duration(3900), "1 h 05 min");
  EXPECT_EQ(detail::duration(std::nan("")), "NaN");
  EXPECT_EQ(detail::duration(HUGE_VAL), "inf s");
}

TEST(QuantityText, GroupsOfThreeDigits) {
  EXPECT_EQ(detail::grouped(0), "0");
  EXPECT_EQ(detail::grouped(999), "999");
  EXPECT_EQ(detail::grouped(1000), "1,000");
  EXPECT_EQ(detail::grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace cauchy::test_quantity_text
