// Two solutions that a network misses when all times count the same, and finds with weights in
// time: the state that leaves an unstable rest, and an oscillation over two periods.
//
// Runs:    weights_in_time [PICTURE.svg]
// Expects: errors fall by a factor of 10 with causal weights, by 3 with linear ones; exit code 0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

namespace {

using namespace cauchy;

const Coordinate t("t");
const Field u("u");

struct Case {
  Problem problem;
  PointWeightsOptions weights;
  std::string name;
  double rate, gain;
};

Case leaving_rest() {
  Problem p;
  p.fields = {"u"};
  p.domain = Time(t, 0, 6);
  p.equation = {d(u, t) == u - u * u * u};
  p.condition = {at(t == 0, u == 0.1)};
  p.reference.formulas["u"] = exp(t) / sqrt(exp(2 * t) + 99);
  return {p, CausalWeights{}, "causal", 1e-2, 10};
}

Case oscillation() {
  Problem p;
  p.fields = {"u"};
  p.domain = Time(t, 0, 12);
  p.equation = {d(u, t, t) == -u};
  p.condition = {at(t == 0, u == 1), at(t == 0, d(u, t) == 0)};
  p.reference.formulas["u"] = cos(t);
  return {p, LinearTimeWeights{}, "linear-time", 5e-3, 3};
}

void add_curve(Plot& plot, const Solution& s, const std::string& name, double end) {
  std::vector<double> at, values;
  for (int i = 0; i <= 200; ++i) {
    at.push_back(end * i / 200);
    values.push_back(s("u", {at.back()}));
  }
  plot.line(at, values, {.name = name});
}

}  // namespace

int main(int argc, char** argv) {
  bool good = true;
  std::vector<Plot> plots;
  for (const Case& c : {leaving_rest(), oscillation()}) {
    Pinn method;
    method.network = Mlp{.width = 12, .depth = 2};
    method.points = {.interior = 64};
    method.stages = {{AdamOptions{.learning_rate = c.rate}, 2000}};
    const double end = c.problem.domain->time()->upper;
    PlotOptions options{.title = c.name};
    options.x.label = "t";
    options.y.label = "u";
    Plot& plot = plots.emplace_back(options);
    const Solution plain = solve(c.problem, method, {.threads = 1});
    method.rules.point_weights = {c.weights};
    const Solution weighed = solve(c.problem, method, {.threads = 1});
    add_curve(plot, plain, "all times count the same", end);
    add_curve(plot, weighed, c.name, end);
    const double before = plain.error.relative_l2(), after = weighed.error.relative_l2();
    fmt::print("{}: error {:.1e}, without weights {:.1e}\n", c.name, after, before);
    good = good && c.gain * after < before;
  }
  if (argc > 1) {
    save_picture(argv[1], draw_figure({&plots[0], &plots[1]},
                                      {.panel_width = 420, .panel_height = 280, .columns = 2}));
  }
  return good ? 0 : 1;
}
