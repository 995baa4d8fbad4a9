#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/math/roots.hpp>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {
namespace {

/// A gas at rest or in motion: density, velocity, pressure.
struct GasState {
  double rho, u, p;
};

/// How much the velocity changes from a state to pressure p behind a wave of one side.
double velocity_change(const GasState& s, double p, double gamma) {
  if (p > s.p) {
    return (p - s.p) * std::sqrt(2 / (s.rho * ((gamma + 1) * p + (gamma - 1) * s.p)));
  }
  const double a = std::sqrt(gamma * s.p / s.rho);
  return 2 * a / (gamma - 1) * (std::pow(p / s.p, (gamma - 1) / (2 * gamma)) - 1);
}

/// The state on the ray x / t left of the contact, between the left state and (u, p).
GasState left_of_contact(const GasState& s, double u, double p, double gamma, double ray) {
  const double a = std::sqrt(gamma * s.p / s.rho);
  if (p > s.p) {
    const double shock =
        s.u - a * std::sqrt((gamma + 1) / (2 * gamma) * p / s.p + (gamma - 1) / (2 * gamma));
    const double k = (gamma - 1) / (gamma + 1);
    return ray < shock ? s : GasState{s.rho * (p / s.p + k) / (k * p / s.p + 1), u, p};
  }
  const double behind = a * std::pow(p / s.p, (gamma - 1) / (2 * gamma));
  if (ray < s.u - a) return s;
  if (ray > u - behind) return {s.rho * std::pow(p / s.p, 1 / gamma), u, p};
  const double inside = 2 / (gamma + 1) * (a + (gamma - 1) / 2 * (s.u - ray));
  return {s.rho * std::pow(inside / a, 2 / (gamma - 1)),
          2 / (gamma + 1) * (a + (gamma - 1) / 2 * s.u + ray),
          s.p * std::pow(inside / a, 2 * gamma / (gamma - 1))};
}

/// Riemann's problem of an ideal gas: pressure and velocity at the contact by one root (Toro,
/// chapter 4), then the state on each ray.
ExactEvaluator riemann_gas(std::span<const double> parameters) {
  const double gamma = parameters[0], middle = parameters[7];
  const GasState left = {parameters[1], parameters[2], parameters[3]};
  const GasState right = {parameters[4], parameters[5], parameters[6]};
  const auto change = [=](double p) {
    return velocity_change(left, p, gamma) + velocity_change(right, p, gamma) + right.u - left.u;
  };
  double high = std::max(left.p, right.p);
  while (change(high) < 0) high *= 2;
  const double p = change(high) == 0 ? high : find_root(change, 0.0, high).root;
  const double u = 0.5 * (left.u + right.u) +
                   0.5 * (velocity_change(right, p, gamma) - velocity_change(left, p, gamma));
  return point_by_point(2, 3, [=](std::span<const double> point, std::span<double> values) {
    const double t = point[0], x = point[1] - middle;
    require_not_before_start(t, "riemann_gas");
    GasState s;
    if (t == 0) {
      s = x < 0 ? left : right;
    } else if (x / t < u) {
      s = left_of_contact(left, u, p, gamma, x / t);
    } else {  // the same seen in a mirror
      s = left_of_contact({right.rho, -right.u, right.p}, -u, p, gamma, -x / t);
      s.u = -s.u;
    }
    values[0] = s.rho;
    values[1] = s.u;
    values[2] = s.p;
  });
}

/// A dam breaks over water (Stoker): a fan runs back, a bore runs ahead of water of depth m with
/// 2 (c_left - c_m) = (m - right) sqrt(g (m + right) / (2 m right)).
ExactEvaluator dam_break(std::span<const double> parameters) {
  const double g = parameters[0], left = parameters[1], right = parameters[2],
               middle = parameters[3];
  const double c = std::sqrt(g * left);
  const auto speed = [=](double m) {
    return (m - right) * std::sqrt(g * (m + right) / (2 * m * right));
  };
  const auto balance = [=](double m) { return speed(m) - 2 * (c - std::sqrt(g * m)); };
  const double m = find_root(balance, right, left).root, u = speed(m);
  const double bore = m * u / (m - right);
  return point_by_point(2, 2, [=](std::span<const double> point, std::span<double> values) {
    const double t = point[0], x = point[1] - middle;
    require_not_before_start(t, "dam_break");
    if (x <= -c * t) {
      values[0] = left;
      values[1] = 0;
    } else if (x < (u - std::sqrt(g * m)) * t) {
      const double ray = x / t;
      values[0] = (2 * c - ray) * (2 * c - ray) / (9 * g);
      values[1] = 2.0 / 3 * (c + ray);
    } else {
      values[0] = x < bore * t ? m : right;
      values[1] = x < bore * t ? u : 0;
    }
  });
}

}  // namespace

std::vector<ExactSolution> riemann_solutions() {
  return {
      {.name = "riemann_gas",
       .description = "Two states of an ideal gas meet at x0; the defaults are Sod's shock tube.",
       .coordinates = {"t", "x"},
       .fields = {"rho", "u", "p"},
       .parameters = {{"gamma", 1.4},
                      {"rho_left", 1},
                      {"u_left", 0},
                      {"p_left", 1},
                      {"rho_right", 0.125},
                      {"u_right", 0},
                      {"p_right", 0.1},
                      {"x0", 0.5}},
       .requirements = {"gamma > 1", "rho_left > 0", "p_left > 0", "rho_right > 0", "p_right > 0",
                        "u_right - u_left < 2*(sqrt(gamma*p_left/rho_left) + "
                        "sqrt(gamma*p_right/rho_right))/(gamma - 1)"},
       .domain = {{"0", "0.2"}, {"0", "1"}},
       .equations = {"rho_t + d(rho*u, x) = 0", "d(rho*u, t) + d(rho*u^2 + p, x) = 0",
                     "d(p/(gamma - 1) + rho*u^2/2, t) + d((gamma*p/(gamma - 1) + rho*u^2/2)*u, x) "
                     "= 0"},
       .method = "pressure at the contact by one bracketed root, shocks and fans in closed form",
       .accuracy = 1e-13,
       .build = riemann_gas},
      {.name = "dam_break",
       .description = "Water of depth h_left falls onto water of depth h_right.",
       .coordinates = {"t", "x"},
       .fields = {"h", "u"},
       .parameters = {{"g", 9.81}, {"h_left", 1}, {"h_right", 0.5}, {"x0", 0.5}},
       .requirements = {"g > 0", "h_right > 0", "h_left > h_right"},
       .domain = {{"0", "0.1"}, {"0", "1"}},
       .equations = {"h_t + d(h*u, x) = 0", "d(h*u, t) + d(h*u^2 + g*h^2/2, x) = 0"},
       .method = "depth behind the bore by one bracketed root, fan in closed form (Stoker)",
       .accuracy = 1e-13,
       .build = dam_break},
  };
}

}  // namespace cauchy::detail
