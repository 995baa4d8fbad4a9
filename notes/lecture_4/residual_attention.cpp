#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_residual_attention(Output& out) {
  const double gamma = 0.999, rate = 0.01, c = 0.1;
  // A constant residual: lambda tends to rate / (1 - gamma) = 10, and factors to 10 + c.
  double inside = 0, lambda = 0;
  std::vector<double> steps, printed, right;
  for (int k = 0; k < 12'000; ++k) {
    inside = gamma * inside + rate + c;  // c within the recursion, as printed
    lambda = gamma * lambda + rate;
    if (k % 50 == 0) steps.push_back(k), printed.push_back(inside), right.push_back(lambda + c);
  }
  out.check("factor with c inside of the recursion", inside, (rate + c) / (1 - gamma), 1e-3);
  out.check("factor lambda + c with c outside", lambda + c, 10.1, 1e-3);
  // Ten points with residuals from 0.01 to 1: lambda r for r and for its square.
  std::vector<double> residual, once, twice;
  for (int i = 0; i < 10; ++i) residual.push_back(std::pow(10, -2 + 2.0 * i / 9));
  for (const bool squared : {false, true}) {
    std::vector<double> l(10, 0.0), r = residual;
    if (squared) {
      for (double& e : r) e *= e;
    }
    const double most = *std::ranges::max_element(r);
    for (int k = 0; k < 12'000; ++k) {
      for (std::size_t i = 0; i < 10; ++i) l[i] = gamma * l[i] + rate * r[i] / most;
    }
    for (std::size_t i = 0; i < 10; ++i) {
      (squared ? twice : once).push_back(std::pow(l[i] * r[i], 2));
    }
    out.check(squared ? "lambda of the smallest, residual squared first" : "lambda of the smallest",
              l[0], 10 * r[0] / most, 1e-4);
  }
  // Loss of the smallest against the largest: (r^2)^2 in place of r^2 squares the ratio again.
  out.check("log10 of the share of the smallest residual in the loss",
            std::log10(once[0] / once[9]), -8, 1e-6);
  out.check("the same when the residual is squared twice", std::log10(twice[0] / twice[9]), -16,
            1e-6);
  Plot left({.title = "factor of a point with constant residual",
             .x = {.label = "step"},
             .y = {.label = "factor", .scale = AxisScale::log}});
  left.line(steps, printed, {.name = "c inside"}).line(steps, right, {.name = "c outside"});
  Plot shares({.title = "part of a point in the loss",
               .x = {.label = "|F[u] - J|", .scale = AxisScale::log},
               .y = {.label = "(lambda r)^2", .scale = AxisScale::log}});
  shares.line(residual, once, {.name = "r = F[u] - J", .markers = true});
  shares.line(residual, twice, {.name = "r = (F[u] - J)^2", .markers = true});
  out.picture("weights", draw_figure({&left, &shares}, {460, 320, 2}));
}

Artefact residual_attention_entry() {
  return {.id = "residual-attention",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5738-5757",
          .title = "Residual-based attention",
          .formula =
              "\\lambda_i \\to \\gamma \\lambda_i + \\eta^\\ast \\frac{|r_i|}{\\max_j "
              "|r_j|}, \\quad L = \\frac{1}{N} \\sum_i ((\\lambda_i + c) r_i)^2",
          .says = "Every point has a factor that grows where its residual has been large.",
          .truth =
              "The residual is defined as a square and squared again in the loss; it should be "
              "F[u] - J. The constant c is added within the recursion and accumulates: with "
              "gamma = 0.999, rate 0.01 and c = 0.1 factors reach 110 instead of 10.1.",
          .page = "training/point-weights.md",
          .seconds = 0.1,
          .file = "lecture_4/residual_attention.cpp",
          .make = make_residual_attention};
}

}  // namespace cauchy::notes
