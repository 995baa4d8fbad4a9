// Runs:    p_norms [PICTURE.svg]
// Expects: p-norms fulfil the triangle inequality for p >= 1 and fall to the largest entry as p
//          grows; below 1 the unit ball is not convex and the inequality fails. (1 + 1/n)^n is a
//          Cauchy sequence of fractions whose limit e is none; exit code 0.
#include <fmt/format.h>

#include <cauchy/math/functional.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <numbers>

using namespace cauchy;

int main(int argc, char** argv) {
  bool good = true;
  Plot balls({.title = "unit balls of |x|_p", .x = {.label = "x1"}, .y = {.label = "x2"}});
  for (const double p : {1.0, 1.5, 2.0, 4.0, double{INFINITY}}) {
    std::vector<double> a, b;
    for (int i = 0; i <= 400; ++i) {
      const double angle = 2 * std::numbers::pi * i / 400;
      const std::vector<double> v{std::cos(angle), std::sin(angle)};
      a.push_back(v[0] / p_norm(v, p));
      b.push_back(v[1] / p_norm(v, p));
    }
    balls.line(a, b, {.name = fmt::format("p = {}", p), .width = 1});
  }
  // (1, 0) + (0, 1) has the length 2^(1/p): more than 2 for p = 1/2, where |x|_p is no norm.
  const std::vector<double> x{3, -1, 2}, sum{1, 1};
  double before = INFINITY;
  for (const double p : {1.0, 2.0, 8.0, 64.0, 512.0}) {
    const double norm = p_norm(x, p), both = p_norm(sum, p);
    fmt::print("p = {:3}: |(3, -1, 2)| = {:.6f}, |(1, 1)| = {:.4f} <= 2\n", p, norm, both);
    good = good && norm <= before && norm >= 3 && both <= 2;
    before = norm;
  }
  good = good && before - 3 < 1e-3 && std::pow(2.0, 1 / 0.5) > 2;

  Plot cauchy({.title = "a Cauchy sequence",
               .x = {.label = "n", .scale = AxisScale::log},
               .y = {.scale = AxisScale::log}});
  std::vector<double> n, steps, rest;
  const auto term = [](double k) { return std::exp(k * std::log1p(1 / k)); };
  for (double k = 1; k < 1e5; k *= 2) {
    n.push_back(k);
    steps.push_back(std::abs(term(2 * k) - term(k)));
    rest.push_back(std::abs(std::numbers::e - term(k)));
    good = good && (k == 1 || steps.back() < steps.end()[-2]);
  }
  // e - (1 + 1/n)^n is about e / (2 n).
  const double limit = rest.back() * n.back() * 2 / std::numbers::e;
  fmt::print("(1 + 1/n)^n misses e by {:.3f} e / (2 n)\n", limit);
  good = good && std::abs(limit - 1) < 1e-3;
  cauchy.line(n, steps, {.name = "|a_2n - a_n|", .markers = true});
  cauchy.line(n, rest, {.name = "|e - a_n|", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&balls, &cauchy}, {400, 380, 2}));
  return good ? 0 : 1;
}
