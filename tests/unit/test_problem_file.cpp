#include <cauchy/solvers/problem_file.hpp>

#include <gtest/gtest.h>
#include <cstdio>

namespace cauchy {
TEST(X, Y) {
  for (const char* f : {"burgers", "heated_bar", "poisson_square"}) {
    const ProblemFile a = read_problem_file(std::string("problems/") + f + ".toml");
    std::puts(to_toml(a).c_str());
    const ProblemFile b = parse_problem_file(to_toml(a), "again.toml");
    EXPECT_EQ(to_toml(a), to_toml(b));
  }
}
}  // namespace cauchy
