#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/problem.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_parameters {
namespace {

const Parameter a("a"), b("b"), c("c");

std::string error_of_values(const Problem& p) {
  return message_of([&] { return p.values().size(); });
}

TEST(ProblemParameters, MayNameThoseBeforeAndBehindThem) {
  Problem p;
  p.parameters = {{"a", b + c * c}, {"b", Expr(2)}, {"c", b + b * b}};
  const ParameterValues values = p.values();
  EXPECT_EQ(values.at("a"), 38);
  EXPECT_EQ(values.at("c"), 6);
}

TEST(ProblemParameters, InALongChainTakeTimeLikeItsLength) {
  // 50,000 links: looking at all parameters in each of as many rounds would take hours.
  constexpr int n = 50'000;
  Problem p;
  for (int i = 0; i < n; ++i) {
    p.parameters.push_back(
        {fmt::format("p{}", i), i + 1 < n ? Parameter(fmt::format("p{}", i + 1)) + 1 : Expr(1)});
  }
  EXPECT_EQ(p.values().at("p0"), n);
}

TEST(ProblemParameters, ThatAreNoNumbersAreNamed) {
  Problem p;
  p.parameters = {{"c", Expr(1)}, {"a", b + 1}, {"b", a + c}};
  EXPECT_NE(error_of_values(p).find("'a'"), std::string::npos);
  p.parameters = {{"a", Parameter("d") + 1}};
  EXPECT_NE(error_of_values(p).find("'a'"), std::string::npos);
  p.parameters = {{"b", log(a)}, {"a", Expr(-1)}};
  EXPECT_NE(error_of_values(p).find("parameter 'b' is "), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_parameters
