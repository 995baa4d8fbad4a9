// Runs:    random_walk [PICTURE.svg]
// Expects: walkers that go h to the left or right every tau spread like the heat equation with
//          D^2 = h^2 / (2 tau): variance 2 D^2 t, and a bell curve. A rod whose neighbouring pieces
//          exchange alpha (u_i-1 - 2 u_i + u_i+1) every tau has D^2 = alpha h^2 / tau, without a
//          factor of one half; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/series.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <vector>

int main(int argc, char** argv) {
  using namespace cauchy;
  const double h = 0.05, tau = 0.01, diffusion = h * h / (2 * tau);
  constexpr int steps = 400, walkers = 20000;
  std::vector<int> count(2 * steps + 1);
  double variance = 0;
  Rng rng(7);
  for (int w = 0; w < walkers; ++w) {
    int place = 0;
    for (int s = 0; s < steps; s += 50) {  // 50 steps from one word: the bits are the directions
      std::uint64_t bits = rng.bits64();
      for (int k = 0; k < 50; ++k, bits >>= 1) place += (bits & 1) != 0 ? 1 : -1;
    }
    ++count[static_cast<std::size_t>(place + steps)];
    variance += h * h * place * place / walkers;
  }
  const double t = steps * tau, expected = 2 * diffusion * t;
  // The variance of the estimate is 2 expected^2 / walkers: five standard deviations.
  bool good = std::abs(variance - expected) < 5 * expected * std::sqrt(2.0 / walkers);
  fmt::print("variance {:.5f}, 2 D^2 t = {:.5f}\n", variance, expected);

  const double alpha = 0.2;
  std::vector<double> u(401), next(401), x;
  u[200] = 1;
  for (int s = 0; s < 50; ++s, std::swap(u, next)) {
    for (std::size_t i = 1; i < 400; ++i) next[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1]);
  }
  double spread = 0;
  for (int i = 0; i < 401; ++i)
    spread += h * h * (i - 200) * (i - 200) * u[static_cast<std::size_t>(i)];
  good = good && std::abs(spread - 2 * (alpha * h * h / tau) * 50 * tau) < 1e-12;
  fmt::print("balance: variance {:.6f} = 2 (alpha h^2 / tau) t = {:.6f}\n", spread,
             2 * alpha * h * h * 50);

  std::vector<double> places, density, kernel;
  for (int k = -80; k <= 80; k += 2) {  // an even number of steps ends on even places
    places.push_back(k * h);
    density.push_back(count[static_cast<std::size_t>(k + steps)] / (walkers * 2 * h));
    kernel.push_back(heat_kernel(k * h, diffusion * t, 1));
  }
  Plot plot(
      {.title = "20,000 walkers after 400 steps", .x = {.label = "x"}, .y = {.label = "density"}});
  plot.scatter(places, density, {.name = "walkers"});
  plot.line(places, kernel, {.name = "heat kernel"});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}));
  return good ? 0 : 1;
}
