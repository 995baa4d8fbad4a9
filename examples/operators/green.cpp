// Runs:    green [PICTURE.svg]
// Expects: a linear DeepONet that has seen 200 loads f and answers of u'' = f, u(0) = u(1) = 0
//          (solved by differences, no Green's function used) answers to an impulse at y with
//          G(x, y) = -min(x, y) (1 - max(x, y)) to 1e-4, and G(x, y) = G(y, x); in free space
//          -1/(4 pi r) integrates the Gaussian pi^(-3/2) exp(-r^2) to -erf(r)/(4 pi r); exit code
//          0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  constexpr int n = 25;
  const double h = 1.0 / (n - 1);
  DataSet data{.grid = {.axes = {{"x", n, 0, 1, false}}}, .inputs = {"f"}, .outputs = {"u"}};
  Rng rng(1);
  for (int s = 0; s < 200; ++s) {  // white noise: impulses are among its sums
    std::vector<double> f(n), u(n, 0.0), c(n, 0.0);
    for (double& v : f) v = rng.normal();
    for (int i = 1; i < n - 1; ++i) {  // elimination in u[i-1] - 2 u[i] + u[i+1] = h^2 f[i]
      c[i] = 1 / (-2 - c[i - 1]);
      u[i] = (h * h * f[i] - u[i - 1]) * c[i];
    }
    for (int i = n - 2; i > 0; --i) u[i] -= c[i] * u[i + 1];
    data.in.insert(data.in.end(), f.begin(), f.end());
    data.out.insert(data.out.end(), u.begin(), u.end());
  }
  OperatorProblem problem{.outputs = {"u"}, .samples = 180, .validation = 0, .test = 20};
  DeepOnet method{
      .branch = Network(Mlp{.width = n, .depth = 1, .activation = Activation::identity}),
      .width = n - 2,
      .pod = true,
      .relative = false,
      .precision = Precision::f64};
  method.stages = {{LbfgsOptions{}, 3000}};
  const OperatorResult learnt = learn(problem, data, method);
  // Impulses of mass 1 at every node, and no load at all, whose answer is what the mean has left.
  DataSet impulses = data.part(0, n);
  std::fill(impulses.in.begin(), impulses.in.end(), 0.0);
  for (int j = 1; j < n; ++j) impulses.in[j * n + j] = 1 / h;
  const std::vector<double> u = learnt.model->predict(impulses);
  double error = 0, skew = 0;
  Matrix green(n, n);
  for (int j = 1; j < n - 1; ++j) {
    for (int i = 0; i < n; ++i) {
      green(i, j) = u[j * n + i] - u[i];
      const double x = i * h, y = j * h, exact = -std::min(x, y) * (1 - std::max(x, y));
      error = std::max(error, std::abs(green(i, j) - exact));
    }
    for (int i = 1; i <= j; ++i) skew = std::max(skew, std::abs(green(i, j) - green(j, i)));
  }
  // Shells of radius s act from outside like their mass at the centre, and are level inside.
  const double r = 0.7;
  const auto shells = [&](double from, double to) {
    return -(to - from) / 2 * gauss_legendre(40).integrate([&](double q) {
      const double t = from + (to - from) * (q + 1) / 2;
      return 4 / std::sqrt(M_PI) * t * t * std::exp(-t * t) / (4 * M_PI * std::max(r, t));
    });
  };
  const double free_space = std::abs(shells(0, r) + shells(r, 8) + std::erf(r) / (4 * M_PI * r));
  Plot plot({.title = "G(x, y), learnt", .equal_aspect = true, .grid = false});
  plot.heat_map(green, {0, 1}, {0, 1});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {420, 360, 1}));
  fmt::print("test {:.1e}, G off by {:.1e}, G - G' {:.1e}, free space {:.1e}\n",
             learnt.test.mean_l2(), error, skew, free_space);
  return error < 1e-4 && skew < 1e-4 && free_space < 1e-12 ? 0 : 1;
}
