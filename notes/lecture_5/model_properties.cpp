#include <cmath>
#include <vector>

#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/tensor/executor.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_model_properties(Output& out) {
  // A random network of every kind on a periodic function at n nodes: how far is its answer from
  // that on the next finer grid, at common nodes?
  const auto answer = [](const FieldNetwork& network, int n) {
    const FieldGrid grid{.axes = {{.n = n, .periodic = true}}};
    auto graph = std::make_shared<TensorGraph>();
    const int made = add_field_network(*graph, network, graph->input("a", {1, {n}}), grid, 1);
    const auto executor =
        make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
    const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(3));
    std::vector<double> a, u(std::size_t(n), 0.0);
    for (int i = 0; i < n; ++i) {
      const double x = double(i) / n;
      a.push_back(std::sin(2 * pi * x) + 0.5 * std::cos(4 * pi * x));
    }
    const std::vector<std::span<const double>> inputs = {a};
    executor->predict(made, theta, 1, inputs, u);
    return u;
  };
  const auto change = [&](const FieldNetwork& network, int n) {
    const std::vector<double> coarse = answer(network, n), fine = answer(network, 2 * n);
    double mean = 0, off = 0, size = 0;
    for (const double e : coarse) mean += e / n;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      off += std::pow(coarse[i] - fine[2 * i], 2);
      size += std::pow(coarse[i] - mean, 2);
    }
    return std::sqrt(off / size);
  };
  std::vector<std::vector<std::string>> rows = {
      {"model", "change 64 to 128", "change 128 to 256", "any grid", "any points", "has a limit"}};
  const auto tick = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  double cnn = 0, fno = 0;
  bool consistent = true;
  for (const FieldNetwork& network :
       {FieldNetwork(Fno{.width = 8, .depth = 2, .modes = {6}}),
        FieldNetwork(KernelOperator{.width = 8, .samples = 0}),
        FieldNetwork(AttentionOperator{.width = 8}), FieldNetwork(Cnn{.width = 8}),
        FieldNetwork(Resnet{.width = 8})}) {
    const FieldNetworkEntry& entry = entry_of(network);
    const double first = change(network, 64), second = change(network, 128);
    rows.push_back({std::string(entry.name), fmt::format("{:.1e}", first),
                    fmt::format("{:.1e}", second), tick(entry.any_grid), tick(entry.cloud),
                    tick(entry.invariant)});
    if (entry.name == "fno") fno = second;
    if (entry.name == "cnn") cnn = second;
    // Operators have the same answer already; the kernels of pixels see other lengths.
    consistent = consistent && entry.invariant == (first < 1e-6);
  }
  // Interpolation of the input function, as an operator: the second order of the broken line.
  const auto interpolation = [](int n) {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      const auto a = [](double x) { return std::sin(2 * pi * x) + 0.5 * std::cos(4 * pi * x); };
      worst = std::max(worst,
                       std::abs((a(double(i) / n) + a(double(i + 1) / n)) / 2 - a((i + 0.5) / n)));
    }
    return worst;
  };
  rows.push_back({"interpolation", fmt::format("{:.1e}", interpolation(64)),
                  fmt::format("{:.1e}", interpolation(128)), "yes", "yes", "yes"});
  rows.push_back({"DeepONet", "sensors are fixed", "", "no", "no (output: any)", "no"});
  out.table("properties", rows,
            "change of the answer of a random network, in units of its deviation");
  out.check("FNO: a function of few modes has the same answer on all grids", fno, 0, 1e-10);
  out.require("CNN: its answer changes by more than 5 % when the grid is refined", cnn > 0.05);
  out.require("the networks that are said to have a limit are those whose answers agree",
              consistent);
  out.check("interpolation: order", std::log2(interpolation(64) / interpolation(128)), 2, 0.01);
}

Artefact model_properties_entry() {
  return {.id = "model-properties",
          .kind = Kind::table,
          .lecture = 5,
          .lines = "6919-6940",
          .title = "Which models are functions of functions",
          .formula = "G(a|_{D_L}) \\to G(a) \\quad \\text{for} \\quad L \\to \\infty",
          .says =
              "A table of properties: discretisation invariance, functions as outputs and inputs, "
              "universal approximation.",
          .truth = "",
          .page = "operators/networks.md",
          .seconds = 0.4,
          .file = "lecture_5/model_properties.cpp",
          .make = make_model_properties};
}

}  // namespace cauchy::notes
