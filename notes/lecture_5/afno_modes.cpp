#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "networks/fields/afno_mixer.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_afno_modes(Output& out) {
  // Columns and rows of the spectrum [H, W/2 + 1] that are kept.
  const auto listed = [](int h, int w, double fraction) {
    const int total = h * w / 2 + 1;  // N // 2 + 1 with N = H W
    return std::min(w / 2 + 1, int(total * fraction));
  };
  std::vector<std::vector<std::string>> rows = {{"grid", "fraction", "columns kept by the listing",
                                                 "of", "columns and rows that should be kept"}};
  for (const int n : {16, 32, 64, 128}) {
    for (const double fraction : {0.5, 0.25}) {
      const std::vector<int> modes = detail::afno_modes({n, n}, fraction);
      rows.push_back({fmt::format("{} x {}", n, n), fmt::format("{:g}", fraction),
                      std::to_string(listed(n, n, fraction)), std::to_string(n / 2 + 1),
                      fmt::format("{} and {}", modes[1], 2 * modes[0])});
    }
  }
  out.table("modes", rows);
  out.check("64 x 64, fraction 1/2: columns that the listing keeps", listed(64, 64, 0.5), 33, 0);
  out.check("64 x 64, fraction 1/16: columns that the listing keeps", listed(64, 64, 1.0 / 16), 33,
            0);
  out.check("columns that should be kept for 1/2", detail::afno_modes({64, 64}, 0.5)[1], 17, 1);
  // Share of the products that are saved by keeping half of the frequencies along both axes.
  const std::vector<int> modes = detail::afno_modes({64, 64}, 0.5);
  const double kept = double(2 * modes[0] * modes[1]) / (64 * 33);
  out.check("share of all modes for fraction 1/2, about its square", kept, 0.25, 0.02);
  Plot left({.title = "listing, fraction 1/2",
             .x = {.label = "column"},
             .y = {.label = "row"},
             .color = {.limits = Limits{0, 1}},
             .grid = false});
  Plot right({.title = "low frequencies of both axes",
              .x = {.label = "column"},
              .y = {.label = "row"},
              .color = {.limits = Limits{0, 1}},
              .grid = false});
  Matrix a(64, 33), b(64, 33);
  for (std::size_t i = 0; i < 64; ++i) {
    const int row =
        i < 32 ? int(i) : 64 - int(i);  // rows above the middle are negative frequencies
    for (std::size_t j = 0; j < 33; ++j) {
      a(i, j) = int(j) < listed(64, 64, 0.5) ? 1 : 0;
      b(i, j) = int(j) < modes[1] && row <= modes[0] - (i < 32 ? 1 : 0) ? 1 : 0;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += b.data()[i];
  out.check("modes in the right picture", sum, 2.0 * modes[0] * modes[1], 0);
  left.heat_map(a, {0, 33}, {0, 64});
  right.heat_map(b, {0, 33}, {0, 64});
  out.picture("kept", draw_figure({&left, &right}, {320, 420, 2}),
              "64 x 64 points: what is kept of 64 x 33 modes (yellow).");
}

Artefact afno_modes_entry() {
  return {
      .id = "afno2d",
      .kind = Kind::listing,
      .lecture = 5,
      .lines = "7515-7604",
      .title = "How many modes a layer keeps",
      .formula = "k_{max} = \\lfloor f (H / 2 + 1) \\rfloor",
      .says = "A layer for images; a fraction of the frequencies is kept, the others are masked.",
      .truth =
          "The number of modes is counted from H W / 2 + 1 but applied to an axis of "
          "W / 2 + 1 columns, so that usual fractions mask nothing, and rows are never "
          "masked. Both axes need their own count, and rows have two bands.",
      .page = "operators/networks.md",
      .seconds = 0.1,
      .file = "lecture_5/afno_modes.cpp",
      .make = make_afno_modes};
}

}  // namespace cauchy::notes
