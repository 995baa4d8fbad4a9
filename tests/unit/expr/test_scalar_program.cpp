#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "expr/scalar_program.hpp"
#include "support/program_oracle.hpp"
#include "support/random_expr.hpp"

namespace cauchy::detail::test_scalar_program {
namespace {

TEST(ScalarProgram, RandomExpressionsAreWithinTheirRoundingErrors) {
  const Expr x = Coordinate("x"), y = Coordinate("y");
  testing::RandomExpr random(7);
  std::mt19937_64 rng(11);
  std::uniform_real_distribution<double> number(-2, 2);
  std::size_t compared = 0;
  for (int round = 0; round < 300; ++round) {
    const std::vector<Expr> outputs = {random(), random()};
    const ScalarProgram program({outputs, {x, y}, {}, {}});
    const double inputs[] = {number(rng), number(rng)};
    double out[2];
    program.run(inputs, out);
    Values values;
    values.set(x, inputs[0]).set(y, inputs[1]);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto exact = testing::ErrorAnalysis<double>()(outputs[k], values);
      if (!exact.decided() || std::isnan(exact.value)) continue;
      ++compared;
      EXPECT_LE(std::abs(out[k] - static_cast<double>(exact.value)),
                static_cast<double>(exact.error) + 1e-300);
    }
  }
  EXPECT_GT(compared, 300u);
}

TEST(ScalarProgram, RefusesUnknownAtomsAndSums) {
  const Expr x = Coordinate("x"), y = Coordinate("y");
  EXPECT_THROW(ScalarProgram({{x + y}, {x}, {}, {}}), Error);
  EXPECT_THROW(ScalarProgram({{x}, {x}, {}, {x}}), Error);
  EXPECT_THROW(ScalarProgram({{x}, {x}, {y}, {}}), Error);
}

}  // namespace
}  // namespace cauchy::detail::test_scalar_program
