// What the rules of a training cost: steps of Adam on Burgers' equation (20 x 5 network, 2,500
// points) with every balancer, all weights of points and all point schemes at their defaults, over
// those of a plain run; with all points in every step and with batches of 256, which make a step
// cheap. Times are those of the processor, on one thread, so that a busy machine does not matter
// much; plain and ruled runs take turns, and the figure is the median of the quotients of
// neighbours.
//
//   bench_training_rules [--steps N] [--rounds N] [--only NAME] [--smallest]
//
// Bar: 1.10 for balancers and weights of points.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "bench_options.hpp"

namespace {

using namespace cauchy;

constexpr std::size_t batch = 256;
constexpr double bar = 1.10;

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
  std::uint64_t steps = 1000;  // with all points; four times as many with batches
  std::size_t rounds = 5;
  std::string only = {};
};

double seconds(const Problem& problem, const TrainingRules& rules, const Settings& settings,
               bool in_batches) {
  Pinn method;
  method.network = Mlp{.width = 20, .depth = 5};
  method.points = {.interior = 2100, .boundary = 200, .initial = 200};
  if (in_batches) method.points.batch = batch;
  method.stages = {{AdamOptions{}, in_batches ? 4 * settings.steps : settings.steps}};
  method.rules = rules;
  const std::clock_t start = std::clock();
  (void)solve(problem, method, {.threads = 1, .error_share = 0, .history_every = 1'000'000});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double quotient(const Problem& problem, const TrainingRules& rules, const Settings& settings,
                bool in_batches) {
  std::vector<double> all;
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    const double plain = seconds(problem, {}, settings, in_batches);
    all.push_back(seconds(problem, rules, settings, in_batches) / plain);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void measure(const Problem& problem, std::string_view kind, std::string_view name,
             const TrainingRules& rules, const Settings& settings, bool barred = true) {
  if (!settings.only.empty() && settings.only != name) return;
  const double whole = quotient(problem, rules, settings, false);
  // Importance sampling has batches of its own and takes no others.
  const bool takes_batches = !std::holds_alternative<ImportancePoints>(rules.point_scheme);
  const double parts = takes_batches ? quotient(problem, rules, settings, true) : NAN;
  const char* verdict = !barred ? "" : whole <= bar ? "ok" : "ABOVE THE BAR";
  fmt::print("{:<14} {:<16} {:>10.3f} {:>10}  {}\n", kind, name, whole,
             takes_batches ? fmt::format("{:.3f}", parts) : "-", verdict);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (bench::take_smallest(argc, argv)) settings = {.steps = 1, .rounds = 1};
  for (int i = 1; i + 1 < argc; i += 2) {
    const unsigned long value = std::max(1ul, std::strtoul(argv[i + 1], nullptr, 10));
    if (std::strcmp(argv[i], "--steps") == 0) settings.steps = value;
    if (std::strcmp(argv[i], "--rounds") == 0) settings.rounds = value;
    if (std::strcmp(argv[i], "--only") == 0) settings.only = argv[i + 1];
  }
  const Problem problem = burgers();
  fmt::print("time of {} steps of Adam over that without the rule, median of {}; bar {:.2f}\n",
             settings.steps, settings.rounds, bar);
  fmt::print("{:<14} {:<16} {:>10} {:>10}\n", "rule", "kind", "all points", "batches");
  for (const BalancerEntry& entry : all_balancers()) {
    measure(problem, "balancer", entry.name, {.balancer = entry.options}, settings);
  }
  for (const PointWeightsEntry& entry : all_point_weights()) {
    measure(problem, "point weights", entry.name, {.point_weights = {entry.options}}, settings);
  }
  for (const PointSchemeEntry& entry : all_point_schemes()) {
    measure(problem, "point scheme", entry.name, {.point_scheme = entry.options}, settings, false);
  }
}
