#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/report/figure.hpp>

#include "lecture_3/information.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_mutual_information(Output& out) {
  // A chain X -> Y -> Z of lookup tables over 4,096 equally likely x, with a second variable W.
  Rng rng(3);
  std::vector<int> x, y, z, w, relabelled;
  int first[64], second[16];
  for (int& v : first) v = int(16 * rng.uniform());
  for (int& v : second) v = int(5 * rng.uniform());
  for (int i = 0; i < 4096; ++i) {
    x.push_back(i % 64);
    y.push_back(first[i % 64]);
    z.push_back(second[y.back()]);
    w.push_back((i % 64) / 8 + int(3 * rng.uniform()));
    relabelled.push_back(7 * y.back() + 3);
  }
  const auto H = [](const auto& a) { return entropy(a); };
  const auto I = [](const auto& a, const auto& b) { return mutual_information(a, b); };
  std::vector<std::pair<int, int>> xw;
  for (std::size_t i = 0; i < x.size(); ++i) xw.emplace_back(x[i], w[i]);
  out.check("H(X) of 64 equally likely values, bits", H(x), 6, 1e-12);
  out.check("I(X; W) - I(W; X)", I(x, w) - I(w, x), 0, 1e-12);
  out.check("I(X; W) - (H(W) - H(W | X))", I(x, w) - (H(w) - (H(xw) - H(x))), 0, 1e-12);
  out.check("I(X; X) - H(X)", I(x, x) - H(x), 0, 1e-12);
  out.check("I(X; Y) - H(Y) for Y a function of X", I(x, y) - H(y), 0, 1e-12);
  out.check("change of I(X; Y) by new names for Y", I(x, relabelled) - I(x, y), 0, 1e-12);
  out.require("X -> Y -> Z: I(X; Y) >= I(X; Z), strictly", I(x, y) > I(x, z) + 0.1);
  out.require("I(X; W) is not negative", I(x, w) >= 0);

  // Two normal numbers of correlation rho: I = -log2(1 - rho^2) / 2, by 20 x 20 bins.
  Plot plot({.title = "two normal numbers", .x = {.label = "correlation"}, .y = {.label = "bits"}});
  std::vector<double> rhos, found, exact;
  for (const double rho : {0.0, 0.3, 0.5, 0.7, 0.8, 0.9}) {
    std::vector<int> a, b;
    for (int i = 0; i < 100'000; ++i) {
      const double p = rng.normal(), q = rho * p + std::sqrt(1 - rho * rho) * rng.normal();
      a.push_back(int(std::floor(p / 0.3)));
      b.push_back(int(std::floor(q / 0.3)));
    }
    rhos.push_back(rho);
    found.push_back(I(a, b));
    exact.push_back(-0.5 * std::log2(1 - rho * rho));
    out.check(fmt::format("bits, correlation {}", rho), found.back(), exact.back(), 0.04);
  }
  plot.line(rhos, exact, {.name = "-log2(1 - rho^2) / 2"});
  plot.scatter(rhos, found, {.name = "bins of 0.3, 100,000 samples", .radius = 4});
  out.picture("normal", draw_figure({&plot}, {560, 360, 1}),
              "Bins lose a little information, and few samples per bin invent a little.");
}

Artefact mutual_information_entry() {
  return {
      .id = "mutual-information",
      .kind = Kind::figure,
      .lecture = 3,
      .lines = "2996-3051",
      .title = "Entropy, mutual information and their identities",
      .formula =
          R"(H(X) = -\sum_x p(x)\log p(x), \quad I(X;Y) = H(X) + H(Y) - H(X,Y), \quad X \to Y \to Z:\ I(X;Y) \ge I(X;Z))",
      .says =
          "Mutual information is symmetric, not negative, does not depend on names, and "
          "cannot grow along a chain.",
      .truth = "",
      .page = "",
      .seconds = 0.2,
      .file = "lecture_3/mutual_information.cpp",
      .make = make_mutual_information};
}

}  // namespace cauchy::notes
