#include <string>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/exact_solutions.hpp>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy {

ExactSolution poisson_product(int d) {
  if (d < 1 || d > 100) {
    throw Error(fmt::format("the number of dimensions must be from 1 to 100, got {}", d),
                "[problem.poisson_product]");
  }
  ExactSolution s{.name = fmt::format("poisson_product_{}d", d),
                  .description = "Poisson's equation in the unit cube with a product of sines."};
  s.fields = {"u"};
  s.parameters = {{"n", 1, true}};
  std::string formula;
  for (int i = 1; i <= d; ++i) {
    // x, y, z as one writes them, x1, x2, ... where the letters end.
    const std::string x = d <= 3 ? std::string(1, "xyz"[i - 1]) : fmt::format("x{}", i);
    s.coordinates.push_back(x);
    s.domain.emplace_back("0", "1");
    s.conditions.push_back({x + " = 0", "u = 0"});
    s.conditions.push_back({x + " = 1", "u = 0"});
    formula += fmt::format("{}sin(n*pi*{})", i > 1 ? "*" : "", x);
  }
  s.equations = {fmt::format("-laplacian(u) = {}*(n*pi)^2*{}", d, formula)};
  s.formulas = {formula};
  return s;
}

namespace detail {

std::vector<ExactSolution> elliptic_solutions() {
  std::vector<ExactSolution> list;
  for (const int d : {1, 2, 3, 4, 5, 10}) list.push_back(poisson_product(d));
  const std::vector<ExactSolution> others{
      {.name = "laplace_pairs_10d",
       .description = "A harmonic polynomial in the unit cube of ten dimensions.",
       .coordinates = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"},
       .fields = {"u"},
       .domain = std::vector<std::pair<std::string, std::string>>(10, {"0", "1"}),
       .equations = {"laplacian(u) = 0"},
       .formulas = {"x1*x2 + x3*x4 + x5*x6 + x7*x8 + x9*x10"}},
      {.name = "laplace_square",
       .description = "A potential in the unit square that is driven from one side.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .domain = {{"0", "1"}, {"0", "1"}},
       .equations = {"-laplacian(u) = 0"},
       .conditions =
           {{"x = 0", "u = 0"}, {"x = 1", "u = sin(pi*y)"}, {"y = 0", "u = 0"}, {"y = 1", "u = 0"}},
       .formulas = {"sinh(pi*x)/sinh(pi)*sin(pi*y)"}},
      {.name = "poisson_disk",
       .description = "A membrane over a disk under constant load.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"R", 1}, {"f", 1}},
       .requirements = {"R > 0"},
       .domain = {{"-R", "R"}, {"-R", "R"}},
       .inside = "x^2 + y^2 < R^2",
       .equations = {"-laplacian(u) = f"},
       .conditions = {{"x^2 + y^2 = R^2", "u = 0"}},
       .formulas = {"f*(R^2 - x^2 - y^2)/4"}},
      {.name = "laplace_annulus",
       .description =
           "The potential between two circles of radii a < b that are held at ua and ub.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"a", 1}, {"b", 2}, {"ua", 0}, {"ub", 1}},
       .requirements = {"a > 0", "b > a"},
       .domain = {{"-b", "b"}, {"-b", "b"}},
       .inside = "x^2 + y^2 > a^2 and x^2 + y^2 < b^2",
       .equations = {"laplacian(u) = 0"},
       .conditions = {{"x^2 + y^2 = a^2", "u = ua"}, {"x^2 + y^2 = b^2", "u = ub"}},
       .formulas = {"ua + (ub - ua)*log((x^2 + y^2)/a^2)/(2*log(b/a))"}},
      {.name = "helmholtz_1d",
       .description = "A wave of wave number k from a wall.",
       .coordinates = {"x"},
       .fields = {"u"},
       .parameters = {{"k", 3}},
       .domain = {{"0", "1"}},
       .equations = {"u_xx + k^2*u = 0"},
       .conditions = {{"x = 0", "u = 0"}, {"x = 0", "u_x = k"}},
       .formulas = {"sin(k*x)"}},
      {.name = "helmholtz_plane_wave",
       .description = "A plane wave of wave number k in the direction of an angle.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"k", 6}, {"angle", 0.5}},
       .domain = {{"0", "1"}, {"0", "1"}},
       .equations = {"laplacian(u) + k^2*u = 0"},
       .formulas = {"sin(k*(cos(angle)*x + sin(angle)*y))"}},
      {.name = "helmholtz_source",
       .description = "Helmholtz' equation in a square with the source of a product of sines.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"a1", 1, true}, {"a2", 4, true}, {"k", 1}},
       .domain = {{"-1", "1"}, {"-1", "1"}},
       .equations = {"laplacian(u) + k^2*u = "
                     "(k^2 - (a1*pi)^2 - (a2*pi)^2)*sin(a1*pi*x)*sin(a2*pi*y)"},
       .conditions =
           {{"x = -1", "u = 0"}, {"x = 1", "u = 0"}, {"y = -1", "u = 0"}, {"y = 1", "u = 0"}},
       .formulas = {"sin(a1*pi*x)*sin(a2*pi*y)"}},
      {.name = "screened_poisson",
       .description =
           "Diffusion against decay; -sqrt(s) log(u) tends to the distance from the ends.",
       .coordinates = {"x"},
       .fields = {"u"},
       .parameters = {{"s", 0.1}},
       .requirements = {"s > 0"},
       .domain = {{"-1", "1"}},
       .equations = {"u - s*u_xx = 0"},
       .conditions = {{"x = -1", "u = 1"}, {"x = 1", "u = 1"}},
       .formulas = {"(exp((x - 1)/sqrt(s)) + exp((-x - 1)/sqrt(s)))/(1 + exp(-2/sqrt(s)))"}},
      {.name = "darcy_1d",
       .description = "Flow through a rock whose permeability grows like exp(a x).",
       .coordinates = {"x"},
       .fields = {"p"},
       .parameters = {{"a", 1}},
       .requirements = {"a > 0"},
       .domain = {{"0", "1"}},
       .equations = {"-d(exp(a*x)*d(p, x), x) = 0"},
       .conditions = {{"x = 0", "p = 1"}, {"x = 1", "p = 0"}},
       .formulas = {"(exp(-a*x) - exp(-a))/(1 - exp(-a))"}},
      {.name = "darcy_radial",
       .description = "Pressure and velocity around a well of radius a in a disk of radius b.",
       .coordinates = {"x", "y"},
       .fields = {"p", "u", "v"},
       .parameters = {{"k", 1}, {"a", 0.1}, {"b", 1}, {"pa", 0}, {"pb", 1}},
       .requirements = {"k > 0", "a > 0", "b > a"},
       .domain = {{"-b", "b"}, {"-b", "b"}},
       .inside = "x^2 + y^2 > a^2 and x^2 + y^2 < b^2",
       .equations = {"u = -k*p_x", "v = -k*p_y", "u_x + v_y = 0"},
       .conditions = {{"x^2 + y^2 = a^2", "p = pa"}, {"x^2 + y^2 = b^2", "p = pb"}},
       .formulas = {"pa + (pb - pa)*log((x^2 + y^2)/a^2)/(2*log(b/a))",
                    "-k*(pb - pa)/log(b/a)*x/(x^2 + y^2)", "-k*(pb - pa)/log(b/a)*y/(x^2 + y^2)"}},
  };
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace detail
}  // namespace cauchy
