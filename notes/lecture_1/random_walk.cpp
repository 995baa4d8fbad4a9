#include <cmath>
#include <utility>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/series.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_random_walk(Output& out) {
  // Walkers go h to the left or to the right every tau.
  const double h = 0.05, tau = 0.01, diffusion = h * h / (2 * tau);
  constexpr int steps = 400, walkers = 20000;
  std::vector<int> count(2 * steps + 1);
  double variance = 0;
  Rng rng(7);
  for (int w = 0; w < walkers; ++w) {
    int place = 0;
    for (int s = 0; s < steps; s += 50) {  // the bits of one word are 50 directions
      std::uint64_t bits = rng.bits64();
      for (int k = 0; k < 50; ++k, bits >>= 1) place += (bits & 1) != 0 ? 1 : -1;
    }
    ++count[std::size_t(place + steps)];
    variance += h * h * place * place / walkers;
  }
  // The estimate has the standard deviation expected sqrt(2 / walkers).
  const double t = steps * tau, expected = 2 * diffusion * t;
  out.check("variance of 20,000 walkers, 2 D^2 t", variance, expected,
            4 * expected * std::sqrt(2.0 / walkers));

  // Pieces of a rod exchange alpha (u(x + h) - 2 u(x) + u(x - h)) every tau.
  const double alpha = 0.2;
  std::vector<double> u(401), next(401);
  u[200] = 1;
  for (int s = 0; s < 50; ++s, std::swap(u, next)) {
    for (std::size_t i = 1; i < 400; ++i) next[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1]);
  }
  double spread = 0;
  for (std::size_t i = 0; i < 401; ++i) spread += std::pow(h * (double(i) - 200), 2) * u[i];
  out.check("diffusivity of the balance, alpha h^2 / tau", spread / (2 * 50 * tau),
            alpha * h * h / tau, 1e-12);
  out.check("it over the printed alpha h^2 / (2 tau)",
            spread / (2 * 50 * tau) / (alpha * h * h / (2 * tau)), 2, 1e-10);

  std::vector<double> places, density, kernel;
  for (int k = -80; k <= 80; k += 2) {  // an even number of steps ends on even places
    places.push_back(k * h);
    density.push_back(count[std::size_t(k + steps)] / (walkers * 2 * h));
    kernel.push_back(heat_kernel(k * h, diffusion * t, 1));
  }
  Plot plot({.title = "400 steps", .x = {.label = "x"}, .y = {.label = "density"}});
  plot.scatter(places, density, {.name = "20,000 walkers"});
  plot.line(places, kernel, {.name = "heat kernel"});
  out.picture("walk", draw_figure({&plot}, {640, 400, 1}), "Walkers spread like heat.");
}

Artefact random_walk_entry() {
  return {
      .id = "random-walk",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "262-300",
      .title = "The heat equation from a random walk and from a balance",
      .formula =
          R"(D^2 = \frac{h^2}{2\tau} \text{ (walk)}, \quad D^2 = \frac{\alpha h^2}{\tau} \text{ (balance)})",
      .says =
          "Walkers that step left or right, and pieces of a rod that exchange heat with "
          "their neighbours, both obey the heat equation in the limit.",
      .truth =
          "The balance has no factor 1/2: a flux alpha ([u(x+h) - u] + [u(x-h) - u]) gives "
          "alpha h^2 / tau. The half belongs to the walk alone, where each direction has "
          "probability 1/2.",
      .page = "applications.md",
      .seconds = 0.1,
      .file = "lecture_1/random_walk.cpp",
      .make = make_random_walk};
}

}  // namespace cauchy::notes
