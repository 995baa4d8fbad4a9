#include <cmath>
#include <memory>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_loss_conventions(Output& out) {
  // lap u = 1 on [0, 2] x [0, 1], u = 0 around it: |Omega| = 2, |boundary| = 6.
  const Coordinate x("x"), y("y");
  const Expr u = Field("u");
  const std::vector<std::string> fields{"u"};
  const Mlp mlp{.width = 10, .depth = 2};
  const auto graph = std::make_shared<const Graph>(make_network(mlp, {"x", "y"}, fields));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(3));
  const std::vector<Expr> r{d(u, x, x) + d(u, y, y) - 1}, b{u};
  std::vector<double> inside = unit_points({}, 2, 4096), around;
  for (std::size_t i = 0; i < inside.size(); i += 2) inside[i] *= 2;
  for (int i = 0; i < 1200; ++i) {
    const double s = 6 * (i + 0.5) / 1200;
    if (s < 2) around.insert(around.end(), {s, 0});
    if (s >= 2 && s < 3) around.insert(around.end(), {2, s - 2});
    if (s >= 3 && s < 5) around.insert(around.end(), {5 - s, 1});
    if (s >= 5) around.insert(around.end(), {0, 6 - s});
  }
  const auto executor = make_executor(graph, {{"inside", r}, {"around", b}}, {.threads = 1});
  executor->set_points(0, inside);
  executor->set_points(1, around);
  std::vector<double> g(graph->n_parameters()), risk(g.size()), integral(g.size());
  (void)executor->gradient(theta, g);
  const double mean_inside = executor->last_terms()[0];
  // The integral convention with lambda_CI, and the mean convention with |boundary| / |Omega| of
  // it.
  const double lambda_ci = 5, lambda_nr = lambda_ci * 6 / 2;
  executor->set_weight(0, 2);
  executor->set_weight(1, 6 * lambda_ci);
  const double loss_ci = executor->gradient(theta, integral);
  executor->set_weight(0, 1);
  executor->set_weight(1, lambda_nr);
  const double loss_nr = executor->gradient(theta, risk);
  double differs = 0, size = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    differs = std::max(differs, std::abs(integral[i] - 2 * risk[i]));
    size = std::max(size, std::abs(integral[i]));
  }
  out.check("both losses, up to |Omega|", loss_ci / loss_nr, 2, 1e-13);
  out.check("their gradients, up to |Omega|, relative difference", differs / size, 0, 1e-13);
  // The mean of squares times |Omega| is the integral of r^2, not of r^4.
  const Rule ax = scaled(gauss_legendre(16), 0, 2), ay = scaled(gauss_legendre(16), 0, 1);
  double second = 0, fourth = 0;
  std::vector<double> at(1);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) {
      executor->predict(r, theta, std::vector{ax.nodes[i], ay.nodes[j]}, at);
      second += ax.weights[i] * ay.weights[j] * std::pow(at[0], 2);
      fourth += ax.weights[i] * ay.weights[j] * std::pow(at[0], 4);
    }
  }
  out.check("|Omega| / N sum r^2 against the integral of r^2", 2 * mean_inside, second,
            1e-3 * second);
  out.require("the integral of r^4, squared twice as printed, is another number",
              std::abs(fourth - second) > 0.05 * second);
  out.table("integrals",
            {{"what", "number"},
             {"mean of r^2 times |Omega|", fmt::format("{:.5f}", 2 * mean_inside)},
             {"integral of r^2", fmt::format("{:.5f}", second)},
             {"integral of r^4", fmt::format("{:.5f}", fourth)}},
            "of an untrained network");
}

Artefact loss_conventions_entry() {
  return {
      .id = "loss-conventions",
      .kind = Kind::table,
      .lecture = 3,
      .lines = "2454-2466",
      .title = "Integrals or means in the loss",
      .formula =
          R"(\int_\Omega |r|^2\,dx \approx \frac{|\Omega|}{N}\sum_i |r(x_i)|^2, \quad \lambda_{CI} = \frac{|\Omega|}{|\partial\Omega|}\,\lambda_{NR})",
      .says = "Losses as integrals and losses as means differ by a factor between their terms.",
      .truth =
          "The factor is right. But r is defined as a squared norm and then squared again, "
          "and the risk is the mean of r where it should be the mean of |r|^2: take r = "
          "F[u] - J, and square once.",
      .page = "solving.md",
      .seconds = 0.1,
      .file = "lecture_3/loss_conventions.cpp",
      .make = make_loss_conventions};
}

}  // namespace cauchy::notes
