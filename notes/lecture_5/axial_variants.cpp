#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_axial_variants(Output& out) {
  struct Variant {
    const char* name;
    double width, heads, depth, printed;  // million parameters
  };
  const std::vector<Variant> variants = {
      {"Ti", 256, 4, 4, 7}, {"S", 512, 8, 4, 30}, {"M", 768, 12, 8, 126}, {"L", 1024, 16, 16, 480}};
  std::vector<std::vector<std::string>> rows = {
      {"variant", "width", "heads", "depth", "blocks, million", "printed, million", "share"}};
  for (const Variant& v : variants) {
    // A block: attention along four axes, four matrices each, and two layers of 4 widths.
    const double d = v.width, block = 4 * (4 * d * d + 4 * d) + 8 * d * d + 5 * d + 4 * d;
    const double all = v.depth * block / 1e6;
    rows.push_back({v.name, fmt::format("{:g}", d), fmt::format("{:g}", v.heads),
                    fmt::format("{:g}", v.depth), fmt::format("{:.1f}", all),
                    fmt::format("{:g}", v.printed),
                    fmt::format("{:.0f} %", 100 * all / v.printed)});
    out.require(fmt::format("{}: blocks hold between 80 and 100 % of the printed number", v.name),
                all > 0.8 * v.printed && all < v.printed);
    out.check(fmt::format("{}: width of a head", v.name), d / v.heads, 64, 0);
  }
  out.table("variants", rows, "the rest are embeddings, convolutions and the way back to fields");
  // Cost of attention on 64^3 points at one time.
  const double n = 64.0 * 64 * 64, full = n * n, axial = n * (1 + 3 * 64),
               printed = 1 + 3 * 64.0 * 64;
  out.check("pairs of full attention", full, 6.9e10, 0.05e10);
  out.check("pairs along three axes of 64 and one time", axial, 5.06e7, 0.01e7);
  out.check("saved factor, three axes", full / (n * 3 * 64), 1365, 1);
  out.text(
      fmt::format("As printed, T^2 + D^2 + H^2 + W^2 would be {:.0f} pairs in all, which is one "
                  "line per axis: {:.1e} times less than full attention instead of {:.0f} times.",
                  printed, full / printed, full / axial));
  Plot plot({.title = "pairs of points that attend to each other",
             .x = {.label = "points along each of three axes", .scale = AxisScale::log},
             .y = {.label = "pairs", .scale = AxisScale::log}});
  std::vector<double> sides, of_full, of_axial, of_printed;
  for (double side = 4; side <= 128; side *= 2) {
    sides.push_back(side);
    of_full.push_back(std::pow(side, 6));
    of_axial.push_back(3 * std::pow(side, 4));
    of_printed.push_back(3 * side * side);
  }
  plot.line(sides, of_full, {.name = "full", .markers = true});
  plot.line(sides, of_axial, {.name = "axial", .markers = true});
  plot.line(sides, of_printed, {.name = "as printed", .dashed = true});
  out.picture("cost", draw_figure({&plot}, {560, 340, 1}));
}

Artefact axial_variants_entry() {
  return {.id = "morph-variants",
          .kind = Kind::table,
          .lecture = 5,
          .lines = "7987-8012",
          .title = "Sizes of a foundation model, and the cost of axial attention",
          .formula = "y = x + \\sum_a A_a(x), \\quad \\text{pairs} = T D H W (T + D + H + W)",
          .says = "Four sizes of one architecture; attention goes along one axis at a time.",
          .truth =
              "The cost is T D H W (T + D + H + W), not T^2 + D^2 + H^2 + W^2: every line of "
              "every axis attends. On 64^3 points that is 1,365 times less than full "
              "attention, not six orders of magnitude.",
          .page = "operators/networks.md",
          .seconds = 0.1,
          .file = "lecture_5/axial_variants.cpp",
          .make = make_axial_variants};
}

}  // namespace cauchy::notes
