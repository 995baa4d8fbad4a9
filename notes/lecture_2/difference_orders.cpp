#include <cmath>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_difference_orders(Output& out) {
  using Difference = double (*)(double h);
  constexpr double x = 0.7;
  static constexpr auto f = [](double h) { return std::sin(x + h); };
  struct Formula {
    const char* name;
    Difference value;
    double exact, slope;
  };
  const Formula all[] = {
      {"forward", [](double h) { return (f(h) - f(0)) / h; }, std::cos(x), 1},
      {"backward", [](double h) { return (f(0) - f(-h)) / h; }, std::cos(x), 1},
      {"central", [](double h) { return (f(h) - f(-h)) / (2 * h); }, std::cos(x), 2},
      {"second, forward", [](double h) { return (f(2 * h) - 2 * f(h) + f(0)) / (h * h); },
       -std::sin(x), 1},
      {"second, central", [](double h) { return (f(h) - 2 * f(0) + f(-h)) / (h * h); },
       -std::sin(x), 2},
      // What the expansions are cut off at: u(x + h) - u - h u' is of second order in h.
      {"rest of u + h u'", [](double h) { return f(h) - f(0) - h * std::cos(x); }, 0, 2},
      {"rest of u + h u' + h^2 u'' / 2",
       [](double h) { return f(h) - f(0) - h * std::cos(x) + h * h / 2 * std::sin(x); }, 0, 3}};
  Plot plot({.title = "derivatives of sin at 0.7",
             .x = {.label = "step h", .scale = AxisScale::log},
             .y = {.label = "error", .scale = AxisScale::log},
             .legend = LegendPlace::outside});
  for (const Formula& formula : all) {
    std::vector<double> steps, errors;
    for (double h = 0.3; h > 1e-3; h /= 1.5) {
      steps.push_back(h);
      errors.push_back(std::abs(formula.value(h) - formula.exact));
    }
    out.check(fmt::format("slope of \"{}\"", formula.name),
              std::log(errors.back() / errors[errors.size() - 4]) / std::log(std::pow(1.5, -3)),
              formula.slope, 0.02);
    plot.line(steps, errors, {.name = formula.name, .dashed = formula.exact == 0});
  }
  out.picture("errors", draw_figure({&plot}, {720, 420, 1}));
}

Artefact difference_orders_entry() {
  return {
      .id = "difference-orders",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1205-1255",
      .title = "Orders of forward, backward and central differences",
      .formula = R"(u(x + h) = u + h\,u' + O(h^2), \quad \frac{u(x+h) - u(x-h)}{2h} = u' + O(h^2))",
      .says =
          "Differences of neighbouring values approximate derivatives; the central one is of "
          "second order.",
      .truth =
          "The formulas of the differences are right. The rests of the expansions are one "
          "order higher than printed: O(h^2) after the first derivative (lines 1209, 1220, "
          "1232) and O(h^3) after the second (line 1243); with the printed O(h) nothing "
          "would follow.",
      .page = "methods/fdm.md",
      .seconds = 0.1,
      .file = "lecture_2/difference_orders.cpp",
      .make = make_difference_orders};
}

}  // namespace cauchy::notes
