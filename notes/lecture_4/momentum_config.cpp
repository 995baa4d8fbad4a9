#include <cmath>
#include <vector>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"
#include "training/balancers/config.hpp"

namespace cauchy::notes {
namespace {

struct ConfigRun {
  std::vector<double> theta = {1.5, 1.2}, loss_1, loss_2;
  double identity = 0;  // largest |m_t / (1 - b1^t) - consensus|
};

/// `terms` losses with gradients A_i (theta - c_i); `printed`: from the first step on, as in the
/// notes; else nothing moves, and t does not count, until every loss was seen.
ConfigRun run_momentum_config(std::size_t terms, bool printed, int steps) {
  const double slope[2][2] = {{1, 20}, {20, 1}}, centre[2][2] = {{0, 0}, {0.5, 0}};
  const double b1 = 0.9, b2 = 0.999, rate = 0.02;
  ConfigRun r;
  std::vector<double> momenta(2 * terms), seen(terms), m(2), v(2), consensus(2), hats(2 * terms);
  int t = 0;
  for (int step = 1; step <= steps; ++step) {
    const std::size_t i = std::size_t(step) % terms;
    seen[i] += 1;
    for (std::size_t k = 0; k < 2; ++k) {
      momenta[2 * i + k] =
          b1 * momenta[2 * i + k] + (1 - b1) * slope[i][k] * (r.theta[k] - centre[i][k]);
    }
    if (!printed && step < int(terms)) continue;
    ++t;
    for (std::size_t k = 0; k < 2 * terms; ++k) {
      hats[k] = momenta[k] / (1 - std::pow(b1, seen[k / 2]));  // 0 / 0 for a loss not seen yet
    }
    detail::config_direction(hats, 2, consensus);
    for (std::size_t k = 0; k < 2; ++k) {
      const double g = (consensus[k] * (1 - std::pow(b1, t)) - b1 * m[k]) / (1 - b1);
      m[k] = b1 * m[k] + (1 - b1) * g;
      v[k] = b2 * v[k] + (1 - b2) * g * g;
      const double m_hat = m[k] / (1 - std::pow(b1, t));
      r.identity = std::max(r.identity, std::abs(m_hat - consensus[k]));
      r.theta[k] -= rate * m_hat / (std::sqrt(v[k] / (1 - std::pow(b2, t))) + 1e-8);
    }
    for (std::size_t l = 0; l < 2; ++l) {
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        sum += slope[l][k] * std::pow(r.theta[k] - centre[l][k], 2) / 2;
      }
      (l == 0 ? r.loss_1 : r.loss_2).push_back(sum);
    }
  }
  return r;
}

}  // namespace

void make_momentum_config(Output& out) {
  out.require("as printed, the first step of two losses is 0 / 0: not a number",
              std::isnan(run_momentum_config(2, true, 1).theta[0]));
  const ConfigRun run = run_momentum_config(2, false, 400);
  out.check("largest |m_t / (1 - beta1^t) - consensus|", run.identity, 0, 1e-11);
  out.require("both losses fall",
              run.loss_1.back() < run.loss_1[0] / 10 && run.loss_2.back() < run.loss_2[0] / 10);
  // With one loss the consensus is its gradient, and all is Adam on (theta_1^2 + 20 theta_2^2) / 2.
  FunctionObjective one(2, [](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = x[0], g[1] = 20 * x[1];
    return (x[0] * x[0] + 20 * x[1] * x[1]) / 2;
  });
  std::vector<double> theta = {1.5, 1.2};
  const std::vector<double> alone = run_momentum_config(1, false, 1).theta;
  Adam adam({.learning_rate = 0.02});
  (void)adam.step(one, theta);
  out.check("one loss alone: first step less that of Adam",
            std::hypot(alone[0] - theta[0], alone[1] - theta[1]), 0, 1e-9);
  std::vector<double> steps;
  for (std::size_t k = 0; k < run.loss_1.size(); ++k) steps.push_back(double(k));
  Plot plot({.title = "two losses that want different things",
             .x = {.label = "step"},
             .y = {.label = "loss", .scale = AxisScale::log}});
  plot.line(steps, run.loss_1, {.name = "loss 1"}).line(steps, run.loss_2, {.name = "loss 2"});
  out.picture("losses", draw_figure({&plot}, {560, 340, 1}), "One gradient per step, in turns.");
}

Artefact momentum_config_entry() {
  return {.id = "m-config",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3511-3539",
          .title = "M-ConFIG: momenta without conflict",
          .formula =
              "\\hat m_{g_k} = \\frac{m_{g_k}}{1 - \\beta_1^{t_{g_k}}}, \\quad g_c = "
              "\\frac{\\hat m_g (1 - \\beta_1^t) - \\beta_1 m_{t-1}}{1 - \\beta_1}",
          .says =
              "One loss per step renews its momentum; the direction with equal cosines to all "
              "momenta takes the place of the gradient in Adam.",
          .truth =
              "Until every loss had its turn, the bias correction of the others is 0 / 0: the "
              "first steps must not move. The momentum on the right of line 3523 is the one "
              "before, and the last line means the consensus.",
          .page = "training/balancers.md",
          .seconds = 0.1,
          .file = "lecture_4/momentum_config.cpp",
          .make = make_momentum_config};
}

}  // namespace cauchy::notes
