// The gradient of a loss at the end of a trajectory, by three ways through the integration.
// Runs: adjoint
// Expects: y' = theta y, L = y(1)^2 / 2: dL/dtheta = e^0.6 = 1.82211880 to 1e-8 by each of them;
// and the lift y(0) = A x + b has dL/db = a(0), dL/dA = a(0) x.
#include <cmath>
#include <cstdio>

#include <cauchy/dynamics/ode_layer.hpp>

using namespace cauchy;

int main() {
  OdeLayer layer(
      {.states = {"y"}, .slopes = {Parameter("theta") * Field("y")}, .constants = {{"theta", 0.3}}},
      {.relative = 1e-11, .absolute = 1e-12});
  layer.set_times({{0, 1}});

  // y(0) = A x + b with x = 2, A = 0.4, b = 0.2: the start is 1.
  const double x = 2, A = 0.4, b = 0.2, theta[] = {0.3}, start[] = {A * x + b};
  std::vector<double> values(2), gradient(1), a0(1), jacobian(4);
  if (!layer.run(theta, start, values).good()) return 1;
  const std::vector<double> seeds{0, values[1]};  // dL/dy at both times

  const double exact = std::exp(0.6);
  bool good = true;
  const auto show = [&](const char* how, double by_theta, double by_start) {
    std::printf("%-22s dL/dtheta %.8f   dL/db %.8f   dL/dA %.8f\n", how, by_theta, by_start,
                by_start * x);
    good = good && std::abs(by_theta - exact) < 1e-8 && std::abs(by_start - exact) < 1e-8;
  };
  layer.pull(seeds, gradient, a0);
  show("discrete adjoint", gradient[0], a0[0]);
  if (!layer.pull_continuous(seeds, gradient, a0).good()) return 1;
  show("continuous adjoint", gradient[0], a0[0]);
  layer.jacobian(0, jacobian);
  show("forward sensitivities", values[1] * jacobian[2], values[1] * jacobian[3]);
  return good ? 0 : 1;
}
