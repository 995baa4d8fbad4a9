// A shear layer of a gas rolls up: the compressible Euler equations by finite volumes.
//
// Runs: build/examples/kelvin_helmholtz [cells along a side, 64] [picture.png]
// Expects: mass is kept to 1e-10 by the interpolated answer, density and pressure stay positive;
//   six panels of the density at t = 0, 0.25, 0.5, 0.75, 1 and 2. Exit code 0.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate t("t"), x("x"), y("y");
  const Field rho("rho"), u("u"), v("v"), p("p");
  const double gamma = 5.0 / 3, s = 0.05 / std::sqrt(2.0);
  const Expr E = p / (gamma - 1) + rho * (u * u + v * v) / 2;
  const Expr strip = where(abs(y - 0.5) < 0.25, 1, 0);
  const std::vector<Expr> space = {x, y};

  Problem problem;
  problem.name = "kelvin_helmholtz";
  problem.fields = {"rho", "u", "v", "p"};
  problem.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 2);
  problem.equation = {d(rho, t) + div(Vector{rho * u, rho * v}, space) == 0,
                      d(rho * u, t) + div(Vector{rho * u * u + p, rho * u * v}, space) == 0,
                      d(rho * v, t) + div(Vector{rho * u * v, rho * v * v + p}, space) == 0,
                      d(E, t) + div(Vector{(E + p) * u, (E + p) * v}, space) == 0};
  const auto bump = [&](double at) { return exp(-pow(y - at, 2) / (2 * s * s)); };
  problem.condition = {at(t == 0, rho == 1 + strip),
                       at(t == 0, u == strip - 0.5),
                       at(t == 0, v == 0.1 * sin(4 * pi * x) * (bump(0.25) + bump(0.75))),
                       at(t == 0, p == 2.5),
                       periodic(x),
                       periodic(y)};
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  const Solution answer = solve(problem, Fvm{.n = n,
                                             .flux = FvmFlux::rusanov,
                                             .reconstruction = FvmReconstruction::muscl_hancock,
                                             .limiter = FvmLimiter::none});
  std::printf("%s, %.1f s\n", answer.method.c_str(), answer.seconds);

  bool good = true;
  const auto cells = static_cast<std::size_t>(n);
  std::vector<Plot> panels;
  for (const double time : {0.0, 0.25, 0.5, 0.75, 1.0, 2.0}) {
    std::vector<double> points, density(cells * cells);
    for (std::size_t k = 0; k < cells * cells; ++k) {
      points.insert(points.end(), {time, (static_cast<double>(k % cells) + 0.5) / n,
                                   (static_cast<double>(k / cells) + 0.5) / n});
    }
    const std::vector<double> values = answer.evaluate(std::vector<Expr>{rho, p}, points);
    double mass = 0;
    for (std::size_t k = 0; k < cells * cells; ++k) {
      mass += (density[k] = values[2 * k]) / (n * n);
      good = good && density[k] > 0 && values[2 * k + 1] > 0;
    }
    good = good && std::abs(mass - 1.5) < 1e-10;
    panels.emplace_back(PlotOptions{.title = "t = " + std::to_string(time).substr(0, 4)});
    panels.back().heat_map(MatrixView<const double>(density.data(), cells, cells), {0, 1}, {0, 1});
  }
  std::vector<const Panel*> all;
  for (const Plot& panel : panels) all.push_back(&panel);
  if (argc > 2)
    save_picture(argv[2],
                 draw_figure(all, {.panel_width = 380, .panel_height = 340, .columns = 3}));
  std::printf("%s\n", good ? "all as expected" : "something is wrong");
  return good ? 0 : 1;
}
