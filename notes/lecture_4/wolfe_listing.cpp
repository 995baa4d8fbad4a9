#include <cmath>
#include <vector>

#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// The loop of the listing, with an end: halvings until both inequalities hold, or 60.
int halvings_of_listing(FunctionRef<LineValue(double)> phi) {
  const LineValue start = phi(0);
  double a = 1;
  for (int k = 0; k < 60; ++k) {
    const LineValue at = phi(a);
    if (at.value < start.value + 1e-4 * a * start.slope &&
        std::abs(at.slope) < 0.9 * std::abs(start.slope)) {
      return k;
    }
    a *= 0.5;
  }
  return 60;
}

}  // namespace

void make_wolfe_listing(Output& out) {
  struct Line {
    const char* name;
    std::function<LineValue(double)> phi;
  };
  const std::vector<Line> lines = {
      {"x^2 / 2 from 1 along -0.01",
       [](double a) {
         return LineValue{std::pow(1 - 0.01 * a, 2) / 2, -0.01 * (1 - 0.01 * a)};
       }},
      {"x^2 / 2 from 1 along -1",
       [](double a) {
         return LineValue{std::pow(1 - a, 2) / 2, a - 1};
       }},
      {"exp(a - 8) - a",
       [](double a) {
         return LineValue{std::exp(a - 8) - a, std::exp(a - 8) - 1};
       }},
      {"cosh(3 (a - 1/4))", [](double a) {
         return LineValue{std::cosh(3 * a - 0.75), 3 * std::sinh(3 * a - 0.75)};
       }}};
  std::vector<std::vector<std::string>> rows = {
      {"function", "halvings of the listing", "step by bracketing and zoom", "evaluations"}};
  for (const Line& line : lines) {
    const LineValue start = line.phi(0);
    const int halvings = halvings_of_listing(line.phi);
    const LineSearchResult r = wolfe_search(line.phi, start, 1);
    const bool both = r.at.value <= start.value + 1e-4 * r.step * start.slope &&
                      std::abs(r.at.slope) <= 0.9 * std::abs(start.slope);
    out.require(fmt::format("{}: bracketing and zoom satisfies both inequalities", line.name),
                both);
    rows.push_back({line.name, halvings == 60 ? "60 and no end" : std::to_string(halvings),
                    fmt::format("{:.4g}", r.step), std::to_string(r.evaluations)});
  }
  out.check("the listing on x^2 / 2 along -0.01: halvings until it is stopped",
            halvings_of_listing(lines[0].phi), 60, 0);
  out.check("the listing on x^2 / 2 along -1: halvings", halvings_of_listing(lines[1].phi), 0, 0);
  out.table("searches", rows);
  std::vector<double> a, ratio, listed, listed_ratio, level(2, 0.9), ends = {1e-4, 60};
  for (double s = 1e-4; s < 60; s *= 1.2) {
    a.push_back(s);
    ratio.push_back(std::abs(lines[0].phi(s).slope) / 0.01);
  }
  for (double s = 1; s > 1e-4; s /= 2) {
    listed.push_back(s);
    listed_ratio.push_back(std::abs(lines[0].phi(s).slope) / 0.01);
  }
  Plot plot({.title = "x^2 / 2 from 1 along -0.01",
             .x = {.label = "step a", .scale = AxisScale::log},
             .y = {.label = "|phi'(a)| / |phi'(0)|", .limits = Limits{0.3, 1.1}}});
  plot.line(a, ratio, {.name = "slope"}).line(ends, level, {.name = "c2 = 0.9", .dashed = true});
  plot.scatter(listed, listed_ratio, {.name = "tried by the listing", .radius = 3.5});
  out.picture("slopes", draw_figure({&plot}, {620, 340, 1}),
              "Halving leads away from the steps, beyond 10, that are long enough.");
}

Artefact wolfe_listing_entry() {
  return {.id = "strong-wolfe",
          .kind = Kind::listing,
          .lecture = 4,
          .lines = "5470-5484",
          .title = "A line search that halves for ever",
          .formula =
              "\\phi(a) \\le \\phi(0) + c_1 a \\phi'(0), \\quad | \\phi'(a) | \\le c_2 | "
              "\\phi'(0) |",
          .says = "A step of 1 is halved until both strong Wolfe conditions hold.",
          .truth =
              "Where the first step is too short, halving makes the second condition worse: "
              "the loop never ends. A search must also lengthen, then close in between two "
              "steps; the function `grad` of the listing does not exist either.",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/wolfe_listing.cpp",
          .make = make_wolfe_listing};
}

}  // namespace cauchy::notes
