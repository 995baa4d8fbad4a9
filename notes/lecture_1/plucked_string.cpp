#include <cmath>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_plucked_string(Output& out) {
  constexpr double pi = std::numbers::pi, c = 2, pluck = 0.3;
  const auto start = [](double x) { return x < pluck ? x / pluck : (1 - x) / (1 - pluck); };
  // The series; c_n = 2 int f sin(n pi x) dx, beginning with n = 1.
  const auto series = [&](double t, double x, double speed) {
    double sum = 0;
    for (int n = 1; n <= 400; ++n) {
      const double weight = 2 * std::sin(n * pi * pluck) / (n * n * pi * pi * pluck * (1 - pluck));
      sum += weight * std::sin(n * pi * x) * std::cos(n * pi * speed * t);
    }
    return sum;
  };
  // d'Alembert: half of it goes left, half right, and both come back upside down.
  const auto odd = [&](double x) {
    const double y = x - 2 * std::floor(x / 2);
    return y <= 1 ? start(y) : -start(2 - y);
  };
  double worst = 0, returned = 0, wrong = 0;
  Plot plot({.title = "a plucked string, c = 2", .x = {.label = "x"}, .y = {.label = "u"}});
  for (const double t : {0.0, 0.1, 0.2, 0.3, 0.5}) {
    std::vector<double> xs, us;
    for (int i = 0; i <= 100; ++i) {
      const double x = i / 100.0;
      xs.push_back(x);
      us.push_back(series(t, x, c));
      worst = std::max(worst, std::abs(us.back() - (odd(x - c * t) + odd(x + c * t)) / 2));
      if (t == 0) {
        returned = std::max(returned, std::abs(series(2 / c, x, c) - us.back()));
        wrong = std::max(wrong, std::abs(series(2 / c, x, 1) - us.back()));
      }
    }
    plot.line(xs, us, {.name = fmt::format("t = {}", t)});
  }
  out.check("400 terms against d'Alembert's formula", worst, 0, 2e-3);
  out.check("back at the start after 2 / c", returned, 0, 1e-12);
  out.require("with T'' = -lambda T (no c^2) it is not", wrong > 0.5);
  out.picture("string", draw_figure({&plot}, {640, 400, 1}),
              "Two kinks run along the string and are turned over at its ends.");
}

Artefact plucked_string_entry() {
  return {
      .id = "plucked-string",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "344-409",
      .title = "A string that is plucked",
      .formula =
          R"(u(t, x) = \sum_{n \ge 1} c_n \sin(n\pi x)\cos(n\pi c t), \quad c_n = 2\int_0^1 f(x)\sin(n\pi x)\,dx)",
      .says =
          "Separation of variables turns a string that is held at both ends into a sum of "
          "standing waves.",
      .truth =
          "The separated equation is T'' = -c^2 lambda T; the printed one has no c^2, and its "
          "string would take c times too long for one swing. The sums begin with n = 1.",
      .page = "exact_solutions.md",
      .seconds = 0.1,
      .file = "lecture_1/plucked_string.cpp",
      .make = make_plucked_string};
}

}  // namespace cauchy::notes
