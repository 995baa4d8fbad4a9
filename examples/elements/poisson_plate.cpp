// A heated plate by finite elements: a source, given values left and right, given fluxes at the
// bottom and the top. -laplacian(u) = 10 exp(-((x - 1/2)^2 + (y - 1/2)^2) / 0.02) on [0, 2] x [0,
// 1], u = 0 at x = 0 and x = 2, du/dn = sin(5 x) elsewhere; triangles of order 1, 32 x 16 boxes.
// Runs: poisson_plate
// Expects: values between -1.861e-02 and 3.384e-01, those of a mesh with other diagonals, to 1 %
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <cauchy/cauchy.hpp>
#include <cauchy/problem/weak_problem.hpp>

using namespace cauchy;

int main() {
  const Coordinate x("x"), y("y");
  const Space space{x, y};
  const Field u("u");
  Problem plate;
  plate.domain = Rectangle({0, 0}, {2, 1});
  plate.fields = {"u"};
  plate.equation = {-laplacian(u, space) == 10 * exp(-(pow(x - 0.5, 2) + pow(y - 0.5, 2)) / 0.02)};
  plate.condition = {on("left or right", u == 0),
                     on("bottom or top", normal_derivative(u, {"x", "y"}) == sin(5 * x))};

  for (const std::string& line : describe(plate, weak_problem(plate))) std::puts(line.c_str());
  const Solution s = solve(plate, Fem{.n = 32, .order = 1});
  std::vector<double> nodes;
  for (int i = 0; i <= 32; ++i) {
    for (int j = 0; j <= 16; ++j) nodes.insert(nodes.end(), {i / 16.0, j / 16.0});
  }
  std::vector<double> values(nodes.size() / 2);
  s.model->evaluate(std::vector<Expr>{u}, nodes, values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::printf("%s: u between %.3e and %.3e\n", s.method.c_str(), *low, *high);
  return std::abs(*low + 1.861e-2) < 2e-4 && std::abs(*high - 3.384e-1) < 4e-3 ? 0 : 1;
}
