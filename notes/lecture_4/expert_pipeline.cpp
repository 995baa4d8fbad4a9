#include <cmath>
#include <numeric>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_expert_pipeline(Output& out) {
  // Step 5 (c) for the terms of Allen-Cahn's equation at the start of a training.
  const Coordinate t("t"), x("x");
  const Field u("u");
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 16, .depth = 2}, {"t", "x"}, std::vector<std::string>{"u"}));
  HostExecutor<double> net(graph,
                           {{"start", {u - x * x * cos(pi * x)}},
                            {"residual", {d(u, t) - 1e-4 * d(u, x, x) - 5 * (u - u * u * u)}}},
                           {.threads = 1});
  std::vector<double> start, inside;
  for (int i = 0; i < 100; ++i) {
    start.insert(start.end(), {0.0, -1 + 0.02 * i});
    inside.insert(inside.end(), {0.1 * (i / 10), -1 + 0.2 * (i % 10)});
  }
  net.set_points(0, start);
  net.set_points(1, inside);
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  std::vector<double> gradient(theta.size()), parts(2 * theta.size());
  (void)net.gradient(theta, gradient, {.terms = parts});
  double norms[2] = {0, 0};
  for (std::size_t i = 0; i < parts.size(); ++i) norms[i / theta.size()] += parts[i] * parts[i];
  for (double& e : norms) e = std::sqrt(e);
  const double lambda[] = {(norms[0] + norms[1]) / norms[0], (norms[0] + norms[1]) / norms[1]};
  out.check("1 / lambda_ic + 1 / lambda_r", 1 / lambda[0] + 1 / lambda[1], 1, 1e-14);
  out.check("lambda_ic |g_ic| / (lambda_r |g_r|)", lambda[0] * norms[0] / (lambda[1] * norms[1]), 1,
            1e-13);
  // The whole pipeline, reduced, beside a plain network of the same size.
  const std::string text = R"toml(
name = "allen_cahn"
fields = ["u"]
[domain]
time = { t = [0, 0.5] }
space = { x = [-1, 1] }
[[equation]]
form = "u_t = 1e-3*u_xx + 5*(u - u^3)"
[[condition]]
where = "t = 0"
form = "u = x^2*cos(pi*x)"
[[condition]]
periodic = "x"
[method]
kind = "pinn"
network = { width = 24, depth = 2 }
points = { interior = 400, initial = 80, redraw = 1, sampler = "uniform" }
stage = [{ optimizer = "adam", steps = 1500, learning_rate = 3e-3, schedule = "exponential", final_factor = 0.1 }]
)toml";
  const std::vector<std::string> expert = {
      "method.network.fourier=16",
      "method.network.fourier_scale=1",
      "method.network.factorized=true",
      "method.network.factor_mean=1",
      "method.balancer={ kind = \"gradient-norms\", period = 200 }",
      "method.point_weights=[{ kind = \"causal\", epsilon = [1], chunks = 16 }]"};
  const ProblemFile classical =
      parse_problem_file(text, "allen_cahn.toml", ".", {"method={ kind = \"spectral\" }"});
  const Solution truth = solve(classical.problem, classical.method, {.threads = 1});
  std::vector<double> at;
  for (int i = 0; i <= 200; ++i) at.insert(at.end(), {0.5, -1 + 0.01 * i});
  std::vector<double> xs, exact = truth("u", at);
  for (std::size_t i = 1; i < at.size(); i += 2) xs.push_back(at[i]);
  Plot plot({.title = "Allen-Cahn at the end", .x = {.label = "x"}, .y = {.label = "u"}});
  plot.line(xs, exact, {.name = "Fourier series", .color = black, .dashed = true});
  std::vector<double> errors;
  for (const bool pipeline : {false, true}) {
    const ProblemFile file = parse_problem_file(text, "allen_cahn.toml", ".",
                                                pipeline ? expert : std::vector<std::string>{});
    const Solution s = solve(file.problem, file.method, {.threads = 1, .error_share = 0});
    const std::vector<double> values = s("u", at);
    double sum = 0, norm = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += std::pow(values[i] - exact[i], 2), norm += exact[i] * exact[i];
    }
    errors.push_back(std::sqrt(sum / norm));
    plot.line(xs, values, {.name = pipeline ? "pipeline" : "plain network"});
  }
  out.text(fmt::format("Relative error at the end: {:.1e} with the pipeline, {:.1e} without.",
                       errors[1], errors[0]));
  out.check("error of the pipeline", errors[1], 0, 0.4);
  out.require("it is less than half of that of the plain network", errors[1] < errors[0] / 2);
  out.picture("profiles", draw_figure({&plot}, {600, 340, 1}));
}

Artefact expert_pipeline_entry() {
  return {.id = "expert-pipeline",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5905-5975",
          .title = "The pipeline of an expert's guide",
          .formula =
              "\\hat \\lambda_i = \\frac{\\sum_j \\lVert \\nabla L_j \\rVert}{\\lVert \\nabla "
              "L_i \\rVert}, \\quad \\lambda \\to \\alpha \\lambda + (1 - \\alpha) \\hat \\lambda",
          .says =
              "Fourier features, factorised weights, causal weights in time and weights of terms "
              "from the lengths of gradients, together. Reduced: viscosity 1e-3, half of the time, "
              "1,500 steps.",
          .truth =
              "The update of the weights is named after the tangent kernel, but its formulas are "
              "gradient norms; the inverse weights add up to 1.",
          .page = "training/recipes.md",
          .seconds = 1.4,
          .file = "lecture_4/expert_pipeline.cpp",
          .make = make_expert_pipeline};
}

}  // namespace cauchy::notes
