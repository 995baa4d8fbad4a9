#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {

/// Velocity (u, v) or (u, v, w) and pressure p of incompressible fluids of density 1.
std::vector<ExactSolution> flow_solutions() {
  // The rate of Kovasznay's flow, written without the difference of two large numbers.
  const std::string rate = "(-4*pi^2/(Re/2 + sqrt(Re^2/4 + 4*pi^2)))";
  return {
      {.name = "stokes_poiseuille",
       .description = "Slow flow through a channel of height H, driven by a pressure slope G.",
       .coordinates = {"x", "y"},
       .fields = {"u", "v", "p"},
       .parameters = {{"mu", 1}, {"G", 1}, {"H", 1}, {"L", 2}},
       .requirements = {"mu > 0", "H > 0", "L > 0"},
       .domain = {{"0", "L"}, {"0", "H"}},
       .equations = {"-mu*laplacian(u) + p_x = 0", "-mu*laplacian(v) + p_y = 0", "u_x + v_y = 0"},
       .conditions = {{"y = 0", "u = 0"},
                      {"y = H", "u = 0"},
                      {"y = 0", "v = 0"},
                      {"y = H", "v = 0"},
                      {"x = L", "p = 0"},
                      {"x = 0", "p = G*L"}},
       .formulas = {"G/(2*mu)*y*(H - y)", "0", "G*(L - x)"}},
      {.name = "stokes_vortex",
       .description =
           "A vortex at rest on all sides of the unit square, with the force that drives "
           "it.",
       .coordinates = {"x", "y"},
       .fields = {"u", "v", "p"},
       .parameters = {{"mu", 1}},
       .requirements = {"mu > 0"},
       .domain = {{"0", "1"}, {"0", "1"}},
       .equations = {"-mu*laplacian(u) + p_x = mu*2*pi^2*(1 - 2*cos(2*pi*x))*sin(2*pi*y) - "
                     "pi*sin(pi*x)*cos(pi*y)",
                     "-mu*laplacian(v) + p_y = -mu*2*pi^2*(1 - 2*cos(2*pi*y))*sin(2*pi*x) - "
                     "pi*cos(pi*x)*sin(pi*y)",
                     "u_x + v_y = 0"},
       .conditions = {{"x = 0", "u = 0"},
                      {"x = 1", "u = 0"},
                      {"y = 0", "u = 0"},
                      {"y = 1", "u = 0"},
                      {"x = 0", "v = 0"},
                      {"x = 1", "v = 0"},
                      {"y = 0", "v = 0"},
                      {"y = 1", "v = 0"}},
       .formulas = {"sin(pi*x)^2*sin(2*pi*y)", "-sin(2*pi*x)*sin(pi*y)^2", "cos(pi*x)*cos(pi*y)"}},
      {.name = "kovasznay",
       .description = "Steady flow behind a grid at Reynolds number Re.",
       .coordinates = {"x", "y"},
       .fields = {"u", "v", "p"},
       .parameters = {{"Re", 40}},
       .requirements = {"Re > 0"},
       .domain = {{"-0.5", "1"}, {"-0.5", "1.5"}},
       .equations = {"u*u_x + v*u_y + p_x = laplacian(u)/Re",
                     "u*v_x + v*v_y + p_y = laplacian(v)/Re", "u_x + v_y = 0"},
       .periodic = {"y"},
       .formulas = {"1 - exp(" + rate + "*x)*cos(2*pi*y)",
                    rate + "/(2*pi)*exp(" + rate + "*x)*sin(2*pi*y)",
                    "(1 - exp(2*" + rate + "*x))/2"}},
      {.name = "taylor_green",
       .description = "Decaying vortices of wave number k in a periodic square.",
       .coordinates = {"t", "x", "y"},
       .fields = {"u", "v", "p"},
       .parameters = {{"nu", 0.01}, {"k", 1, true}},
       .requirements = {"nu >= 0"},
       .domain = {{"0", "1"}, {"0", "2*pi"}, {"0", "2*pi"}},
       .equations = {"u_t + u*u_x + v*u_y + p_x = nu*laplacian(u)",
                     "v_t + u*v_x + v*v_y + p_y = nu*laplacian(v)", "u_x + v_y = 0"},
       .conditions = {{"t = 0", "u = -cos(k*x)*sin(k*y)"}, {"t = 0", "v = sin(k*x)*cos(k*y)"}},
       .periodic = {"x", "y"},
       .formulas = {"-cos(k*x)*sin(k*y)*exp(-2*nu*k^2*t)", "sin(k*x)*cos(k*y)*exp(-2*nu*k^2*t)",
                    "-(cos(2*k*x) + cos(2*k*y))/4*exp(-4*nu*k^2*t)"}},
      {.name = "beltrami",
       .description =
           "The decaying three-dimensional flow of Ethier and Steinman: the vorticity is "
           "parallel to the velocity.",
       .coordinates = {"t", "x", "y", "z"},
       .fields = {"u", "v", "w", "p"},
       .parameters = {{"a", 1}, {"b", 1}, {"nu", 1}},
       .requirements = {"nu >= 0"},
       .domain = {{"0", "1"}, {"-1", "1"}, {"-1", "1"}, {"-1", "1"}},
       .equations = {"u_t + u*u_x + v*u_y + w*u_z + p_x = nu*laplacian(u)",
                     "v_t + u*v_x + v*v_y + w*v_z + p_y = nu*laplacian(v)",
                     "w_t + u*w_x + v*w_y + w*w_z + p_z = nu*laplacian(w)", "u_x + v_y + w_z = 0"},
       .formulas = {"-a*(exp(a*x)*sin(a*y + b*z) + exp(a*z)*cos(a*x + b*y))*exp(-nu*b^2*t)",
                    "-a*(exp(a*y)*sin(a*z + b*x) + exp(a*x)*cos(a*y + b*z))*exp(-nu*b^2*t)",
                    "-a*(exp(a*z)*sin(a*x + b*y) + exp(a*y)*cos(a*z + b*x))*exp(-nu*b^2*t)",
                    "-a^2/2*(exp(2*a*x) + exp(2*a*y) + exp(2*a*z)"
                    " + 2*sin(a*x + b*y)*cos(a*z + b*x)*exp(a*(y + z))"
                    " + 2*sin(a*y + b*z)*cos(a*x + b*y)*exp(a*(z + x))"
                    " + 2*sin(a*z + b*x)*cos(a*y + b*z)*exp(a*(x + y)))*exp(-2*nu*b^2*t)"}},
  };
}

}  // namespace cauchy::detail
