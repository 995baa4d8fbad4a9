#include "solvers/ode/initial_value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/math/ode.hpp>

#include "solvers/time/cvode.hpp"
#include "solvers/time/ida.hpp"

namespace cauchy::detail {

void add_step(OdeCubics& cubics, double s, double h, OdeStepCurve curve,
              std::span<const double> sizes, double tolerance) {
  const std::size_t n = cubics.n_components;
  std::vector<double> y(n), dy(n);
  OdeCubics trial;
  trial.n_components = n;
  const auto add = [&](double theta) {
    curve(theta, y, dy);
    trial.add(s + theta * h, y, dy);
  };
  // Powers of two: the error of cubics falls by 16 with every one.
  for (int parts = 1;; parts *= 2) {
    trial.nodes.clear();
    trial.values.clear();
    trial.slopes.clear();
    for (int i = 0; i <= parts; ++i) add(static_cast<double>(i) / parts);
    double worst = 0;
    for (int i = 0; i < parts; ++i) {
      const double theta = (i + 0.5) / parts;
      curve(theta, y, dy);
      for (std::size_t c = 0; c < n; ++c) {
        const double e = std::abs(trial.value(s + theta * h, c, 0) - y[c]) / sizes[c];
        if (!(e <= worst)) worst = e;
      }
    }
    if (!(worst > tolerance) || parts >= 256) break;
  }
  const bool joined = !cubics.nodes.empty() && cubics.nodes.back() == s;
  for (std::size_t i = 0; i < trial.nodes.size(); ++i) {
    const std::span<const double> row(trial.values.data() + i * n, n);
    const std::span<const double> slope(trial.slopes.data() + i * n, n);
    // The start is there already, but values and slopes may jump.
    if (i == 0 && joined) {
      const auto last = static_cast<std::ptrdiff_t>(n);
      if (std::equal(slope.begin(), slope.end(), cubics.slopes.end() - last) &&
          std::equal(row.begin(), row.end(), cubics.values.end() - last)) {
        continue;
      }
    }
    cubics.add(trial.nodes[i], row, slope);
  }
}

namespace {

/// Steps that an explicit method may take before an implicit one is tried.
constexpr std::size_t most_explicit_steps = 200'000;

struct OdeLeg {
  double from, to;
  std::vector<double> y;
};

void add_leg(OdeCubics& cubics, const OdeCubics& leg, bool reversed) {
  const std::size_t n = cubics.n_components, count = leg.nodes.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = reversed ? count - 1 - k : k;
    cubics.add(leg.nodes[i], {leg.values.data() + i * n, n}, {leg.slopes.data() + i * n, n});
  }
}

/// The steps of a curve as cubics; a curve that runs backwards is turned around.
void add_curve(OdeCubics& cubics, const OdeCurve& curve, double tolerance) {
  std::vector<double> knots = curve.knots();
  if (knots.back() < knots.front()) std::reverse(knots.begin(), knots.end());
  const std::size_t n = cubics.n_components;
  std::vector<double> sizes(n), y(n);
  for (const double s : knots) {
    curve.value(s, y);
    for (std::size_t c = 0; c < n; ++c) sizes[c] = std::max(sizes[c], std::abs(y[c]));
  }
  for (double& size : sizes) size = std::max(size, std::numeric_limits<double>::min());
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double s = knots[k], h = knots[k + 1] - s;
    add_step(
        cubics, s, h,
        [&](double theta, std::span<double> state, std::span<double> slope) {
          const double at = theta == 1 ? knots[k + 1] : s + theta * h;
          curve.value(at, state);
          curve.derivative(at, slope);
        },
        sizes, 0.1 * tolerance);
    cubics.nodes.back() = knots[k + 1];
  }
}

