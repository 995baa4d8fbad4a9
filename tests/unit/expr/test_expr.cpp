#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/print.hpp>

#include "support/random_expr.hpp"

namespace cauchy::test_expr {
namespace {

const Coordinate x("x"), y("y"), z("z");
const Field u("u");

#define EXPECT_SAME(a, b) \
  EXPECT_TRUE(same(Expr(a), Expr(b))) << to_string(Expr(a)) << "  and  " << to_string(Expr(b))

TEST(Expr, IsOneNodeHoweverASumOrProductIsGrouped) {
  EXPECT_SAME(x + y + z, z + (y + x));
  EXPECT_SAME((x * y) * z, z * (y * x));
  EXPECT_SAME(x - y, -y + x);
  EXPECT_SAME(sum({x, y, z, x}), 2 * x + y + z);
  EXPECT_SAME(product({x, y, x}), pow(x, 2) * y);
  EXPECT_SAME(sin(x + y) * exp(z), exp(z) * sin(y + x));
  EXPECT_SAME(min(x, y), min(y, x));
  EXPECT_FALSE(same(x - y, y - x));
  EXPECT_FALSE(same(x / y, y / x));
}

TEST(Expr, CollectsLikeTermsAndEqualBases) {
  EXPECT_SAME(x + x, 2 * x);
  EXPECT_SAME(x - x, 0);
  EXPECT_SAME(2 * x * y - y * x, x * y);
  EXPECT_SAME(2 * (x + y) - 2 * y, 2 * x);
  EXPECT_SAME(x * x, pow(x, 2));
  EXPECT_SAME(x / x, 1);
  EXPECT_SAME(sqrt(x) * sqrt(x), x);
  EXPECT_SAME(pow(x, y) * pow(x, z), pow(x, y + z));
  EXPECT_SAME(exp(x) * exp(y), exp(x + y));
  EXPECT_SAME(exp(x) * exp(-x), 1);
  EXPECT_SAME(e_constant() * exp(x), exp(x + 1));
  EXPECT_SAME(pow(x * y, 3), pow(x, 3) * pow(y, 3));
  EXPECT_SAME(pow(pow(x, 2), 3), pow(x, 6));
  EXPECT_SAME(pow(x * y, 0.5) * pow(x * y, 0.5), x * y);
}

TEST(Expr, KeepsRootsOfUnknownSign) {
  EXPECT_FALSE(same(sqrt(pow(x, 2)), x));
  EXPECT_FALSE(same(sqrt(x * y), sqrt(x) * sqrt(y)));
  EXPECT_SAME(sqrt(4 * x), 2 * sqrt(x));
  EXPECT_EQ(sqrt(-4 * x).kind(), Kind::pow);
}

TEST(Expr, FoldsNumbersAndIdentities) {
  EXPECT_SAME(x + 0, x);
  EXPECT_SAME(x * 1, x);
  EXPECT_SAME(x * 0, 0);
  EXPECT_SAME(pow(x, 0), 1);
  EXPECT_SAME(pow(x, 1), x);
  EXPECT_SAME(pow(1, x), 1);
  EXPECT_SAME(Expr(2) * 3 + 4, 10);
  EXPECT_SAME(Expr(7) / 5, 1.4);
  EXPECT_SAME(x * 7 / 5, Expr(1.4) * x);
  EXPECT_SAME(sin(Expr(0)), 0);
  EXPECT_SAME(exp(Expr(0)), 1);
  EXPECT_SAME(exp(Expr(1)), e_constant());
  EXPECT_SAME(log(e_constant()), 1);
  EXPECT_SAME(exp(log(x)), x);
  EXPECT_SAME(log(exp(x)), x);
  EXPECT_SAME(pow(e_constant(), x), exp(x));
  EXPECT_SAME(Expr(-0.0), Expr(0.0));
}

TEST(Expr, MovesSignsOutOfOddAndEvenFunctions) {
  EXPECT_SAME(sin(-x), -sin(x));
  EXPECT_SAME(cos(-2 * x), cos(2 * x));
  EXPECT_SAME(abs(-x), abs(x));
  EXPECT_SAME(abs(-abs(x)), abs(x));
  EXPECT_SAME(erf(-x) + erf(x), 0);
}

TEST(Expr, SelectsAndComparesConstants) {
  EXPECT_SAME(min(Expr(1), Expr(2)), 1);
  EXPECT_SAME(max(Expr(1), Expr(2)), 2);
  EXPECT_SAME(min(x, x), x);
  EXPECT_SAME(Expr(1) < Expr(2), 1);
  EXPECT_SAME(x < x, 0);
  EXPECT_SAME(x <= x, 1);
  EXPECT_SAME(where(Expr(1), x, y), x);
  EXPECT_SAME(where(Expr(0), x, y), y);
  EXPECT_SAME(where(z, x, x), x);
  EXPECT_SAME(heaviside(x), where(x >= Expr(0), 1, 0));
}

TEST(Expr, RoundsConstantsDown) {
  EXPECT_SAME(floor(Expr(-0.5)), -1);
  EXPECT_SAME(floor(floor(x)), floor(x));
  EXPECT_SAME(mod(Expr(-7), Expr(3)), 2);
  EXPECT_SAME(mod(Expr(-7), Expr(-3)), -1);
  EXPECT_SAME(mod(x, x), 0);
  EXPECT_SAME(mod(mod(x, y), y), mod(x, y));
  EXPECT_FALSE(same(mod(x, y), mod(y, x)));
  EXPECT_FALSE(same(floor(-x), -floor(x)));
  EXPECT_THROW((void)mod(x, 0), Error);
}

TEST(Expr, KnowsItsParts) {
  const Expr e = field_derivative("u", {{"x", 1}, {"t", 2}, {"x", 1}});
  EXPECT_EQ(e.index(), (MultiIndex{{"t", 2}, {"x", 2}}));
  EXPECT_EQ(total_order(e.index()), 4);
  EXPECT_TRUE(e.is_atom());
  EXPECT_TRUE(same(field_derivative("u", {}), u));
  const Expr f = call_derivative("a", {x, y}, {0, 2});
  EXPECT_EQ(f.call_orders()[1], 2);
  EXPECT_TRUE(std::isnan(x.value()));
  EXPECT_EQ((x + sin(y)).depth(), 2);
  EXPECT_EQ(Expr(pi).kind(), Kind::named);
}

TEST(Expr, ThrowsOnMisuse) {
  EXPECT_THROW(Expr(std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(Expr(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(x / 0, Error);
  EXPECT_THROW(x / (y - y), Error);
  EXPECT_THROW((void)pow(0, -1), Error);
  EXPECT_THROW((void)log(Expr(-1)), Error);
  EXPECT_THROW((void)sqrt(Expr(-1)), Error);
  EXPECT_THROW(Expr(1e300) * 1e300, Error);
  EXPECT_THROW(Coordinate(""), Error);
  EXPECT_THROW(DataFunction(""), Error);
  EXPECT_THROW((void)field_derivative("u", {{"x", -1}}), Error);
  EXPECT_THROW((void)call_derivative("a", {x}, {1, 1}), Error);
  EXPECT_THROW((void)apply_function(Kind::sin, std::array{Expr(x), Expr(y)}), Error);
}

TEST(Expr, StopsAtTheDepthLimit) {
  Expr e = x;
  for (int i = 0; i < Expr::max_depth; ++i) e = sin(e);
  EXPECT_EQ(e.depth(), Expr::max_depth);
  EXPECT_THROW((void)sin(e), Error);
}

TEST(Expr, HasATotalOrderThatIgnoresAddresses) {
  testing::RandomExpr random(3);
  std::vector<Expr> all;
  for (int i = 0; i < 60; ++i) all.push_back(random());
  for (const Expr& a : all) {
    for (const Expr& b : all) {
      EXPECT_EQ(compare(a, b), -compare(b, a));
      EXPECT_EQ(compare(a, b) == 0, same(a, b));
      for (const Expr& c : all) {
        if (compare(a, b) < 0 && compare(b, c) < 0) {
          EXPECT_LT(compare(a, c), 0);
        }
      }
    }
  }
}

TEST(Expr, HashesByStructure) {
  EXPECT_EQ(Expr(x + 2 * y).hash(), Expr(2 * Coordinate("y") + Coordinate("x")).hash());
  EXPECT_NE(Expr(x + 2 * y).hash(), Expr(x + 3 * y).hash());
  EXPECT_NE(Expr(Field("x")).hash(), Expr(x).hash());
}

TEST(Expr, VisitsOperandsBeforeTheirUsers) {
  const Expr shared = sin(x);
  const Expr e = shared * shared + exp(shared);
  const std::vector<Expr> order = postorder(std::array{e});
  EXPECT_TRUE(same(order.back(), e));
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Expr& a : order[i].args()) {
      const auto at = std::find_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Expr& o) { return same(o, a); });
      EXPECT_NE(at, order.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

TEST(Expr, InternsOneNodeWhenThreadsBuildAndDropTheSameExpressions) {
  constexpr int n_threads = 4, n_rounds = 300;
  std::vector<std::vector<Expr>> kept(n_threads);
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < n_threads; ++k) {
      threads.emplace_back([&mine = kept[static_cast<std::size_t>(k)]] {
        for (int round = 0; round < n_rounds; ++round) {
          // Built and dropped in every round, at about the same time in all threads.
          testing::RandomExpr random(static_cast<std::uint64_t>(round % 5));
          for (int i = 0; i < 5; ++i) (void)random();
          if (round == n_rounds - 1) {
            for (int i = 0; i < 20; ++i) mine.push_back(random());
          }
        }
      });
    }
  }
  for (const auto& mine : kept) {
    ASSERT_EQ(mine.size(), kept[0].size());
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_TRUE(same(mine[i], kept[0][i]));
  }
}

TEST(Expr, KeepsTheValueOfWhatWasTyped) {
  // Canonical forms reorder and merge; the result may differ by rounding only. The spread is what
  // errors of 1e-11 in each operation do to the typed form, far above the 1e-16 of double.
  testing::RandomExprOptions options;
  options.atoms = {x, y, z, Expr(pi)};
  testing::RandomExpr random(11, options);
  int compared = 0;
  for (int i = 0; i < 6000; ++i) {
    const testing::RandomTree tree = random.tree();
    Values values;
    for (const Expr& atom : {Expr(x), Expr(y), Expr(z)}) values.set(atom, random.uniform(0.2, 1.8));
    testing::Perturbation none(random.rng(), 0);
    const double typed = testing::value(tree, values, none);
    if (!std::isfinite(typed)) continue;
    const double spread = testing::rounding_spread(
        typed, random.rng(),
        [&](testing::Perturbation& perturb) { return testing::value(tree, values, perturb); });
    if (!(spread < 1e-6 * (1 + std::abs(typed)))) continue;  // ill-conditioned, or at a jump
    Expr e;
    ASSERT_NO_THROW(e = testing::build(tree)) << testing::text(tree);
    ASSERT_LE(std::abs(evaluate(e, values) - typed), spread + 1e-14 * (1 + std::abs(typed)))
        << testing::text(tree) << "\nas " << to_string(e);
    ++compared;
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace cauchy::test_expr
