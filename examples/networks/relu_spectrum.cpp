// The Fourier transform of a ReLU network of one variable, f = sum of 1_P (W x + b) over the
// pieces P where it is affine: -i / k sum W 1_P^(k), against the fast Fourier transform.
//
// Runs:    relu_spectrum [PICTURE.svg]
// Expects: both agree; k^2 |f^(k)| stays bounded for the network and is 2 (1 - cos k) for the hat
//          function; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

using namespace cauchy;
using Complex = std::complex<double>;
constexpr std::size_t n = 1 << 15, n_modes = 200;

/// Values and slopes at the middles of n cells of [0, 1]; the same minus the line through the ends.
struct Samples {
  std::vector<double> u, slope;
};

/// -i / k sum_P W_P (integral of exp(-i k x) over P), P between the kinks.
Complex lemma(const Samples& s, double k) {
  Complex sum = 0;
  double begin = 0;
  const auto wave = [&](double x) { return std::exp(Complex(0, -k * x)); };
  for (std::size_t j = 0; j + 1 < n; ++j) {
    const double bend = s.slope[j] - s.slope[j + 1];
    if (std::abs(bend) < 1e-9) continue;
    const double h = 1.0 / n, x = (static_cast<double>(j) + 0.5) * h;
    const double kink = x + (s.u[j + 1] - s.u[j] - s.slope[j + 1] * h) / bend;
    sum += s.slope[j] * (wave(begin) - wave(kink)) / Complex(0, k);
    begin = kink;
  }
  sum += s.slope[n - 1] * (wave(begin) - wave(1)) / Complex(0, k);
  return Complex(0, -1) / k * sum;
}

int main(int argc, char** argv) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 12, .depth = 3, .activation = Activation::relu}, {"x"},
                   std::vector<std::string>{"u"}));
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(3));
  Rng rng(4);
  for (double& w : theta) w += 0.3 * rng.normal();  // biases too: kinks everywhere
  std::vector<double> points, out(2 * n), ends(2);
  for (std::size_t j = 0; j < n; ++j) points.push_back((static_cast<double>(j) + 0.5) / n);
  HostExecutor<double> executor(graph, {}, {.threads = 1});
  const Field u("u");
  executor.predict(std::vector<Expr>{u, d(u, Coordinate("x"))}, theta, points, out);
  executor.predict(std::vector<Expr>{u}, theta, std::vector<double>{0, 1}, ends);
  Samples net{std::vector<double>(n), std::vector<double>(n)}, hat = net;
  for (std::size_t j = 0; j < n; ++j) {  // 0 at both ends: continuous when continued by 0
    net.u[j] = out[2 * j] - ends[0] - points[j] * (ends[1] - ends[0]);
    net.slope[j] = out[2 * j + 1] - (ends[1] - ends[0]);
    hat.u[j] = 1 - std::abs(2 * points[j] - 1);
    hat.slope[j] = points[j] < 0.5 ? 2 : -2;
  }
  Plot plot({.title = "|f^(k)| of a ReLU network",
             .x = {.label = "k", .scale = AxisScale::log},
             .y = {.scale = AxisScale::log}});
  double worst = 0, bound = 0;
  for (const Samples* s : {&net, &hat}) {
    const RealFft<double> fft({n});
    std::vector<Complex> spectrum(fft.complex_size());
    fft.forward(s->u, spectrum);
    std::vector<double> k, size, quadratic;
    for (std::size_t m = 1; m <= n_modes; ++m) {
      k.push_back(2 * pi * static_cast<double>(m));
      const Complex shift = std::exp(Complex(0, -k.back() * 0.5 / n));  // middles of cells
      const Complex exact = lemma(*s, k.back()), measured = shift * spectrum[m] / double(n);
      const double square = k.back() * k.back();
      const double hat_exact = 4 * (1 - std::cos(k.back() / 2)) / square;
      worst = std::max(worst, std::abs(measured - exact) * square);
      if (s == &hat) worst = std::max(worst, std::abs(std::abs(exact) - hat_exact) * square);
      bound = std::max(bound, std::abs(exact) * square);
      size.push_back(std::abs(measured) + 1e-12);
      quadratic.push_back(10 / square);
    }
    plot.line(k, size, {.name = s == &net ? "random network" : "hat function"});
    if (s == &hat) plot.line(k, quadratic, {.name = "10 / k^2", .dashed = true});
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_height = 360}));
  // Frequencies k + 2 pi l n are read as k: pi^2 / 3 (n_modes / n)^2 of the bound at most.
  const double aliasing = 4 * bound * std::pow(double(n_modes) / n, 2);
  fmt::print("k^2 |difference| <= {:.1e} (aliasing {:.1e}), k^2 |f^| <= {:.1f}\n", worst, aliasing,
             bound);
  return worst < aliasing && bound < 100 ? 0 : 1;
}
