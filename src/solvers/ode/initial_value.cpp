#include "solvers/ode/initial_value.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/math/difference.hpp>
#include <cauchy/math/ode.hpp>

#include "solvers/time/cvode.hpp"
#include "solvers/time/ida.hpp"

namespace cauchy::detail {
namespace {

/// Steps that an explicit method may take before an implicit one is tried.
constexpr std::size_t most_explicit_steps = 200'000;

/// The largest difference, over the size of the component, between a curve and the polynomials
/// through `width` nodes on it, halfway between nodes. Looks at 200 places.
double interpolation_error(const OdeNodes& points, const OdeCurve& curve) {
  const std::size_t n = points.nodes.size(), dimension = points.states.front().size();
  const std::size_t width = std::min<std::size_t>(static_cast<std::size_t>(points.width), n);
  std::vector<double> sizes(dimension), y(dimension);
  for (const auto& state : points.states) {
    for (std::size_t c = 0; c < dimension; ++c) sizes[c] = std::max(sizes[c], std::abs(state[c]));
  }
  double worst = 0;
  const std::size_t stride = std::max<std::size_t>(1, n / 200);
  for (std::size_t i = 0; i + 1 < n; i += stride) {
    const double at = (points.nodes[i] + points.nodes[i + 1]) / 2;
    const std::size_t half = width / 2 - 1;
    const std::size_t first = std::min(i < half ? 0 : i - half, n - width);
    const Matrix weights = difference_weights(at, {points.nodes.data() + first, width}, 0);
    curve.value(at, y);
    for (std::size_t c = 0; c < dimension; ++c) {
      double value = 0;
      for (std::size_t k = 0; k < width; ++k) value += weights(0, k) * points.states[first + k][c];
      if (sizes[c] > 0) worst = std::max(worst, std::abs(value - y[c]) / sizes[c]);
    }
  }
  return worst;
}

/// The steps of a curve with so many nodes between them that interpolation adds less than a tenth
/// of the tolerance.
void sample(const OdeCurve& curve, double tolerance, OdeNodes& out) {
  const std::vector<double> knots = curve.knots();
  const std::size_t dimension = out.states.front().size();
  for (int parts = out.width / 2;; parts *= 2) {
    out.nodes.assign(1, knots.front());
    out.states.resize(1);
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      for (int i = 1; i <= parts; ++i) {
        const double t =
            i == parts ? knots[k + 1] : knots[k] + (knots[k + 1] - knots[k]) * i / parts;
        std::vector<double> y(dimension);
        curve.value(t, y);
        out.nodes.push_back(t);
        out.states.push_back(std::move(y));
      }
    }
    if (parts >= 32 || interpolation_error(out, curve) < 0.1 * tolerance) return;
  }
}

void take(TimeResult result, OdeNodes& out) {
  out.nodes = std::move(result.times);
  out.states = std::move(result.states);
  out.trouble = std::move(result.trouble);
  out.interrupted = result.interrupted;
  out.steps = result.steps;
}

/// One direction, from y at `from` to `to`.
OdeNodes integrate_to(const OdeProblem& problem, OdeIntegrator integrator, double relative,
                      double from, std::vector<double> y, double to, const StopAsked& stop) {
  OdeSystem& system = *problem.system;
  double size = problem.size;
  for (const double v : y) size = std::max(size, std::abs(v));
  const double absolute = 1e-3 * relative * (size > 0 ? size : 1);
  const bool automatic = integrator == OdeIntegrator::automatic;
  OdeNodes out;
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
    const OdeResult r = integrate_ode(slope, from, y, to, options);
    if (!automatic || (r.status != OdeStatus::stiff && r.status != OdeStatus::too_many_steps)) {
      out.method = five ? "dopri5" : "dop853";
      out.width = five ? 6 : 8;
      out.trouble = r.trouble;
      out.steps = r.steps;
      out.interrupted = r.status == OdeStatus::stopped;
      out.nodes = {from};
      out.states = {std::move(y)};
      if (r.curve.n_steps() > 0 && r.trouble.empty()) sample(r.curve, relative, out);
      return out;
    }
    out.remarks.push_back(r.trouble + "; cvode took over");
    integrator = OdeIntegrator::cvode;
  }
  out.width = 6;
  if (integrator == OdeIntegrator::cvode) {
    out.method = "cvode";
    const StiffSystem stiff{slope, [&](double t, std::span<const double> state, Matrix& j) {
                              system.slope_jacobian(t, state, j);
                            }};
    take(integrate_cvode(stiff, from, std::move(y), to, relative, absolute, stop), out);
  } else {
    out.method = "ida";
    const double times[] = {from, to};
    take(integrate_ida(system, std::move(y), {}, times, relative, absolute, stop, 1'000'000, true),
         out);
  }
  return out;
}

}  // namespace

OdeNodes solve_initial_value(const OdeProblem& problem, OdeIntegrator integrator, double relative,
                             const StopAsked& stop) {
  OdeNodes all;
  const std::vector<double> y = problem.conditions->start(all.trouble);
  if (!all.trouble.empty()) return all;
  const double from = problem.conditions->all().front().at;
  for (const double to : {problem.lower, problem.upper}) {
    if (to == from) continue;
    OdeNodes part = integrate_to(problem, integrator, relative, from, y, to, stop);
    if (to < from) {
      std::reverse(part.nodes.begin(), part.nodes.end());
      std::reverse(part.states.begin(), part.states.end());
    }
    const bool joined = !all.nodes.empty();  // the start is in both
    all.nodes.insert(all.nodes.end(), part.nodes.begin() + joined, part.nodes.end());
    all.states.insert(all.states.end(), part.states.begin() + joined, part.states.end());
    all.width = joined ? std::min(all.width, part.width) : part.width;
    all.method = part.method;
    all.steps += part.steps;
    all.trouble = part.trouble;
    all.interrupted = part.interrupted;
    for (std::string& r : part.remarks) all.remarks.push_back(std::move(r));
    if (!all.trouble.empty() || all.interrupted) return all;
  }
  return all;
}

}  // namespace cauchy::detail
