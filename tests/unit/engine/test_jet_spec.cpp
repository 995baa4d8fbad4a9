#include <cauchy/engine/jet_spec.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

namespace cauchy::test_jet_spec {
namespace {

using Orders = JetSpec::Orders;
using Combinations = std::vector<std::vector<JetSpec::Part>>;

/// Terms as "coefficient s^(k) factors" and "coefficient left right", in a form that compares.
using Compose = std::map<std::pair<int, std::vector<int>>, double>;
using Product = std::map<std::pair<int, int>, double>;

Compose compose(const JetSpec& jets, int i) {
  Compose result;
  for (const auto& t : jets.compose(i)) result[{t.order, t.factors}] += t.coefficient;
  EXPECT_EQ(result.size(), jets.compose(i).size()) << "a term occurs twice";
  return result;
}

Product multiply(const JetSpec& jets, int i) {
  Product result;
  for (const auto& t : jets.multiply(i)) result[{t.left, t.right}] += t.coefficient;
  EXPECT_EQ(result.size(), jets.multiply(i).size()) << "a term occurs twice";
  return result;
}

double sum_of_compose(const JetSpec& jets, int i) {
  double total = 0;
  for (const auto& t : jets.compose(i)) total += t.coefficient;
  return total;
}

TEST(JetSpec, BurgersNeedsFourComponentsWithTheKnownRules) {
  const JetSpec jets(2, std::vector<Orders>{{1, 0}, {0, 2}});
  ASSERT_EQ(jets.size(), 4);
  EXPECT_EQ(jets.order(), 2);
  EXPECT_EQ(jets.find({0, 0}), 0);
  EXPECT_EQ(jets.find({1, 0}), 1);
  EXPECT_EQ(jets.find({0, 1}), 2);
  EXPECT_EQ(jets.find({0, 2}), 3);
  EXPECT_EQ(jets.find({1, 1}), -1);
  EXPECT_EQ(compose(jets, 0), (Compose{{{0, {}}, 1}}));
  EXPECT_EQ(compose(jets, 1), (Compose{{{1, {1}}, 1}}));
  EXPECT_EQ(compose(jets, 3), (Compose{{{1, {3}}, 1}, {{2, {2, 2}}, 1}}));
  EXPECT_EQ(multiply(jets, 0), (Product{{{0, 0}, 1}}));
  EXPECT_EQ(multiply(jets, 2), (Product{{{0, 2}, 1}, {{2, 0}, 1}}));
  EXPECT_EQ(multiply(jets, 3), (Product{{{0, 3}, 1}, {{2, 2}, 2}, {{3, 0}, 1}}));
  const std::vector<std::string> names{"t", "x"};
  EXPECT_EQ(jets.describe(names), "u, u_t, u_x, u_xx");
}

TEST(JetSpec, LaplacianNeedsDPlusTwoComponents) {
  for (const int d : {1 + 1, 3, 10, 100}) {
    std::vector<JetSpec::Part> laplacian;
    for (int i = 0; i < d; ++i) {
      Orders orders(static_cast<std::size_t>(d), 0);
      orders[static_cast<std::size_t>(i)] = 2;
      laplacian.push_back({1 + 0.5 * i, orders});
    }
    const JetSpec jets(d, {}, Combinations{laplacian});
    ASSERT_EQ(jets.size(), d + 2);
    EXPECT_TRUE(jets.component(d + 1).collapsed());
    Compose want{{{1, {d + 1}}, 1}};
    Product product{{{0, d + 1}, 1}, {{d + 1, 0}, 1}};
    for (int i = 0; i < d; ++i) {
      want[{2, {i + 1, i + 1}}] = 1 + 0.5 * i;
      product[{i + 1, i + 1}] = 2 * (1 + 0.5 * i);
    }
    EXPECT_EQ(compose(jets, d + 1), want);
    EXPECT_EQ(multiply(jets, d + 1), product);
  }
}

TEST(JetSpec, MixedSecondDerivative) {
  const JetSpec jets(2, std::vector<Orders>{{1, 1}});
  ASSERT_EQ(jets.size(), 4);
  EXPECT_EQ(compose(jets, 3), (Compose{{{1, {3}}, 1}, {{2, {1, 2}}, 1}}));
  EXPECT_EQ(multiply(jets, 3), (Product{{{0, 3}, 1}, {{1, 2}, 1}, {{2, 1}, 1}, {{3, 0}, 1}}));
}

TEST(JetSpec, BiharmonicCollapsesToElevenComponents) {
  const JetSpec jets(2, {}, Combinations{{{1, {4, 0}}, {2, {2, 2}}, {1, {0, 4}}}});
  // All derivatives below order 4 (10 of them) and the operator itself.
  ASSERT_EQ(jets.size(), 11);
  EXPECT_EQ(jets.order(), 4);
  // s'''' |grad u|^4: u_x^4 + 2 u_x^2 u_y^2 + u_y^4.
  const Compose terms = compose(jets, 10);
  const int x = jets.find({1, 0}), y = jets.find({0, 1});
  EXPECT_EQ(terms.at({4, {x, x, x, x}}), 1);
  EXPECT_EQ(terms.at({4, {x, x, y, y}}), 2);
  EXPECT_EQ(terms.at({4, {y, y, y, y}}), 1);
  // u_xx^2 has 3 from u_xxxx, u_xx u_yy 2 * 1 and u_xy^2 2 * 2 from u_xxyy.
  const int xx = jets.find({2, 0}), xy = jets.find({1, 1}), yy = jets.find({0, 2});
  EXPECT_EQ(terms.at({2, {xx, xx}}), 3);
  EXPECT_EQ(terms.at({2, {xx, yy}}), 2);
  EXPECT_EQ(terms.at({2, {xy, xy}}), 4);
  // (1 + 2 + 1) set partitions of four differentiations: 4 * Bell(4).
  EXPECT_EQ(sum_of_compose(jets, 10) - 1 + 4, 4 * 15);
}

TEST(JetSpec, TermsInOneVariableAreThePartitionsOfTheOrder) {
  const JetSpec jets(1, std::vector<Orders>{{JetSpec::max_order}});
  const std::vector<std::size_t> partitions{1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56};
  const std::vector<double> bell{1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975, 678570};
  ASSERT_EQ(jets.size(), 12);
  for (int n = 0; n <= JetSpec::max_order; ++n) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_EQ(jets.compose(n).size(), partitions[i]) << "order " << n;
    EXPECT_EQ(sum_of_compose(jets, n), bell[i]) << "order " << n;
  }
  // Stirling numbers of the second kind: order 8 by number of factors.
  const std::vector<double> stirling{0, 1, 127, 966, 1701, 1050, 266, 28, 1};
  std::vector<double> by_order(9, 0);
  for (const auto& t : jets.compose(8)) {
    by_order[static_cast<std::size_t>(t.order)] += t.coefficient;
    EXPECT_EQ(t.factors.size(), static_cast<std::size_t>(t.order));
  }
  EXPECT_EQ(by_order, stirling);
}

TEST(JetSpec, ProductsHaveBinomialCoefficients) {
  const JetSpec one(1, std::vector<Orders>{{8}});
  const std::vector<double> row{1, 8, 28, 56, 70, 56, 28, 8, 1};
  const Product terms = multiply(one, 8);
  ASSERT_EQ(terms.size(), 9u);
  for (int k = 0; k <= 8; ++k) {
    EXPECT_EQ(terms.at({k, 8 - k}), row[static_cast<std::size_t>(k)]);
  }
  // (fg)_xxyyy: binom(2, i) binom(3, j).
  const JetSpec two(2, std::vector<Orders>{{2, 3}});
  const Product mixed = multiply(two, two.find({2, 3}));
  EXPECT_EQ(mixed.size(), 12u);
  EXPECT_EQ(mixed.at({two.find({1, 1}), two.find({1, 2})}), 6);
  EXPECT_EQ(mixed.at({two.find({0, 2}), two.find({2, 1})}), 3);
}

TEST(JetSpec, MixedDerivativesCountSetPartitionsToo) {
  // The number of set partitions does not depend on which differentiations are equal.
  const JetSpec jets(3, std::vector<Orders>{{2, 1, 1}, {0, 3, 1}, {5, 0, 0}});
  const std::vector<double> bell{1, 1, 2, 5, 15, 52};
  for (int i = 0; i < jets.size(); ++i) {
    EXPECT_EQ(sum_of_compose(jets, i), bell[static_cast<std::size_t>(jets.component(i).order)]);
    double total = 0;
    for (const auto& t : jets.multiply(i)) total += t.coefficient;
    EXPECT_EQ(total, std::exp2(jets.component(i).order));
  }
}

TEST(JetSpec, IsTheSmallestClosedSetInOrderOfNeed) {
  const std::vector<Orders> wanted{{2, 1, 0}, {0, 0, 3}, {0, 2, 1}};
  const JetSpec jets(3, wanted);
  std::set<Orders> closure;
  for (const Orders& a : wanted) {
    for (int i = 0; i <= a[0]; ++i) {
      for (int j = 0; j <= a[1]; ++j) {
        for (int k = 0; k <= a[2]; ++k) closure.insert({i, j, k});
      }
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(jets.size()), closure.size());
  for (const Orders& a : closure) EXPECT_GE(jets.find(a), 0);
  for (int i = 1; i < jets.size(); ++i) {
    EXPECT_LE(jets.component(i - 1).order, jets.component(i).order);
    for (const auto& t : jets.compose(i)) {
      for (const int f : t.factors) EXPECT_LE(f, i);
    }
  }
}

TEST(JetSpec, SeedsAreTheDerivativesOfTheCoordinates) {
  const JetSpec jets(2, {}, Combinations{{{1, {1, 0}}, {-0.25, {0, 2}}}});
  // u, u_x, u_t - u_xx / 4
  ASSERT_EQ(jets.size(), 3);
  EXPECT_EQ(jets.seed(1, 0), 0);
  EXPECT_EQ(jets.seed(1, 1), 1);
  EXPECT_EQ(jets.seed(2, 0), 1);
  EXPECT_EQ(jets.seed(2, 1), 0);
  const JetSpec transport(2, {}, Combinations{{{1, {1, 0}}, {3, {0, 1}}}});
  EXPECT_EQ(transport.size(), 2);
  EXPECT_EQ(transport.seed(1, 1), 3);
}

TEST(JetSpec, ComparesAndDescribes) {
  const std::vector<std::string> names{"x", "y"};
  const JetSpec a(2, {}, Combinations{{{1, {2, 0}}, {2, {0, 2}}}});
  const JetSpec b(2, {}, Combinations{{{1, {2, 0}}, {3, {0, 2}}}});
  EXPECT_TRUE(a == a);
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a == JetSpec(2));
  EXPECT_EQ(a.describe(names), "u, u_x, u_y, u_xx + 2*u_yy");
  EXPECT_EQ(JetSpec(1).size(), 1);
}

TEST(JetSpec, RefusesWrongOrders) {
  EXPECT_THROW(JetSpec(0), Error);
  EXPECT_THROW(JetSpec(2, std::vector<Orders>{{1}}), Error);
  EXPECT_THROW(JetSpec(2, std::vector<Orders>{{1, -1}}), Error);
  EXPECT_THROW(JetSpec(1, std::vector<Orders>{{JetSpec::max_order + 1}}), Error);
  EXPECT_NO_THROW(JetSpec(1, std::vector<Orders>{{JetSpec::max_order}}));
}

TEST(JetSpec, RefusesCombinationsThatCannotTravel) {
  // u_xx is needed by u_xxy, or is wanted itself.
  EXPECT_THROW(JetSpec(2, std::vector<Orders>{{2, 1}}, Combinations{{{1, {2, 0}}, {1, {0, 2}}}}),
               Error);
  EXPECT_THROW(JetSpec(2, std::vector<Orders>{{2, 0}}, Combinations{{{1, {2, 0}}, {1, {0, 2}}}}),
               Error);
  EXPECT_THROW(JetSpec(2, {}, Combinations{{{1, {2, 0}}, {1, {1, 0}}}}), Error);
  EXPECT_THROW(JetSpec(2, {}, Combinations{{{2, {2, 0}}}}), Error);
  EXPECT_THROW(JetSpec(2, {}, Combinations{{{1, {2, 0}}, {0, {0, 2}}}}), Error);
  EXPECT_THROW(
      JetSpec(2, {},
              Combinations{{{1, {2, 0}}, {std::numeric_limits<double>::infinity(), {0, 2}}}}),
      Error);
}

}  // namespace
}  // namespace cauchy::test_jet_spec
