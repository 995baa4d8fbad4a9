#include <cmath>
#include <complex>
#include <vector>

#include <cauchy/math/fft.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_spectral_listing(Output& out) {
  constexpr std::size_t n = 200;
  Rng rng(0);
  std::vector<double> x(n), y(n), frequencies, amplitudes, found;
  for (std::size_t i = 0; i < n; ++i) x[i] = double(i) / n;  // equally spaced, without the end
  for (int i = 1; i <= 10; ++i) {
    const double k = 5 * i, a = 0.1 + 0.1 * (i - 1), phase = rng.uniform(0, 2 * pi);
    frequencies.push_back(k), amplitudes.push_back(a);
    for (std::size_t j = 0; j < n; ++j) y[j] += a * std::sin(2 * pi * k * x[j] + phase);
  }
  const RealFft<double> fft({n});
  std::vector<std::complex<double>> spectrum(fft.complex_size());
  fft.forward(y, spectrum);
  double off = 0, rest = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double a = 2 * std::abs(spectrum[k]) / n;
    if (k % 5 == 0 && k >= 5 && k <= 50) {
      found.push_back(a);
      off = std::max(off, std::abs(a - amplitudes[k / 5 - 1]));
    } else {
      rest = std::max(rest, a);
    }
  }
  out.check("largest error of the ten amplitudes in the spectrum of 200 samples", off, 0, 1e-12);
  out.check("largest other coefficient", rest, 0, 1e-12);
  // depth = 6 counts linear layers: five hidden ones.
  const Graph five = make_network(Mlp{.width = 256, .depth = 5, .activation = Activation::relu},
                                  {"z"}, std::vector<std::string>{"u"});
  const Graph six = make_network(Mlp{.width = 256, .depth = 6, .activation = Activation::relu},
                                 {"z"}, std::vector<std::string>{"u"});
  out.check("parameters of the network in the listing", 2 * 256 + 4 * 257 * 256 + 257.0,
            double(five.n_parameters()), 0);
  out.check("of the 6 hidden layers that the text promises", double(six.n_parameters()),
            2 * 256 + 5 * 257 * 256 + 257, 0);
  // A seed that is set after the weights were drawn changes nothing; here the seed draws them.
  const auto first =
      initial_parameters(five.parameters(), Rng(0), {.weights = Initialization::glorot_uniform});
  const auto again =
      initial_parameters(five.parameters(), Rng(0), {.weights = Initialization::glorot_uniform});
  out.require("the same seed gives the same first weights, to the last bit", first == again);
  double most = 0;
  for (std::size_t i = 512; i < 512 + 65'536; ++i) most = std::max(most, std::abs(first[i]));
  out.check("largest weight of a hidden layer, at most sqrt(6 / 512)", most, std::sqrt(6.0 / 512),
            1e-3);
  Plot target({.title = "the target and its 200 samples", .x = {.label = "z"}});
  target.line(x, y);
  Plot spectra(
      {.title = "amplitudes", .x = {.label = "frequency"}, .y = {.limits = Limits{0, 1.1}}});
  spectra.line(frequencies, amplitudes, {.name = "asked for"});
  spectra.scatter(frequencies, found, {.name = "by FFT", .radius = 4});
  out.picture("target", draw_figure({&target, &spectra}, {460, 300, 2}));
}

Artefact spectral_listing_entry() {
  return {
      .id = "spectral-bias-listing",
      .kind = Kind::listing,
      .lecture = 4,
      .lines = "4682-4789",
      .title = "The experiment on spectral bias, set up",
      .formula =
          "\\lambda(z) = \\sum_{i=1}^{10} A_i \\sin(2 \\pi k_i z + \\varphi_i), \\quad k_i = 5 i",
      .says = "Target, network, data and optimiser of the experiment.",
      .truth =
          "`log_every_steps` does not exist; the seed is set after the weights were drawn "
          "and does not reach them; depth = 6 makes five hidden layers.",
      .page = "networks/spectral.md",
      .seconds = 0.1,
      .file = "lecture_4/spectral_listing.cpp",
      .make = make_spectral_listing};
}

}  // namespace cauchy::notes
