#include "math/ode/ode_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/roots.hpp>

#include "math/ode/dense_polynomial.hpp"
#include "math/ode/step_control.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr double ode_epsilon = std::numeric_limits<double>::epsilon();

void check_ode_input(double t0, std::span<const double> y0, double t1, const OdeOptions& o,
                     std::span<const OdeEvent> events) {
  const auto refuse = [](const char* why) { throw Error(why, "[math.ode]"); };
  if (!std::isfinite(t0) || !std::isfinite(t1)) refuse("the times of an integration are finite");
  if (y0.empty()) refuse("an integration needs at least one component");
  if (!(o.relative >= 0 && o.absolute >= 0 && o.relative + o.absolute > 0)) {
    refuse("tolerances of an integration must be positive");
  }
  if (!(o.first_step >= 0 && o.max_step >= 0)) refuse("steps of an integration must be positive");
  for (const OdeEvent& e : events) {
    if (!e.value) refuse("an event needs a function");
  }
}

}  // namespace

OdeRun::OdeRun(OdeFunction f, double t0, std::span<const double> y0, double t1,
               const OdeOptions& options, std::span<const OdeEvent> events)
    : f_(f),
      options_(options),
      events_(events),
      tableau_(options.pair == OdePair::dopri5 ? dopri5_tableau() : dop853_tableau()),
      n_(y0.size()),
      stride_((n_ + 3) / 4 * 4),
      t_(t0),
      t1_(t1),
      direction_(t1 < t0 ? -1 : 1),
      y_(stride_),
      next_(stride_),
      argument_(stride_),
      k_(stride_ * static_cast<std::size_t>(tableau_.all_stages)),
      coefficients_(n_ * static_cast<std::size_t>(tableau_.n_dense)),
      between_(n_),
      before_(events.size()),
      after_(events.size()) {
  std::copy(y0.begin(), y0.end(), y_.begin());
  rows_.resize(static_cast<std::size_t>(tableau_.all_stages));
  for (std::size_t first = 0; first < tableau_.a.size();) {
    std::size_t last = first;
    while (last < tableau_.a.size() && tableau_.a[last].row == tableau_.a[first].row) ++last;
    rows_[static_cast<std::size_t>(tableau_.a[first].row)] =
        tableau_.a.subspan(first, last - first);
    first = last;
  }
  result_.curve.n_ = n_;
  result_.curve.per_step_ = coefficients_.size();
}

void OdeRun::evaluate(double t, const double* y, int stage) {
  f_(t, {y, n_}, {k(stage), n_});
  ++result_.evaluations;
}

/// out = sum of entries times stages. Components behind the last are zero.
void OdeRun::combine(std::span<const Entry> row, double* out) const {
  for (std::size_t i = 0; i < stride_; i += 4) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (const Entry& e : row) {
      const double* v = k_.data() + static_cast<std::size_t>(e.column) * stride_ + i;
      s0 += e.value * v[0];
      s1 += e.value * v[1];
      s2 += e.value * v[2];
      s3 += e.value * v[3];
    }
    out[i] = s0;
    out[i + 1] = s1;
    out[i + 2] = s2;
    out[i + 3] = s3;
  }
}

void OdeRun::stage(int s, double* argument) {
  combine(rows_[static_cast<std::size_t>(s)], argument);
  for (std::size_t i = 0; i < stride_; ++i) argument[i] = y_[i] + h_ * argument[i];
  evaluate(t_ + tableau_.c[static_cast<std::size_t>(s)] * h_, argument, s);
}

/// An explicit Euler step tells the size of the second derivative (Hairer, Norsett, Wanner, II.4).
double OdeRun::first_step() {
  const auto norm = [&](const double* v, const double* minus) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double scale = options_.absolute + options_.relative * std::abs(y_[i]);
      const double x = (v[i] - (minus == nullptr ? 0 : minus[i])) / scale;
      if (scale > 0) sum += x * x;
    }
    return std::sqrt(sum / static_cast<double>(n_));
  };
  const double d0 = norm(y_.data(), nullptr), d1 = norm(k(0), nullptr);
  const double longest = std::abs(t1_ - t_);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * std::max(longest, 1e-300) : 0.01 * d0 / d1;
  h = std::min(h, longest);
  for (std::size_t i = 0; i < n_; ++i) argument_[i] = y_[i] + direction_ * h * k(0)[i];
  evaluate(t_ + direction_ * h, argument_.data(), 1);
  const double d2 = norm(k(1), k(0)) / h;
  if (!std::isfinite(d2)) return std::min(h * 1e-3, longest);
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6 * longest, h * 1e-3)
                                     : std::pow(0.01 / largest, 1.0 / tableau_.order);
  return std::min({100 * h, h1, longest});
}

