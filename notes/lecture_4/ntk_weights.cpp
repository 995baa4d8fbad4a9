#include <cmath>
#include <numeric>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/math/eigenvalues.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_ntk_weights(Output& out) {
  // -u'' = (4 pi)^2 sin 4 pi x on [0, 1], u = 0 at the ends: the residual outweighs the ends.
  const Coordinate x("x");
  const Field u("u");
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 40, .depth = 1}, {"x"}, std::vector<std::string>{"u"}));
  HostExecutor<double> net(
      graph, {{"ends", {u}}, {"inside", {d(u, x, x) + 16 * pi * pi * sin(4 * pi * x)}}},
      {.threads = 1});
  std::vector<double> inside;
  for (int i = 0; i < 24; ++i) inside.push_back((i + 0.5) / 24);
  net.set_points(0, std::vector<double>{0, 1});
  net.set_points(1, inside);
  std::vector<double> theta(graph->n_parameters());  // normal, as the theory has it
  Rng(1).fill_normal(theta);
  for (std::size_t i = 0; i < 40; ++i) theta[i] *= 4;
  const std::size_t n = theta.size();
  std::vector<double> steps, of_ends, of_inside;
  TrainingLoss loss(net);
  GradientDescent descent({.learning_rate = 1e-7});
  for (int step = 0; step <= 2000; ++step) {
    if (step % 100 == 0) {
      std::vector<double> rows(26);  // squared lengths of the rows of J: the diagonal of J J'
      net.gradient_norms(0, theta, std::span(rows).first(2));
      net.gradient_norms(1, theta, std::span(rows).last(24));
      const double ends = rows[0] + rows[1];
      const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
      of_ends.push_back(all / ends);
      of_inside.push_back(all / (all - ends));
      steps.push_back(step);
      if (step == 0) {  // the eigenvalues of the algorithm, which their sum makes needless
        std::vector<double> j(26 * n);
        net.jacobian(0, theta, std::span(j).first(2 * n));
        net.jacobian(1, theta, std::span(j).last(24 * n));
        Matrix k(26, 26);
        for (std::size_t a = 0; a < 26; ++a) {
          for (std::size_t b = 0; b < 26; ++b) {
            for (std::size_t p = 0; p < n; ++p) k(a, b) += j[a * n + p] * j[b * n + p];
          }
        }
        double sum = 0, least = 0;
        for (const auto& value : eigenvalues(k).values) {
          sum += value.real();
          least = std::min(least, value.real());
        }
        out.check("sum of the eigenvalues of K / its trace", sum / all, 1, 1e-10);
        out.check("least eigenvalue of K / its trace", least / all, 0, 1e-12);
      }
      for (const std::size_t t : {0, 1}) {
        loss.weigh(t, t == 0 ? of_ends.back() : of_inside.back(), WeightLayer::balancer);
      }
    }
    (void)descent.step(loss, theta);
  }
  for (const std::size_t k : {std::size_t{0}, steps.size() - 1}) {
    out.check(fmt::format("1 / lambda_b + 1 / lambda_r, step {:g}", steps[k]),
              1 / of_ends[k] + 1 / of_inside[k], 1, 1e-12);
  }
  out.text(fmt::format("At the start the ends weigh {:.0f}, the inside {:.3f}.", of_ends[0],
                       of_inside[0]));
  out.require("the ends weigh more than 50 times as much as the inside",
              of_ends[0] > 50 * of_inside[0]);
  Plot plot({.title = "weights from the traces of the tangent kernel",
             .x = {.label = "step"},
             .y = {.label = "lambda", .scale = AxisScale::log}});
  plot.line(steps, of_ends, {.name = "ends"}).line(steps, of_inside, {.name = "inside"});
  out.picture("weights", draw_figure({&plot}, {560, 340, 1}),
              "Second derivatives have long gradients; the ends are lifted to the same trace.");
}

Artefact ntk_weights_entry() {
  return {.id = "ntk-weights",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3657-3697",
          .title = "Weights from the neural tangent kernel",
          .formula =
              "\\lambda_b = \\frac{\\tr K}{\\tr K_{uu}}, \\quad \\lambda_r = \\frac{\\tr "
              "K}{\\tr K_{rr}}, \\quad K = J J^\\top",
          .says =
              "Eigenvalues of the kernel and of its blocks are computed in every step, and "
              "their sums give the weights of conditions and residuals.",
          .truth =
              "Only the sums are used, and these are traces: sums of squared lengths of the "
              "rows of J, without a matrix or eigenvalues. The inverse weights add up to 1.",
          .page = "training/balancers.md",
          .seconds = 0.1,
          .file = "lecture_4/ntk_weights.cpp",
          .make = make_ntk_weights};
}

}  // namespace cauchy::notes
