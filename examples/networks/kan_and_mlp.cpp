// Kolmogorov-Arnold networks beside a fully connected one with as many parameters: a smooth and a
// kinked regression, a formula, a differential equation, and tasks that come one after the other.
//
// Runs:    kan_and_mlp [SEEDS]
// Expects: every network learns the formula and the equation to 5 %, and the splines forget less
//          than the others; exit code 0.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/training/loss.hpp>

using namespace cauchy;

const Coordinate x("x"), y("y");
const Field u("u");

Problem task(const Expr& exact, bool equation) {
  Problem p;
  p.name = "task";
  p.domain = Rectangle({-1, -1}, {1, 1});
  p.fields = {"u"};
  p.reference.formulas["u"] = exact;
  p.equation = {u == exact};
  if (!equation) return p;
  p.equation = {d(u, x, x) + d(u, y, y) == d(exact, x, x) + d(exact, y, y)};
  p.condition = {on_boundary(u == exact)};
  return p;
}

/// Five bumps on a line, learned one after the other from data near each; the error of all at the
/// end.
double forgetting(const Network& network, std::uint64_t seed) {
  const auto target = [](double at) {
    double sum = 0;
    for (int k = 0; k < 5; ++k) sum += std::exp(-std::pow((at + 0.8 - 0.4 * k) / 0.08, 2));
    return sum;
  };
  const std::vector<std::string> fields{"u"};
  const auto graph = std::make_shared<const Graph>(make_network(network, {"x"}, fields));
  const Symbol value("value");
  const auto executor = make_executor(
      graph, {{.name = "data", .residuals = {u - value}, .data = {value}}}, {.threads = 1});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(seed));
  std::vector<double> all, values;
  for (int k = 0; k < 5; ++k) {
    std::vector<double> at, data;
    for (int i = 0; i < 100; ++i) {
      at.push_back(-1 + 0.4 * k + 0.004 * i);
      data.push_back(target(at.back()));
    }
    executor->set_points(0, TermPoints{.points = at, .data = data});
    TrainingLoss loss(*executor);
    const auto adam = make_optimizer(Stage{AdamOptions{.learning_rate = 1e-2}}, {}, nullptr);
    for (int step = 0; step < 600; ++step) (void)adam->step(loss, theta);
    all.insert(all.end(), at.begin(), at.end());
    values.insert(values.end(), data.begin(), data.end());
  }
  executor->set_points(0, TermPoints{.points = all, .data = values});
  return std::sqrt(executor->loss(theta));
}

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  const Expr smooth = sin(3 * x + y) * cos(2 * y - x), kinked = abs(x + 0.3 * y) + 0.2 * x;
  const std::vector<std::pair<const char*, Problem>> tasks{
      {"smooth", task(smooth, false)},
      {"kinked", task(kinked, false)},
      {"formula", task(exp(sin(pi * x) + y * y), false)},
      {"equation", task(sin(pi * x) * sin(pi * y), true)}};
  struct Row {
    const char* name;
    Network plane, line;  // about 250 parameters in the plane, 60 on the line
  };
  const std::vector<Row> rows{
      {"mlp", Mlp{.width = 14, .depth = 2}, Mlp{.width = 6, .depth = 2}},
      {"kan", Kan{.hidden = {8}, .grid = 7}, Kan{.hidden = {}, .grid = 60}},
      {"fast_kan", FastKan{.hidden = {9}, .grid = 8}, FastKan{.hidden = {}, .grid = 60}},
      {"chebyshev_kan", ChebyshevKan{.hidden = {10}, .degree = 7},
       ChebyshevKan{.hidden = {}, .degree = 60}}};
  fmt::print("{:14} {:>10}", "network", "parameters");
  for (const auto& [name, problem] : tasks) fmt::print(" {:>9} {:>7}", name, "ms/step");
  fmt::print(" {:>10}\n", "forgetting");
  bool good = true;
  std::vector<double> forgotten;
  for (const Row& row : rows) {
    std::string line;
    std::size_t n = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      double error = 0, seconds = 0;
      for (int seed = 1; seed <= seeds; ++seed) {
        Pinn method;
        method.network = row.plane;
        method.points = {.interior = 400, .boundary = 100};
        method.seed = static_cast<std::uint64_t>(seed);
        method.stages = {{AdamOptions{.learning_rate = 1e-2}, 200}, {QuasiNewtonOptions{}, 400}};
        const Solution s = solve(tasks[k].second, method, {.threads = 1});
        error += std::log(s.error.relative_l2()) / seeds;
        seconds += s.seconds / seeds;
        n = s.n_unknowns;
      }
      line += fmt::format(" {:9.1e} {:7.2f}", std::exp(error), 1e3 * seconds / 600);
      good = good && (k < 2 || std::exp(error) < 0.05);
    }
    forgotten.push_back(forgetting(row.line, 1));
    fmt::print("{:14} {:10}{} {:10.3f}\n", row.name, n, line, forgotten.back());
  }
  return good && forgotten[1] < forgotten[0] ? 0 : 1;
}
