#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/least_squares.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/natural_gradient.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace cauchy::test_least_squares_network {
namespace {

/// u'' + pi^2 sin(pi x) at 33 points in [0, 1], and u at both ends, as one term each.
class Poisson1d final : public LeastSquares {
 public:
  explicit Poisson1d(int threads) : executor_(make(threads)) {
    std::vector<double> points;
    for (int i = 0; i <= 32; ++i) points.push_back(i / 32.0);
    executor_.set_points(0, points);
    executor_.set_points(1, std::vector<double>{0, 1});
  }
  [[nodiscard]] const Graph& graph() const { return executor_.graph(); }
  [[nodiscard]] std::size_t size() const override { return executor_.n_parameters(); }
  [[nodiscard]] std::size_t n_residuals() const override { return 35; }
  void residuals(std::span<const double> x, std::span<double> r) override {
    executor_.residuals(0, x, r.first(33));
    executor_.residuals(1, x, r.last(2));
  }
  void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    residuals(x, r);
    executor_.jacobian(0, x, j.first(33 * size()));
    executor_.jacobian(1, x, j.last(2 * size()));
  }
  void jacobian_times(std::span<const double> x, std::span<const double> v,
                      std::span<double> out) override {
    executor_.jacobian_times(0, x, v, out.first(33));
    executor_.jacobian_times(1, x, v, out.last(2));
  }
  void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                 std::span<double> out) override {
    std::vector<double> other(size());
    executor_.jacobian_transposed_times(0, x, w.first(33), out);
    executor_.jacobian_transposed_times(1, x, w.last(2), other);
    for (std::size_t i = 0; i < other.size(); ++i) out[i] += other[i];
  }
  [[nodiscard]] double value(std::span<const double> x) override {
    std::vector<double> r(35);
    residuals(x, r);
    double sum = 0;
    for (const double v : r) sum += v * v;
    return sum;
  }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    std::vector<double> r(35);
    residuals(x, r);
    jacobian_transposed_times(x, r, g);
    for (double& v : g) v *= 2;
    return value(x);
  }

 private:
  static HostExecutor<double> make(int threads) {
    const Coordinate x("x");
    const Field u("u");
    const std::string names[] = {"u"};
    auto graph =
        std::make_shared<const Graph>(make_network(Mlp{.width = 8, .depth = 1}, {"x"}, names));
    return HostExecutor<double>(
        graph, {{"equation", {d(u, x, x) + pi * pi * sin(pi * x)}}, {"ends", {Expr(u)}}},
        {.threads = threads, .block = 8});
  }
  HostExecutor<double> executor_;
};

TEST(LeastSquaresNetwork, StepsHaveTheSameBitsForOneAndTwoThreads) {
  for (const StepSpace space : {StepSpace::parameter, StepSpace::sample, StepSpace::matrix_free}) {
    Poisson1d one(1), two(2);
    LevenbergMarquardt a({.equations = {.space = space}}), b({.equations = {.space = space}});
    std::vector<double> x = initial_parameters(one.graph().parameters(), Rng(3)), y = x;
    for (int i = 0; i < 6; ++i) {
      const auto u = a.step(one, x), v = b.step(two, y);
      ASSERT_EQ(x, y) << to_string(space) << " " << i;
      ASSERT_EQ(u.value, v.value);
    }
  }
}

TEST(LeastSquaresNetwork, ASmallNetworkIsTrainedToSmallResiduals) {
  // From about 33 pi^4 / 2 = 1600.
  for (const bool natural : {false, true}) {
    Poisson1d f(1);
    LevenbergMarquardt lm;
    NaturalGradient ng;
    Optimizer& method = natural ? static_cast<Optimizer&>(ng) : lm;
    std::vector<double> x = initial_parameters(f.graph().parameters(), Rng(5));
    double value = 0;
    for (int i = 0; i < 60; ++i) value = method.step(f, x).value;
    EXPECT_LT(value, 1e-3) << natural;
  }
}

}  // namespace
}  // namespace cauchy::test_least_squares_network
