#include <cmath>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_chebyshev_kan(Output& out) {
  constexpr std::size_t n_in = 2, degree = 4, batch = 50;
  // T[b, i, d] of tanh(x) by the recurrence, as in the listing.
  std::vector<double> x(batch * n_in), coefficients(n_in * (degree + 1)), y(batch);
  Rng(3).fill_normal(x);
  std::vector<double> t(batch * n_in * (degree + 1));
  for (std::size_t k = 0; k < batch * n_in; ++k) {
    double* at = &t[k * (degree + 1)];
    at[0] = 1, at[1] = std::tanh(x[k]);
    for (std::size_t d = 2; d <= degree; ++d) at[d] = 2 * at[1] * at[d - 1] - at[d - 2];
  }
  double off = 0;
  for (std::size_t k = 0; k < batch * n_in; ++k) {
    off =
        std::max(off, std::abs(t[k * (degree + 1) + 4] - std::cos(4 * std::acos(std::tanh(x[k])))));
  }
  out.check("largest |T_4(cos a) - cos 4 a|", off, 0, 1e-13);
  // y[b, o] = sum over i and d of T[b, i, d] C[i, o, d]; here for one output, against the layer.
  const auto graph =
      std::make_shared<const Graph>(make_network(ChebyshevKan{.hidden = {}, .degree = int(degree)},
                                                 {"x", "y"}, std::vector<std::string>{"u"}));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(4));
  out.check("parameters: inputs x outputs x (degree + 1)", double(theta.size()), 10, 0);
  HostExecutor<double> layer(graph, {{"u", {Field("u")}}}, {.threads = 1});
  std::vector<double> by_layer(batch);
  layer.predict(std::vector<Expr>{Field("u")}, theta, x, by_layer);
  // The layer keeps its coefficients by degree or by input: one of the two orders is the layer.
  double best = 1e300;
  for (const bool by_input : {true, false}) {
    double worst = 0;
    for (std::size_t b = 0; b < batch; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < n_in; ++i) {
        for (std::size_t d = 0; d <= degree; ++d) {
          sum += t[(b * n_in + i) * (degree + 1) + d] *
                 theta[by_input ? i * (degree + 1) + d : d * n_in + i];
        }
      }
      worst = std::max(worst, std::abs(sum - by_layer[b]));
    }
    best = std::min(best, worst);
  }
  out.check("largest difference of sum T[b,i,d] C[i,o,d] from the layer of the library", best, 0,
            1e-14);
  // As in the text, C[b, o, d] has no input index: inputs enter by the sum of their polynomials
  // alone, and the two inputs can never have different functions.
  const auto text = [&](double a, double b) {
    double sum = 0;
    for (std::size_t d = 0; d <= degree; ++d) {
      sum += theta[d] * (std::cos(double(d) * std::acos(std::tanh(a))) +
                         std::cos(double(d) * std::acos(std::tanh(b))));
    }
    return sum;
  };
  const std::vector<double> swapped = {1.2, -0.3, -0.3, 1.2};
  std::vector<double> pair(2);
  layer.predict(std::vector<Expr>{Field("u")}, theta, swapped, pair);
  out.check("indices of the text: f(1.2, -0.3) - f(-0.3, 1.2)", text(1.2, -0.3) - text(-0.3, 1.2),
            0, 1e-15);
  out.require("indices of the listing: the two values differ", std::abs(pair[0] - pair[1]) > 1e-3);
  Plot plot({.title = "T_0 ... T_4 of tanh x", .x = {.label = "x"}});
  for (int d = 0; d <= 4; ++d) {
    std::vector<double> at, values;
    for (int i = -150; i <= 150; ++i) {
      at.push_back(i / 50.0);
      values.push_back(std::cos(d * std::acos(std::tanh(i / 50.0))));
    }
    plot.line(at, values, {.name = fmt::format("T_{}", d)});
  }
  out.picture("basis", draw_figure({&plot}, {560, 300, 1}));
}

Artefact chebyshev_kan_entry() {
  return {.id = "chebyshev-kan",
          .kind = Kind::listing,
          .lecture = 5,
          .lines = "6767-6808",
          .title = "A layer of Chebyshev polynomials",
          .formula = "y_{bo} = \\sum_i \\sum_{d=0}^{n} T_d(\\tanh x_{bi}) C_{iod}",
          .says =
              "Inputs are squeezed by tanh, their Chebyshev polynomials are multiplied with "
              "trained coefficients and summed.",
          .truth =
              "The formula of the text sums T_bij C_boj: its coefficients depend on the sample "
              "and not on the input, so that all inputs would share one function. The listing "
              "is right: C has the indices input, output, degree.",
          .page = "networks/kan.md",
          .seconds = 0.1,
          .file = "lecture_5/chebyshev_kan.cpp",
          .make = make_chebyshev_kan};
}

}  // namespace cauchy::notes
