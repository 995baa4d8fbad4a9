// What rules of a training cost: steps of Adam on Burgers' equation (20 x 5 network, 2,500 points)
// with every balancer and all weights of points at their defaults, over those of a plain run. Times
// are those of the processor, on one thread, so that a busy machine does not matter much; plain and
// ruled runs take turns, and the figure is the median of the quotients of neighbours.
//
//   bench_training_rules [--steps N] [--rounds N] [--only NAME]
//
// Bar: 1.10.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

using namespace cauchy;

Problem burgers() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.name = "burgers";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == 0.01 / pi * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  return p;
}

struct Settings {
  std::uint64_t steps = 1000;
  std::size_t rounds = 5;
  std::string only = {};
};

double seconds(const Problem& problem, const TrainingRules& rules, const Settings& settings) {
  Pinn method;
  method.network = Mlp{.width = 20, .depth = 5};
  method.points = {.interior = 2100, .boundary = 200, .initial = 200};
  method.stages = {{AdamOptions{}, settings.steps}};
  method.rules = rules;
  const std::clock_t start = std::clock();
  (void)solve(problem, method, {.threads = 1, .history_every = 0});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void measure(const Problem& problem, std::string_view kind, std::string_view name,
             const TrainingRules& rules, const Settings& settings) {
  if (!settings.only.empty() && settings.only != name) return;
  std::vector<double> quotients;
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    const double plain = seconds(problem, {}, settings);
    quotients.push_back(seconds(problem, rules, settings) / plain);
  }
  std::sort(quotients.begin(), quotients.end());
  const double median = quotients[quotients.size() / 2];
  const char* verdict = median <= 1.10 ? "ok" : "ABOVE THE BAR";
  fmt::print("{:<14} {:<16} {:>7.3f} {:>7.3f} {:>7.3f}  {}\n", kind, name, median,
             quotients.front(), quotients.back(), verdict);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const unsigned long value = std::max(1ul, std::strtoul(argv[i + 1], nullptr, 10));
    if (std::strcmp(argv[i], "--steps") == 0) settings.steps = value;
    if (std::strcmp(argv[i], "--rounds") == 0) settings.rounds = value;
    if (std::strcmp(argv[i], "--only") == 0) settings.only = argv[i + 1];
  }
  const Problem problem = burgers();
  fmt::print("time of {} steps of Adam over that without the rule, {} rounds; bar 1.10\n",
             settings.steps, settings.rounds);
  fmt::print("{:<14} {:<16} {:>7} {:>7} {:>7}\n", "rule", "kind", "median", "best", "worst");
  for (const BalancerEntry& entry : all_balancers()) {
    measure(problem, "balancer", entry.name, {.balancer = entry.options}, settings);
  }
  for (const PointWeightsEntry& entry : all_point_weights()) {
    measure(problem, "point weights", entry.name, {.point_weights = {entry.options}}, settings);
  }
}
