// Several answers to a problem with conditions at two ends, found by shooting.
#include "solvers/wellposed/shooting.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/ode.hpp>

#include "problem/lowering.hpp"
#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_steps_of_one = 4000;
constexpr std::size_t most_steps = 150'000;  // of all integrations
constexpr int decades_below = 2, decades_above = 3, per_decade = 8;
constexpr std::size_t n_samples = 33;

double largest_entry(std::span<const double> y) {
  double largest = 0;
  for (const double v : y) largest = std::max(largest, std::abs(v));
  return largest;
}

/// Integrations from one end, whose start is known up to one number p.
class Shooting final {
 public:
  using Conditions = std::vector<const OdeConditions::One*>;

  Shooting(const OdeProblem& ode, double from, double to, Conditions first, Conditions last)
      : ode_(ode), from_(from), to_(to), first_(std::move(first)), last_(std::move(last)) {
    n_ = ode.system->size();
  }

  std::vector<std::string> look() {
    if (!find_open_direction()) return {};
    std::vector<double> p = {0};
    for (int k = -decades_below * per_decade; k <= decades_above * per_decade; ++k) {
      const double v = unit_ * std::pow(10.0, static_cast<double>(k) / per_decade);
      p.insert(p.end(), {v, -v});
    }
    std::sort(p.begin(), p.end());
    std::vector<double> miss;
    for (const double v : p) {
      if (steps_ > most_steps) return {};
      miss.push_back(missed(v));
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (std::abs(miss[i]) <= exact_ * size_) add_answer(p[i]);
      if (i == 0 || !std::isfinite(miss[i - 1]) || !std::isfinite(miss[i])) continue;
      const double least = std::min(std::abs(miss[i - 1]), std::abs(miss[i]));
      if (miss[i - 1] * miss[i] < 0 && least > noise_ * size_) bisect(p[i - 1], miss[i - 1], p[i]);
    }
    if (answers_.size() < 2) return {};
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(answers_.size(), 3); ++i) {
      list += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", answers_[i].open);
    }
    return {fmt::format(
        "integrations from {0} = {1:.4g} find {2} answers: they start with {3} = "
        "{4}{5}; add what singles one out",
        ode_.system->variable(), from_, answers_.size(), to_string(ode_.system->states()[open_]),
        list, answers_.size() > 3 ? ", ..." : "")};
  }

 private:
  struct Answer {
    double open;  // the component that the conditions leave open most
    std::vector<double> samples;
  };

  /// The state that fulfils the conditions at the start, at p along the open direction.
  [[nodiscard]] std::optional<std::vector<double>> start(double p) const {
    std::vector<double> y = known_;
    for (std::size_t j = 0; j < n_; ++j) y[j] += p * direction_[j];
    Matrix a(n_, n_), b(n_, 1);
    for (int k = 0; k < 20; ++k) {
      for (std::size_t i = 0; i + 1 < n_; ++i) {
        b(i, 0) = -ode_.conditions->value(*first_[i], y, {&a(i, 0), n_});
      }
      b(n_ - 1, 0) = p;
      for (std::size_t j = 0; j < n_; ++j) {
        a(n_ - 1, j) = direction_[j];
        b(n_ - 1, 0) -= direction_[j] * (y[j] - known_[j]);
      }
      const auto step = least_squares(a.view(), b.view());
      if (step.status != Factorization::ok || step.rank < n_) return std::nullopt;
      double change = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        y[j] += step.x(j, 0);
        change = std::max(change, std::abs(step.x(j, 0)));
      }
      if (change <= 1e-14 * (size_ + largest_entry(y))) return y;
    }
    return std::nullopt;
  }

  /// A state that fulfils the conditions at the start, and what they leave open there.
  bool find_open_direction() {
    known_.assign(n_, 0);
    Matrix a(n_, n_), b(n_, 1);  // a row of zeros at the end
    for (int k = 0;; ++k) {
      if (k == 50) return false;
      for (std::size_t i = 0; i + 1 < n_; ++i) {
        b(i, 0) = -ode_.conditions->value(*first_[i], known_, {&a(i, 0), n_});
      }
      const auto step = least_squares(a.view(), b.view());
      if (step.status != Factorization::ok || step.rank + 1 < n_) return false;
      for (std::size_t j = 0; j < n_; ++j) known_[j] += step.x(j, 0);
      if (!(std::isfinite(largest_entry(known_)))) return false;
      if (largest_entry({step.x.data(), n_}) <= 1e-13 * largest_entry(known_)) break;
    }
    const Svd<double> s = svd(a.view());
    if (s.status != Factorization::ok) return false;
    direction_.assign(n_, 0);
    for (std::size_t j = 0; j < n_; ++j) direction_[j] = s.vt(n_ - 1, j);
    for (std::size_t j = 0; j < n_; ++j) {
      if (std::abs(direction_[j]) > std::abs(direction_[open_])) open_ = j;
    }
    for (const OdeSystem::Chain& c : ode_.system->chains()) {
      if (open_ < c.first || open_ >= c.first + static_cast<std::size_t>(c.order)) continue;
      const auto order = static_cast<double>(open_ - c.first);
      size_ = std::max(ode_.size, largest_entry(known_));
      if (!(size_ > 0)) size_ = 1;
      unit_ = size_ / std::pow(std::abs(to_ - from_), order);
      return true;
    }
    return false;
  }

  /// What the condition at the other end is missed by; NaN where no integration gets there.
  double missed(double p, std::vector<double>* samples = nullptr) {
    std::optional<std::vector<double>> y = start(p);
    if (!y) return std::nan("");
    std::vector<double> stops = ode_.nodes;
    if (samples != nullptr) {
      const double h = (to_ - from_) / (n_samples - 1);
      for (std::size_t i = 1; i < n_samples; ++i) {
        stops.push_back(from_ + h * static_cast<double>(i));
      }
    }
    stops.push_back(to_);
    std::sort(stops.begin(), stops.end());
    if (to_ < from_) std::reverse(stops.begin(), stops.end());
    const auto slope = [&](double s, std::span<const double> z, std::span<double> dz) {
      ode_.system->slope(s, z, dz);
    };
    double at = from_;
    for (const double next : stops) {
      if ((next - at) * (to_ - from_) <= 0) continue;
      ode_.system->stay_between(std::min(at, next), std::max(at, next));
      OdeResult r = integrate_ode(slope, at, *y, next,
                                  {.relative = 1e-9,
                                   .absolute = 1e-12 * size_,
                                   .max_steps = most_steps_of_one,
                                   .stop_when_stiff = true});
      steps_ += r.steps + r.rejected;
      if (r.status != OdeStatus::finished) return std::nan("");
      *y = std::move(r.y);
      if (ode_.jumps_at(next) && !ode_.transmission->cross(next, to_ > from_ ? -1 : 1, *y)) {
        return std::nan("");
      }
      if (samples != nullptr) {
        for (const OdeSystem::Chain& c : ode_.system->chains()) samples->push_back((*y)[c.first]);
      }
      at = next;
    }
    std::vector<double> by(n_);
    const double value = ode_.conditions->value(*last_[0], *y, by);
    const double slope_size = largest_entry(by);
    return slope_size > 0 ? value / slope_size : std::nan("");
  }

  void bisect(double a, double at_a, double b) {
    double best = std::abs(at_a);
    for (int k = 0; k < 80 && steps_ <= most_steps; ++k) {
      const double middle = a + (b - a) / 2;
      if (middle == a || middle == b) break;
      const double there = missed(middle);
      if (!std::isfinite(there)) return;
      best = std::min(best, std::abs(there));
      (there * at_a > 0 ? a : b) = middle;
      if (std::abs(there) <= exact_ * size_) break;
    }
    // A jump of the end by the start (a pole, a switch) is no answer.
    if (best <= 1e-5 * std::min(std::abs(at_a), size_)) add_answer(a);
  }

  void add_answer(double p) {
    Answer found;
    if (!std::isfinite(missed(p, &found.samples))) return;
    found.open = known_[open_] + p * direction_[open_];
    for (const Answer& other : answers_) {
      double apart = 0, size = 0;
      for (std::size_t i = 0; i < found.samples.size(); ++i) {
        apart = std::max(apart, std::abs(found.samples[i] - other.samples[i]));
        size = std::max({size, std::abs(found.samples[i]), std::abs(other.samples[i])});
      }
      if (!(apart > 1e-2 * size)) return;
    }
    answers_.push_back(std::move(found));
  }

  /// Of the size of the state: what is missed by an answer, and by nothing but rounding.
  static constexpr double exact_ = 1e-9, noise_ = 1e-6;

  const OdeProblem& ode_;
  double from_, to_;
  Conditions first_, last_;
  std::size_t n_ = 0, open_ = 0, steps_ = 0;
  std::vector<double> known_, direction_;
  double size_ = 1, unit_ = 1;
  std::vector<Answer> answers_;
};

}  // namespace

