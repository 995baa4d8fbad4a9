// Basis operations: one layer of 32 features, a basis on each, one output; values, first and second
// derivatives (u, u_t, u_x, u_xx), forward and backward of one block of points on one thread.
// "plain" calls the basis for one argument at a time, as a virtual function of double arithmetic.
//   bench_basis [--benchmark_filter=chebyshev] [--smallest]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/backend.hpp>

namespace {

using namespace cauchy;

std::shared_ptr<const Basis> make_basis(int kind) {
  std::vector<double> knots, centres;
  for (int i = -3; i <= 19; ++i) knots.push_back(-1 + i / 8.0);
  for (int i = 0; i < 16; ++i) centres.push_back(-1 + i / 7.5);
  switch (kind) {
    case 0:
      return chebyshev_basis(8);
    case 1:
      return bspline_basis(knots, 3);  // 16 intervals on [-1, 1]
    case 2:
      knots[9] += 1.0 / 64;
      return bspline_basis(knots, 3);  // the same with one knot moved
    default:
      return gaussian_basis(centres, 0.2);
  }
}

/// A basis whose block of arguments is a loop over its plain version.
class PlainBasis final : public Basis {
 public:
  explicit PlainBasis(std::shared_ptr<const Basis> basis) : basis_(std::move(basis)) {}
  [[nodiscard]] int size() const noexcept override { return basis_->size(); }
  [[nodiscard]] std::string name() const override { return basis_->name(); }
  void derivatives(double x, int order, double* out) const override {
    basis_->derivatives(x, order, out);
  }
  void derivatives(float x, int order, float* out) const override {
    basis_->derivatives(x, order, out);
  }
  void derivatives(const double* x, std::size_t n, int order, double* out,
                   std::size_t stride) const override {
    one_by_one(x, n, order, out, stride);
  }
  void derivatives(const float* x, std::size_t n, int order, float* out,
                   std::size_t stride) const override {
    one_by_one(x, n, order, out, stride);
  }

 private:
  template <class T>
  void one_by_one(const T* x, std::size_t n, int order, T* out, std::size_t stride) const {
    const auto count = static_cast<std::size_t>((order + 1) * size());
    T values[256];
    for (std::size_t i = 0; i < n; ++i) {
      basis_->derivatives(x[i], order, values);
      for (std::size_t j = 0; j < count; ++j) out[j * stride + i] = values[j];
    }
  }
  std::shared_ptr<const Basis> basis_;
};

template <class T>
void basis_step(benchmark::State& state, int kind, bool plain) {
  constexpr std::size_t block = 64;
  std::shared_ptr<const Basis> basis = make_basis(kind);
  if (plain) basis = std::make_shared<const PlainBasis>(std::move(basis));
  auto graph = std::make_shared<Graph>(std::vector<std::string>{"t", "x"});
  const int features = graph->activation(graph->affine(graph->coordinates(), 32), Activation::tanh);
  graph->output("u", graph->affine(graph->basis(features, basis), 1));
  const JetSpec burgers(2, std::vector<JetSpec::Orders>{{1, 0}, {0, 2}});
  const Plan<T> plan(graph, burgers, block, Plan<T>::Mode::backward);
  const auto backend = make_cpu_backend<T>();
  Rng rng(1);
  std::vector<double> theta(graph->n_parameters());
  for (double& v : theta) v = 2 * rng.uniform() - 1;
  AlignedVector<T> points(2 * block), shared(backend->shared_size(plan)), arena(plan.arena_size());
  AlignedVector<T> scratch(backend->scratch_size(plan)), gradient(theta.size());
  for (T& v : points) v = static_cast<T>(2 * rng.uniform() - 1);
  backend->prepare(plan, theta.data(), shared.data());
  const typename Backend<T>::Block memory{shared.data(), points.data(), block, arena.data(),
                                          scratch.data()};
  const int out = graph->outputs()[0].value;
  for (auto _ : state) {
    backend->forward(plan, memory);
    std::fill_n(arena.data() + plan.adjoint(out), plan.extent(out), T(1));
    backend->backward(plan, memory, gradient.data());
    benchmark::DoNotOptimize(gradient.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(block));
}

void f64(benchmark::State& state, int kind) { basis_step<double>(state, kind, false); }
void f32(benchmark::State& state, int kind) { basis_step<float>(state, kind, false); }
void plain_f64(benchmark::State& state, int kind) { basis_step<double>(state, kind, true); }
void plain_f32(benchmark::State& state, int kind) { basis_step<float>(state, kind, true); }

BENCHMARK_CAPTURE(f64, chebyshev_8, 0);
BENCHMARK_CAPTURE(f64, cubic_splines_16, 1);
BENCHMARK_CAPTURE(f64, cubic_splines_16_uneven, 2);
BENCHMARK_CAPTURE(f64, gaussians_16, 3);
BENCHMARK_CAPTURE(f32, chebyshev_8, 0);
BENCHMARK_CAPTURE(f32, cubic_splines_16, 1);
BENCHMARK_CAPTURE(f32, gaussians_16, 3);
BENCHMARK_CAPTURE(plain_f64, chebyshev_8, 0);
BENCHMARK_CAPTURE(plain_f64, cubic_splines_16, 1);
BENCHMARK_CAPTURE(plain_f64, cubic_splines_16_uneven, 2);
BENCHMARK_CAPTURE(plain_f64, gaussians_16, 3);
BENCHMARK_CAPTURE(plain_f32, chebyshev_8, 0);
BENCHMARK_CAPTURE(plain_f32, cubic_splines_16, 1);
BENCHMARK_CAPTURE(plain_f32, gaussians_16, 3);

}  // namespace
