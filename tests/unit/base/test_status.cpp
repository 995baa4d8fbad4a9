#include <gtest/gtest.h>

#include <cauchy/base/status.hpp>
#include <set>
#include <string>

namespace cauchy::test_status {
namespace {

TEST(Status, NamesAreDistinctAndReadBack) {
  std::set<std::string> names, clauses;
  for (const Status status : all_statuses) {
    names.emplace(to_string(status));
    clauses.emplace(describe(status));
    EXPECT_EQ(status_from_string(to_string(status)), status);
  }
  EXPECT_EQ(names.size(), all_statuses.size());
  EXPECT_EQ(clauses.size(), all_statuses.size());
  EXPECT_EQ(to_string(Status::line_search_failed), "line_search_failed");
}

TEST(Status, ListHoldsEveryEnumeratorInOrder) {
  for (std::size_t i = 0; i < all_statuses.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_statuses[i]), i);
  }
  EXPECT_EQ(all_statuses.back(), Status::budget_exhausted);
}

TEST(Status, UnknownNamesAndValuesAreNotMistakenForAStatus) {
  EXPECT_EQ(status_from_string("Converged"), std::nullopt);
  EXPECT_EQ(status_from_string(""), std::nullopt);
  EXPECT_EQ(to_string(static_cast<Status>(99)), "unknown");
}

TEST(Status, OnlyOkAndConvergedSucceed) {
  int n_succeeded = 0;
  for (const Status status : all_statuses) {
    n_succeeded += succeeded(status) ? 1 : 0;
    EXPECT_FALSE(succeeded(status) && is_unusable(status)) << to_string(status);
  }
  EXPECT_EQ(n_succeeded, 2);
  EXPECT_TRUE(succeeded(Status::ok));
  EXPECT_TRUE(succeeded(Status::converged));
  EXPECT_TRUE(is_unusable(Status::not_finite));
  EXPECT_FALSE(is_unusable(Status::budget_exhausted));
}

}  // namespace
}  // namespace cauchy::test_status
