// A shear layer of a gas rolls up: the compressible Euler equations by finite volumes.
//
// Runs: build/examples/kelvin_helmholtz [cells along a side, 64] [picture.png]
// Expects: mass is kept, density and pressure stay positive; six panels of the density at t = 0,
//   0.25, 0.5, 0.75, 1 and 2. Exit code 0.
#include <cmath>
#include <cstdio>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate t("t"), x("x"), y("y");
  const Field rho("rho"), u("u"), v("v"), p("p");
  const Expr E = p / (2.0 / 3) + rho * (u * u + v * v) / 2;  // gamma = 5/3
  const auto flux = [&](const Expr& a, const Expr& b) { return div(Vector{a, b}, {x, y}); };
  Problem problem;
  problem.name = "kelvin_helmholtz";
  problem.fields = {"rho", "u", "v", "p"};
  problem.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 2);
  problem.equation = {d(rho, t) + flux(rho * u, rho * v) == 0,
                      d(rho * u, t) + flux(rho * u * u + p, rho * u * v) == 0,
                      d(rho * v, t) + flux(rho * u * v, rho * v * v + p) == 0,
                      d(E, t) + flux((E + p) * u, (E + p) * v) == 0};
  const Expr strip = where(abs(y - 0.5) < 0.25, 1, 0);
  const auto bump = [&](double y0) { return exp(-400 * pow(y - y0, 2)); };
  const Expr kick = 0.1 * sin(4 * pi * x) * (bump(0.25) + bump(0.75));
  problem.condition = {at(t == 0, rho == 1 + strip), at(t == 0, u == strip - 0.5)};
  problem.condition.insert(problem.condition.end(), {at(t == 0, v == kick), at(t == 0, p == 2.5)});
  problem.condition.insert(problem.condition.end(), {periodic(x), periodic(y)});
  Fvm method{.n = argc > 1 ? std::atoi(argv[1]) : 64, .flux = FvmFlux::rusanov};
  method.reconstruction = FvmReconstruction::muscl_hancock;
  method.limiter = FvmLimiter::none;
  const Solution answer = solve(problem, method);
  std::printf("%s, %.1f s\n", answer.method.c_str(), answer.seconds);

  bool good = true;
  const auto n = static_cast<std::size_t>(method.n);
  std::vector<Plot> panels;
  for (const double time : {0.0, 0.25, 0.5, 0.75, 1.0, 2.0}) {
    Matrix density(n, n);
    double mass = 0;
    for (std::size_t k = 0; k < n * n; ++k) {
      const double at_x = (0.5 + static_cast<double>(k % n)) / method.n;
      const double row[] = {time, at_x, (0.5 + static_cast<double>(k / n)) / method.n};
      const std::vector<double> values = answer.evaluate(std::vector<Expr>{rho, p}, row);
      density(k / n, k % n) = values[0];
      mass += values[0] / (method.n * method.n);
      good = good && values[0] > 0 && values[1] > 0;
    }
    good = good && std::abs(mass - 1.5) < 1e-10;
    panels.emplace_back(PlotOptions{.title = "t = " + std::to_string(time).substr(0, 4)});
    panels.back().heat_map(density, {0, 1}, {0, 1});
  }
  std::vector<const Panel*> all;
  for (const Plot& panel : panels) all.push_back(&panel);
  if (argc > 2) save_picture(argv[2], draw_figure(all, {380, 340, 3}));
  return good ? 0 : 1;
}
