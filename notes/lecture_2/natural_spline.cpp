#include <cmath>

#include <cauchy/math/rbf.hpp>
#include <cauchy/math/spline_interpolation.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_natural_spline(Output& out) {
  const std::vector<double> x{0, 0.6, 1.1, 2, 2.7, 3.1, 4}, f{1, 2, 0.5, 0.7, 2.2, 1.4, 1.6};
  const Spline spline = interpolate_spline(x, f, {.ends = SplineEnds::natural});
  const RbfInterpolant radial = interpolate_rbf(x, 1, f, {.kernel = RbfKernel::cubic});
  double differs = 0, at_data = 0, sum = 0, moment = 0;
  std::vector<double> at, by_spline, by_radial;
  for (int i = 0; i <= 200; ++i) {
    at.push_back(i / 50.0);
    by_spline.push_back(spline(at.back()));
    by_radial.push_back(radial(std::vector{at.back()}));
    differs = std::max(differs, std::abs(by_spline.back() - by_radial.back()));
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    at_data = std::max(at_data, std::abs(radial(std::vector{x[k]}) - f[k]));
    sum += radial.coefficients[k];
    moment += radial.coefficients[k] * x[k];
  }
  out.check("r^3 and a linear tail against the natural spline", differs, 0, 1e-11);
  out.check("values at the data", at_data, 0, 1e-11);
  out.check("sum of a_j", sum, 0, 1e-11);
  out.check("sum of a_j x_j", moment, 0, 1e-11);
  out.check("second derivative at the left end", spline(0, 2), 0, 1e-10);
  Plot plot({.title = "one curve, two ways", .x = {.label = "x"}});
  plot.line(at, by_spline, {.name = "natural cubic spline", .width = 4});
  plot.line(at, by_radial, {.name = "sum of |x - x_j|^3 and a line", .width = 1.4});
  plot.scatter(x, f, {.name = "data", .radius = 4});
  out.picture("spline", draw_figure({&plot}, {600, 380, 1}));
}

Artefact natural_spline_entry() {
  return {
      .id = "natural-spline",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "2224-2240",
      .title = "A natural cubic spline is a sum of radial functions",
      .formula = R"(s(x) = \sum_j a_j |x - x_j|^3 + p(x), \quad \sum_j a_j = \sum_j a_j x_j = 0)",
      .says =
          "Every natural cubic spline is a combination of r^3 around the data and a line; that "
          "is where radial basis functions come from.",
      .truth = "",
      .page = "methods/interpolation.md",
      .seconds = 0.1,
      .file = "lecture_2/natural_spline.cpp",
      .make = make_natural_spline};
}

}  // namespace cauchy::notes
