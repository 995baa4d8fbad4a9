#include <algorithm>
#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_epidemic_seird(Output& out) {
  const Coordinate t("t");
  const Field S("S"), E("E"), I("I"), R("R"), D("D");
  const double r0 = 2.5, latent = 2, infectious = 5, fatality = 0.02;
  const double beta = r0 / infectious, kappa = 1 / latent;
  const double gamma = (1 - fatality) / infectious, mu = fatality / infectious;
  Problem p;
  p.domain = Time(t, 0, 60);
  p.fields = {"S", "E", "I", "R", "D"};
  p.equation = {d(S, t) == -beta * S * I, d(E, t) == beta * S * I - kappa * E,
                d(I, t) == kappa * E - (gamma + mu) * I, d(R, t) == gamma * I, d(D, t) == mu * I};
  p.condition = {at(t == 0, S == 0.99), at(t == 0, E == 0), at(t == 0, I == 0.01),
                 at(t == 0, R == 0), at(t == 0, D == 0)};
  const Solution s = solve(p, Ode{.integrator = OdeIntegrator::dopri5, .tolerance = 1e-9});
  std::vector<double> times;
  std::vector<std::vector<double>> shares(5);
  double sum = 0, deaths = 0;
  for (int i = 0; i < 200; ++i) {
    times.push_back(60.0 * i / 199);
    const auto v = s.evaluate(std::vector<Expr>{S, E, I, R, D}, std::vector{times.back()});
    double all = -1;
    for (std::size_t k = 0; k < 5; ++k) {
      shares[k].push_back(v[k]);
      all += v[k];
    }
    sum = std::max(sum, std::abs(all));
    if (i > 0) deaths = std::max(deaths, std::abs(v[4] / (v[3] + v[4]) - fatality));
  }
  out.check("sum of all shares minus 1, largest", sum, 0, 1e-8);
  out.check("D / (R + D) minus the fatality, largest", deaths, 0, 1e-8);
  // dS/d(R + D) = -r0 S.
  out.check("ln(S / S_0) + R_0 (R + D) at t = 60",
            std::log(shares[0][199] / 0.99) + r0 * (shares[3][199] + shares[4][199]), 0, 1e-6);
  // The number of the latent and infectious is largest where S = 1 / R_0.
  std::vector<double> ill;
  for (std::size_t i = 0; i < 200; ++i) ill.push_back(shares[1][i] + shares[2][i]);
  const auto peak = std::size_t(std::max_element(ill.begin(), ill.end()) - ill.begin());
  out.check("S where E + I is largest, 1 / R_0", shares[0][peak], 1 / r0, 0.01);
  Plot plot({.title = "an epidemic with incubation and deaths",
             .x = {.label = "days"},
             .y = {.label = "share"}});
  const char* names[] = {"S, susceptible", "E, exposed", "I, infectious", "R, recovered",
                         "D, dead"};
  for (std::size_t k = 0; k < 5; ++k) plot.line(times, shares[k], {.name = names[k]});
  out.picture("seird", draw_figure({&plot}, {600, 380, 1}));
}

Artefact epidemic_seird_entry() {
  return {
      .id = "ho1-seird",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1182-1204",
      .title = "Hands-on 1.2: an epidemic with incubation and deaths (SEIRD)",
      .formula =
          R"(\dot{S} = -\beta S I, \quad \dot{E} = \beta S I - \kappa E, \quad \dot{I} = \kappa E - (\gamma + \mu) I, \quad \dot{R} = \gamma I, \quad \dot{D} = \mu I)",
      .says =
          "Five equations with R_0 = 2.5, two days of incubation, five of illness and a "
          "fatality of two percent.",
      .truth = "",
      .page = "methods/ode.md",
      .seconds = 0.1,
      .file = "lecture_2/epidemic_seird.cpp",
      .make = make_epidemic_seird};
}

}  // namespace cauchy::notes
