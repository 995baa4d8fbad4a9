#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

TEST(Error, JoinsPlaceMessageAndHint) {
  const Error e("unknown field 'v' in equation", "burgers.toml:14:12", "fields are: u");
  EXPECT_STREQ(e.what(), "burgers.toml:14:12: unknown field 'v' in equation; fields are: u");
  EXPECT_EQ(e.place(), "burgers.toml:14:12");
  EXPECT_EQ(e.message(), "unknown field 'v' in equation");
  EXPECT_EQ(e.hint(), "fields are: u");
}

TEST(Error, LeavesOutEmptyParts) {
  EXPECT_STREQ(Error("width must be positive, got 0").what(), "width must be positive, got 0");
}

}  // namespace
}  // namespace cauchy
