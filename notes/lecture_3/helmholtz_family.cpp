#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_helmholtz_family(Output& out) {
  const Coordinate x("x");
  const Field u("u");
  const Parameter k("k");
  Problem family;
  family.domain = Interval(x, 0, 1) * Range(k, 1, 4);  // k becomes an input of the network
  family.fields = {"u"};
  family.equation = {d(u, x, x) + k * k * u == 0};
  family.condition = {on("left", u == 0), on("left", d(u, x) == k)};
  family.reference.formulas["u"] = sin(k * x);
  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 600, .boundary = 60};
  method.stages = {{AdamOptions{}, 300}, {LbfgsOptions{}, 1000}};
  const Solution s = solve(family, method, {.threads = out.threads()});
  out.check("relative error over all k", s.error.relative_l2(), 0, 1e-2);
  Plot plot({.title = "one network, all k", .x = {.label = "x"}, .y = {.label = "u"}});
  for (const double at : {1.0, 2.0, 3.0, 4.0}) {
    std::vector<double> xs, exact, rows;
    for (int i = 0; i <= 100; ++i) {
      xs.push_back(i / 100.0);
      exact.push_back(std::sin(at * xs.back()));
      rows.insert(rows.end(), {xs.back(), at});
    }
    out.check(fmt::format("u(0.7), k = {:g}", at), s("u", {0.7, at}), std::sin(0.7 * at), 0.02);
    plot.line(xs, s("u", rows), {.name = fmt::format("k = {:g}", at)});
    plot.line(xs, exact, {.color = black, .width = 0.8, .dashed = true});
  }
  out.picture("family", draw_figure({&plot}, {560, 380, 1}), "Dashed: sin(k x).");
}

Artefact helmholtz_family_entry() {
  return {.id = "helmholtz-family",
          .kind = Kind::figure,
          .lecture = 3,
          .lines = "2759-2824",
          .title = "One network for a family of equations",
          .formula = R"(u_{xx} + k^2 u = 0, \quad (x, k) \mapsto u_k(x))",
          .says =
              "A parameter of the equation becomes an input of the network, which then knows the "
              "solutions for all its values.",
          .truth =
              "The sentence that calls this an operator map (line 2824) belongs to the next "
              "example, where a function and not a number is the input.",
          .page = "solving.md",
          .seconds = 0.6,
          .file = "lecture_3/helmholtz_family.cpp",
          .make = make_helmholtz_family};
}

}  // namespace cauchy::notes
