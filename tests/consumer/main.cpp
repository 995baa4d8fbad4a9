// What a user of the installed library does: the same rod, -u'' = sin(pi x) with u = 0 at both
// ends, in C++ and from a file, solved and compared with sin(pi x) / pi^2. The exit code is the
// verdict.
#include <cauchy/cauchy.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace cauchy;

Pinn small_network() {
  Pinn method;
  method.network = Mlp{.width = 8, .depth = 1};
  method.points = {.interior = 40, .boundary = 2};
  method.stages = {{AdamOptions{}, 100}, {LbfgsOptions{}, 200}};
  return method;
}

/// Whether the middle of the rod agrees and the answer knows its own error.
bool is_good(const char* what, const Solution& s) {
  const double middle = s("u", {0.5}), exact = 1 / (pi * pi);
  std::printf("%s: u(1/2) = %.6f, exact %.6f, relative error %.1e\n", what, middle, exact,
              s.error.relative_l2());
  return std::abs(middle - exact) < 1e-3 * exact && s.error.relative_l2() < 1e-3;
}

bool solves_a_problem() {
  const Coordinate x("x");
  const Field u("u");
  Problem rod;
  rod.domain = Interval(x, 0, 1);
  rod.fields = {"u"};
  rod.equation = {-d(u, x, x) == sin(pi * x)};
  rod.condition = {on_boundary(u == 0)};
  rod.reference.formulas["u"] = sin(pi * x) / (pi * pi);
  return is_good("C++", solve(rod, small_network()));
}

bool solves_a_file(const std::string& file) {
  const ProblemFile rod = read_problem_file(file);
  return is_good("file", solve(rod.problem, small_network()));
}

/// Exceptions must come across the border of the library with their type.
bool throws_its_errors(const std::string& file) {
  try {
    (void)read_problem_file(file + ".missing");
  } catch (const Error& e) {
    return std::string(e.what()).find(".missing") != std::string::npos;
  }
  return false;
}

}  // namespace

int main(int n, char** arguments) {
  if (n != 2) return 2;
  return solves_a_problem() && solves_a_file(arguments[1]) && throws_its_errors(arguments[1]) ? 0
                                                                                              : 1;
}
