#include <gtest/gtest.h>

#include <cauchy/problem/exact_solution.hpp>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cauchy::test_exact_solution_values {
namespace {

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (double x; in >> x;) out.push_back(x);
  return out;
}

// The table has 25 digits. A stated accuracy is absolute, and that of the formulas leaves room for
// values of up to 100.
TEST(ExactSolutionValues, HaveTheirStatedAccuracyAgainstATableOf25Digits) {
  std::ifstream file(CAUCHY_TEST_DATA "/exact_solutions.txt");
  ASSERT_TRUE(file.good());
  std::set<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    std::string name, parameters, point, values;
    std::getline(in, name, '|');
    std::getline(in, parameters, '|');
    std::getline(in, point, '|');
    std::getline(in, values, '|');
    name.pop_back();
    const ExactSolution& s = exact_solution(name);
    const std::vector<double> found = s.evaluate(numbers(point), numbers(parameters));
    const std::vector<double> expected = numbers(values);
    ASSERT_EQ(expected.size(), s.fields.size()) << line;
    for (std::size_t f = 0; f < found.size(); ++f) {
      EXPECT_LT(std::abs(found[f] - expected[f]), s.accuracy) << line;
    }
    seen.insert(name);
  }
  for (const std::string& name : exact_solution_names()) EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(ExactSolutionValues, AreTheKnownOnes) {
  // exp(-pi^2 / 16); the two-soliton state is narrowest at t = pi / 4, with |h| = 4 in the middle.
  EXPECT_LT(std::abs(exact_solution("heated_bar").evaluate(std::vector{1.0, 0.0})[0] -
                     0.5396414858162972),
            1e-13);
  const std::vector<double> h =
      exact_solution("nls_two_soliton").evaluate(std::vector{std::atan(1.0), 0.0});
  EXPECT_LT(std::abs(std::hypot(h[0], h[1]) - 4), 1e-14);
  EXPECT_EQ(exact_solution("poisson_disk").evaluate(std::vector{0.0, 0.0})[0], 0.25);
  EXPECT_EQ(exact_solution("plate_clamped_disk").evaluate(std::vector{0.0, 0.0})[0], 1.0 / 64);
}

}  // namespace
}  // namespace cauchy::test_exact_solution_values
