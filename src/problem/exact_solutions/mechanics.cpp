#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {

/// Plates and plane elasticity; (u, v) are displacements.
std::vector<ExactSolution> mechanics_solutions() {
  return {
      {.name = "plate_square",
       .description = "A simply supported square plate of stiffness 1 under a load of one wave.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"q", 1}},
       .domain = {{"0", "1"}, {"0", "1"}},
       .equations = {"laplacian(laplacian(u)) = q*sin(pi*x)*sin(pi*y)"},
       .conditions = {{"x = 0", "u = 0"},
                      {"x = 1", "u = 0"},
                      {"y = 0", "u = 0"},
                      {"y = 1", "u = 0"},
                      {"x = 0", "laplacian(u) = 0"},
                      {"x = 1", "laplacian(u) = 0"},
                      {"y = 0", "laplacian(u) = 0"},
                      {"y = 1", "laplacian(u) = 0"}},
       .formulas = {"q/(4*pi^4)*sin(pi*x)*sin(pi*y)"}},
      {.name = "plate_clamped_disk",
       .description = "A clamped circular plate of stiffness 1 under constant load q.",
       .coordinates = {"x", "y"},
       .fields = {"u"},
       .parameters = {{"R", 1}, {"q", 1}},
       .requirements = {"R > 0"},
       .domain = {{"-R", "R"}, {"-R", "R"}},
       .inside = "x^2 + y^2 < R^2",
       .equations = {"laplacian(laplacian(u)) = q"},
       .conditions = {{"x^2 + y^2 = R^2", "u = 0"}, {"x^2 + y^2 = R^2", "x*u_x + y*u_y = 0"}},
       .formulas = {"q*(R^2 - x^2 - y^2)^2/64"}},
      {.name = "elasticity_square",
       .description = "Plane strain in the unit square with a made-up displacement and its force.",
       .coordinates = {"x", "y"},
       .fields = {"u", "v"},
       .parameters = {{"lambda", 1}, {"mu", 0.5}, {"Q", 4}},
       .requirements = {"mu > 0", "lambda + mu > 0"},
       .domain = {{"0", "1"}, {"0", "1"}},
       .equations = {"(lambda + 2*mu)*u_xx + mu*u_yy + (lambda + mu)*v_xy = "
                     "-pi^2*(4*lambda + 9*mu)*cos(2*pi*x)*sin(pi*y) + "
                     "(lambda + mu)*pi*Q*cos(pi*x)*y^3",
                     "(lambda + 2*mu)*v_yy + mu*v_xx + (lambda + mu)*u_xy = "
                     "(lambda + 2*mu)*3*Q*sin(pi*x)*y^2 - mu*pi^2*Q*sin(pi*x)*y^4/4 - "
                     "(lambda + mu)*2*pi^2*sin(2*pi*x)*cos(pi*y)"},
       .conditions = {{"y = 0", "u = 0"},
                      {"y = 0", "v = 0"},
                      {"y = 1", "u = 0"},
                      {"x = 0", "v = 0"},
                      {"x = 1", "v = 0"}},
       .formulas = {"cos(2*pi*x)*sin(pi*y)", "Q*sin(pi*x)*y^4/4"}},
      {.name = "cantilever",
       .description =
           "A beam of length L and depth h in plane stress, clamped on average at x = 0, "
           "with the shear force P at x = L (Timoshenko).",
       .coordinates = {"x", "y"},
       .fields = {"u", "v"},
       .parameters = {{"E", 1000}, {"nu", 0.3}, {"P", 1}, {"L", 4}, {"h", 1}},
       .requirements = {"E > 0", "nu > -1", "nu < 0.5", "L > 0", "h > 0"},
       .domain = {{"0", "L"}, {"-h/2", "h/2"}},
       .equations = {"u_xx + (1 - nu)/2*u_yy + (1 + nu)/2*v_xy = 0",
                     "v_yy + (1 - nu)/2*v_xx + (1 + nu)/2*u_xy = 0"},
       // No traction on the long sides, and the shear stress of the parabola at the loaded end.
       .conditions = {{"y = -h/2", "u_y + v_x = 0"},
                      {"y = h/2", "u_y + v_x = 0"},
                      {"y = -h/2", "v_y + nu*u_x = 0"},
                      {"y = h/2", "v_y + nu*u_x = 0"},
                      {"x = L", "u_x + nu*v_y = 0"},
                      {"x = L", "E/(2*(1 + nu))*(u_y + v_x) = -6*P/h^3*(h^2/4 - y^2)"}},
       .formulas = {"2*P*y/(E*h^3)*((6*L - 3*x)*x + (2 + nu)*(y^2 - h^2/4))",
                    "-2*P/(E*h^3)*(3*nu*y^2*(L - x) + (4 + 5*nu)*h^2*x/4 + (3*L - x)*x^2)"}},
  };
}

}  // namespace cauchy::detail
