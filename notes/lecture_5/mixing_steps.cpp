#include <vector>

#include <cauchy/networks/field_network.hpp>
#include <cauchy/tensor/graph.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_mixing_steps(Output& out) {
  const auto parameters = [](const FieldNetwork& network, int n) {
    const FieldGrid grid{
        .axes = {{.name = "x", .n = n, .periodic = true}, {.name = "y", .n = n, .periodic = true}}};
    TensorGraph graph;
    (void)add_field_network(graph, network, graph.input("a", {1, {n, n}}), grid, 1);
    return double(graph.n_parameters());
  };
  // One more layer each: the difference of networks of depth 2 and 1.
  const int width = 64, modes = 12, blocks = 8;
  const auto layer = [&](auto network) {
    network.depth = 2;
    const double two = parameters(network, 64);
    network.depth = 1;
    return two - parameters(network, 64);
  };
  const double fno = layer(Fno{.width = width, .modes = {modes}});
  const Afno afno{.width = width, .patch = {4}, .blocks = blocks, .hidden = 128};
  const double mixed = layer(afno);
  const double w = width, m = 2.0 * modes * modes;
  out.check("FNO: complex d x d numbers per mode, and a linear skip", fno,
            2 * w * w * m + w * w + w, 0);
  out.check("AFNO: two block-diagonal complex layers for all modes, layers of channels, norms",
            mixed, 4 * w * w / blocks + 4 * w + 2 * w * 128 + 128 + w + 4 * w, 0);
  out.check("AFNO: the same numbers on a grid of 128 x 128",
            parameters(afno, 128) - parameters(afno, 64), 0, 0);
  // Multiplications of the mixing for 16 x 16 tokens: n d^2 per token against n d^2 / k.
  const double tokens = 16 * 9, of_fno = tokens * w * w * 4,
               of_afno = 2 * tokens * w * w / blocks * 4;
  const std::vector<std::vector<std::string>> rows = {
      {"step", "FNO", "AFNO"},
      {"tokens", "every point", "patches of 4 x 4 points"},
      {"mixing", "real transform, lowest 12 x 12 modes", "real transform, all modes"},
      {"per mode", "z -> R_k z, one matrix per mode",
       "z -> S(W_2 relu(W_1 z + b_1) + b_2) in 8 blocks side by side"},
      {"unmixing", "inverse of z~, plus W v", "inverse of z~, plus v"},
      {"parameters of a layer", fmt::format("{:.0f}", fno), fmt::format("{:.0f}", mixed)},
      {"multiplications, 16 x 16 tokens", fmt::format("{:.1e}", of_fno),
       fmt::format("{:.1e}", of_afno)}};
  out.check("saved multiplications: k / 2", of_fno / of_afno, blocks / 2.0, 0);
  out.table("steps", rows, "width 64");
}

Artefact mixing_steps_entry() {
  return {
      .id = "fno-and-afno",
      .kind = Kind::table,
      .lecture = 5,
      .lines = "7456-7480",
      .title = "FNO and AFNO, step by step",
      .formula =
          "z = F x, \\quad \\tilde z_k = R_k z_k \\quad or \\quad \\tilde z_k = S_\\lambda(W z_k), "
          "\\quad y = F^{-1} \\tilde z",
      .says = "Three steps, mixing, work on the modes and unmixing, for both operators.",
      .truth =
          "The printed matrices with two pairs of indices suggest that modes mix: in an FNO "
          "each mode has its own matrix, in an AFNO all share one. Blocks are put side by "
          "side, not summed, and the last row takes z~, not X.",
      .page = "operators/networks.md",
      .seconds = 0.1,
      .file = "lecture_5/mixing_steps.cpp",
      .make = make_mixing_steps};
}

}  // namespace cauchy::notes
