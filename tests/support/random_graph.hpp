#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy::test {

/// A graph of `n_operations` random operations over two coordinates with one unknown constant;
/// every kind of operation occurs. Some values have several users, some have none, and some
/// intermediate values are outputs. Divisors are at least 1. Without inputs, if so wanted.
inline std::shared_ptr<Graph> random_graph(unsigned seed, int n_operations, bool inputs = true) {
  std::mt19937 generator(seed);
  const auto pick = [&](int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); };
  const auto numbers = [&](int n) {
    std::vector<double> all;
    for (int i = 0; i < n; ++i) all.push_back(0.125 * (pick(9) - 4));
    return all;
  };
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x", "y"});
  const Coordinate x("x"), y("y");
  const Parameter k("k");
  g->constant("k", 1);
  g->coordinates();
  g->expression({0.5 * sin(x) + 0.25 * y, x * y * 0.5});
  g->expression({k * x - 0.25 * y});
  const std::array activations{Activation::tanh, Activation::sin, Activation::softplus};
  for (int i = 0; i < n_operations; ++i) {
    const int a = pick(static_cast<int>(g->ops().size()));
    int b = pick(static_cast<int>(g->ops().size()));
    if (g->rows(a) != g->rows(b)) b = g->row_sum(b);
    switch (pick(19)) {
      case 0:
        g->affine(a, 1 + pick(4));
        break;
      case 1:
        g->affine(g->coordinates(), 1 + pick(3));
        break;
      case 2:
        g->activation(a, activations[static_cast<std::size_t>(pick(3))]);
        break;
      case 3:
        g->scale(a, 1, pick(2) == 0);
        break;
      case 4:
        g->add(a, b);
        break;
      case 5:
        g->subtract(b, a);
        break;
      case 6:
        g->activation(g->multiply(a, b), Activation::tanh);  // keeps values small
        break;
      case 7:
        g->divide(a, g->add(g->activation(b, Activation::sigmoid), g->number(1)));
        break;
      case 8:
        g->concatenate(std::array{a, b, a});
        break;
      case 9:
        g->slice(a, pick(g->rows(a)), 1);
        break;
      case 10:
        g->row_sum(a);
        break;
      case 11:
        g->shift(a, 0, pick(2) == 0);
        break;
      case 12:
        pick(2) == 0 ? g->repeat_rows(a, 2) : g->tile(a, 2);
        break;
      case 13:
        g->row_sum(g->tile(a, 2), g->rows(a));
        break;
      case 14:
        if (inputs) g->input("input" + std::to_string(i), 1 + pick(2));
        break;
      case 15:
        g->fixed_affine(a, numbers(2 * g->rows(a)), numbers(2));
        break;
      case 16:
        g->grouped_affine(g->tile(a, 2), 2, 2 * (1 + pick(2)), pick(2) == 0);
        break;
      case 17:
        g->normalized_affine(a, 1 + pick(3));
        break;
      default:
        g->basis(g->slice(g->activation(a, Activation::tanh), 0, 1), chebyshev_basis(2));
    }
  }
  const int last = static_cast<int>(g->ops().size()) - 1;
  g->output("u", last, pick(g->rows(last)));
  const int middle = pick(last);
  g->output("v", middle, pick(g->rows(middle)));
  return g;
}

}  // namespace cauchy::test
