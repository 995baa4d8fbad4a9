#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/networks/pinnsformer.hpp>
#include <cmath>

#include "networks/attention.hpp"
#include "support/network_checks.hpp"

namespace cauchy::test_pinnsformer {
namespace {

const std::vector<std::string> one_field{"u"};
const Pinnsformer tiny{.width = 4, .heads = 2, .feedforward = 3, .sequence = 3, .step = 0.1};

TEST(Pinnsformer, HasAsManyParametersAsTheFormulaSays) {
  const std::vector<std::string> fields{"u", "v"};
  const auto p = [](int a, int b) { return static_cast<std::size_t>((a + 1) * b); };
  for (const int layers : {1, 2}) {
    Pinnsformer f = tiny;
    f.layers = layers;
    const std::size_t layer = 4 * p(4, 4) + p(4, 3) + p(3, 3) + p(3, 4) + 8;
    EXPECT_EQ(make_network(f, {"t", "x"}, fields).n_parameters(),
              p(2, 4) + 2 * static_cast<std::size_t>(layers) * layer + 4 + p(4, 3) + p(3, 3) +
                  p(3, 2) + 4);
  }
  EXPECT_EQ(describe(Network(tiny)), "pinnsformer, 3 tokens of 4, 2 heads");
}

/// Attention over three tokens, each an affine map of one point, in the order that is asked for.
std::vector<double> attended(const std::array<int, 3>& order, bool of_sources) {
  const detail::Attention shape{.width = 4, .heads = 2};
  Graph g({"x"});
  std::vector<int> tokens;
  const Coordinate x("x");
  for (const int j : order) tokens.push_back(g.expression({x + j, sin(x) * j, Expr(j), x * x}));
  std::vector<int> fixed;
  for (const int j : {0, 1, 2}) {
    fixed.push_back(g.expression({x - j, cos(x) * j, Expr(1 - j), x}));
  }
  const int moved = g.concatenate(tokens), still = g.concatenate(fixed);
  const int out =
      detail::attention(g, shape, of_sources ? still : moved, 3, of_sources ? moved : still, 3);
  std::vector<Expr> all;
  for (int r = 0; r < 12; ++r) {
    g.output("o" + std::to_string(r), out, r);
    all.emplace_back(Field("o" + std::to_string(r)));
  }
  return test::TriedNetwork(std::move(g)).values(all, std::vector<double>{0.4});
}

TEST(Attention, IsEquivariantUnderPermutationsOfItsTokens) {
  const std::vector<double> plain = attended({0, 1, 2}, false);
  const std::array<int, 3> order{2, 0, 1};
  const std::vector<double> permuted = attended(order, false);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t r = 0; r < 4; ++r) {
      EXPECT_NEAR(permuted[4 * i + r], plain[4 * static_cast<std::size_t>(order[i]) + r], 1e-13);
    }
  }
  EXPECT_GT(std::abs(plain[0] - plain[4]), 1e-3);  // the tokens do differ
}

TEST(Attention, DoesNotSeeTheOrderOfWhatItLooksAt) {
  const std::vector<double> plain = attended({0, 1, 2}, true), permuted = attended({2, 0, 1}, true);
  for (std::size_t r = 0; r < plain.size(); ++r) EXPECT_NEAR(permuted[r], plain[r], 1e-13);
}

TEST(Attention, IsTheFormulaOfOneHeadByHand) {
  const detail::Attention shape{.width = 2, .heads = 1};
  Graph g({"x"});
  const Coordinate x("x");
  const int query = g.expression({x, Expr(1)});
  const int source = g.expression({x, Expr(2), Expr(-1), x * x});
  const int out = detail::attention(g, shape, query, 1, source, 2);
  g.output("a", out, 0);
  g.output("b", out, 1);
  const test::TriedNetwork tried(std::move(g));
  // Blocks in the order they were made: query, key, value, output; weight and bias of each.
  const auto map = [&](std::size_t block, double a, double b) {
    const double* w = tried.theta.data() + 6 * block;
    return std::array{w[0] * a + w[1] * b + w[4], w[2] * a + w[3] * b + w[5]};
  };
  const double at = 0.4;
  const auto q = map(0, at, 1), k0 = map(1, at, 2), k1 = map(1, -1, at * at);
  const auto v0 = map(2, at, 2), v1 = map(2, -1, at * at);
  const double s0 = std::exp((q[0] * k0[0] + q[1] * k0[1]) / std::sqrt(2.0));
  const double s1 = std::exp((q[0] * k1[0] + q[1] * k1[1]) / std::sqrt(2.0));
  const double l0 = s0 / (s0 + s1), l1 = s1 / (s0 + s1);
  const auto want = map(3, l0 * v0[0] + l1 * v1[0], l0 * v0[1] + l1 * v1[1]);
  const auto got = tried.values({Field("a"), Field("b")}, std::vector<double>{at});
  EXPECT_NEAR(got[0], want[0], 1e-14);
  EXPECT_NEAR(got[1], want[1], 1e-14);
}

