#include <cauchy/engine/jet_spec.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

using Orders = JetSpec::Orders;

int total(const Orders& a) { return std::accumulate(a.begin(), a.end(), 0); }

/// Lower orders first, then in lexicographic order with the first coordinate leading.
struct ByOrder {
  bool operator()(const Orders& a, const Orders& b) const {
    const int ta = total(a), tb = total(b);
    return ta != tb ? ta < tb : a > b;
  }
};

void check(const Orders& a, int n_coordinates) {
  if (static_cast<int>(a.size()) != n_coordinates) {
    throw Error(fmt::format("a derivative needs {} orders, got {}", n_coordinates, a.size()),
                "[engine.jet_spec]");
  }
  if (std::any_of(a.begin(), a.end(), [](int k) { return k < 0; })) {
    throw Error("a derivative order must not be negative", "[engine.jet_spec]");
  }
  if (total(a) > JetSpec::max_order) {
    throw Error(fmt::format("derivatives of order {} are not supported, at most {}", total(a),
                            JetSpec::max_order),
                "[engine.jet_spec]");
  }
}

/// Derivatives that travel together, and terms of their chain rules: beyond these a plan takes
/// seconds to make, and a step of a training minutes.
constexpr std::size_t max_components = 4000, max_chain_terms = 300'000;

[[noreturn]] void refuse_size(std::string_view what, std::size_t most) {
  throw Error(
      ErrorKind::unsupported, fmt::format("more than {} {} are needed together", most, what),
      "[engine.jet_spec]",
      "lower the order by fields for inner derivatives: v = laplacian(u), laplacian(v) = f");
}

/// Calls visit(beta) for every beta <= alpha, componentwise.
template <class Visit>
void for_each_below(const Orders& alpha, Visit visit) {
  Orders beta(alpha.size(), 0);
  while (true) {
    visit(static_cast<const Orders&>(beta));
    std::size_t i = 0;
    while (i < alpha.size() && beta[i] == alpha[i]) beta[i++] = 0;
    if (i == alpha.size()) return;
    ++beta[i];
  }
}

double binomial(const Orders& alpha, const Orders& beta) {
  double result = 1;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    for (int k = 1; k <= beta[i]; ++k) result = result * (alpha[i] - beta[i] + k) / k;
  }
  return result;
}

using Blocks = std::multiset<Orders, ByOrder>;

/// Faa di Bruno: the set partitions of the differentiations in alpha, equal ones counted together.
/// Differentiations are added one at a time: each joins an existing block or opens a new one.
std::map<Blocks, double> set_partitions(const Orders& alpha) {
  std::map<Blocks, double> partitions{{Blocks{}, 1.0}};
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    for (int k = 0; k < alpha[i]; ++k) {
      std::map<Blocks, double> next;
      for (const auto& [blocks, count] : partitions) {
        Orders single(alpha.size(), 0);
        single[i] = 1;
        Blocks opened = blocks;
        opened.insert(single);
        next[opened] += count;
        for (auto it = blocks.begin(); it != blocks.end(); it = blocks.upper_bound(*it)) {
          Orders grown = *it;
          ++grown[i];
          Blocks joined = blocks;
          joined.erase(joined.find(*it));
          joined.insert(grown);
          next[joined] += count * static_cast<double>(blocks.count(*it));
        }
      }
      partitions = std::move(next);
      if (partitions.size() > max_chain_terms) refuse_size("terms of chain rules", max_chain_terms);
    }
  }
  return partitions;
}

}  // namespace

