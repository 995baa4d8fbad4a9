#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {

std::vector<ExactSolution> dispersive_solutions() {
  return {
      {.name = "kdv_soliton",
       .description =
           "One soliton of speed c of the Korteweg-de Vries equation, on the whole line.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"c", 4}, {"x0", 0}},
       .requirements = {"c > 0"},
       .domain = {{"0", "1"}, {"-10", "10"}},
       .equations = {"u_t + 6*u*u_x + u_xxx = 0"},
       .conditions = {{"t = 0", "u = c/2*cosh(sqrt(c)/2*(x - x0))^(-2)"}},
       .formulas = {"c/2*cosh(sqrt(c)/2*(x - c*t - x0))^(-2)"}},
      // 2 (log F)_xx with F = 1 + e1 + e2 + A e1 e2, multiplied out so that every term is positive.
      {.name = "kdv_two_solitons",
       .description = "Two solitons of speeds k1^2 and k2^2 that pass through each other.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"k1", 1.5}, {"k2", 1}, {"x1", -4}, {"x2", 0}},
       .requirements = {"k1 > k2", "k2 > 0"},
       .domain = {{"0", "4"}, {"-10", "15"}},
       .equations = {"u_t + 6*u*u_x + u_xxx = 0"},
       .formulas =
           {"2*(k1^2*exp(k1*(x - x1) - k1^3*t) + k2^2*exp(k2*(x - x2) - k2^3*t) + "
            "exp(k1*(x - x1) - k1^3*t)*exp(k2*(x - x2) - k2^3*t)*(2*(k1 - k2)^2 + "
            "((k1 - k2)/(k1 + k2))^2*(k2^2*exp(k1*(x - x1) - k1^3*t) + "
            "k1^2*exp(k2*(x - x2) - k2^3*t))))/"
            "(1 + exp(k1*(x - x1) - k1^3*t) + exp(k2*(x - x2) - k2^3*t) + ((k1 - k2)/(k1 + k2))^2*"
            "exp(k1*(x - x1) - k1^3*t)*exp(k2*(x - x2) - k2^3*t))^2"}},
      {.name = "nls_soliton",
       .description = "Bright soliton h = u + i v of i h_t + h_xx/2 + |h|^2 h = 0 with amplitude a "
                      "and speed c, on the whole line.",
       .coordinates = {"t", "x"},
       .fields = {"u", "v"},
       .parameters = {{"a", 1}, {"c", 0.5}},
       .requirements = {"a > 0"},
       .domain = {{"0", "2"}, {"-5", "5"}},
       .equations = {"u_t + v_xx/2 + (u^2 + v^2)*v = 0", "v_t - u_xx/2 - (u^2 + v^2)*u = 0"},
       .conditions = {{"t = 0", "u = a/cosh(a*x)*cos(c*x)"}, {"t = 0", "v = a/cosh(a*x)*sin(c*x)"}},
       .formulas = {"a/cosh(a*(x - c*t))*cos(c*x + (a^2 - c^2)*t/2)",
                    "a/cosh(a*(x - c*t))*sin(c*x + (a^2 - c^2)*t/2)"}},
      {.name = "nls_two_soliton",
       .description =
           "The bound state h = u + i v of i h_t + h_xx/2 + |h|^2 h = 0 that begins with "
           "h = 2 sech(x), periodic in time with |h|, on the whole line.",
       .coordinates = {"t", "x"},
       .fields = {"u", "v"},
       .domain = {{"0", "pi/2"}, {"-5", "5"}},
       .equations = {"u_t + v_xx/2 + (u^2 + v^2)*v = 0", "v_t - u_xx/2 - (u^2 + v^2)*u = 0"},
       .conditions = {{"t = 0", "u = 2/cosh(x)"}, {"t = 0", "v = 0"}},
       .formulas = {"4*(cos(t/2)*cosh(3*x) + 3*cos(9*t/2)*cosh(x))/"
                    "(cosh(4*x) + 4*cosh(2*x) + 3*cos(4*t))",
                    "4*(sin(t/2)*cosh(3*x) + 3*sin(9*t/2)*cosh(x))/"
                    "(cosh(4*x) + 4*cosh(2*x) + 3*cos(4*t))"}},
  };
}

}  // namespace cauchy::detail
