#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

using SevenAxes =
    std::array<std::size_t, 7>;  // N, T, F, C, D, H, W: sample, time, field, component, space

/// Where axis k of the seven stands in the native array; -1: it is not there.
struct NativeLayout {
  const char* name;
  std::vector<std::size_t> shape;
  std::array<int, 7> place;
};

std::vector<double> permuted(const std::vector<double>& from, const NativeLayout& n, SevenAxes& to,
                             bool back) {
  for (std::size_t k = 0; k < 7; ++k) to[k] = n.place[k] < 0 ? 1 : n.shape[std::size_t(n.place[k])];
  std::vector<double> result(from.size());
  for (std::size_t flat = 0; flat < from.size(); ++flat) {  // flat runs over the seven axes
    std::vector<std::size_t> index(n.shape.size());
    std::size_t rest = flat, native = 0;
    for (std::size_t k = 7; k-- > 0;) {
      if (n.place[k] >= 0) index[std::size_t(n.place[k])] = rest % to[k];
      rest /= to[k];
    }
    for (std::size_t k = 0; k < index.size(); ++k) native = native * n.shape[k] + index[k];
    result[back ? native : flat] = from[back ? flat : native];
  }
  return result;
}

}  // namespace

void make_tensor_format(Output& out) {
  // Space is divided by 16 here, so that the arrays are small; the table names the full lengths.
  const std::vector<NativeLayout> sets = {
      {"1D compressible Navier-Stokes", {2, 5, 3, 64}, {0, 1, 2, -1, -1, -1, 3}},
      {"2D diffusion-reaction", {2, 5, 8, 8, 2}, {0, 1, 4, -1, -1, 2, 3}},
      {"3D magnetohydrodynamics", {2, 5, 4, 4, 4, 3, 3}, {0, 1, 5, 6, 2, 3, 4}}};
  const std::vector<SevenAxes> expected = {
      {2, 5, 3, 1, 1, 1, 64}, {2, 5, 2, 1, 1, 8, 8}, {2, 5, 3, 3, 4, 4, 4}};
  std::vector<std::vector<std::string>> rows = {{"data", "native axes", "as N, T, F, C, D, H, W"}};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<double> native(std::accumulate(sets[s].shape.begin(), sets[s].shape.end(),
                                               std::size_t{1}, std::multiplies<>()));
    Rng(s).fill_normal(native);
    SevenAxes shape{};
    const std::vector<double> seven = permuted(native, sets[s], shape, false);
    out.require(fmt::format("{}: the seven lengths are those of the table", sets[s].name),
                shape == expected[s]);
    double worst = 0;
    const std::vector<double> again = permuted(seven, sets[s], shape, true);
    for (std::size_t i = 0; i < native.size(); ++i)
      worst = std::max(worst, std::abs(again[i] - native[i]));
    out.check(fmt::format("{}: there and back", sets[s].name), worst, 0, 0);
    rows.push_back({sets[s].name, fmt::format("({})", fmt::join(sets[s].shape, ", ")),
                    fmt::format("({})", fmt::join(shape, ", "))});
  }
  // One number, to be sure that no two axes were exchanged: rho, u or p of a flow on a line.
  const NativeLayout flow = {"flow", {1, 1, 3, 4}, {0, 1, 2, -1, -1, -1, 3}};
  SevenAxes shape{};
  std::vector<double> line(12);
  std::iota(line.begin(), line.end(), 0.0);
  out.check("field 2 at node 1 of a line of 4 nodes", permuted(line, flow, shape, false)[2 * 4 + 1],
            9, 0);
  out.table("mappings", rows, "fields may be vectors: F counts them, C their components");
}

Artefact tensor_format_entry() {
  return {.id = "uptf-7",
          .kind = Kind::table,
          .lecture = 5,
          .lines = "7948-7963",
          .title = "One layout for data of one, two and three dimensions",
          .formula = "(N, T, F, C, D, H, W)",
          .says =
              "Every data set becomes an array of seven axes: sample, time, field, component and "
              "three of space; missing ones have length 1.",
          .truth =
              "The native shape (B, T, W) of the flow in one dimension has no axis for its "
              "three fields; it must be (B, T, 3, W).",
          .page = "operators/data.md",
          .seconds = 0.1,
          .file = "lecture_5/tensor_format.cpp",
          .make = make_tensor_format};
}

}  // namespace cauchy::notes
