#include <cmath>
#include <complex>
#include <vector>

#include <cauchy/math/fft.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

using AfnoNumber = std::complex<double>;

/// The pseudocode for one sample [h, w, d] in k blocks; weights [k, d/k, d/k] twice, biases [k,
/// d/k] twice; the transform is orthonormal.
std::vector<double> afno_pseudocode(const std::vector<double>& x, std::size_t h, std::size_t w,
                                    std::size_t d, std::size_t k, double lambda,
                                    const std::vector<AfnoNumber>& weights,
                                    const std::vector<AfnoNumber>& biases) {
  const RealFft<double> fft({h, w});
  const std::size_t modes = fft.complex_size(), size = d / k;
  const double scale = std::sqrt(double(h * w));
  std::vector<AfnoNumber> z(modes * d), spectrum(modes);
  std::vector<double> plane(h * w), out(x.size());
  for (std::size_t c = 0; c < d; ++c) {
    for (std::size_t p = 0; p < h * w; ++p) plane[p] = x[p * d + c];
    fft.forward(plane, spectrum);
    for (std::size_t m = 0; m < modes; ++m) z[m * d + c] = spectrum[m] / scale;
  }
  const auto relu = [](AfnoNumber v) {
    return AfnoNumber(std::max(v.real(), 0.0), std::max(v.imag(), 0.0));
  };
  const auto shrink = [&](double v) {
    return std::copysign(std::max(std::abs(v) - lambda, 0.0), v);
  };
  std::vector<AfnoNumber> in(size), half(size);
  for (std::size_t m = 0; m < modes; ++m) {
    for (std::size_t b = 0; b < k; ++b) {  // the same two layers for every token
      AfnoNumber* token = &z[m * d + b * size];
      std::copy(token, token + size, in.begin());
      for (std::size_t layer = 0; layer < 2; ++layer) {
        for (std::size_t o = 0; o < size; ++o) {
          half[o] = biases[(layer * k + b) * size + o];
          for (std::size_t i = 0; i < size; ++i) {
            half[o] += in[i] * weights[((layer * k + b) * size + i) * size + o];
          }
          if (layer == 0) half[o] = relu(half[o]);
        }
        in = half;
      }
      for (std::size_t o = 0; o < size; ++o)
        token[o] = {shrink(in[o].real()), shrink(in[o].imag())};
    }
  }
  for (std::size_t c = 0; c < d; ++c) {
    for (std::size_t m = 0; m < modes; ++m) spectrum[m] = z[m * d + c] * scale;
    fft.inverse(spectrum, plane);
    for (std::size_t p = 0; p < h * w; ++p) out[p * d + c] = x[p * d + c] + plane[p];
  }
  return out;
}

}  // namespace

void make_afno_steps(Output& out) {
  constexpr std::size_t h = 16, w = 16, d = 8, k = 4;
  Rng rng(1);
  std::vector<double> x(h * w * d);
  rng.fill_normal(x);
  std::vector<AfnoNumber> weights(2 * k * 4), biases(2 * k * 2), none = weights, no_bias = biases;
  for (auto* list : {&weights, &biases}) {
    for (AfnoNumber& v : *list) v = {0.3 * rng.normal(), 0.3 * rng.normal()};
  }
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
  };
  out.check("weights 0: the layer is the identity",
            distance(afno_pseudocode(x, h, w, d, k, 0.01, none, no_bias), x), 0, 0);
  const std::vector<double> y = afno_pseudocode(x, h, w, d, k, 0.01, weights, biases);
  out.require("with weights it is not", distance(y, x) > 0.1);
  // Blocks stand beside each other: what block 0 sees does not reach the channels of block 1.
  std::vector<double> changed = x;
  for (std::size_t p = 0; p < h * w; ++p) changed[p * d] += 1;
  const std::vector<double> z = afno_pseudocode(changed, h, w, d, k, 0.01, weights, biases);
  double others = 0, own = 0;
  for (std::size_t p = 0; p < h * w; ++p) {
    for (std::size_t c = 0; c < d; ++c) {
      (c < 2 ? own : others) =
          std::max(c < 2 ? own : others, std::abs(z[p * d + c] - y[p * d + c]));
    }
  }
  out.check("channel 0 changed: largest change in other blocks", others, 0, 1e-12);
  out.require("and within its own block", own > 0.1);
  // lambda so large that nothing is left: the identity again.
  out.check("a threshold above all coefficients: the identity",
            distance(afno_pseudocode(x, h, w, d, k, 1e6, weights, biases), x), 0, 0);
  std::vector<std::vector<std::string>> rows = {{"step", "shape"},
                                                {"x", "[b, h, w, d]"},
                                                {"real transform", "[b, h, w/2 + 1, d]"},
                                                {"blocks", "[b, h, w/2 + 1, k, d/k]"},
                                                {"two layers per block", "[b, h, w/2 + 1, k, d/k]"},
                                                {"soft shrinkage", "[b, h, w/2 + 1, d]"},
                                                {"inverse, plus x", "[b, h, w, d]"}};
  out.table("shapes", rows);
  std::vector<double> lambdas, moved;
  for (double lambda = 1e-3; lambda < 3; lambda *= 1.4) {
    lambdas.push_back(lambda);
    const std::vector<double> v = afno_pseudocode(x, h, w, d, k, lambda, weights, biases);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += std::pow(v[i] - x[i], 2) / double(v.size());
    moved.push_back(std::sqrt(sum));
  }
  Plot plot({.title = "what the mixer adds, against its threshold",
             .x = {.label = "lambda", .scale = AxisScale::log},
             .y = {.label = "root mean square"}});
  plot.line(lambdas, moved, {.markers = true});
  out.picture("threshold", draw_figure({&plot}, {540, 300, 1}));
}

Artefact afno_steps_entry() {
  return {.id = "afno-pseudocode",
          .kind = Kind::listing,
          .lecture = 5,
          .lines = "7492-7513",
          .title = "The mixer of an adaptive Fourier operator, step by step",
          .formula = "y = x + F^{-1} S_\\lambda ( W_2 \\relu(W_1 F x + b_1) + b_2 )",
          .says =
              "Transform, a small network per block of channels that all modes share, soft "
              "shrinkage, inverse transform, and the input added.",
          .truth = "",
          .page = "operators/networks.md",
          .seconds = 0.1,
          .file = "lecture_5/afno_steps.cpp",
          .make = make_afno_steps};
}

}  // namespace cauchy::notes
