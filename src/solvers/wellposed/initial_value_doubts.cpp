#include "solvers/wellposed/initial_value_doubts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/ode.hpp>

#include "solvers/ode/ode_conditions.hpp"
#include "solvers/wellposed/delayed_growth.hpp"
#include "solvers/wellposed/parting_answers.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_doubt_steps = 20'000, most_states = 24;
/// A solution that has grown by this much where steps end has no end.
constexpr double blown_up = 1e5;
/// The smallest tolerance that the integrators of ordinary equations are asked for, and what one of
/// their steps leaves. Of n steps the signs are anybody's: together they leave n^(1/2) times as
/// much.
constexpr double best_tolerance = 1e-14, best_step = 1e-15;
/// Of a problem that names none, where an estimate decides.
constexpr double default_tolerance = 1e-3;

/// The state and the derivatives of the state by its start, integrated to one end.
class StartSensitivity final {
 public:
  explicit StartSensitivity(const OdeProblem& ode)
      : ode_(ode), n_(ode.system->size()), jacobian_(n_, n_) {}

  std::vector<std::string> look(const std::vector<double>& y, double from, double to) {
    const double size = std::max(ode_.size, largest_of(y));
    std::vector<double> all = y;
    all.resize(n_ + n_ * n_, 0);
    for (std::size_t c = 0; c < n_; ++c) all[n_ + c * n_ + c] = 1;
    ode_.system->stay_between(std::min(from, to), std::max(from, to));
    const auto slope = [&](double s, std::span<const double> z, std::span<double> dz) {
      ode_.system->slope(s, z.first(n_), dz.first(n_));
      ode_.system->slope_jacobian(s, z.first(n_), jacobian_);
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t k = 0; k < n_; ++k) {
          double sum = 0;
          for (std::size_t j = 0; j < n_; ++j) sum += jacobian_(i, j) * z[n_ + j * n_ + k];
          dz[n_ + i * n_ + k] = sum;
        }
      }
    };
    const auto integrate = [&](double relative) {
      return integrate_ode(slope, from, all, to,
                           {.relative = relative,
                            .absolute = 1e-3 * relative * (size > 0 ? size : 1),
                            .max_steps = most_doubt_steps,
                            .stop_when_stiff = true});
    };
    const OdeResult r = integrate(1e-6);
    const std::string& name = ode_.system->variable();
    double largest = largest_of(std::span(r.y).first(n_)), growth = 0;
    const bool ended = r.status == OdeStatus::step_too_small || r.status == OdeStatus::not_finite;
    if (ended && !(largest < blown_up * (size > 0 ? size : 1))) {
      return {
          fmt::format("the solution grows beyond all bounds at {0} = {1:.4g} and does not "
                      "reach {0} = {2:.4g}: end the {3} before",
                      name, r.t, to, in_time() ? "time" : "domain")};
    }
    if (r.status != OdeStatus::finished) return {};
    // The state may itself be nothing but errors that grew: the finer one has smaller ones.
    double steps = most_doubt_steps;
    if (const OdeResult finer = integrate(best_tolerance); finer.status == OdeStatus::finished) {
      largest = std::min(largest, largest_of(std::span(finer.y).first(n_)));
      steps = static_cast<double>(finer.steps);
    }
    // What an integration at its best makes of the start, in units of the state at the end.
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < n_; ++k) {
        growth = std::max(growth, std::abs(r.y[n_ + i * n_ + k]) * size);
      }
    }
    growth /= std::max(largest, 1e-3 * size);
    const double best = best_step * std::sqrt(std::max(steps, 1.0)), left = growth * best;
    if (!(left > ode_.system->problem().tolerance.value_or(default_tolerance))) return {};
    return {fmt::format(
        "an error at the start grows {:.0e} times until {} = {:.4g}: steps that are accurate to "
        "{:.0e} together leave an error of {} there; take a shorter {}",
        growth, name, to, best, left < 1 ? fmt::format("{:.2g} %", 100 * left) : "100 %",
        in_time() ? "time" : "domain")};
  }

 private:
  [[nodiscard]] bool in_time() const { return ode_.system->problem().domain->time() != nullptr; }
  static double largest_of(std::span<const double> y) {
    double largest = 0;
    for (const double v : y) largest = std::max(largest, std::abs(v));
    return largest;
  }

  const OdeProblem& ode_;
  std::size_t n_;
  Matrix jacobian_;
};

}  // namespace

std::vector<std::string> initial_value_doubts(const std::shared_ptr<const Problem>& problem) {
  std::unique_ptr<OdeProblem> ode;
  try {
    ode = std::make_unique<OdeProblem>(problem);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
  if (!ode->conditions->at_one_point() || !ode->system->is_explicit() || !ode->jumps.empty() ||
      ode->system->size() > most_states || ode->conditions->size() == 0) {
    return {};
  }
  std::string trouble;
  const std::vector<double> y = ode->conditions->start(trouble);
  if (!trouble.empty()) return {};
  const double from = ode->conditions->all().front().at;
  std::vector<std::string> found;
  for (const double to : {ode->lower, ode->upper}) {
    if (to == from) continue;
    for (std::string& text : StartSensitivity(*ode).look(y, from, to)) {
      found.push_back(std::move(text));
    }
    for (std::string& text : parting_answers(*ode, y, from, to)) found.push_back(std::move(text));
  }
  if (found.empty()) {
    if (std::string text = delayed_growth(*ode); !text.empty()) found.push_back(std::move(text));
  }
  return found;
}

}  // namespace cauchy::detail