std::vector<std::string> shooting_doubts(const std::shared_ptr<const Problem>& problem) {
  const Lowering lower(*problem);
  bool linear = true;
  for (const ProblemEquation& e : problem->equation) {
    linear = linear && is_linear(lower(e.form.residual()));
  }
  for (const Condition& c : problem->condition) {
    if (c.kind == Condition::Kind::periodic) return {};
    linear = linear && is_linear(lower(c.form.residual()));
  }
  if (linear) return {};  // none, one or all: the null space says which
  std::unique_ptr<OdeProblem> ode;
  try {
    ode = std::make_unique<OdeProblem>(problem);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
  Shooting::Conditions left, right;
  for (const OdeConditions::One& c : ode->conditions->all()) {
    if (!c.form || (c.at != ode->lower && c.at != ode->upper)) return {};
    (c.at == ode->lower ? left : right).push_back(&c);
  }
  const std::size_t n = ode->system->size();
  if (!ode->system->is_explicit() || left.empty() || right.empty() ||
      left.size() + right.size() != n) {
    return {};
  }
  if (right.size() == 1) return Shooting(*ode, ode->lower, ode->upper, left, right).look();
  if (left.size() == 1) return Shooting(*ode, ode->upper, ode->lower, right, left).look();
  return {};
}

}  // namespace cauchy::detail
