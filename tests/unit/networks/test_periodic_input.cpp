#include <cauchy/networks/periodic_input.hpp>

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

#include "support/message_of.hpp"
#include "support/network_oracle.hpp"

namespace cauchy::test_periodic_input {
namespace {

using test::graph_of;
using test::outputs_at;
using ::testing::HasSubstr;

TEST(PeriodicInput, RowsAreCosinesAndSinesOfTheHarmonics) {
  for (const bool learn : {false, true}) {
    const PeriodicInput input{.coordinate = "x", .period = 0.7, .harmonics = 3, .learn = learn};
    const auto graph = graph_of({"t", "x"}, [&](Graph& g) { return add_periodic(g, input, 0.2); });
    const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
    ASSERT_EQ(theta.size(), learn ? 1u : 0u);
    const std::vector<double> points{0.5, 0.33, 0.5, 0.33 + 0.7};
    const std::vector<double> rows = outputs_at(graph, theta, points);
    ASSERT_EQ(rows.size(), 12u);
    for (int k = 1; k <= 3; ++k) {
      const double angle = 2 * std::numbers::pi * k * (0.33 - 0.2) / 0.7;
      const auto at = static_cast<std::size_t>(2 * (k - 1));
      EXPECT_NEAR(rows[at], std::cos(angle), 1e-14);
      EXPECT_NEAR(rows[at + 1], std::sin(angle), 1e-14);
      EXPECT_NEAR(rows[6 + at], rows[at], 1e-13);  // a period further
      EXPECT_NEAR(rows[6 + at + 1], rows[at + 1], 1e-13);
    }
    if (!learn) continue;
    // A number of 2 halves the period.
    const std::vector<double> half{0.5, 0.33, 0.5, 0.33 + 0.35};
    const std::vector<double> twice = outputs_at(graph, std::vector<double>{2}, half);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(twice[i], twice[6 + i], 1e-13);
  }
}

TEST(PeriodicInput, RefusesWhatIsNotPositive) {
  const auto message = [](const PeriodicInput& input) {
    return message_of([&] {
      Graph g({"x"});
      return add_periodic(g, input);
    });
  };
  for (const double period : {0.0, -1.0, std::nan("")}) {
    EXPECT_THAT(message({.coordinate = "x", .period = period}),
                HasSubstr("the period must be positive"));
  }
  EXPECT_THAT(message({.coordinate = "x", .period = 1, .harmonics = 0}),
              HasSubstr("harmonics must be positive"));
}

}  // namespace
}  // namespace cauchy::test_periodic_input
