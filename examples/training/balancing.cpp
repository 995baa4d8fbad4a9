// A rod whose boundary condition counts far too little, or too much, against its equation, with
// every balancer.
//
// Runs:    balancing [PICTURE.svg]
// Expects: kernel traces and gradient norms repair both: the error falls at least by a factor of 5
//          against fixed weights; exit code 0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x");
  const Field u("u");
  Problem rod;
  rod.name = "rod";
  rod.fields = {"u"};
  rod.domain = Interval(x, 0, 1);
  rod.equation = {-d(u, x, x) == pi * pi * sin(pi * x)};
  rod.condition = {on_boundary(u == 1)};
  rod.reference.formulas["u"] = 1 + sin(pi * x);

  Pinn method;
  method.network = Mlp{.width = 8, .depth = 1};
  method.points = {.interior = 40, .boundary = 2};
  method.stages = {{AdamOptions{.learning_rate = 5e-3}, 2000}};
  bool good = true;
  std::vector<Plot> plots;
  for (const double weight : {1e-4, 10.0}) {
    rod.condition[0].weight = weight;
    PlotOptions options{.title = fmt::format("the condition weighs {}", weight)};
    options.x.label = "step";
    options.y = {.label = "relative L2 error", .scale = AxisScale::log};
    Plot& plot = plots.emplace_back(options);
    double fixed = 0;
    for (const BalancerEntry& entry : all_balancers()) {
      method.rules.balancer = entry.options;
      const Solution s = solve(rod, method, {.threads = 1, .error_share = 1, .history_every = 50});
      std::vector<double> steps, errors;
      for (const HistoryEntry& h : s.training->history) {
        if (!(h.error > 0)) continue;
        steps.push_back(static_cast<double>(h.step));
        errors.push_back(h.error);
      }
      const bool repeats = &entry - all_balancers().data() >= 8;  // the colours
      plot.line(steps, errors, {.name = std::string(entry.name), .dashed = repeats});
      const double error = s.error.relative_l2();
      fmt::print("weight {}, {}: error {:.1e}\n", weight, entry.name, error);
      if (entry.name == "fixed") fixed = error;
      const bool repairs = entry.name == "ntk" || entry.name == "gradient-norms";
      good = good && (!repairs || error < fixed / 5);
    }
  }
  if (argc > 1) {
    save_picture(argv[1], draw_figure({&plots[0], &plots[1]},
                                      {.panel_width = 460, .panel_height = 320, .columns = 2}));
  }
  return good ? 0 : 1;
}