TEST(Pinnsformer, LooksAheadInTimeAndNowhereElse) {
  // A sequence of one token is a function of the point; of several, the step matters.
  const std::vector<double> point{0.3, -0.2};
  const auto value = [&](const Pinnsformer& f) {
    return test::TriedNetwork(f, {"t", "x"}, one_field).values({Field("u")}, point)[0];
  };
  Pinnsformer one = tiny;
  one.sequence = 1;
  const double alone = value(one);
  one.step = 0.5;
  EXPECT_EQ(value(one), alone);
  Pinnsformer other = tiny;
  other.step = 0.5;
  EXPECT_NE(value(other), value(tiny));
  other = tiny;
  other.time = 1;
  EXPECT_NE(value(other), value(tiny));
}

/// Fields u and v of all tokens: u0, v0, u1, ...
std::vector<double> token_values(const Pinnsformer& f, std::size_t* n_parameters = nullptr) {
  Graph g({"t", "x"});
  const std::vector<int> tokens = add_tokens(g, f, g.coordinates(), 2);
  std::vector<Expr> all;
  for (const int token : tokens) {
    for (int row = 0; row < 2; ++row) {
      const std::string name = "o" + std::to_string(all.size());
      g.output(name, token, row);
      all.emplace_back(Field(name));
    }
  }
  if (n_parameters != nullptr) *n_parameters = g.n_parameters();
  return test::TriedNetwork(std::move(g)).values(all, std::vector<double>{0.3, -0.2});
}

TEST(Pinnsformer, AnswersForEveryTokenWithTheSameParameters) {
  const std::vector<std::string> fields{"u", "v"};
  std::size_t n = 0;
  const std::vector<double> all = token_values(tiny, &n);
  ASSERT_EQ(all.size(), 3u * 2);
  EXPECT_EQ(n, make_network(tiny, {"t", "x"}, fields).n_parameters());
  const std::vector<double> first = test::TriedNetwork(tiny, {"t", "x"}, fields)
                                        .values({Field("u"), Field("v")}, std::vector{0.3, -0.2});
  EXPECT_EQ(first[0], all[0]);
  EXPECT_EQ(first[1], all[1]);
  // Tokens differ by their times alone.
  Pinnsformer still = tiny;
  still.step = 1e-9;
  const std::vector<double> same = token_values(still);
  for (std::size_t i = 2; i < 6; ++i) {
    EXPECT_NEAR(same[i], same[i % 2], 1e-7) << i;
    EXPECT_GT(std::abs(all[i] - all[i % 2]), 1e-5) << i;
  }
  Pinnsformer one = tiny;
  one.sequence = 1;
  EXPECT_EQ(token_values(one).size(), 2u);
}

TEST(Pinnsformer, GradientIsThatOfDifferences) {
  test::expect_gradient_of_differences(
      Pinnsformer{.width = 2, .heads = 1, .feedforward = 2, .sequence = 2, .step = 0.25});
}

TEST(Pinnsformer, RefusesNumbersOutOfRange) {
  const auto make = [](const Pinnsformer& f) { (void)make_network(f, {"t", "x"}, one_field); };
  EXPECT_THROW(make({.width = 0}), Error);
  EXPECT_THROW(make({.width = 5, .heads = 2}), Error);
  EXPECT_THROW(make({.heads = 0}), Error);
  EXPECT_THROW(make({.layers = 0}), Error);
  EXPECT_THROW(make({.feedforward = 0}), Error);
  EXPECT_THROW(make({.sequence = 0}), Error);
  EXPECT_THROW(make({.step = 0}), Error);
  EXPECT_THROW(make({.step = INFINITY}), Error);
  EXPECT_THROW(make({.time = 2}), Error);
  EXPECT_THROW(make({.time = -1}), Error);
}

}  // namespace
}  // namespace cauchy::test_pinnsformer