JetSpec::JetSpec(int n_coordinates, std::span<const Orders> wanted,
                 std::span<const std::vector<Part>> combinations)
    : n_coordinates_(n_coordinates) {
  if (n_coordinates < 1) {
    throw Error(fmt::format("at least one coordinate is needed, got {}", n_coordinates),
                "[engine.jet_spec]");
  }
  std::set<Orders, ByOrder> plain;
  plain.insert(Orders(static_cast<std::size_t>(n_coordinates), 0));
  const auto add = [&](const Orders& b) {
    plain.insert(b);
    if (plain.size() > max_components) refuse_size("derivatives", max_components);
  };
  for (const Orders& a : wanted) {
    check(a, n_coordinates);
    for_each_below(a, add);
  }
  for (const auto& combination : combinations) {
    if (combination.size() < 2) {
      throw Error("a combination needs at least two derivatives", "[engine.jet_spec]");
    }
    for (const Part& part : combination) {
      check(part.orders, n_coordinates);
      if (!std::isfinite(part.coefficient) || part.coefficient == 0) {
        throw Error(
            fmt::format("a coefficient of a combination must be finite and not zero, got {}",
                        part.coefficient),
            "[engine.jet_spec]");
      }
      for_each_below(part.orders, [&](const Orders& b) {
        if (b != part.orders) add(b);
      });
    }
  }
  for (const auto& combination : combinations) {
    for (const Part& part : combination) {
      if (plain.contains(part.orders)) {
        throw Error("a combined derivative is also needed on its own", "[engine.jet_spec]",
                    "only derivatives that nothing else needs can be collapsed");
      }
    }
  }

  for (const Orders& a : plain) components_.push_back({{{1.0, a}}, total(a)});
  for (const auto& combination : combinations) {
    int highest = 0;
    for (const Part& part : combination) highest = std::max(highest, total(part.orders));
    components_.push_back({combination, highest});
  }

  std::map<Orders, int> position;
  for (int i = 0; i < size(); ++i) {
    const Component& c = component(i);
    order_ = std::max(order_, c.order);
    if (c.parts.size() == 1) position[c.parts[0].orders] = i;
  }
  for (int i = 0; i < size(); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_coordinates); ++k) {
      double seed = 0;
      for (const Part& part : component(i).parts) {
        if (total(part.orders) == 1 && part.orders[k] == 1) seed += part.coefficient;
      }
      seeds_.push_back(seed);
    }
  }

  std::size_t chain_terms = 0;
  for (int i = 0; i < size(); ++i) {
    std::vector<ComposeTerm> compose;
    std::map<std::pair<int, int>, double> products;
    if (i == 0) {
      compose.push_back({1, 0, {}});
      products[{0, 0}] = 1;
    } else {
      compose.push_back({1, 1, {i}});
      products[{0, i}] = products[{i, 0}] = 1;
      std::map<std::pair<int, std::vector<int>>, double> terms;
      for (const Part& part : component(i).parts) {
        const std::map<Blocks, double> partitions = set_partitions(part.orders);
        chain_terms += partitions.size();
        if (chain_terms > max_chain_terms) refuse_size("terms of chain rules", max_chain_terms);
        for (const auto& [blocks, count] : partitions) {
          if (blocks.size() == 1) continue;  // s' z_i, already there
          std::vector<int> factors;
          for (const Orders& b : blocks) factors.push_back(position.at(b));
          std::sort(factors.begin(), factors.end());
          terms[{static_cast<int>(factors.size()), factors}] += part.coefficient * count;
        }
        for_each_below(part.orders, [&](const Orders& beta) {
          if (total(beta) == 0 || beta == part.orders) return;
          Orders rest = part.orders;
          for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= beta[k];
          products[{position.at(beta), position.at(rest)}] +=
              part.coefficient * binomial(part.orders, beta);
        });
      }
      for (const auto& [term, c] : terms) {
        if (c != 0) compose.push_back({c, term.first, term.second});
      }
    }
    compose_.push_back(std::move(compose));
    auto& multiply = multiply_.emplace_back();
    for (const auto& [pair, c] : products) {
      if (c != 0) multiply.push_back({c, pair.first, pair.second});
    }
  }
}

int JetSpec::find(const Orders& orders) const noexcept {
  for (int i = 0; i < size(); ++i) {
    const Component& c = component(i);
    if (c.parts.size() == 1 && c.parts[0].orders == orders) return i;
  }
  return -1;
}

std::string JetSpec::describe(std::span<const std::string> names) const {
  std::string out;
  for (int i = 0; i < size(); ++i) {
    if (i > 0) out += ", ";
    bool first_part = true;
    for (const Part& part : component(i).parts) {
      if (!first_part) out += " + ";
      if (part.coefficient != 1) out += fmt::format("{}*", part.coefficient);
      out += "u";
      if (total(part.orders) > 0) out += "_";
      for (std::size_t k = 0; k < part.orders.size(); ++k) {
        for (int j = 0; j < part.orders[k]; ++j) out += names[k];
      }
      first_part = false;
    }
  }
  return out;
}

bool JetSpec::operator==(const JetSpec& other) const noexcept {
  if (n_coordinates_ != other.n_coordinates_ || size() != other.size()) return false;
  for (int i = 0; i < size(); ++i) {
    const auto &a = component(i).parts, &b = other.component(i).parts;
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[k].coefficient != b[k].coefficient || a[k].orders != b[k].orders) return false;
    }
  }
  return true;
}

}  // namespace cauchy
