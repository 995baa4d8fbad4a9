// A layer of an FNO on grids that its kernels take in several blocks, with lines cut by the blocks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::test_fourier_layer {
namespace {

struct Case {
  std::vector<int> grid, modes;
  Activation activation;
};

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> numbers(n);
  Rng(seed).fill_uniform(numbers);
  for (double& x : numbers) x = static_cast<float>(x - 0.5);
  return numbers;
}

/// The gradient of the sum of (A u)^2 by parameters and by the input, u a layer of the case.
struct Gradient {
  std::vector<double> by_theta, by_input;
};
Gradient gradient_of(const Case& c, BackendKind backend, Precision precision) {
  constexpr int in = 20, out = 12, samples = 3;
  auto graph = std::make_shared<TensorGraph>();
  const int x = graph->input("x", {in, c.grid});
  const int modes = graph->mode_linear(graph->spectrum(x, c.modes), out);
  const int u =
      graph->linear(x, out, c.activation, true, "skip", graph->from_spectrum(modes, c.grid));
  const int sum = graph->reduce(graph->function(graph->linear(u, 1), ElementFunction::square));
  const auto executor = make_tensor_executor(
      graph, {{.name = "sum", .value = sum}},
      {.threads = 2, .precision = precision, .backend = backend, .poison = true});
  const std::vector<double> a = random_numbers(samples * TensorShape{in, c.grid}.size(), 1);
  const std::span<const double> batch[] = {a};
  executor->set_batch(samples, batch);
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  Gradient g{std::vector<double>(theta.size()), std::vector<double>(a.size())};
  (void)executor->gradient(theta, g.by_theta);
  const std::vector<double> seeds(samples, 1.0), nothing;
  executor->adjoint(sum, theta, seeds, {}, 0, g.by_input);
  return g;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance) {
  double largest = 0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - expected[i]), tolerance * largest) << "number " << i;
  }
}

TEST(FourierLayer, agrees_with_plain_loops_where_blocks_cut_lines) {
  const std::vector<Case> cases{{{2048}, {9}, Activation::gelu},
                                {{70, 64}, {10, 7}, Activation::tanh},
                                {{33, 35}, {8, 5}, Activation::identity},
                                {{12, 10, 32}, {3, 4, 5}, Activation::gelu}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.grid.size());
    const Gradient plain = gradient_of(c, BackendKind::reference, Precision::f64);
    for (const Target target : available_targets()) {
      force_target(target);
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        const Gradient fast = gradient_of(c, BackendKind::cpu, precision);
        // Sums of at most some thousand numbers, and the GELU of single precision (7e-7).
        const double tolerance = precision == Precision::f32 ? 2e-5 : 1e-13;
        expect_near(fast.by_theta, plain.by_theta, tolerance);
        expect_near(fast.by_input, plain.by_input, tolerance);
      }
    }
    reset_target();
  }
}

}  // namespace
}  // namespace cauchy::test_fourier_layer
