#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

namespace cauchy::test_error {
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

TEST(Error, HasAKindThatSurvivesABetterPlace) {
  EXPECT_EQ(Error("no").kind(), ErrorKind::misuse);
  const Error e(ErrorKind::file, "file does not exist", "a.csv", "check the name");
  EXPECT_EQ(e.kind(), ErrorKind::file);
  EXPECT_STREQ(e.what(), "a.csv: file does not exist; check the name");
  const Error placed = e.at("burgers.toml:14:12");
  EXPECT_EQ(placed.kind(), ErrorKind::file);
  EXPECT_STREQ(placed.what(), "burgers.toml:14:12: file does not exist; check the name");
}

TEST(Error, NamesItsKinds) {
  EXPECT_EQ(to_string(ErrorKind::misuse), "misuse");
  EXPECT_EQ(to_string(ErrorKind::not_found), "not found");
  EXPECT_EQ(to_string(ErrorKind::memory), "memory");
}

}  // namespace
}  // namespace cauchy::test_error