/// One leg; the state at its end goes to leg.y.
OdeNodes integrate_leg(const OdeProblem& problem, OdeIntegrator integrator, double relative,
                       OdeLeg& leg, const StopAsked& stop) {
  OdeSystem& system = *problem.system;
  system.stay_between(std::min(leg.from, leg.to), std::max(leg.from, leg.to));
  double size = problem.size;
  for (const double v : leg.y) size = std::max(size, std::abs(v));
  const double absolute = 1e-3 * relative * (size > 0 ? size : 1);
  const bool automatic = integrator == OdeIntegrator::automatic;
  OdeNodes out;
  out.cubics.n_components = system.size();
  if (automatic) integrator = system.is_explicit() ? OdeIntegrator::dop853 : OdeIntegrator::ida;
  const auto slope = [&](double t, std::span<const double> state, std::span<double> dy) {
    system.slope(t, state, dy);
  };
  if (integrator == OdeIntegrator::dopri5 || integrator == OdeIntegrator::dop853) {
    const bool five = integrator == OdeIntegrator::dopri5;
    OdeOptions options{.pair = five ? OdePair::dopri5 : OdePair::dop853,
                       .relative = relative,
                       .absolute = absolute,
                       .curve = true,
                       .stop_when_stiff = automatic,
                       .stop = stop};
    if (automatic) options.max_steps = most_explicit_steps;
    const OdeResult r = integrate_ode(slope, leg.from, leg.y, leg.to, options);
    if (!automatic || (r.status != OdeStatus::stiff && r.status != OdeStatus::too_many_steps)) {
      out.method = five ? "dopri5" : "dop853";
      out.trouble = r.trouble;
      out.steps = r.steps;
      out.interrupted = r.status == OdeStatus::stopped;
      leg.y = r.y;
      if (r.status == OdeStatus::finished) add_curve(out.cubics, r.curve, relative);
      return out;
    }
    out.remarks.push_back(r.trouble + "; cvode took over");
    integrator = OdeIntegrator::cvode;
  }
  OdeCubics along;
  along.n_components = system.size();
  const StepSeen seen = [&](double t, std::span<const double> y, std::span<const double> dy) {
    along.add(t, y, dy);
  };
  TimeResult r;
  constexpr std::size_t most_steps = 1'000'000;
  if (integrator == OdeIntegrator::cvode) {
    out.method = "cvode";
    const StiffSystem stiff{slope, [&](double t, std::span<const double> state, Matrix& j) {
                              system.slope_jacobian(t, state, j);
                            }};
    r = integrate_cvode(stiff, leg.from, leg.y, leg.to, relative, absolute, stop, most_steps, seen);
  } else {
    out.method = "ida";
    const double times[] = {leg.from, leg.to};
    r = integrate_ida(system, leg.y, {}, times, relative, absolute, stop, most_steps, seen);
  }
  out.trouble = std::move(r.trouble);
  out.interrupted = r.interrupted;
  out.steps = r.steps;
  if (!r.states.empty()) leg.y = r.states.back();
  add_leg(out.cubics, along, leg.to < leg.from);
  return out;
}

}  // namespace

OdeNodes solve_initial_value(const OdeProblem& problem, OdeIntegrator integrator, double relative,
                             const StopAsked& stop) {
  OdeNodes all;
  all.cubics.n_components = problem.system->size();
  const std::vector<double> y = problem.conditions->start(all.trouble);
  if (!all.trouble.empty()) return all;
  const double from = problem.conditions->all().front().at;
  const auto go = [&](std::vector<double> stations) {  // from `from` over the jumps to an end
    OdeLeg leg{from, from, y};
    std::vector<OdeCubics> parts;
    for (const double to : stations) {
      leg.from = leg.to;
      leg.to = to;
      OdeNodes part = integrate_leg(problem, integrator, relative, leg, stop);
      all.method = std::move(part.method);
      all.steps += part.steps;
      all.trouble = std::move(part.trouble);
      all.interrupted = part.interrupted;
      for (std::string& r : part.remarks) all.remarks.push_back(std::move(r));
      parts.push_back(std::move(part.cubics));
      if (!all.trouble.empty() || all.interrupted) break;
      if (problem.jumps_at(to) && !problem.transmission->cross(to, to > from ? -1 : 1, leg.y)) {
        all.trouble = fmt::format("fluxes cannot be continued through the jump at {:.6g}", to);
        break;
      }
    }
    return parts;
  };
  std::vector<double> up, down;
  for (const double s : problem.nodes) (s > from ? up : down).push_back(s);
  std::erase(down, from);
  std::reverse(down.begin(), down.end());
  if (from > problem.lower) down.push_back(problem.lower);
  if (from < problem.upper) up.push_back(problem.upper);
  std::vector<OdeCubics> parts = go(std::move(down));
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    add_leg(all.cubics, *part, false);
  }
  if (!all.trouble.empty() || all.interrupted) return all;
  for (const OdeCubics& part : go(std::move(up))) add_leg(all.cubics, part, false);
  return all;
}

}  // namespace cauchy::detail
