// One equation, two questions: a PINN finds the solution of a known equation, a neural ODE finds
// the equation of known solutions. y' = y (1 - y), the logistic equation. Runs: two_losses Expects:
// the network for the solution is within 1e-3 of the exact curve; the learnt field follows a
// trajectory that it has not seen to 2e-2, and is a function of y that the PINN never has.
#include <cmath>
#include <cstdio>

#include <cauchy/cauchy.hpp>
#include <cauchy/dynamics/learn_dynamics.hpp>

using namespace cauchy;

double logistic(double start, double t) { return 1 / (1 + (1 / start - 1) * std::exp(-t)); }

int main() {
  // L = mean |y' - f(y)|^2 + |y(0) - y_0|^2: f is given, y(t) is the network.
  Coordinate t("t");
  Field y("y");
  Problem known;
  known.name = "logistic";
  known.fields = {"y"};
  known.domain = Time(t, 0, 4);
  known.equation = {d(y, t) == y * (1 - y)};
  known.condition = {at(t == 0, y == 0.1)};
  const Solution answer = solve(
      known, Pinn{.network = Mlp{.width = 16, .depth = 2}, .stages = {{LbfgsOptions{}, 300}}});

  // L = mean |y_i - ODESolver(f, y_0, t_i)|^2: trajectories are given, f(y) is the network.
  DynamicsProblem unknown{.name = "logistic", .field = {.states = {"y"}}, .data = {{"y"}, {}}};
  unknown.field.unknown = FieldUnknown{};
  const double starts[] = {0.05, 0.4, 1.6, 0.1};  // the last one is held back
  for (int i = 0; i < 4; ++i) {
    Trajectory seen{std::to_string(i), {}, {}};
    for (int j = 0; j <= 20; ++j) {
      seen.times.push_back(0.2 * j);
      seen.values.push_back(logistic(starts[i], 0.2 * j));
    }
    unknown.data.trajectories.push_back(seen);
  }
  unknown.test = 1;
  const DynamicsResult learnt = learn_dynamics(
      unknown,
      NeuralOde{.network = Mlp{.width = 12, .depth = 1}, .stages = {{LbfgsOptions{}, 80}}});

  double worst = 0;
  for (int j = 0; j <= 20; ++j) {
    const double at[] = {0.2 * j};
    const Expr field[] = {y};
    const double off = std::abs(answer.evaluate(field, at)[0] - logistic(0.1, at[0]));
    if (!(off <= worst)) worst = off;
  }
  std::printf("solution of the known equation: largest error %.1e\n", worst);
  std::printf("field from trajectories: error %.1e on one that was held back\n",
              learnt.test.mean());
  for (const double s : {0.25, 0.5, 0.75}) {
    const double state[] = {s};
    std::printf("  f(%.2f) = %.4f, exact %.4f\n", s, learnt.model->slopes(0, state)[0],
                s * (1 - s));
  }
  return worst < 1e-3 && learnt.test.mean() < 2e-2 ? 0 : 1;
}
