#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_epidemic_sir(Output& out) {
  const Coordinate t("t");
  const Field S("S"), I("I"), R("R");
  const double b = 1.2, c = 0.5;
  Problem sir;
  sir.domain = Time(t, 0, 60);
  sir.fields = {"S", "I", "R"};
  sir.equation = {d(S, t) == -b * S * I, d(I, t) == b * S * I - c * I, d(R, t) == c * I};
  sir.condition = {at(t == 0, S == 0.99), at(t == 0, I == 0.01), at(t == 0, R == 0)};
  const Solution s = solve(sir, Ode{.integrator = OdeIntegrator::dopri5, .tolerance = 1e-9});
  const double rates[] = {-b * 0.99 * 0.01, b * 0.99 * 0.01 - c * 0.01, c * 0.01};
  const double printed[] = {-0.01188, 0.00688, 0.005};
  for (std::size_t k = 0; k < 3; ++k) {
    out.check(fmt::format("rate of {} at the start", "SIR"[k]), rates[k], printed[k], 1e-15);
  }
  double sum = 0;
  std::vector<double> times;
  std::vector<std::vector<double>> shares(3);
  for (int i = 0; i < 50; ++i) {  // 50 times between 0 and 25
    times.push_back(25.0 * i / 49);
    const auto v = s.evaluate(std::vector<Expr>{S, I, R}, std::vector{times.back()});
    for (std::size_t k = 0; k < 3; ++k) shares[k].push_back(v[k]);
    sum = std::max(sum, std::abs(v[0] + v[1] + v[2] - 1));
  }
  out.check("S + I + R - 1, largest", sum, 0, 1e-8);
  // dS/dR = -(b/c) S: an identity at every time.
  out.check("ln(S / S_0) + (b/c) R at t = 25",
            std::log(shares[0][49] / 0.99) + b / c * shares[2][49], 0, 1e-7);
  double never = 0.1;  // who is never ill: ln(S / S_0) = -(b/c) (1 - S)
  for (int k = 0; k < 100; ++k) never = 0.99 * std::exp(-b / c * (1 - never));
  out.check("S at t = 60 against the final size", s("S", {60}), never, 1e-6);
  Plot plot({.title = "an epidemic", .x = {.label = "t"}, .y = {.label = "share"}});
  const char* names[] = {"S, susceptible", "I, infected", "R, removed"};
  for (std::size_t k = 0; k < 3; ++k) plot.line(times, shares[k], {.name = names[k]});
  out.picture("sir", draw_figure({&plot}, {600, 380, 1}));
}

Artefact epidemic_sir_entry() {
  return {.id = "ho1-sir",
          .kind = Kind::exercise,
          .lecture = 2,
          .lines = "1182-1204",
          .title = "Hands-on 1.1: an epidemic (SIR)",
          .formula = R"(\dot{S} = -b S I, \quad \dot{I} = b S I - c I, \quad \dot{R} = c I)",
          .says =
              "Three ordinary differential equations by an adaptive Runge-Kutta method, 50 times "
              "between 0 and 25, b = 1.2, c = 0.5.",
          .truth = "",
          .page = "methods/ode.md",
          .seconds = 0.1,
          .file = "lecture_2/epidemic_sir.cpp",
          .make = make_epidemic_sir};
}

}  // namespace cauchy::notes
