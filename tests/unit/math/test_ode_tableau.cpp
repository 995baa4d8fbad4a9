#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "math/ode/dense_polynomial.hpp"
#include "math/ode/ode_tableau.hpp"

namespace cauchy::detail::test_ode_tableau {
namespace {

/// A rooted tree by its subtrees (indices into the list of all trees).
struct Tree {
  std::size_t order;
  std::vector<std::size_t> children;
  double gamma;
};

/// All rooted trees with at most n nodes.
std::vector<Tree> trees_up_to(std::size_t n) {
  std::vector<Tree> all = {{1, {}, 1}};
  for (std::size_t order = 2; order <= n; ++order) {
    const std::size_t known = all.size();
    std::vector<std::size_t> chosen;
    const std::function<void(std::size_t, std::size_t)> choose = [&](std::size_t from,
                                                                     std::size_t left) {
      if (left == 0) {
        double gamma = static_cast<double>(order);
        for (std::size_t c : chosen) gamma *= all[c].gamma;
        all.push_back({order, chosen, gamma});
        return;
      }
      for (std::size_t c = from; c < known; ++c) {
        if (all[c].order > left) break;
        chosen.push_back(c);
        choose(c, left - all[c].order);
        chosen.pop_back();
      }
    };
    choose(0, order - 1);
  }
  return all;
}

/// Elementary weights of all trees at every stage: phi_i = product over subtrees of sum_j a_ij
/// phi_j.
std::vector<std::vector<double>> stage_weights(const OdeTableau& t,
                                               const std::vector<Tree>& trees) {
  const auto n = static_cast<std::size_t>(t.all_stages);
  std::vector<std::vector<double>> phi;
  for (const Tree& tree : trees) {
    std::vector<double> product(n, 1.0);
    for (std::size_t child : tree.children) {
      std::vector<double> sums(n, 0.0);
      for (const auto& e : t.a) {
        sums[static_cast<std::size_t>(e.row)] +=
            e.value * phi[child][static_cast<std::size_t>(e.column)];
      }
      for (std::size_t i = 0; i < n; ++i) product[i] *= sums[i];
    }
    phi.push_back(std::move(product));
  }
  return phi;
}

double dot(const std::vector<double>& weights, const std::vector<double>& phi) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * phi[i];
  return sum;
}

std::vector<double> row_of(const OdeTableau& t, std::span<const OdeTableau::Entry> entries,
                           int row) {
  std::vector<double> weights(static_cast<std::size_t>(t.all_stages));
  for (const auto& e : entries) {
    if (e.row == row) weights[static_cast<std::size_t>(e.column)] += e.value;
  }
  return weights;
}

/// Weights of the stages in the continuous extension at theta (h = 1, y = 0).
std::vector<double> dense_weights(const OdeTableau& t, double theta) {
  const auto n = static_cast<std::size_t>(t.all_stages),
             last = static_cast<std::size_t>(t.stages - 1);
  const std::vector<double> b = row_of(t, t.a, t.stages - 1);
  std::vector<double> c(n * static_cast<std::size_t>(t.n_dense));
  for (std::size_t i = 0; i < n; ++i) {
    const double first = i == 0 ? 1 : 0, end = i == last ? 1 : 0;
    c[n + i] = b[i];
    c[2 * n + i] = first - b[i];
    c[3 * n + i] = 2 * b[i] - first - end;
  }
  for (const auto& e : t.dense) {
    c[(4 + static_cast<std::size_t>(e.row)) * n + static_cast<std::size_t>(e.column)] = e.value;
  }
  std::vector<double> weights(n);
  dense_polynomial(c, n, 1, theta, weights, {});
  return weights;
}

/// Order up to which sum_i w_i phi_i(tree) = theta^order / gamma for all trees (0 on the right for
/// an error estimate).
std::size_t order_of(const std::vector<double>& weights, const std::vector<Tree>& trees,
                     const std::vector<std::vector<double>>& phi, double theta, bool estimate) {
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const double exact =
        estimate ? 0 : std::pow(theta, static_cast<double>(trees[k].order)) / trees[k].gamma;
    // Coefficients up to 400 and products of eight of them in cancelling sums.
    if (!(std::abs(dot(weights, phi[k]) - exact) < 2e-12)) return trees[k].order - 1;
  }
  return trees.back().order;
}

void check(const OdeTableau& t, std::size_t order, std::size_t dense, std::size_t error,
           std::size_t low) {
  const std::vector<Tree> trees = trees_up_to(order + 1);
  const auto phi = stage_weights(t, trees);
  for (std::size_t i = 0; i < t.c.size(); ++i) {  // c_i = sum_j a_ij
    EXPECT_NEAR(dot(row_of(t, t.a, static_cast<int>(i)), phi[0]), t.c[i], 1e-14) << i;
  }
  EXPECT_EQ(order_of(row_of(t, t.a, t.stages - 1), trees, phi, 1, false), order);
  EXPECT_EQ(order_of(dense_weights(t, 1), trees, phi, 1, false), order);
  EXPECT_EQ(order_of(dense_weights(t, 0.3), trees, phi, 0.3, false), dense);
  EXPECT_EQ(order_of(dense_weights(t, 0.8), trees, phi, 0.8, false), dense);
  EXPECT_EQ(order_of(row_of(t, t.error, 0), trees, phi, 1, true), error);
  if (low > 0) {
    EXPECT_EQ(order_of(row_of(t, t.error_low, 0), trees, phi, 1, true), low);
  }
}

TEST(OdeTableau, ThereAreAsManyRootedTreesAsPublished) {  // 1, 1, 2, 4, 9, 20, 48, 115, 286
  EXPECT_EQ(trees_up_to(9).size(), 1u + 1 + 2 + 4 + 9 + 20 + 48 + 115 + 286);
}

TEST(OdeTableau, DormandPrince54FulfilsItsOrderConditions) { check(dopri5_tableau(), 5, 4, 4, 0); }

TEST(OdeTableau, DormandPrince853FulfilsItsOrderConditions) { check(dop853_tableau(), 8, 7, 5, 3); }

}  // namespace
}  // namespace cauchy::detail::test_ode_tableau
