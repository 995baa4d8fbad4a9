#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_soft_shrinkage(Output& out) {
  // The minimum of (z - w)^2 + lambda |z| by looking at many z.
  const double lambda = 0.8;
  const auto shrink = [](double w, double by) {
    return std::copysign(std::max(std::abs(w) - by, 0.0), w);
  };
  const auto minimum = [&](double w, double factor) {
    double best = 0, least = factor * w * w;
    for (int i = -300'000; i <= 300'000; ++i) {
      const double z = i * 1e-5, value = factor * (z - w) * (z - w) + lambda * std::abs(z);
      if (value < least) least = value, best = z;
    }
    return best;
  };
  std::vector<double> at, printed, right;
  for (int i = -40; i <= 40; ++i) {
    const double w = i / 20.0;
    at.push_back(w), printed.push_back(shrink(w, lambda)), right.push_back(shrink(w, lambda / 2));
  }
  std::vector<double> searched_at, searched;
  for (const double w : {-1.7, -0.5, -0.2, 0.3, 0.6, 1.5}) {
    searched_at.push_back(w);
    searched.push_back(minimum(w, 1));
    out.check(fmt::format("minimiser for w = {}: S with lambda / 2", w), searched.back(),
              shrink(w, lambda / 2), 2e-5);
    out.check(fmt::format("with 1/2 in front of the square, w = {}: S with lambda", w),
              minimum(w, 0.5), shrink(w, lambda), 2e-5);
  }
  out.require("S with lambda is not the minimiser of the printed sum",
              std::abs(searched.back() - shrink(1.5, lambda)) > 0.3);
  Plot plot({.title = "argmin (z - w)^2 + 0.8 |z|", .x = {.label = "w"}, .y = {.label = "z"}});
  plot.line(at, printed, {.name = "S with lambda, as printed"});
  plot.line(at, right, {.name = "S with lambda / 2"});
  plot.scatter(searched_at, searched, {.name = "by search", .radius = 4});
  out.picture("shrinkage", draw_figure({&plot}, {540, 340, 1}));
}

Artefact soft_shrinkage_entry() {
  return {.id = "soft-shrinkage",
          .kind = Kind::recipe,
          .lecture = 5,
          .lines = "7482-7490",
          .title = "By how much soft shrinkage shrinks",
          .formula =
              "\\argmin_z (z - w)^2 + \\lambda |z| = S_{\\lambda/2}(w), \\quad S_\\lambda(w) = "
              "\\sign(w) \\max(|w| - \\lambda, 0)",
          .says = "Sparse spectra are asked for by a penalty, whose minimiser is soft shrinkage.",
          .truth =
              "The printed sum is minimised by a shrinkage of lambda / 2; for lambda the square "
              "needs a factor 1/2.",
          .page = "operators/networks.md",
          .seconds = 0.1,
          .file = "lecture_5/soft_shrinkage.cpp",
          .make = make_soft_shrinkage};
}

}  // namespace cauchy::notes
