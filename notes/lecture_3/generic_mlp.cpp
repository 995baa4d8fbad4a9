#include <cmath>
#include <memory>

#include <cauchy/base/rng.hpp>
#include <cauchy/report/figure.hpp>

#include "lecture_3/information.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_generic_mlp(Output& out) {
  const std::vector<std::string> fields{"u"}, coordinates{"t", "x"};
  const auto network = [&](Activation s, int width, int depth) {
    return make_network(Mlp{.width = width, .depth = depth, .activation = s}, coordinates, fields);
  };
  // Weights by activation, biases uniform in +- 1 / sqrt(inputs).
  const InitializeOptions by_activation{.weights = Initialization::by_activation,
                                        .biases = BiasInitialization::uniform};
  for (const Activation s : {Activation::tanh, Activation::silu}) {
    const Graph graph = network(s, 64, 3);
    const std::vector<double> theta = initial_parameters(graph.parameters(), Rng(1), by_activation);
    double weight = 0, bias = 0, square = 0;
    const ParameterBlock &w = graph.parameters()[2], &b = graph.parameters()[3];  // 64 to 64
    for (std::ptrdiff_t k = 0; k < w.size(); ++k) {
      const double v = theta[std::size_t(w.offset + k)];
      weight = std::max(weight, std::abs(v));
      square += v * v / double(w.size());
    }
    for (std::ptrdiff_t k = 0; k < b.size(); ++k) {
      bias = std::max(bias, std::abs(theta[std::size_t(b.offset + k)]));
    }
    const double bound = s == Activation::tanh ? std::sqrt(6.0 / 128) : std::sqrt(6.0 / 64);
    const std::string name(to_string(s));
    out.check(name + ": largest weight of 64 x 64", weight, bound, 0.005 * bound);
    out.check(name + ": mean square, bound^2 / 3", square, bound * bound / 3,
              0.05 * bound * bound / 3);
    out.check(name + ": largest bias of 64, 1/8", bias, 0.125, 0.0125);
  }
  out.check("numbers in 5 x 64 tanh for (t, x) -> u",
            double(network(Activation::tanh, 64, 5).n_parameters()), 16897, 0);
  bool refused = false;
  try {
    (void)parse_problem_file(
        "name = \"x\"\nfields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n"
        "[[equation]]\nform = \"u_xx = 0\"\n[[condition]]\nwhere = "
        "\"boundary\"\nform = \"u = 0\"\n[method]\nkind = \"pinn\"\nnetwork = { "
        "activation = \"tanhh\" }\n",
        "x.toml");
  } catch (const Error& e) {
    refused = std::string(e.what()).find("tanh") != std::string::npos;
  }
  out.require("an activation that is not known is refused, with the nearest name", refused);

  // What the right weights are for: sizes of features through ten layers of relu.
  Plot plot({.title = "size of the features of ten relu layers",
             .x = {.label = "layer"},
             .y = {.label = "root mean square", .scale = AxisScale::log}});
  const Graph deep = network(Activation::relu, 64, 10);
  double last[2];
  for (const auto kind : {Initialization::by_activation, Initialization::glorot_uniform}) {
    const auto theta = initial_parameters(deep.parameters(), Rng(1), {.weights = kind});
    std::vector<double> layer, size(10);
    for (int p = 0; p < 100; ++p) {
      const auto layers = hidden_layers(deep.parameters(), theta, {p / 100.0, 1 - p / 50.0}, true);
      for (std::size_t l = 0; l < 10; ++l) {
        for (const double v : layers[l]) size[l] += v * v / 6400;
      }
    }
    for (std::size_t l = 0; l < 10; ++l)
      layer.push_back(double(l + 1)), size[l] = std::sqrt(size[l]);
    plot.line(layer, size, {.name = std::string(to_string(kind)), .markers = true});
    last[kind == Initialization::glorot_uniform ? 1 : 0] = size[9] / size[0];
  }
  out.require("Kaiming's weights keep the size of relu features within a factor of 3",
              last[0] > 1 / 3.0 && last[0] < 3);
  out.require("Xavier's weights lose at least a factor of 8 in ten layers", last[1] < 1 / 8.0);
  out.picture("sizes", draw_figure({&plot}, {560, 360, 1}));
}

Artefact generic_mlp_entry() {
  return {
      .id = "ho2-mlp",
      .kind = Kind::exercise,
      .lecture = 3,
      .lines = "2361-2393",
      .title = "Hands-on 2.1: a network with weights that suit its activation",
      .formula =
          R"(|W| \le \sqrt{\frac{6}{n + m}} \text{ (tanh)}, \quad |W| \le \sqrt{\frac{6}{n}} \text{ (SiLU, ReLU)}, \quad |b| \le \frac{1}{\sqrt{n}})",
      .says =
          "A multilayer perceptron with Xavier's weights for tanh and Kaiming's for SiLU and "
          "ReLU.",
      .truth = "An unknown activation is silently replaced by tanh there; here it is refused.",
      .page = "networks/fully-connected.md",
      .seconds = 0.1,
      .file = "lecture_3/generic_mlp.cpp",
      .make = make_generic_mlp};
}

}  // namespace cauchy::notes
