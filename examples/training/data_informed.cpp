// A network that physics alone leads astray, and the same one with some measured values: growth
// that starts so small that no growth at all fulfils the equation nearly everywhere.
//
// Runs:    data_informed [PICTURE.svg]
// Expects: by physics alone the loss is below 1e-4 and the error above 90 %; with 10 values the
//          error is below 3 %; exit code 0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate t("t");
  const Field u("u");
  Problem growth;
  growth.name = "growth";
  growth.fields = {"u"};
  growth.domain = Time(t, 0, 1);
  growth.equation = {d(u, t) == 20 * u * (1 - u)};
  growth.condition = {at(t == 0, u == 1e-4)};
  growth.reference.formulas["u"] = 1 / (1 + 9999 * exp(-20 * t));
  Problem informed = growth;
  Observation data{.name = "measured", .quantity = u, .column = "value"};
  data.table.columns = {"t", "value"};
  for (int i = 1; i <= 10; ++i) {
    const double at = 0.1 * i;
    data.table.values.insert(data.table.values.end(), {at, 1 / (1 + 9999 * std::exp(-20 * at))});
  }
  informed.observation = {data};

  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 200, .initial = 1};
  method.stages = {{AdamOptions{.learning_rate = 5e-3}, 2000}, {QuasiNewtonOptions{}, 500}};
  method.diagnose = true;
  PlotOptions options{.title = "answers", .x = {"t"}, .y = {"u"}};
  std::vector<Plot> plots = {Plot(options)};
  double errors[2], losses[2];
  for (const bool with_data : {false, true}) {
    const Solution s = solve(with_data ? informed : growth, method, {.threads = 1});
    const std::string name = with_data ? "with 10 values" : "physics alone";
    errors[with_data ? 1 : 0] = s.error.relative_l2();
    losses[with_data ? 1 : 0] = s.training->loss();
    fmt::print("{}: loss {:.1e}, error {:.1e}\n", name, s.training->loss(), s.error.relative_l2());
    std::vector<double> times;
    for (int i = 0; i <= 100; ++i) times.push_back(0.01 * i);
    plots[0].line(times, s("u", times), {.name = name});
    const LossLandscape& l = s.training->diagnosis->landscape;
    if (l.n == 0) continue;
    PlotOptions map{.title = "loss around it, " + name, .grid = false};
    map.color.scale = AxisScale::log;
    const MatrixView<const double> values(l.values.data(), l.n, l.n);
    plots.emplace_back(map).heat_map(values, {-1, 1}, {-1, 1});
  }
  std::vector<const Panel*> panels;
  for (const Plot& p : plots) panels.push_back(&p);
  if (argc > 1) save_picture(argv[1], draw_figure(panels, {360, 320, 3, ""}));
  return losses[0] < 1e-4 && errors[0] > 0.9 && errors[1] < 0.03 ? 0 : 1;
}
