#include <array>
#include <cmath>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {
namespace {

/// exp(t A) y for a real 2x2 matrix A = (a b; c d). With m = (a + d) / 2 and q = m^2 - det A
///   exp(t A) = C I + S (A - m I),  C = e^(mt) cosh(sqrt(q) t),  S = e^(mt) sinh(sqrt(q) t) /
///   sqrt(q)
/// which for q < 0 is a cosine and a sine, and for q = 0 is 1 and t.
std::array<double, 2> apply_exponential(std::array<double, 4> matrix, double t,
                                        std::array<double, 2> y) {
  const auto [a, b, c, d] = matrix;
  const double m = (a + d) / 2, half = (a - d) / 2;
  const double q = half * half + b * c;  // no cancellation of m^2 with the determinant
  const double root = std::sqrt(std::abs(q));
  double even, odd;
  if (q > 0) {
    // Exponentials of m +- root at once: cosh may overflow where the product is tiny.
    const double grown = std::exp((m + root) * t), ratio = std::exp(-2 * root * t);
    even = grown * (1 + ratio) / 2;
    odd = -grown * std::expm1(-2 * root * t) / (2 * root);
  } else {
    const double decay = std::exp(m * t);
    even = decay * std::cos(root * t);
    odd = root > 0 ? decay * std::sin(root * t) / root : decay * t;
  }
  return {even * y[0] + odd * (half * y[0] + b * y[1]),
          even * y[1] + odd * (c * y[0] - half * y[1])};
}

ExactEvaluator linear_system(std::array<double, 4> matrix, std::array<double, 2> start) {
  return point_by_point(1, 2, [=](std::span<const double> point, std::span<double> values) {
    const auto y = apply_exponential(matrix, point[0], start);
    values[0] = y[0];
    values[1] = y[1];
  });
}

}  // namespace

std::vector<ExactSolution> ode_solutions() {
  return {
      {.name = "exponential_decay",
       .description = "Decay at a rate proportional to what is left.",
       .coordinates = {"t"},
       .fields = {"u"},
       .parameters = {{"k", 1}, {"u0", 1}},
       .domain = {{"0", "5"}},
       .equations = {"u_t = -k*u"},
       .conditions = {{"t = 0", "u = u0"}},
       .formulas = {"u0*exp(-k*t)"}},
      {.name = "logistic",
       .description = "Growth that saturates at the capacity K.",
       .coordinates = {"t"},
       .fields = {"u"},
       .parameters = {{"r", 1}, {"K", 1}, {"u0", 0.1}},
       .requirements = {"K > 0", "u0 > 0"},
       .domain = {{"0", "10"}},
       .equations = {"u_t = r*u*(1 - u/K)"},
       .conditions = {{"t = 0", "u = u0"}},
       .formulas = {"K/(1 + (K/u0 - 1)*exp(-r*t))"}},
      {.name = "harmonic_oscillator",
       .description = "A mass on a spring without friction.",
       .coordinates = {"t"},
       .fields = {"u"},
       .parameters = {{"omega", 2}, {"u0", 1}, {"v0", 0}},
       .requirements = {"omega > 0"},
       .domain = {{"0", "10"}},
       .equations = {"u_tt + omega^2*u = 0"},
       .conditions = {{"t = 0", "u = u0"}, {"t = 0", "u_t = v0"}},
       .formulas = {"u0*cos(omega*t) + v0/omega*sin(omega*t)"}},
      {.name = "damped_oscillator",
       .description =
           "Position u and velocity v of a mass on a spring with friction, damping ratio "
           "zeta below, at or above the critical value 1.",
       .coordinates = {"t"},
       .fields = {"u", "v"},
       .parameters = {{"omega", 2}, {"zeta", 0.1}, {"u0", 1}, {"v0", 0}},
       .requirements = {"omega > 0", "zeta >= 0"},
       .domain = {{"0", "10"}},
       .equations = {"u_t = v", "v_t = -omega^2*u - 2*zeta*omega*v"},
       .conditions = {{"t = 0", "u = u0"}, {"t = 0", "v = v0"}},
       .method = "exponential of the 2x2 matrix: cosine, 1 or cosh by the sign of zeta^2 - 1",
       .build =
           [](std::span<const double> p) {
             const double omega = p[0], zeta = p[1];
             return linear_system({0, 1, -omega * omega, -2 * zeta * omega}, {p[2], p[3]});
           }},
      {.name = "linear_system_2x2",
       .description = "Two linear equations with constant coefficients.",
       .coordinates = {"t"},
       .fields = {"u", "v"},
       .parameters = {{"a11", -0.5}, {"a12", 2}, {"a21", -2}, {"a22", -0.5}, {"u0", 1}, {"v0", 0}},
       .domain = {{"0", "5"}},
       .equations = {"u_t = a11*u + a12*v", "v_t = a21*u + a22*v"},
       .conditions = {{"t = 0", "u = u0"}, {"t = 0", "v = v0"}},
       .method = "exponential of the 2x2 matrix; real, double or complex eigenvalues",
       .build =
           [](std::span<const double> p) {
             return linear_system({p[0], p[1], p[2], p[3]}, {p[4], p[5]});
           }},
      {.name = "prothero_robinson",
       .description = "A stiff equation: a fast transient onto the slow curve cos(t).",
       .coordinates = {"t"},
       .fields = {"u"},
       .parameters = {{"k", 100}, {"u0", 2}},
       .requirements = {"k > 0"},
       .domain = {{"0", "3"}},
       .equations = {"u_t = -k*(u - cos(t)) - sin(t)"},
       .conditions = {{"t = 0", "u = u0"}},
       .formulas = {"cos(t) + (u0 - 1)*exp(-k*t)"}},
      {.name = "projectile",
       .description = "A throw in a plane, without air.",
       .coordinates = {"t"},
       .fields = {"x", "y"},
       .parameters = {{"g", 9.81}, {"speed", 10}, {"angle", 0.7853981633974483}, {"height", 0}},
       .domain = {{"0", "1"}},
       .equations = {"d(x, t, 2) = 0", "d(y, t, 2) = -g"},
       .conditions = {{"t = 0", "x = 0"},
                      {"t = 0", "y = height"},
                      {"t = 0", "d(x, t) = speed*cos(angle)"},
                      {"t = 0", "d(y, t) = speed*sin(angle)"}},
       .formulas = {"speed*cos(angle)*t", "height + speed*sin(angle)*t - g*t^2/2"}},
      {.name = "boundary_layer",
       .description = "Flow and weak diffusion: a layer of width eps at the right end.",
       .coordinates = {"x"},
       .fields = {"u"},
       .parameters = {{"eps", 0.1}},
       .requirements = {"eps > 0"},
       .domain = {{"0", "1"}},
       .equations = {"-eps*u_xx + u_x = 0"},
       .conditions = {{"x = 0", "u = 0"}, {"x = 1", "u = 1"}},
       .formulas = {"(exp((x - 1)/eps) - exp(-1/eps))/(1 - exp(-1/eps))"}},
  };
}

}  // namespace cauchy::detail
