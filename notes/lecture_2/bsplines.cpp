#include <cmath>

#include <cauchy/math/bspline.hpp>
#include <cauchy/math/spline_interpolation.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// The printed recursion, with closed or half-open intervals at its end.
double printed_bspline(const std::vector<double>& t, std::size_t i, int k, double x, bool closed) {
  if (k == 0) return t[i] <= x && (closed ? x <= t[i + 1] : x < t[i + 1]) ? 1 : 0;
  const auto j = std::size_t(k);
  return (x - t[i]) / (t[i + j] - t[i]) * printed_bspline(t, i, k - 1, x, closed) +
         (t[i + j + 1] - x) / (t[i + j + 1] - t[i + 1]) *
             printed_bspline(t, i + 1, k - 1, x, closed);
}

}  // namespace

void make_bsplines(Output& out) {
  std::vector<double> knots;
  for (int i = 0; i <= 12; ++i) knots.push_back(i);
  std::vector<Plot> panels;
  for (const int degree : {1, 2, 3}) {
    const BSplineBasis basis(knots, std::size_t(degree));
    Plot& plot = panels.emplace_back(
        PlotOptions{.title = fmt::format("degree {}", degree), .x = {.label = "x"}});
    std::vector<double> x;
    std::vector<std::vector<double>> y(basis.size());
    double not_one = 0, differs = 0;
    for (int i = 0; i <= 240; ++i) {
      x.push_back(i / 20.0);
      Matrix values(1, basis.size());
      basis.evaluate_all(x.back(), values.view());
      double sum = 0;
      for (std::size_t k = 0; k < basis.size(); ++k) {
        y[k].push_back(values(0, k));
        sum += values(0, k);
        const double right = printed_bspline(knots, k, degree, x.back(), false);
        if (x.back() < 12) differs = std::max(differs, std::abs(values(0, k) - right));
      }
      if (x.back() >= degree && x.back() <= 12 - degree) {
        not_one = std::max(not_one, std::abs(sum - 1));
      }
    }
    for (std::size_t k = 0; k < basis.size(); ++k) plot.line(x, y[k]);
    out.check(fmt::format("degree {}: sum of all minus 1", degree), not_one, 0, 1e-14);
    out.check(fmt::format("degree {}: the recursion against the library", degree), differs, 0,
              1e-14);
    // Derivatives up to degree - 1 are continuous at the knot 6, the next one is not.
    Matrix before(std::size_t(degree) + 1, basis.size()), after = before;
    basis.evaluate_all(6 - 1e-9, before.view());
    basis.evaluate_all(6 + 1e-9, after.view());
    double smooth = 0, jump = 0;
    for (std::size_t k = 0; k < basis.size(); ++k) {
      for (std::size_t m = 0; m <= std::size_t(degree); ++m) {
        double& most = m == std::size_t(degree) ? jump : smooth;
        most = std::max(most, std::abs(before(m, k) - after(m, k)));
      }
    }
    out.check(fmt::format("degree {}: jump of derivatives below it", degree), smooth, 0, 1e-7);
    out.require(fmt::format("degree {}: the derivative of that order jumps", degree), jump > 0.5);
  }
  double twice = 0;
  for (std::size_t i = 0; i < 9; ++i) twice += printed_bspline(knots, i, 3, 6, true);
  out.check("cubic, as printed with closed intervals: sum of all at a knot", twice, 2, 1e-14);
  // Through N = 6 values with knots there: N + k - 1 = 8 coefficients, so ends have to be chosen.
  const std::vector<double> at{0, 1, 2, 3, 4, 5}, f{0, 1, 8, 27, 64, 125};
  const Spline cubic = interpolate_spline(at, f);
  const Spline natural = interpolate_spline(at, f, {.ends = SplineEnds::natural});
  out.check("x^3 from six values, not-a-knot ends, at 2.5", cubic(2.5), 15.625, 1e-12);
  out.check("second derivative of the natural spline at 0", natural(0, 2), 0, 1e-11);
  out.require("it is another spline through the same values",
              std::abs(natural(4.5) - 91.125) > 0.1);
  out.picture("splines", draw_figure({&panels[0], &panels[1], &panels[2]}, {640, 200, 1}));
}

Artefact bsplines_entry() {
  return {
      .id = "bsplines",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "2195-2222",
      .title = "B-splines of degrees 1, 2 and 3",
      .formula =
          R"(B_{i,k}(x) = \frac{x - t_i}{t_{i+k} - t_i} B_{i,k-1}(x) + \frac{t_{i+k+1} - x}{t_{i+k+1} - t_{i+1}} B_{i+1,k-1}(x))",
      .says =
          "Splines are sums of bumps that a recursion defines, beginning with functions that "
          "are 1 on one interval.",
      .truth =
          "The intervals have to be half-open: with the printed closed ones both neighbours "
          "count at a knot and everything is doubled there. The sum from -k to N has N + k + "
          "1 unknowns for N values: ends have to be chosen (natural, not-a-knot).",
      .page = "methods/interpolation.md",
      .seconds = 0.1,
      .file = "lecture_2/bsplines.cpp",
      .make = make_bsplines};
}

}  // namespace cauchy::notes
