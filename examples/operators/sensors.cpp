// Runs:    sensors [PICTURE.svg]
// Expects: how many sensors a DeepONet needs. kappa(m), the largest distance of draws u of a
//          Gaussian process from the broken line through x_j = j/m, j = 0 ... m, falls like m^-2;
//          the error of a linear DeepONet for the antiderivative with m + 1 sensors falls with it
//          and then stays where its 8 products end: from 24 to 48 sensors less than a factor of
//          1.2, from 3 to 12 more than a factor of 10; exit code 0.
#include <fmt/format.h>

#include <cauchy/operators/learn.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/random_field.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  constexpr std::size_t n = 193, draws = 150;
  std::vector<double> x(n), u(n), counts, kappas, errors;
  for (std::size_t i = 0; i < n; ++i) x[i] = double(i) / (n - 1);
  const auto gp =
      make_random_field("gp(length = 0.2)", {{0, 1, FieldBoundary::free}})->on_grid({x});
  DataSet data{.grid = {.axes = {{"x", n, 0, 1, false}}}, .inputs = {"u"}, .outputs = {"s"}};
  for (std::size_t k = 0; k < draws; ++k) {
    gp->sample(Rng(1), k, u);
    data.in.insert(data.in.end(), u.begin(), u.end());
    double s = 0;  // trapezoidal sums are exact to 1e-4 of s
    for (std::size_t i = 0; i < n; ++i) {
      data.out.push_back(s);
      if (i + 1 < n) s += (u[i] + u[i + 1]) / 2 / (n - 1);
    }
  }
  const OperatorProblem problem{.outputs = {"s"}, .samples = 120, .validation = 0, .test = 30};
  for (const std::size_t m : {2, 3, 6, 12, 24, 48}) {
    const std::size_t step = (n - 1) / m;
    double kappa = 0;
    for (std::size_t k = 0; k < draws * n; ++k) {
      const std::size_t i = k % n, left = std::min(i / step, m - 1) * step;
      const double t = double(i - left) / double(step), *row = &data.in[k - i];
      kappa = std::max(kappa, std::abs(row[i] - (1 - t) * row[left] - t * row[left + step]));
    }
    DeepOnet method{
        .branch = Network(Mlp{.width = 16, .depth = 1, .activation = Activation::identity}),
        .width = 8,
        .pod = true,
        .sensors = {int(m) + 1},
        .precision = Precision::f64};
    method.stages = {{LbfgsOptions{}, 250}};
    const OperatorResult learnt = learn(problem, data, method);
    counts.push_back(double(m)), kappas.push_back(kappa), errors.push_back(learnt.test.mean_l2());
    fmt::print("m = {:2}: kappa {:.1e}, error {:.1e}\n", m, kappa, errors.back());
  }
  const double order = std::log(kappas[3] / kappas[5]) / std::log(4);
  Plot plot({.title = "m + 1 sensors",
             .x = {.label = "m", .scale = AxisScale::log},
             .y = {.scale = AxisScale::log}});
  plot.line(counts, kappas, {.name = "kappa(m)", .dashed = true, .markers = true});
  plot.line(counts, errors, {.name = "test error, 8 products", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {480, 340, 1}));
  fmt::print("kappa falls like m^-{:.2f}\n", order);
  return std::abs(order - 2) < 0.15 && errors[4] < 1.2 * errors[5] && errors[3] < 0.1 * errors[1]
             ? 0
             : 1;
}
