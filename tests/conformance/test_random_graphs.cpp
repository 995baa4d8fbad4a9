// Random graphs: sharing of values, several outputs, unused values, every accumulate pattern.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>

#include "support/engine_cases.hpp"
#include "support/random_graph.hpp"

namespace cauchy::test::test_random_graphs {
namespace {

const BasisExpressions chebyshev2 = [](const Expr& x) {
  return std::vector<Expr>{Expr(1), x, 2 * x * x - 1};
};

/// Linear functional of all outputs, components and points.
template <class T>
double functional(Evaluation<T>& e, std::span<const double> theta, std::span<const double> seeds) {
  e.forward(theta);
  double total = 0;
  std::size_t i = 0;
  for (std::size_t k = 0; k < e.plan().graph().outputs().size(); ++k) {
    for (int c = 0; c < e.plan().jets().size(); ++c) {
      for (std::size_t p = 0; p < e.plan().block(); ++p) total += seeds[i++] * e.value(k, c, p);
    }
  }
  return total;
}

TEST(RandomGraphs, ValuesAndGradientsAreExact) {
  const JetSpec burgers(2, std::vector<JetSpec::Orders>{{1, 0}, {0, 2}});
  for (const NamedBackend<double>& b : backends<double>()) {
    for (unsigned seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(b.name + ", seed " + std::to_string(seed));
      const auto graph = random_graph(seed, 2 + static_cast<int>(seed) % 12);
      const std::size_t block = block_size(*b.backend, 2);
      const std::vector<double> theta = test_parameters(*graph, seed);
      const std::vector<double> points = test_points(2, block, seed);
      const std::vector<double> inputs = test_inputs(*graph, block);
      Evaluation<double> e(b.backend, graph, burgers, points, block);
      Dyadic number(seed);
      std::vector<double> seeds(graph->outputs().size() * 4 * block);
      for (double& s : seeds) s = number(-1, 1);
      const double total = functional(e, theta, seeds);

      const auto symbolic = symbolic_values(*graph, theta, chebyshev2);
      for (std::size_t k = 0; k < graph->outputs().size(); ++k) {
        const auto& output = graph->outputs()[k];
        const std::vector<Expr> jet = symbolic_jet(
            symbolic[static_cast<std::size_t>(output.value)][static_cast<std::size_t>(output.row)],
            graph->coordinate_names(), burgers);
        for (std::size_t p = 0; p < 2; ++p) {
          Values point;
          point.set(Coordinate("x"), points[p]).set(Coordinate("y"), points[block + p]);
          for (int r = 0; r < graph->n_input_rows(); ++r) {
            point.set(input_row(r), inputs[static_cast<std::size_t>(r) * block + p]);
          }
          for (int c = 0; c < 4; ++c) {
            const double want = evaluate(jet[static_cast<std::size_t>(c)], point);
            // Up to 12 operations on top of each other, each worth 64 roundings and a growth of
            // magnitudes between them.
            EXPECT_LT(std::abs(e.value(k, c, p) - want), 1e-11 * (1 + std::abs(want)));
          }
        }
      }

      e.seed(seeds);
      const std::vector<double> gradient = e.gradient();
      const double h = 1.0 / 4096;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        std::vector<double> moved = theta;
        const auto difference = [&](double step) {
          moved[i] = theta[i] + step;
          const double up = functional(e, moved, seeds);
          moved[i] = theta[i] - step;
          return (up - functional(e, moved, seeds)) / (2 * step);
        };
        const double want = (4 * difference(h) - difference(2 * h)) / 3;
        // Truncation h^4 = 4e-15 times a fifth derivative; rounding eps / h = 1e-12 times the sum.
        EXPECT_LT(std::abs(gradient[i] - want), 1e-7 * (1 + std::abs(want) + std::abs(total)))
            << "parameter " << i;
      }
    }
  }
}

void compare_with_reference(const NamedBackend<double>& b, const JetSpec& jets) {
  const std::shared_ptr<const Backend<double>> oracle_backend = make_reference_backend<double>();
  for (unsigned seed = 100; seed < 200; ++seed) {
    SCOPED_TRACE(b.name + ", seed " + std::to_string(seed));
    const auto graph = random_graph(seed, 5 + static_cast<int>(seed) % 20);
    const std::size_t block = block_size(*b.backend, 3);
    const std::vector<double> theta = test_parameters(*graph, seed);
    const std::vector<double> points = test_points(2, block, seed);
    Evaluation<double> e(b.backend, graph, jets, points, block);
    Evaluation<double> oracle(oracle_backend, graph, jets, points, block);
    Dyadic number(seed);
    const auto components = static_cast<std::size_t>(jets.size());
    std::vector<double> seeds(graph->outputs().size() * components * block);
    for (double& s : seeds) s = number(-1, 1);
    const double got = functional(e, theta, seeds), want = functional(oracle, theta, seeds);
    EXPECT_LT(std::abs(got - want), 1e-11 * (1 + std::abs(want)));
    e.seed(seeds);
    oracle.seed(seeds);
    const std::vector<double> gradient = e.gradient(), exact = oracle.gradient();
    double largest = 1;
    for (const double g : exact) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_LT(std::abs(gradient[i] - exact[i]), 1e-11 * largest) << "parameter " << i;
    }
    for (std::size_t i = 0; i < e.input_adjoints().size(); ++i) {
      EXPECT_LT(std::abs(e.input_adjoints()[i] - oracle.input_adjoints()[i]), 1e-11 * largest)
          << "input " << i;
    }
  }
}

TEST(RandomGraphs, BackendsMatchTheReferenceOnEveryInstructionSet) {
  const JetSpec burgers(2, std::vector<JetSpec::Orders>{{1, 0}, {0, 2}});
  const JetSpec third(2, std::vector<JetSpec::Orders>{{2, 1}, {0, 3}});
  for (const Target target : available_targets()) {
    force_target(target);
    SCOPED_TRACE(std::string(to_string(target)));
    for (const NamedBackend<double>& b : backends<double>()) {
      compare_with_reference(b, burgers);
      compare_with_reference(b, third);
    }
  }
  reset_target();
}

}  // namespace
}  // namespace cauchy::test::test_random_graphs
