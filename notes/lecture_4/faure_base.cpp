#include <cmath>
#include <set>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/discrepancy.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_faure_base(Output& out) {
  // Base 3 for three dimensions: 27 points, one in each of 27 cells.
  const std::vector<double> cube = unit_points({.kind = SamplerKind::faure}, 3, 27);
  std::set<int> cells;
  for (std::size_t i = 0; i < 27; ++i) {
    cells.insert(int(3 * cube[3 * i]) + 3 * int(3 * cube[3 * i + 1]) +
                 9 * int(3 * cube[3 * i + 2]));
  }
  out.check("d = 3, base 3: cells of 3 x 3 x 3 that hold one of 27 points", double(cells.size()),
            27, 0);
  // Base 2 in the plane: 16 points, one in each elementary interval of area 1/16.
  const std::vector<double> plane = unit_points({.kind = SamplerKind::faure}, 2, 16);
  double full = 0;
  for (int a = 0; a <= 4; ++a) {
    std::set<int> hit;
    for (std::size_t i = 0; i < 16; ++i) {
      hit.insert(int(std::ldexp(plane[2 * i], a)) + 16 * int(std::ldexp(plane[2 * i + 1], 4 - a)));
    }
    full += hit.size() == 16 ? 1 : 0;
  }
  out.check("d = 2, base 2: shapes of elementary intervals with one point each", full, 5, 0);
  // As printed: the base is a prime not less than the number of points, 17, and no coordinate has
  // a matrix of its own. One digit is left of every number: all points lie on the diagonal.
  std::vector<double> x, y, px, py, printed;
  for (int i = 0; i < 16; ++i) {
    px.push_back(i / 17.0), py.push_back(i / 17.0);
    printed.insert(printed.end(), {i / 17.0, i / 17.0});
    x.push_back(plane[2 * std::size_t(i)]), y.push_back(plane[2 * std::size_t(i) + 1]);
  }
  const double right = l2_star_discrepancy(plane, 2), wrong = l2_star_discrepancy(printed, 2);
  out.text(fmt::format("L2-star discrepancy: {:.3f} in base 2, {:.3f} as printed.", right, wrong));
  out.require("the printed base has more than twice the discrepancy", wrong > 2 * right);
  Plot left({.title = "base 17, as printed",
             .x = {.limits = Limits{0, 1}},
             .y = {.limits = Limits{0, 1}},
             .equal_aspect = true});
  Plot good({.title = "base 2, a matrix per coordinate",
             .x = {.limits = Limits{0, 1}},
             .y = {.limits = Limits{0, 1}},
             .equal_aspect = true});
  left.scatter(px, py, {.radius = 4});
  good.scatter(x, y, {.radius = 4});
  out.picture("points", draw_figure({&left, &good}, {340, 340, 2}));
}

Artefact faure_base_entry() {
  return {.id = "faure-base",
          .kind = Kind::recipe,
          .lecture = 4,
          .lines = "3801-3822",
          .title = "The base of a Faure sequence",
          .formula = "c_{\\ell j} = \\frac{\\ell !}{j ! (\\ell - j) !} (k-1)^{\\ell-j}",
          .says = "A sequence in a prime base whose digits are mixed by powers of a Pascal matrix.",
          .truth =
              "The base is the smallest prime not less than the dimension, not the number of "
              "points; digits are taken modulo that base; coordinate k uses the power k - 1 of "
              "the matrix, an index that the formula does not have.",
          .page = "sampling.md",
          .seconds = 0.1,
          .file = "lecture_4/faure_base.cpp",
          .make = make_faure_base};
}

}  // namespace cauchy::notes
