#include <algorithm>
#include <cmath>

#include <cauchy/optimizers/adam.hpp>
#include <cauchy/report/figure.hpp>

#include "lecture_3/information.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_information_plane(Output& out) {
  std::vector<Plot> panels;
  for (const bool relu : {false, true}) {
    SignTask task(relu, out.threads());
    TrainingLoss loss(*task.executor);
    Adam adam({.learning_rate = 3e-3});
    Plot& plot = panels.emplace_back(PlotOptions{.title = relu ? "relu" : "tanh",
                                                 .x = {.label = "I(X; T), bits"},
                                                 .y = {.label = "I(T; Y), bits"}});
    constexpr std::size_t layers = 4, bins = 30;
    std::vector<std::vector<double>> with_x(layers), with_y(layers);
    double of_forward = 0;
    for (int step = 0, next = 0; step <= 4000; ++step) {
      if (step == next) {
        next = step < 10 ? step + 2 : step + step / 4;
        std::vector<std::vector<std::vector<int>>> binned(layers);
        std::vector<double> largest(layers, 1),
            u(1);  // tanh: bins on [-1, 1]; relu: up to the most
        std::vector<std::vector<std::vector<double>>> all;
        for (std::size_t p = 0; p < SignTask::n; ++p) {
          const auto* row = &task.points[p * SignTask::inputs];
          all.push_back(hidden_layers(task.graph->parameters(), task.theta,
                                      std::vector(row, row + SignTask::inputs), relu));
          for (std::size_t l = 0; l < layers; ++l) {
            for (const double v : all[p][l]) largest[l] = std::max(largest[l], std::abs(v));
          }
        }
        task.executor->predict(std::vector<Expr>{Field("u")}, task.theta,
                               std::span(task.points).first(SignTask::inputs), u);
        of_forward = std::max(of_forward, std::abs(u[0] - all[0][layers][0]));
        for (std::size_t l = 0; l < layers; ++l) {
          for (const auto& values : all) {
            std::vector<int> cell;
            for (const double v : values[l])
              cell.push_back(int(std::floor(v / largest[l] * bins / 2)));
            binned[l].push_back(cell);
          }
          with_x[l].push_back(entropy(binned[l]));  // T is a function of X: I(X; T) = H(T)
          with_y[l].push_back(mutual_information(binned[l], task.labels));
        }
      }
      (void)adam.step(loss, task.theta);
    }
    const double label = entropy(task.labels);
    double above = 0;
    for (std::size_t l = 0; l < layers; ++l) {
      plot.line(with_x[l], with_y[l],
                {.name = fmt::format("layer {}", l + 1), .width = 1, .markers = true});
      for (std::size_t k = 0; k < with_x[l].size(); ++k) {
        above =
            std::max({above, with_y[l][k] - label, with_x[l][k] - 10, with_y[l][k] - with_x[l][k]});
      }
    }
    const char* name = relu ? "relu" : "tanh";
    out.check(fmt::format("{}: these layers against the engine", name), of_forward, 0, 1e-12);
    out.check(fmt::format("{}: over the bounds H(Y), H(X) and I(X; T)", name), std::max(above, 0.0),
              0, 1e-9);
    if (!relu) {
      out.check("tanh: bits of the label in the last layer at the end", with_y[3].back(), label,
                0.01);
      out.require("tanh: at the start it has less than three quarters of them",
                  with_y[3].front() < 0.75 * label);
      out.require("tanh: then it loses at least two bits about the input (compression)",
                  with_x[3].back() < *std::max_element(with_x[3].begin(), with_x[3].end()) - 2);
      out.require("tanh: deeper layers end with less of the input (data processing)",
                  with_x[0].back() >= with_x[1].back() && with_x[1].back() >= with_x[3].back());
      out.text(
          fmt::format("H(Y) = {:.3f} bits. Last layer of tanh: I(T; Y) from {:.2f} to {:.2f}, "
                      "I(X; T) from {:.2f} over {:.2f} to {:.2f} bits.",
                      label, with_y[3].front(), with_y[3].back(), with_x[3].front(),
                      *std::max_element(with_x[3].begin(), with_x[3].end()), with_x[3].back()));
    }
  }
  out.picture("plane", draw_figure({&panels[0], &panels[1]}, {480, 400, 2}),
              "Layers on their way through the information plane, 4,000 steps of Adam.");
}

Artefact information_plane_entry() {
  return {
      .id = "information-plane",
      .kind = Kind::figure,
      .lecture = 3,
      .lines = "2979-2993, 3053-3101",
      .title = "Layers in the information plane",
      .formula =
          R"(H(X) \ge I(X;T_1) \ge I(X;T_2) \ge \dots, \quad I(X;Y) \ge I(T_1;Y) \ge I(T_2;Y) \ge \dots)",
      .says =
          "While a network learns, its layers first gain information about the label and then "
          "may lose information about the input.",
      .truth =
          "Numbers of bins: a deterministic network has no other finite ones, and what is "
          "seen depends on the bins and the activation. The inequalities hold for the true "
          "quantities, binned ones need not obey them.",
      .page = "",
      .seconds = 2.5,
      .file = "lecture_3/information_plane.cpp",
      .make = make_information_plane};
}

}  // namespace cauchy::notes
