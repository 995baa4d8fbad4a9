#include <cmath>
#include <vector>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_adam_algorithm(Output& out) {
  FunctionObjective valley(2, [](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = x[0], g[1] = 25 * x[1];
    return (x[0] * x[0] + 25 * x[1] * x[1]) / 2;
  });
  const double rate = 0.1, b1 = 0.9, b2 = 0.999, eps = 1e-8;
  std::vector<double> theta = {2, 1}, m = {0, 0}, v = {0, 0}, g(2);
  std::vector<double> by_library = theta, by_descent = theta;
  Adam adam({.learning_rate = rate});
  GradientDescent descent({.learning_rate = 0.07});
  std::vector<std::vector<double>> path(4);
  double difference = 0;
  for (int t = 1; t <= 200; ++t) {
    path[0].push_back(theta[0]), path[1].push_back(theta[1]);
    path[2].push_back(by_descent[0]), path[3].push_back(by_descent[1]);
    (void)valley.gradient(theta, g);  // the algorithm, line by line
    for (std::size_t i = 0; i < 2; ++i) {
      m[i] = b1 * m[i] + (1 - b1) * g[i];
      v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
      const double m_hat = m[i] / (1 - std::pow(b1, t)), v_hat = v[i] / (1 - std::pow(b2, t));
      theta[i] -= rate * m_hat / (std::sqrt(v_hat) + eps);
    }
    (void)adam.step(valley, by_library);
    (void)descent.step(valley, by_descent);
    if (t == 1)
      out.check("first step in units of the rate, |g| = 2", (2 - theta[0]) / rate, 1, 1e-8);
    if (t == 1)
      out.check("first step in units of the rate, |g| = 25", (1 - theta[1]) / rate, 1, 1e-8);
    difference = std::max(
        {difference, std::abs(theta[0] - by_library[0]), std::abs(theta[1] - by_library[1])});
  }
  out.check("largest difference from the optimiser of the library, 200 steps", difference, 0,
            1e-13);
  out.check("value after 200 steps", valley.value(theta), 0, 1e-3);
  Plot plot({.title = "a valley 25 times as steep across as along",
             .x = {.label = "theta_1"},
             .y = {.label = "theta_2"}});
  plot.line(path[0], path[1], {.name = "Adam", .markers = true});
  plot.line(path[2], path[3], {.name = "gradient descent", .markers = true});
  out.picture("paths", draw_figure({&plot}, {640, 360, 1}),
              "Adam takes both directions alike: its first steps are one rate long in each.");
}

Artefact adam_algorithm_entry() {
  return {.id = "adam",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3493-3509",
          .title = "Adam with bias correction",
          .formula =
              "m_t = \\beta_1 m_{t-1} + (1 - \\beta_1) g_t, \\quad v_t = \\beta_2 v_{t-1} + "
              "(1 - \\beta_2) g_t^2\n\\theta_t = \\theta_{t-1} - \\eta \\frac{m_t / (1 - "
              "\\beta_1^t)}{\\sqrt{v_t / (1 - \\beta_2^t)} + \\epsilon}",
          .says =
              "Running means of gradient and squared gradient, freed of their start at zero, "
              "give every parameter a step of its own.",
          .truth = "",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/adam_algorithm.cpp",
          .make = make_adam_algorithm};
}

}  // namespace cauchy::notes
