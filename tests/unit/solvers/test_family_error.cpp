#include <cauchy/solvers/family_error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/error_bounds.hpp>

#include "support/message_of.hpp"
#include "support/program_field.hpp"

namespace cauchy::test_family_error {
namespace {

/// u' = -k u for k in [1, 3].
Problem decays() {
  return parse_problem_file(R"toml(fields = ["u"]
[domain]
time = { t = [0, 1] }
ranges = { k = [1, 3] }
[[equation]]
form = "u_t = -k*u"
[[condition]]
where = "t = 0"
form = "u = 1"
)toml",
                            "p")
      .problem;
}

/// exp(-k t) with an error that is largest at the end of the range.
Solution answer() {
  const Coordinate t("t"), k("k");
  return answer_of(decays(), {{"u", exp(-k * t) * (1 + 0.01 * k * k * t)}});
}

/// The true error of a member: relative L2 over 100 times.
std::optional<ErrorEstimate> true_error(const Solution& member) {
  EXPECT_TRUE(member.problem.domain->ranges().empty());
  EXPECT_TRUE(member.problem.reference.empty());
  const double k = member.problem.values().at("k");
  double off = 0, size = 0;
  for (int i = 0; i < 100; ++i) {
    const double t = (i + 0.5) / 100, exact = std::exp(-k * t);
    off += std::pow(member("u", {t}) - exact, 2);
    size += exact * exact;
  }
  ErrorEstimate made;
  made.relative_l2 = std::sqrt(off / size);
  made.unsure = k / 10;
  made.how = "measured";
  return made;
}

TEST(FamilyError, NamesTheWorstMember) {
  const FamilyError e = family_error(answer(), true_error, 8);
  ASSERT_EQ(e.members.size(), 8u);
  EXPECT_EQ(e.estimated, 8u);
  EXPECT_EQ(e.members[0].values, std::vector<double>{1});
  EXPECT_EQ(e.members[1].values, std::vector<double>{3});
  EXPECT_EQ(e.members[2].values, std::vector<double>{2});
  EXPECT_EQ(e.worst, 1u);
  EXPECT_EQ(e.worst_l2, e.members[1].estimate->relative_l2);
  EXPECT_GT(e.worst_l2, 4 * e.members[0].estimate->relative_l2);
  EXPECT_GT(e.mean_l2, e.members[0].estimate->relative_l2);
  EXPECT_LT(e.mean_l2, e.worst_l2);
  EXPECT_EQ(e.how, "8 of 8 members of the family, worst at k = 3: measured");
  EXPECT_EQ(e.estimate()->relative_l2, e.worst_l2);
  EXPECT_EQ(e.estimate()->stated(), e.members[1].estimate->stated());
  for (const FamilyMember& m : e.members) {
    EXPECT_GE(m.values[0], 1);
    EXPECT_LE(m.values[0], 3);
  }
  // The same members every time.
  EXPECT_EQ(family_error(answer(), true_error, 8).members[7].values, e.members[7].values);
}

TEST(FamilyError, LeavesOutMembersWithoutAnEstimateAndFearsNaN) {
  const FamilyError some = family_error(
      answer(),
      [](const Solution& member) -> std::optional<ErrorEstimate> {
        if (member.problem.values().at("k") > 1) return std::nullopt;
        return ErrorEstimate{.relative_l2 = 0.5, .how = {}};
      },
      3);
  EXPECT_EQ(some.estimated, 1u);
  EXPECT_EQ(some.worst_l2, 0.5);
  EXPECT_EQ(some.how, "1 of 3 members of the family, worst at k = 1");
  const FamilyError none = family_error(
      answer(), [](const Solution&) { return std::optional<ErrorEstimate>(); }, 3);
  EXPECT_TRUE(std::isnan(none.worst_l2));
  EXPECT_FALSE(none.estimate());
  int calls = 0;
  const FamilyError wrong = family_error(
      answer(),
      [&](const Solution&) -> std::optional<ErrorEstimate> {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        return ErrorEstimate{.relative_l2 = calls++ == 1 ? nan : 1e9, .how = {}};
      },
      4);
  EXPECT_TRUE(std::isnan(wrong.worst_l2));
  EXPECT_EQ(wrong.worst, 1u);
}

TEST(FamilyError, MembersAreProblemsThatBoundsKnow) {
  const FamilyError e = family_error(
      answer(),
      [](const Solution& member) -> std::optional<ErrorEstimate> {
        for (const ErrorBound& b : error_bounds(member, 1000)) {
          if (b.norm == "L2 over time")
            return ErrorEstimate{.relative_l2 = b.relative, .how = b.how};
        }
        return std::nullopt;
      },
      3);
  ASSERT_EQ(e.estimated, 3u);
  for (const FamilyMember& m : e.members) {
    const double real = true_error(member_answer(answer(), m.values))->relative_l2;
    EXPECT_NEAR(m.estimate->relative_l2, real, 0.05 * real);
  }
}

TEST(FamilyError, RefusesAProblemWithoutRanges) {
  Solution one = member_answer(answer(), std::vector<double>{2});
  EXPECT_NE(message_of([&] { (void)family_error(one, true_error); }).find("no range"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)member_answer(answer(), std::vector<double>{1, 2});
            }).find("1 ranges, but there are 2 values"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_family_error
