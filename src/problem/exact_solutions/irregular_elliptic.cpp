#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {

/// Solutions with corners, cracks, jumps of a coefficient and kinks.
std::vector<ExactSolution> irregular_elliptic_solutions() {
  return {
      // With the angle phi from the bisector of the domain, r^(2/3) sin(2 theta / 3) is
      // r^(2/3) cos(2 phi / 3), and phi / 2 is an arc tangent without a jump inside.
      {.name = "laplace_corner",
       .description = "The singularity r^(2/3) sin(2 theta/3) at the inner corner of an L.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .domain = {{"-1", "1"}, {"-1", "1"}},
       .inside = "x < 0 or y > 0",
       .equations = {"laplacian(u) = 0"},
       .conditions = {{"y = 0 and x > 0", "u = 0"}, {"x = 0 and y < 0", "u = 0"}},
       .formulas = {"where(x^2 + y^2 > 0, (x^2 + y^2)^(1/3)*"
                    "cos(4/3*atan((x + y)/(sqrt(2*(x^2 + y^2)) + y - x))), 0)"}},
      // sqrt((r - x) / 2), without the cancellation right of the tip.
      {.name = "laplace_slit",
       .description =
           "The singularity r^(1/2) sin(theta/2) at the tip of a slit along the positive "
           "x axis.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .domain = {{"-1", "1"}, {"-1", "1"}},
       .equations = {"laplacian(u) = 0"},
       .conditions = {{"y = 0 and x > 0", "u = 0"}},
       .formulas = {"where(x <= 0, sqrt((sqrt(x^2 + y^2) - x)/2), "
                    "abs(y)/sqrt(2*(sqrt(x^2 + y^2) + x)))"}},
      // The flux a u' = C - x is continuous; C follows from the continuity of u at s.
      {.name = "interface_1d",
       .description = "A conductivity that jumps from a1 to a2 at x = s, with a constant source.",
       .coordinates = {"x"},
       .fields = {"u"},
       .parameters = {{"a1", 1}, {"a2", 10}, {"s", 0.5}},
       .requirements = {"a1 > 0", "a2 > 0", "s > 0", "s < 1"},
       .domain = {{"0", "1"}},
       .equations = {"-where(x < s, a1, a2)*u_xx = 1"},
       .conditions = {{"x = 0", "u = 0"}, {"x = 1", "u = 0"}},
       .formulas = {"where(x < s, "
                    "x*(2*(s^2/(2*a1) + (1 - s^2)/(2*a2))/(s/a1 + (1 - s)/a2) - x)/(2*a1), "
                    "(1 - x)*(1 + x - 2*(s^2/(2*a1) + (1 - s^2)/(2*a2))/(s/a1 + (1 - s)/a2))/"
                    "(2*a2))"}},
      {.name = "interface_disk",
       .description = "A disk of conductivity a1 and radius R in a plane of conductivity a2, in a "
                      "uniform field along x.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"a1", 10}, {"a2", 1}, {"R", 0.5}},
       .requirements = {"a1 > 0", "a2 > 0", "R > 0"},
       .domain = {{"-1", "1"}, {"-1", "1"}},
       .equations = {"-where(x^2 + y^2 < R^2, a1, a2)*laplacian(u) = 0"},
       .formulas = {"x*where(x^2 + y^2 < R^2, 2*a2/(a1 + a2), "
                    "1 + (a2 - a1)/(a2 + a1)*R^2/(x^2 + y^2))"}},
      {.name = "eikonal_disk",
       .description = "The distance from the edge of a disk.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"R", 1}},
       .requirements = {"R > 0"},
       .domain = {{"-R", "R"}, {"-R", "R"}},
       .inside = "x^2 + y^2 < R^2",
       .equations = {"u_x^2 + u_y^2 = 1"},
       .conditions = {{"x^2 + y^2 = R^2", "u = 0"}},
       .formulas = {"R - sqrt(x^2 + y^2)"}},
      {.name = "eikonal_square",
       .description = "The distance from the edge of a square, a roof with four ridges.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .domain = {{"-1", "1"}, {"-1", "1"}},
       .equations = {"u_x^2 + u_y^2 = 1"},
       .conditions =
           {{"x = -1", "u = 0"}, {"x = 1", "u = 0"}, {"y = -1", "u = 0"}, {"y = 1", "u = 0"}},
       .formulas = {"1 - max(abs(x), abs(y))"}},
  };
}

}  // namespace cauchy::detail
