#include <cmath>
#include <numbers>

#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_robin_roots(Output& out) {
  constexpr double pi = std::numbers::pi;
  // The listing: it looks for a change of sign in (n pi, n pi + pi/2), and goes on until it has N.
  int changes = 0;
  const auto f = [](double y) { return std::tan(y) + y; };
  for (int n = 0; n < 1000; ++n) {
    changes += std::signbit(f(n * pi + 1e-6)) != std::signbit(f(n * pi + pi / 2 - 1e-6)) ? 1 : 0;
  }
  out.check("changes of sign in 1,000 intervals of the listing, alpha = 1", changes, 0, 0);
  // The roots lie in ((n - 1/2) pi, n pi).
  const std::vector<double> one = robin_roots(1, 5), tenth = robin_roots(0.1, 3);
  const double of_one[] = {2.028757838, 4.913180439, 7.978665712, 11.085538406, 14.207436725};
  const double of_tenth[] = {2.862772588, 5.760557933, 8.708313831};
  std::vector<std::vector<std::string>> rows = {{"n", "alpha = 0.1", "alpha = 1", "n pi"}};
  for (std::size_t i = 0; i < one.size(); ++i) {
    out.check(fmt::format("root {} for alpha = 1", i + 1), one[i], of_one[i], 1e-9);
    if (i < tenth.size()) {
      out.check(fmt::format("root {} for alpha = 0.1", i + 1), tenth[i], of_tenth[i], 1e-9);
    }
    rows.push_back({std::to_string(i + 1), i < tenth.size() ? fmt::format("{:.9f}", tenth[i]) : "",
                    fmt::format("{:.9f}", one[i]), fmt::format("{:.9f}", double(i + 1) * pi)});
  }
  out.table("roots", rows, "square roots of the eigenvalues");
  Plot plot({.title = "eigenvalues of a string with a loose end",
             .x = {.label = "n"},
             .y = {.label = "lambda_n / (n pi)^2"}});
  for (const double alpha : {0.01, 0.1, 0.5, 1.0, 10.0}) {
    std::vector<double> n, ratio;
    for (const double y : robin_roots(alpha, 12)) {
      n.push_back(double(n.size() + 1));
      ratio.push_back(y * y / (n.back() * n.back() * pi * pi));
    }
    plot.line(n, ratio, {.name = fmt::format("alpha = {:g}", alpha), .markers = true});
  }
  out.picture("eigenvalues", draw_figure({&plot}, {640, 420, 1}),
              "A loose end lowers all notes, the low ones most.");
}

Artefact robin_roots_entry() {
  return {.id = "robin-roots",
          .kind = Kind::listing,
          .lecture = 1,
          .lines = "468-494",
          .title = "Eigenvalues of a string with a loose end",
          .formula = R"(\tan\sqrt{\lambda_n} = -\alpha\sqrt{\lambda_n})",
          .says = "A root finder brackets the roots of tan y + a y between n pi and the next pole.",
          .truth =
              "For alpha > 0 the function is positive there: no interval has a change of sign, and "
              "the loop never ends. The roots lie between (n - 1/2) pi and n pi.",
          .page = "exact_solutions.md",
          .seconds = 0.1,
          .file = "lecture_1/robin_roots.cpp",
          .make = make_robin_roots};
}

}  // namespace cauchy::notes
