// Runs:    strings [PICTURE.svg]
// Expects: notes of equal temperament from the length of a string (f ~ n / l, twelve steps of
//          2^(1/12)); a loose end (u + alpha u_x = 0) lowers every overtone, relatively the more
//          the lower it is (35 %, 22 %, 15 % for alpha = 1), while the absolute shift grows; exit
//          code 0.
#include <fmt/format.h>

#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <numbers>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr double pi = std::numbers::pi;
  const char* names[] = {"a", "a#", "b", "c", "c#", "d", "d#", "e", "f", "f#", "g", "g#", "a'"};
  fmt::print("note  length  first  second  third (Hz)\n");
  for (int k = 0; k <= 12; ++k) {
    const double f = 440 * std::exp2(k / 12.0);
    fmt::print("{:4}  {:.4f} {:7.2f} {:7.2f} {:7.2f}\n", names[k], 440 / f, f, 2 * f, 3 * f);
  }
  bool good = true;
  Plot values({.title = "overtones of a string with a loose end",
               .x = {.label = "n"},
               .y = {.label = "sqrt(lambda_n) / pi"}});
  Plot shifts({.title = "relative shift", .x = {.label = "n"}, .y = {.label = "percent"}});
  for (const double alpha : {0.0, 0.1, 1.0, 10.0}) {
    const std::vector<double> roots = robin_roots(alpha, 8);
    std::vector<double> n, y, shift;
    for (std::size_t k = 0; k < roots.size(); ++k) {
      n.push_back(static_cast<double>(k + 1));
      y.push_back(roots[k] / pi);
      shift.push_back(100 * (1 - roots[k] / (pi * n[k])));
      if (k == 0 || alpha == 0) continue;
      good = good && shift[k] < shift[k - 1];                    // relatively less
      good = good && n[k] - y[k] > n[k - 1] - y[k - 1] - 1e-15;  // absolutely more
    }
    const std::string name = fmt::format("alpha = {}", alpha);
    values.line(n, y, {.name = name, .markers = true});
    shifts.line(n, shift, {.name = name, .markers = true});
    if (alpha == 1.0) {
      fmt::print("alpha = 1: {:.0f} %, {:.0f} %, {:.0f} %\n", shift[0], shift[1], shift[2]);
      good = good && std::round(shift[0]) == 35 && std::round(shift[1]) == 22 &&
             std::round(shift[2]) == 15;
    }
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&values, &shifts}, {460, 360, 2}));
  return good ? 0 : 1;
}