/// Scaled error of the step from y_ to next_; above 1: rejected.
double OdeRun::error() const {
  double high = 0, low = 0;
  const double* stages = k_.data();
  const auto sum = [&](std::span<const Entry> row, std::size_t i) {
    double s = 0;
    for (const Entry& e : row)
      s += e.value * stages[static_cast<std::size_t>(e.column) * stride_ + i];
    return s;
  };
  for (std::size_t i = 0; i < n_; ++i) {
    const double scale =
        options_.absolute + options_.relative * std::max(std::abs(y_[i]), std::abs(next_[i]));
    const double e = sum(tableau_.error, i);
    const double l = tableau_.error_low.empty() ? 0 : sum(tableau_.error_low, i);
    if (scale == 0 && e == 0) continue;
    high += e / scale * (e / scale);
    low += l / scale * (l / scale);
  }
  const double n = static_cast<double>(n_);
  if (tableau_.error_low.empty()) return std::abs(h_) * std::sqrt(high / n);
  const double both = high + 0.01 * low;
  return both > 0 ? std::abs(h_) * high / std::sqrt(n * both) : both;
}

/// The last two stages are at the same time: their slopes over their distance estimate lambda.
bool OdeRun::look_stiff() {
  const double* last = k(tableau_.stages - 1);
  const double* other = k(tableau_.stages - 2);
  double slopes = 0, distances = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    slopes += (last[i] - other[i]) * (last[i] - other[i]);
    distances += (next_[i] - argument_[i]) * (next_[i] - argument_[i]);
  }
  if (h_ * h_ * slopes > tableau_.stability * tableau_.stability * distances && distances > 0) {
    not_stiff_ = 0;
    return ++stiff_ >= 15;
  }
  if (++not_stiff_ == 6) stiff_ = 0;
  return false;
}

/// The coefficients of the continuous extension of the step from y_ to next_.
void OdeRun::extend() {
  for (int s = tableau_.stages; s < tableau_.all_stages; ++s) stage(s, argument_.data());
  const double* first = k(0);
  const double* last = k(tableau_.stages - 1);
  double* c = coefficients_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    const double change = next_[i] - y_[i];
    c[i] = y_[i];
    c[n_ + i] = change;
    c[2 * n_ + i] = h_ * first[i] - change;
    c[3 * n_ + i] = 2 * change - h_ * (first[i] + last[i]);
  }
  std::fill(c + 4 * n_, c + coefficients_.size(), 0.0);
  for (const Entry& e : tableau_.dense) {
    double* row = c + (4 + static_cast<std::size_t>(e.row)) * n_;
    for (std::size_t i = 0; i < n_; ++i) row[i] += h_ * e.value * k(e.column)[i];
  }
}

void OdeRun::at(double t, std::span<double> y) const {
  dense_polynomial(coefficients_, n_, h_, (t - t_) / h_, y, {});
}

/// Events of the step from y_ to next_, in their order; true: a terminal one, which ends the step.
bool OdeRun::cross() {
  constexpr int parts = 4;
  double from = t_;
  for (int part = 1; part <= parts; ++part) {
    const double to = part == parts ? t_ + h_ : t_ + h_ * part / parts;
    if (part == parts) {
      std::copy_n(next_.begin(), n_, between_.begin());
    } else {
      at(to, between_);
    }
    const std::size_t known = result_.crossings.size();
    for (std::size_t e = 0; e < events_.size(); ++e) {
      after_[e] = events_[e].value(to, between_);
      const bool rises = before_[e] < 0 && after_[e] >= 0, falls = before_[e] > 0 && after_[e] <= 0;
      if (!(rises && events_[e].direction >= 0) && !(falls && events_[e].direction <= 0)) continue;
      std::vector<double> y(n_);
      const auto value = [&](double t) {
        if (t == to) return after_[e];  // the end of the step, free of rounding
        if (t == from) return before_[e];
        at(t, y);
        return events_[e].value(t, y);
      };
      const double root = find_root(value, from, to).root;
      at(root, y);
      result_.crossings.push_back({e, root, std::move(y)});
    }
    const auto first = result_.crossings.begin() + static_cast<std::ptrdiff_t>(known);
    std::stable_sort(first, result_.crossings.end(), [&](const auto& a, const auto& b) {
      return direction_ * a.t < direction_ * b.t;
    });
    for (auto c = first; c != result_.crossings.end(); ++c) {
      if (!events_[c->event].terminal) continue;
      result_.crossings.erase(c + 1, result_.crossings.end());
      return true;
    }
    before_ = after_;
    from = to;
  }
  return false;
}

