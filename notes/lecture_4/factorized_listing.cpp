#include <cmath>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_factorized_listing(Output& out) {
  const std::vector<std::string> inputs = {"x", "y", "z"}, fields = {"u"};
  const auto build = [&](bool factorized, Activation activation) {
    return std::make_shared<const Graph>(make_network(Mlp{.width = 16,
                                                          .depth = 2,
                                                          .activation = activation,
                                                          .factorized = factorized,
                                                          .factor_mean = 1.0},
                                                      inputs, fields));
  };
  const auto plain = build(false, Activation::relu), split = build(true, Activation::relu);
  out.check("parameters of 3-16-16-1", double(plain->n_parameters()), 353, 0);
  out.check("one scale per row more", double(split->n_parameters()), 353 + 33, 0);
  // Multiplied out, W = diag(e^s) V is the matrix of a plain layer: the same function.
  std::vector<double> theta = initial_parameters(split->parameters(), Rng(2)), product;
  const std::span<const ParameterBlock> blocks = split->parameters();
  double mean = 0;
  for (const ParameterBlock& block : blocks) {
    if (block.divides < 0) continue;  // s, one per row of the weight that it divides
    const ParameterBlock& weight = blocks[std::size_t(block.divides)];
    for (int row = 0; row < weight.rows; ++row) {
      const double s = theta[std::size_t(block.offset + row)];
      mean += s / 33;
      for (int k = 0; k < weight.cols; ++k) {
        theta[std::size_t(weight.offset + row * weight.cols + k)] *= std::exp(s);
      }
    }
  }
  for (const ParameterBlock& block : blocks) {
    if (block.divides >= 0) continue;
    product.insert(product.end(), theta.begin() + block.offset,
                   theta.begin() + block.offset + block.size());
  }
  out.check("mean of the 33 numbers s, normal around 1 with deviation 0.1", mean, 1, 0.07);
  std::vector<double> points(300), a(100), b(100), second(100);
  Rng(5).fill_normal(points);
  const auto values = [&](const std::shared_ptr<const Graph>& graph, std::span<const double> at,
                          const Expr& what, std::vector<double>& to) {
    HostExecutor<double> net(graph, {{"value", {Field("u")}}}, {.threads = 1});
    net.predict(std::vector<Expr>{what}, at, points, to);
  };
  const std::vector<double> start = initial_parameters(split->parameters(), Rng(2));
  const Expr u = Field("u"), u_xx = d(u, Coordinate("x"), Coordinate("x"));
  values(plain, product, u, a);
  values(split, start, u, b);
  double off = 0, curved = 0;
  for (std::size_t i = 0; i < 100; ++i) off = std::max(off, std::abs(a[i] - b[i]));
  out.check("largest difference of the two functions", off, 0, 1e-12);
  values(split, start, u_xx, second);
  for (const double e : second) curved = std::max(curved, std::abs(e));
  out.check("ReLU as in the listing: largest |u_xx|", curved, 0, 0);
  values(build(true, Activation::tanh), start, u_xx, second);
  for (const double e : second) curved = std::max(curved, std::abs(e));
  out.require("tanh: u_xx is not 0", curved > 1e-3);
  // The listing trains s itself. Descent on (s v + 2)^2 / 2 from s = 0.3, v = 2 leads s through 0;
  // with e^s, which cannot change its sign, v turns instead.
  std::vector<double> steps, direct, log_scale;
  double s = 0.3, v = 2, t = std::log(0.3), w = 2;
  for (int k = 0; k < 60; ++k) {
    steps.push_back(k), direct.push_back(s), log_scale.push_back(std::exp(t));
    const double r = s * v + 2, q = std::exp(t) * w + 2, scale = std::exp(t);
    const double s_next = s - 0.05 * r * v;
    v -= 0.05 * r * s;
    s = s_next;
    t -= 0.05 * q * scale * w;
    w -= 0.05 * q * scale;
  }
  out.check("product s v, trained directly", s * v, -2, 1e-2);
  out.require("s trained directly has become negative", s < 0);
  Plot plot({.title = "a scale on its way to a weight of the other sign",
             .x = {.label = "step"},
             .y = {.label = "scale"}});
  plot.line(steps, direct, {.name = "s, as listed"}).line(steps, log_scale, {.name = "exp(s)"});
  out.picture("scales", draw_figure({&plot}, {560, 320, 1}));
}

Artefact factorized_listing_entry() {
  return {.id = "rwf-listing",
          .kind = Kind::listing,
          .lecture = 4,
          .lines = "4175-4225",
          .title = "A factorised network of 3-16-16-1",
          .formula = "W_{ij} = e^{s_i} V_{ij}",
          .says =
              "A linear layer whose weights are a vector of scales times a matrix, with a small "
              "network made of it.",
          .truth =
              "The listing trains the scales themselves, which may change their sign; the "
              "algorithm beside it trains logarithms. ReLU between the layers has no second "
              "derivative, so that this network cannot solve an equation of second order.",
          .page = "networks/fully-connected.md",
          .seconds = 0.1,
          .file = "lecture_4/factorized_listing.cpp",
          .make = make_factorized_listing};
}

}  // namespace cauchy::notes
