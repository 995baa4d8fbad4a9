#include <cmath>
#include <complex>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_spectral_volume(Output& out) {
  // f(x) = sum a_i relu(w_i x + c_i): f'' = sum a_i |w_i| delta at -c_i / w_i, so that
  // |f^(k)| = |sum a_i |w_i| exp(i k c_i / w_i)| / k^2. First the hat function, 2 (1 - cos k) /
  // k^2.
  const auto transform = [](const std::vector<double>& theta, double k) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < theta.size(); i += 3) {
      sum += theta[i] * std::abs(theta[i + 1]) * std::polar(1.0, k * theta[i + 2] / theta[i + 1]);
    }
    return std::abs(sum) / (k * k);
  };
  const std::vector<double> hat = {1, 1, 1, -2, 1,
                                   0, 1, 1, -1};  // relu(x+1) - 2 relu(x) + relu(x-1)
  for (const double k : {1.0, 5.0, 20.0}) {
    double cosine = 0;  // integral of the hat times cos(k x)
    for (int j = 0; j < 40'000; ++j) {
      const double at = -1 + (j + 0.5) / 20'000;
      cosine += (1 - std::abs(at)) * std::cos(k * at) / 20'000;
    }
    out.check(fmt::format("hat function, k = {:g}, against its integral", k), transform(hat, k),
              std::abs(cosine), 1e-8);
  }
  // 4,000 networks with eight features from the box [-1, 1]^24: how many exceed epsilon at k?
  Rng rng(6);
  std::vector<std::vector<double>> networks(4000, std::vector<double>(24));
  for (auto& theta : networks) {
    for (double& e : theta) e = rng.uniform(-1, 1);
  }
  Plot plot({.title = "share of networks with |f^(k)| > epsilon",
             .x = {.label = "k", .scale = AxisScale::log},
             .y = {.label = "share of the parameters",
                   .scale = AxisScale::log,
                   .limits = Limits{1e-4, 2}}});
  bool bounded = true;
  for (const double epsilon : {0.1, 0.01}) {
    std::vector<double> ks, shares, bounds;
    for (double k = 1; k < 40; k *= 1.25) {
      double above = 0, mean = 0;
      for (const auto& theta : networks) {
        const double f = transform(theta, k);
        above += f > epsilon ? 1.0 / 4000 : 0;
        mean += f / 4000;
      }
      ks.push_back(k), shares.push_back(above), bounds.push_back(mean / epsilon);
      bounded = bounded && above <= mean / epsilon + 1e-12;
    }
    plot.line(ks, shares, {.name = fmt::format("epsilon = {}", epsilon), .markers = true});
    plot.line(ks, bounds, {.name = "mean of |f^| / epsilon", .dashed = true});
    const double slope = std::log(bounds.back() / bounds[4]) / std::log(ks.back() / ks[4]);
    out.check(fmt::format("power of k in the bound, epsilon = {}: -Delta - 1", epsilon), slope, -2,
              0.1);
  }
  out.require("the share is below the bound everywhere", bounded);
  out.picture("volume", draw_figure({&plot}, {600, 360, 1}),
              "High frequencies need a rare set of parameters.");
}

Artefact spectral_volume_entry() {
  return {.id = "spectral-volume",
          .kind = Kind::recipe,
          .lecture = 4,
          .lines = "4668-4680",
          .title = "How rare parameters of high frequencies are",
          .formula =
              "\\frac{vol(\\Xi_\\epsilon(k))}{vol(\\Theta)} = O(k^{-\\Delta - 1}), \\quad 1 \\le "
              "\\Delta \\le d",
          .says =
              "The share of parameters for which a ReLU network has a large coefficient at "
              "frequency k falls like a power of k.",
          .truth =
              "The bound rests on |f^(k)| <= C / k^(Delta + 1); the decay k^(-n-1) in all "
              "directions, stated earlier, holds only off special directions, and the "
              "inequality of line 4663 is the other way round.",
          .page = "networks/spectral.md",
          .seconds = 0.1,
          .file = "lecture_4/spectral_volume.cpp",
          .make = make_spectral_volume};
}

}  // namespace cauchy::notes
