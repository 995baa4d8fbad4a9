// Runs:    quadratic_model
// Expects: f(p) + grad f . h + h' H h / 2 with the Hessian H of a network, by exact derivatives,
//          misses the network at p + h by a multiple of |h|^3: order 3; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cmath>

int main() {
  using namespace cauchy;
  const Coordinate x("x"), y("y");
  const Field u("u");
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 8, .depth = 2}, {"x", "y"}, std::vector<std::string>{"u"}));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  const auto executor = make_executor(graph, {{"u", {u}}}, {.threads = 1});
  const auto at = [&](std::vector<Expr> what, std::vector<double> point) {
    std::vector<double> values(what.size());
    executor->predict(what, theta, point, values);
    return values;
  };
  const auto f = at({u, d(u, x), d(u, y), d(u, x, x), d(u, x, y), d(u, y, y)}, {0.3, -0.4});
  double last = 0, order = 0;
  for (const double h : {0.08, 0.04, 0.02}) {
    const double a = h, b = -2 * h;  // the step
    const double model =
        f[0] + f[1] * a + f[2] * b + (f[3] * a * a + 2 * f[4] * a * b + f[5] * b * b) / 2;
    const double miss = std::abs(at({u}, {0.3 + a, -0.4 + b})[0] - model);
    order = std::log2(last / miss);
    fmt::print("h = {:.2f}: error {:.2e}{}\n", h, miss,
               last > 0 ? fmt::format(", order {:.2f}", order) : "");
    last = miss;
  }
  return std::abs(order - 3) < 0.2 ? 0 : 1;
}