void OdeRun::end(OdeStatus status) {
  result_.status = status;
  const auto say = [&](const char* what) { result_.trouble = fmt::format(fmt::runtime(what), t_); };
  switch (status) {
    case OdeStatus::step_too_small:
      return say("the step became too small at t = {:.6g}: the solution has a singularity there");
    case OdeStatus::not_finite:
      return say("the equations are not finite at t = {:.6g}");
    case OdeStatus::stiff:
      return say("the equations became stiff at t = {:.6g}: an implicit method fits");
    case OdeStatus::too_many_steps:
      return say(result_.stiff ? "too many steps before t = {:.6g}: the equations are stiff"
                               : "too many steps before t = {:.6g}");
    default:
      return;
  }
}

OdeResult OdeRun::run() {
  const auto finite = [&](const double* v) {
    return std::all_of(v, v + n_, [](double x) { return std::isfinite(x); });
  };
  const double longest =
      options_.max_step > 0 ? options_.max_step : std::numeric_limits<double>::infinity();
  const int last = tableau_.stages - 1;
  evaluate(t_, y_.data(), 0);
  for (std::size_t e = 0; e < events_.size(); ++e) before_[e] = events_[e].value(t_, state(y_));
  double h = 0;
  bool unbounded = false;
  StepControl control{static_cast<double>(tableau_.order), tableau_.beta, tableau_.smallest,
                      tableau_.largest};
  if (t_ != t1_) {
    if (!finite(y_.data()) || !finite(k(0))) end(OdeStatus::not_finite);
    h = options_.first_step > 0 ? options_.first_step : first_step();
  }
  while (t_ != t1_ && result_.status == OdeStatus::finished) {
    if (result_.steps + result_.rejected >= options_.max_steps) {
      end(OdeStatus::too_many_steps);
      break;
    }
    h = std::min(h, longest);
    if (!(h > 10 * ode_epsilon * std::abs(t_))) {
      end(unbounded ? OdeStatus::not_finite : OdeStatus::step_too_small);
      break;
    }
    const bool reaches = 1.01 * h >= std::abs(t1_ - t_);
    h_ = reaches ? t1_ - t_ : direction_ * h;
    for (int s = 1; s < last; ++s) stage(s, argument_.data());
    stage(last, next_.data());
    const double e = error();
    unbounded = !(std::isfinite(e) && finite(next_.data()) && finite(k(last)));
    if (unbounded || e > 1) {
      h = control.after_rejection(std::abs(h_), e, unbounded);
      ++result_.rejected;
      continue;
    }
    h = control.after_step(std::abs(h_), e);
    ++result_.steps;
    if (look_stiff()) {
      result_.stiff = true;
      if (options_.stop_when_stiff) end(OdeStatus::stiff);
    }
    const bool dense = options_.curve || !events_.empty();
    if (dense) extend();
    const bool terminal = !events_.empty() && cross();
    if (options_.curve) result_.curve.add(t_, h_, coefficients_);
    if (terminal) {
      const OdeResult::Crossing& c = result_.crossings.back();
      t_ = c.t;
      std::copy(c.y.begin(), c.y.end(), y_.begin());
      if (options_.curve) result_.curve.end_ = t_;
      end(OdeStatus::event);
      break;
    }
    t_ = reaches ? t1_ : t_ + h_;
    if (options_.curve) result_.curve.end_ = t_;
    std::swap(y_, next_);
    std::copy_n(k(last), stride_, k(0));
    if (options_.stop && t_ != t1_ && options_.stop(t_)) end(OdeStatus::stopped);
  }
  result_.t = t_;
  result_.y.assign(y_.begin(), y_.begin() + static_cast<std::ptrdiff_t>(n_));
  return std::move(result_);
}

}  // namespace detail

OdeResult integrate_ode(OdeFunction f, double t0, std::span<const double> y0, double t1,
                        const OdeOptions& options, std::span<const OdeEvent> events) {
  detail::check_ode_input(t0, y0, t1, options, events);
  return detail::OdeRun(f, t0, y0, t1, options, events).run();
}

}  // namespace cauchy
