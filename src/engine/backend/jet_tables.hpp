#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <cauchy/engine/jet_spec.hpp>

namespace cauchy {

/// The rules of a JetSpec as flat arrays, in the order in which the kernels walk them.
template <class T>
struct JetTables {
  static constexpr int max_factors = JetSpec::max_order;

  /// s^(k) * coefficient * z[factors[0]] * ... * z[factors[k-1]], k >= 2, for component
  /// `component`.
  struct Term {
    T coefficient;
    int component, order;
    int factors[max_factors];
  };
  /// coefficient * f[left] * g[right] for component `component`.
  struct Product {
    T coefficient;
    int component, left, right;
  };

  int n_components = 1;
  int order = 0;
  std::vector<Term> terms;        ///< sorted by component
  std::vector<int> terms_begin;   ///< n_components + 1 positions in terms
  std::vector<Product> products;  ///< sorted by component
  std::vector<int> products_begin;
  /// Most factors of a term of each component, and where its groups of terms with 1, 2, ... factors
  /// begin among all groups; n_components + 1 positions.
  std::vector<int> orders, groups_begin;

  explicit JetTables(const JetSpec& jets) : n_components(jets.size()), order(jets.order()) {
    for (int c = 0; c < jets.size(); ++c) {
      terms_begin.push_back(static_cast<int>(terms.size()));
      groups_begin.push_back(c == 0 ? 0 : groups_begin.back() + orders.back());
      orders.push_back(c == 0 ? 0 : 1);
      for (const auto& t : jets.compose(c)) {
        orders.back() = std::max(orders.back(), t.order);
        if (t.order < 2) continue;  // s and s' z_c are understood
        Term term{static_cast<T>(t.coefficient), c, t.order, {}};
        for (std::size_t i = 0; i < t.factors.size(); ++i) term.factors[i] = t.factors[i];
        terms.push_back(term);
      }
      products_begin.push_back(static_cast<int>(products.size()));
      for (const auto& p : jets.multiply(c)) {
        products.push_back({static_cast<T>(p.coefficient), c, p.left, p.right});
      }
    }
    terms_begin.push_back(static_cast<int>(terms.size()));
    products_begin.push_back(static_cast<int>(products.size()));
    groups_begin.push_back(groups_begin.back() + orders.back());
  }
};

}  // namespace cauchy
