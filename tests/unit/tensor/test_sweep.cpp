#include "tensor/sweep.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "support/tensor_run.hpp"

namespace cauchy::detail::test_sweep {
namespace {

/// The plain kernels as ones that write fresh adjoints.
class FreshKernels final : public TensorKernels<double> {
 public:
  explicit FreshKernels(const std::shared_ptr<const TensorGraph>& graph)
      : graph_(graph), plain_(make_reference_tensor_kernels<double>(graph, {})) {}
  [[nodiscard]] std::size_t saved(int value) const override { return plain_->saved(value); }
  [[nodiscard]] std::size_t scratch(int value, std::size_t n) const override {
    return plain_->scratch(value, n);
  }
  void forward(const TensorCall<double>& call) const override { plain_->forward(call); }
  void backward(const TensorCall<double>& call) const override {
    if (call.fresh.empty()) return plain_->backward(call);
    // One input after the other, so that a later one would wipe out what an earlier one has added.
    const auto& inputs = graph_->ops()[static_cast<std::size_t>(call.value)].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::vector<double*> one(inputs.size(), nullptr);
      one[k] = call.by_inputs[k];
      if (call.fresh[k] != 0 && one[k] != nullptr) {
        std::fill_n(one[k], call.n * graph_->shape(inputs[k]).size(), 0.0);
      }
      TensorCall<double> part = call;
      part.by_inputs = one;
      if (k > 0) part.by_theta = nullptr;
      plain_->backward(part);
    }
  }
  [[nodiscard]] bool writes_fresh(int value) const override { return value % 2 == 0 || all; }

  bool all = true;

 private:
  std::shared_ptr<const TensorGraph> graph_;
  std::unique_ptr<TensorKernels<double>> plain_;
};

TEST(TensorSweep, KernelsThatWriteFreshAdjointsGiveTheSameGradient) {
  auto graph = std::make_shared<TensorGraph>();
  const int x = graph->input("x", {2, {5}});
  const int a = graph->linear(x, 3, Activation::tanh);
  const int b = graph->add(a, a), c = graph->multiply(b, graph->scale(a, 1));
  const int y = graph->reduce(graph->concatenate(std::vector{c, graph->linear(c, 2), c}));
  const std::vector<double> in = test::random_numbers(20, 1),
                            theta = test::random_numbers(graph->n_parameters(), 2);
  const auto gradient = [&](const TensorKernels<double>& kernels) {
    const TensorPlan plan(
        *graph, {{y}, true, x}, 2,
        {[&](int v) { return kernels.saved(v); }, [&](int v) { return kernels.scratch(v, 2); }}, 8);
    TensorMemory<double> memory;
    TensorSweep<double>::fit(*graph, plan, memory);
    TensorSweep<double> sweep(*graph, kernels, plan, memory, true);
    std::vector<const double*> sources(graph->ops().size(), nullptr);
    sources[0] = in.data();
    const TensorSlice<double> slice{0, 2, theta.data(), sources};
    std::vector<double> by_theta(theta.size(), 0.0);
    sweep.forward(slice);
    sweep.clear_seeds(slice);
    std::fill_n(sweep.adjoint(y), 2 * graph->shape(y).size(), 1.0);
    sweep.backward(slice, by_theta.data());
    by_theta.insert(by_theta.end(), sweep.adjoint(x), sweep.adjoint(x) + 20);
    return by_theta;
  };
  const std::vector<double> want = gradient(*make_reference_tensor_kernels<double>(graph, {}));
  for (const double g : want) EXPECT_TRUE(std::isfinite(g) && g != 0);
  FreshKernels fresh(graph);
  EXPECT_EQ(gradient(fresh), want);
  fresh.all = false;
  EXPECT_EQ(gradient(fresh), want);
}

}  // namespace
}  // namespace cauchy::detail::test_sweep
