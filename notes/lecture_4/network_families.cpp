#include <vector>

#include <cauchy/networks/field_network.hpp>
#include <cauchy/tensor/graph.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_network_families(Output& out) {
  const Coordinate x("x");
  const Field u("u");
  Problem rod;
  rod.name = "rod";
  rod.fields = {"u"};
  rod.domain = Interval(x, 0, 1);
  rod.equation = {-d(u, x, x) == 4 * pi * pi * sin(2 * pi * x)};
  rod.condition = {on_boundary(u == 0)};
  rod.reference.formulas["u"] = sin(2 * pi * x);
  std::vector<std::vector<std::string>> rows = {
      {"family", "type", "network", "parameters", "error"}};
  const auto row = [&](const char* family, const char* type, const Network& network, bool linear,
                       double parameters) {
    Pinn method{.network = network, .points = {.interior = 60, .boundary = 2}};
    method.stages = {{QuasiNewtonOptions{.threads = 1}, 150}};
    if (linear) method.stages = {{GaussNewtonOptions{}, 2}};
    const Solution s = solve(rod, method, {.threads = 1, .error_share = 0});
    const double error = s.error.relative_l2();
    rows.push_back({family, type, describe(network), std::to_string(s.n_unknowns),
                    fmt::format("{:.1e}", error)});
    out.check(fmt::format("{}: numbers that are trained", type), double(s.n_unknowns), parameters,
              0);
    out.check(fmt::format("{}: relative error", type), error, 0, 0.02);
  };
  row("fully connected", "1 layer, random features", Elm{.features = 40}, true, 41);
  row("fully connected", "2 to 4 layers", Mlp{.width = 16, .depth = 2}, false, 32 + 17 * 16 + 17);
  row("fully connected", "5 to 8 layers", Mlp{.width = 8, .depth = 6}, false, 16 + 5 * 72 + 9);
  row("fully connected", "9 layers and more", Mlp{.width = 6, .depth = 9}, false, 12 + 8 * 42 + 7);
  row("fully connected", "several networks with a gate",
      Experts{.experts = {Mlp{.width = 8, .depth = 1}, Mlp{.width = 8, .depth = 1}},
              .gate = {Mlp{.width = 4, .depth = 1}}},
      false, 25 + 25 + 8 + 10);
  const Lstm cell{};
  const double of_cell =
      double(make_network(cell, {"x"}, std::vector<std::string>{"u"}).n_parameters());
  row("recurrent", "LSTM", cell, false, of_cell);
  const FieldGrid grid{.axes = {{.n = 32, .periodic = true}}};
  for (const auto& [type, network] : {std::pair{"plain CNN", FieldNetwork(Cnn{})},
                                      {"encoder and decoder (U-Net)", FieldNetwork(Unet{})}}) {
    TensorGraph graph;
    (void)add_field_network(graph, network, graph.input("a", {1, {32}}), grid, 1);
    rows.push_back({"convolutional", type, describe(network), std::to_string(graph.n_parameters()),
                    "maps functions, see lecture 5"});
    out.require(fmt::format("{}: has parameters", type), graph.n_parameters() > 100);
  }
  rows.push_back({"other", "Bayesian, generative", "not here", "", ""});
  out.table("families", rows,
            "-u'' = 4 pi^2 sin(2 pi x) on 60 points, 150 steps of SSBroyden; random "
            "features need one linear solution");
}

Artefact network_families_entry() {
  return {.id = "network-families",
          .kind = Kind::table,
          .lecture = 4,
          .lines = "4022-4072",
          .title = "Families of networks on one equation",
          .formula = "-u'' = 4 \\pi^2 \\sin 2 \\pi x, \\quad u(0) = u(1) = 0",
          .says = "A list of network families with papers that used them for equations.",
          .truth =
              "EML stands for extreme learning machine, ELM. Instead of papers, each family is "
              "tried on one small equation; small networks are enough.",
          .page = "networks.md",
          .seconds = 0.3,
          .file = "lecture_4/network_families.cpp",
          .make = make_network_families};
}

}  // namespace cauchy::notes
