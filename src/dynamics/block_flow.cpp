#include "dynamics/block_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "math/ode/step_control.hpp"

namespace cauchy::detail {
namespace {

/// Kept states of a block before they are thinned out.
constexpr std::size_t fewest_states = 32;

/// Solves A X = B in place for a small matrix; false: singular.
bool solve_dense(std::vector<double>& a, std::size_t n, double* b, std::size_t columns) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(a[pivot * n + k]) > 0)) return false;
    if (pivot != k) {
      std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(k * n),
                       a.begin() + static_cast<std::ptrdiff_t>(k * n + n),
                       a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
      std::swap_ranges(b + k * columns, b + (k + 1) * columns, b + pivot * columns);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a[i * n + k] / a[k * n + k];
      if (f == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
      for (std::size_t c = 0; c < columns; ++c) b[i * columns + c] -= f * b[k * columns + c];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = 0; c < columns; ++c) {
      double s = b[k * columns + c];
      for (std::size_t j = k + 1; j < n; ++j) s -= a[k * n + j] * b[j * columns + c];
      b[k * columns + c] = s / a[k * n + k];
    }
  }
  return true;
}

bool all_finite(const double* v, std::size_t n) {
  return std::all_of(v, v + n, [](double x) { return std::isfinite(x); });
}

}  // namespace

BlockFlow::BlockFlow(const BlockField& field, const FlowOptions& options)
    : field_(field),
      table_(flow_table(options.scheme)),
      options_(options),
      n_(field.size() * field.block()),
      lane_(field.make_lane(table_.all_stages)),
      k_(table_.all_stages * n_),
      arguments_(table_.all_stages * n_),
      t_(table_.all_stages * field.block()),
      h_(field.block()),
      base_(n_),
      k_bar_(table_.all_stages * n_),
      stage_bar_(n_),
      next_(n_) {
  const bool fixed = options.scheme == FlowScheme::euler || options.scheme == FlowScheme::rk4;
  if (fixed && options_.steps == 0) options_.steps = 1;
  jacobian_.resize(field.size() * n_);
}

void BlockFlow::load(const BlockTimes& times, const FlowRecord::Step& step) {
  const double* length = times.length.data() + step.leg * field_.block();
  for (std::size_t p = 0; p < field_.block(); ++p) h_[p] = step.ds * length[p];
}

void BlockFlow::stage_time(const BlockTimes& times, const FlowRecord::Step& step, std::size_t i) {
  const std::size_t B = field_.block();
  const double *start = times.start.data() + step.leg * B,
               *length = times.length.data() + step.leg * B;
  const double s = step.s + table_.c[i] * step.ds;
  for (std::size_t p = 0; p < B; ++p) time(i)[p] = start[p] + s * length[p];
}

/// y + h sum_{j < i} a_ij k_j.
void BlockFlow::stage_argument(const double* y, std::size_t i, double* out) const {
  const std::size_t B = field_.block();
  std::fill_n(out, n_, 0.0);
  for (std::size_t j = 0; j < i; ++j) {
    const double a = table_.a[i][j];
    if (a == 0) continue;
    const double* kj = k(j);
    for (std::size_t q = 0; q < n_; ++q) out[q] += a * kj[q];
  }
  for (std::size_t c = 0; c < field_.size(); ++c) {
    for (std::size_t p = 0; p < B; ++p) out[c * B + p] = y[c * B + p] + h_[p] * out[c * B + p];
  }
}

bool BlockFlow::evaluate(const BlockTimes& times, const FlowRecord::Step& step, const double* y,
                         std::size_t i, std::size_t slot) {
  stage_time(times, step, i);
  stage_argument(y, i, arg(i));
  if (table_.is_implicit(i)) return solve_stage(table_.a[i][i], arg(i), k(i), i);
  field_.slope(lane_, slot, time(i), arg(i), k(i));
  ++evaluations_;
  return true;
}

/// Newton's method for Y = base + h a F(Y), every point for itself; argument: base in, Y out.
bool BlockFlow::solve_stage(double diagonal, double* argument, double* k, std::size_t stage) {
  constexpr int most_iterations = 30;
  const std::size_t n = field_.size(), B = field_.block();
  std::copy_n(argument, n_, base_.begin());
  std::vector<double> a(n * n), delta(n);
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    field_.jacobian(lane_, time(stage), argument, jacobian_.data(), nullptr);
    field_.slope(lane_, 0, time(stage), argument, k);
    evaluations_ += 1 + n;
    double largest = 0;
    for (std::size_t p = 0; p < B; ++p) {
      const double h = h_[p] * diagonal;
      double size = options_.absolute;
      for (std::size_t i = 0; i < n; ++i) {
        delta[i] = argument[i * B + p] - base_[i * B + p] - h * k[i * B + p];
        size = std::max(size, std::abs(argument[i * B + p]));
        for (std::size_t j = 0; j < n; ++j) {
          a[i * n + j] = (i == j ? 1 : 0) - h * jacobian_[(i * n + j) * B + p];
        }
      }
      if (!solve_dense(a, n, delta.data(), 1)) return false;
      for (std::size_t i = 0; i < n; ++i) {
        argument[i * B + p] -= delta[i];
        const double change = std::abs(delta[i]) / size;
        if (!(change <= largest)) largest = change;
      }
    }
    if (!std::isfinite(largest)) return false;
    // To rounding: the transpose takes the stage for solved.
    if (largest < 1e-14 || (largest < 1e-11 && largest >= 0.5 * before)) {
      field_.slope(lane_, 0, time(stage), argument, k);
      ++evaluations_;
      return true;
    }
    before = largest;
  }
  return false;
}

/// Of the step from y to the argument of its last stage: the largest of a point; above 1: too much.
double BlockFlow::error(const BlockTimes& times, const double* y, std::size_t& worst) const {
  const std::size_t n = field_.size(), B = field_.block();
  const double* next = arguments_.data() + (table_.stages - 1) * n_;
  double largest = 0;
  for (std::size_t p = 0; p < times.n_points; ++p) {
    double high = 0, low = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t q = i * B + p;
      double e = 0, l = 0;
      for (std::size_t j = 0; j < table_.stages; ++j) {
        e += table_.error[j] * k(j)[q];
        if (!table_.error_low.empty()) l += table_.error_low[j] * k(j)[q];
      }
      const double scale =
          options_.absolute + options_.relative * std::max(std::abs(y[q]), std::abs(next[q]));
      high += e / scale * (e / scale);
      low += l / scale * (l / scale);
    }
    const double count = static_cast<double>(n), h = std::abs(h_[p]);
    double total = h * std::sqrt(high / count);
    if (!table_.error_low.empty()) {
      const double both = high + 0.01 * low;
      total = both > 0 ? h * high / std::sqrt(count * both) : both;
    }
    if (!(total <= largest)) {
      largest = total;
      worst = p;
    }
  }
  return largest;
}

/// As that of integrate_ode, the shortest of the points, as a share of the leg.
double BlockFlow::first_step(const BlockTimes& times, std::size_t leg, const double* y) {
  const std::size_t n = field_.size(), B = field_.block();
  const double* length = times.length.data() + leg * B;
  double least = 1;
  for (std::size_t p = 0; p < times.n_points; ++p) {
    if (length[p] == 0) continue;
    double d0 = 0, d1 = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = options_.absolute + options_.relative * std::abs(y[i * B + p]);
      d0 += y[i * B + p] / scale * (y[i * B + p] / scale);
      d1 += k(0)[i * B + p] / scale * (k(0)[i * B + p] / scale);
    }
    d0 = std::sqrt(d0 / static_cast<double>(n));
    d1 = std::sqrt(d1 / static_cast<double>(n));
    // Tolerances to the power 1/p say how much further than a linear step a pair can go.
    const double linear = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * length[p] : 0.01 * d0 / d1;
    const double reach = d1 > 0 ? std::pow(0.01 / d1, 1.0 / table_.error_power) : length[p];
    least = std::min(least, std::min(100 * linear, std::max(linear, reach)) / length[p]);
  }
  return least;
}

void BlockFlow::write_outputs(const BlockTimes& times, const FlowRecord::Step& step,
                              const double* y, double* values) {
  const std::size_t n = field_.size(), B = field_.block();
  const double* next = arg(table_.stages - 1);
  bool extended = false;
  for (std::size_t o = step.first_output; o < step.end_output; ++o) {
    const BlockTimes::Output& out = times.outputs[o];
    const double theta = step.ds > 0 ? (out.s - step.s) / step.ds : 1;
    if (theta == 1 || table_.n_dense == 0) {
      for (std::size_t i = 0; i < n; ++i) values[out.value + i] = next[i * B + out.point];
      continue;
    }
    for (std::size_t i = table_.stages; !extended && i < table_.all_stages; ++i) {
      evaluate(times, step, y, i, 0);
    }
    extended = true;
    table_.dense_weights(theta, weights_);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t q = i * B + out.point;
      double sum = 0;
      for (std::size_t j = 0; j < table_.all_stages; ++j) sum += weights_[j] * k(j)[q];
      values[out.value + i] = y[q] + h_[out.point] * sum;
    }
  }
}

void BlockFlow::blame(FlowReport& report, const BlockTimes& times, std::size_t leg, double s,
                      const double* y, std::size_t point) {
  const std::size_t n = field_.size(), B = field_.block();
  report.trajectory = point;
  report.t = times.start[leg * B + point] + s * times.length[leg * B + point];
  stage_time(times, {leg, s, 0, 0, 0}, 0);
  field_.jacobian(lane_, time(0), y, jacobian_.data(), nullptr);
  double fastest = -1;
  std::size_t component = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = std::abs(jacobian_[(i * n + i) * B + point]);
    if (!(rate <= fastest)) {
      fastest = rate;
      component = i;
    }
    if (std::isnan(rate)) break;
  }
  report.component = field_.spec().states[component];
}

FlowReport BlockFlow::run(const BlockTimes& times, const double* start, double* values,
                          FlowRecord& record) {
  const std::size_t n = field_.size(), B = field_.block(), last = table_.stages - 1;
  const bool adaptive = options_.steps == 0;
  FlowReport report;
  record.steps.clear();
  record.states.clear();
  record.stride = 1;
  record.most_states = 0;
  evaluations_ = 0;
  std::copy_n(start, n_, next_.begin());
  double* const y = next_.data();
  std::size_t output = 0;
  for (; output < times.outputs.size() && times.outputs[output].leg == 0 &&
         times.outputs[output].s == 0;
       ++output) {
    const BlockTimes::Output& out = times.outputs[output];
    for (std::size_t i = 0; i < n; ++i) values[out.value + i] = y[i * B + out.point];
  }
  StepControl control{table_.error_power, table_.beta, table_.smallest, table_.largest};
  double ds = 0;
  for (std::size_t leg = 0; leg < times.n_legs; ++leg) {
    double s = 0;
    const double* length = times.length.data() + leg * B;
    FlowRecord::Step step{leg, 0, 0, output, output};
    stage_time(times, step, 0);
    field_.slope(lane_, 0, time(0), y, k(0));
    ++evaluations_;
    if (!all_finite(k(0), n_) || !all_finite(y, n_)) {
      report.status = OdeStatus::not_finite;
    }
    std::size_t worst = 0;
    for (std::size_t p = 0; p < times.n_points && !report.good(); ++p) {
      bool bad = false;
      for (std::size_t i = 0; i < n; ++i) {
        bad = bad || !std::isfinite(k(0)[i * B + p]) || !std::isfinite(y[i * B + p]);
      }
      if (bad) {
        worst = p;
        break;
      }
    }
    if (adaptive) {
      const double first = first_step(times, leg, y);
      ds = leg == 0 ? first : std::min(1.0, std::max(ds, first));
    } else {
      ds = 1.0 / static_cast<double>(options_.steps);
    }
    bool unbounded = false;
    std::size_t taken = 0;
    while (s < 1 && report.good()) {
      if (record.steps.size() + report.rejected >= options_.max_steps) {
        report.status = OdeStatus::too_many_steps;
        break;
      }
      bool small = !(ds > 1e-15);
      for (std::size_t p = 0; p < times.n_points && adaptive; ++p) {
        const double t = times.start[leg * B + p] + s * length[p];
        const bool is =
            length[p] > 0 &&
            !(ds * length[p] > 10 * std::numeric_limits<double>::epsilon() * std::abs(t));
        if (is) worst = p;
        small = small || is;
      }
      if (small) {
        report.status = unbounded ? OdeStatus::not_finite : OdeStatus::step_too_small;
        break;
      }
      const bool reaches = adaptive ? 1.01 * ds >= 1 - s : taken + 1 == options_.steps;
      step = {leg, s, reaches ? 1 - s : ds, output, output};
      load(times, step);
      bool solved = true;
      for (std::size_t i = 1; i <= last && solved; ++i) solved = evaluate(times, step, y, i, 0);
      const double e = solved && adaptive ? error(times, y, worst) : 0;
      unbounded =
          !solved || !std::isfinite(e) || !all_finite(arg(last), n_) || !all_finite(k(last), n_);
      if (unbounded && !adaptive) {
        report.status = OdeStatus::not_finite;
        break;
      }
      if (unbounded || e > 1) {
        ds = control.after_rejection(step.ds, e, unbounded);
        ++report.rejected;
        continue;
      }
      if (adaptive) ds = control.after_step(step.ds, e);
      ++taken;
      const double end = reaches ? 1 : s + step.ds;
      while (output < times.outputs.size() && times.outputs[output].leg == leg &&
             times.outputs[output].s <= end) {
        ++output;
      }
      step.end_output = output;
      write_outputs(times, step, y, values);
      if (record.steps.size() % record.stride == 0) {
        record.states.insert(record.states.end(), y, y + n_);
        if (record.states.size() / n_ > std::max(fewest_states, 2 * record.stride)) {
          // Every other state goes: there are about as many as steps between them.
          const std::size_t kept = (record.states.size() / n_ + 1) / 2;
          for (std::size_t q = 1; q < kept; ++q) {
            std::copy_n(record.states.begin() + static_cast<std::ptrdiff_t>(2 * q * n_), n_,
                        record.states.begin() + static_cast<std::ptrdiff_t>(q * n_));
          }
          record.states.resize(kept * n_);
          record.stride *= 2;
        }
        record.most_states = std::max(record.most_states, record.states.size() / n_);
      }
      record.steps.push_back(step);
      std::copy_n(arg(last), n_, y);
      std::copy_n(k(last), n_, k(0));
      s = end;
    }
    if (!report.good()) {
      blame(report, times, leg, s, y, worst);
      break;
    }
  }
  report.steps = record.steps.size();
  report.evaluations = evaluations_;
  report.checkpoints = record.most_states;
  return report;
}

void BlockFlow::pull_step(const BlockTimes& times, const FlowRecord::Step& step, const double* y,
                          const double* seeds, double* y_bar, double* gradient) {
  const std::size_t n = field_.size(), B = field_.block(), last = table_.stages - 1;
  load(times, step);
  bool inside = false;  // outputs between the ends: the continuous extension counts
  for (std::size_t o = step.first_output; o < step.end_output; ++o) {
    const double theta = step.ds > 0 ? (times.outputs[o].s - step.s) / step.ds : 1;
    inside = inside || (theta != 1 && table_.n_dense > 0);
  }
  // Every stage once more, each in a slot of its own. The slope at the end counts only for outputs.
  const std::size_t all = inside ? table_.all_stages : table_.stages;
  stage_time(times, step, 0);
  std::copy_n(y, n_, arg(0));
  field_.slope(lane_, 0, time(0), y, k(0));
  for (std::size_t i = 1; i < all; ++i) {
    if (i == last && !inside && !table_.is_implicit(i)) {
      stage_argument(y, i, arg(i));
      continue;
    }
    evaluate(times, step, y, i, i);
  }
  evaluations_ += 1;
  // y_bar is the adjoint of the new state now, and becomes that of the old one.
  std::fill_n(k_bar_.begin(), all * n_, 0.0);
  std::copy_n(y_bar, n_, base_.begin());
  double* const next_bar = base_.data();
  std::fill_n(y_bar, n_, 0.0);
  for (std::size_t o = step.first_output; o < step.end_output; ++o) {
    const BlockTimes::Output& out = times.outputs[o];
    const double theta = step.ds > 0 ? (out.s - step.s) / step.ds : 1;
    if (theta == 1 || table_.n_dense == 0) {
      for (std::size_t i = 0; i < n; ++i) next_bar[i * B + out.point] += seeds[out.value + i];
      continue;
    }
    table_.dense_weights(theta, weights_);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t q = i * B + out.point;
      y_bar[q] += seeds[out.value + i];
      for (std::size_t j = 0; j < all; ++j) {
        k_bar_[j * n_ + q] += h_[out.point] * weights_[j] * seeds[out.value + i];
      }
    }
  }
  for (std::size_t i = all; i-- > 0;) {
    double* const bar = stage_bar_.data();
    if (i == last) {
      std::copy_n(next_bar, n_, bar);
    } else {
      std::fill_n(bar, n_, 0.0);
    }
    double* const kb = k_bar_.data() + i * n_;
    if (table_.is_implicit(i)) {
      // Y - h a F(Y) = base: base_bar = mu with (I - h a J)' mu = Y_bar + J' k_bar, and the slope
      // gets the seed k_bar + h a mu.
      field_.jacobian(lane_, time(i), arg(i), jacobian_.data(), nullptr);
      std::vector<double> a(n * n), mu(n);
      for (std::size_t p = 0; p < B; ++p) {
        const double h = h_[p] * table_.a[i][i];
        for (std::size_t r = 0; r < n; ++r) {
          mu[r] = bar[r * B + p];
          for (std::size_t c = 0; c < n; ++c) {
            mu[r] += jacobian_[(c * n + r) * B + p] * kb[c * B + p];
            a[r * n + c] = (r == c ? 1 : 0) - h * jacobian_[(c * n + r) * B + p];
          }
        }
        solve_dense(a, n, mu.data(), 1);
        for (std::size_t r = 0; r < n; ++r) kb[r * B + p] += h * mu[r];
      }
      field_.slope(lane_, 0, time(i), arg(i), k(i));
      field_.pull(lane_, 0, time(i), arg(i), kb, bar, gradient);
    } else if (i != last || inside) {
      // Implicit stages have used the slot.
      if (table_.is_implicit(last)) field_.slope(lane_, i, time(i), arg(i), k(i));
      field_.pull(lane_, i, time(i), arg(i), kb, bar, gradient);
    }
    for (std::size_t q = 0; q < n_; ++q) y_bar[q] += bar[q];
    for (std::size_t j = 0; j < i; ++j) {
      const double a = table_.a[i][j];
      if (a == 0) continue;
      double* const to = k_bar_.data() + j * n_;
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t p = 0; p < B; ++p) to[c * B + p] += h_[p] * a * bar[c * B + p];
      }
    }
  }
}

void BlockFlow::pull(const BlockTimes& times, const FlowRecord& record, const double* seeds,
                     double* y_bar, double* gradient) {
  const std::size_t n = field_.size(), B = field_.block(), last = table_.stages - 1;
  AlignedVector<double> bar(n_);
  std::vector<double> states;
  const std::size_t n_steps = record.steps.size();
  for (std::size_t c = record.states.size() / n_; c-- > 0;) {
    const std::size_t first = c * record.stride, end = std::min(first + record.stride, n_steps);
    states.assign(record.states.begin() + static_cast<std::ptrdiff_t>(c * n_),
                  record.states.begin() + static_cast<std::ptrdiff_t>((c + 1) * n_));
    for (std::size_t q = first; q + 1 < end; ++q) {
      const double* y = states.data() + (q - first) * n_;
      const FlowRecord::Step& step = record.steps[q];
      load(times, step);
      stage_time(times, step, 0);
      field_.slope(lane_, 0, time(0), y, k(0));
      for (std::size_t i = 1; i < last; ++i) evaluate(times, step, y, i, 0);
      if (table_.is_implicit(last)) {
        evaluate(times, step, y, last, 0);
      } else {
        stage_argument(y, last, arg(last));
      }
      states.insert(states.end(), arg(last), arg(last) + n_);
    }
    for (std::size_t q = end; q-- > first;) {
      pull_step(times, record.steps[q], states.data() + (q - first) * n_, seeds, bar.data(),
                gradient);
    }
  }
  for (const BlockTimes::Output& out : times.outputs) {
    if (out.leg > 0 || out.s > 0) break;
    for (std::size_t i = 0; i < n; ++i) bar[i * B + out.point] += seeds[out.value + i];
  }
  for (std::size_t q = 0; q < n_; ++q) y_bar[q] += bar[q];
}

void BlockFlow::jacobian(const BlockTimes& times, const FlowRecord& record, const double* start,
                         std::size_t point, std::size_t first_value, std::span<double> out) {
  const std::size_t n = field_.size(), B = field_.block(), P = field_.n_parameters(), Q = P + n;
  const std::size_t last = table_.stages - 1;
  AlignedVector<double> by_theta(n * P * B), y(start, start + n_);
  std::vector<double> s(n * Q), ds(table_.all_stages * n * Q), argument(n * Q), a(n * n);
  for (std::size_t i = 0; i < n; ++i) s[i * Q + P + i] = 1;
  const auto emit = [&](const BlockTimes::Output& o, const std::vector<double>& rows) {
    if (o.point != point) return;
    std::copy(rows.begin(), rows.end(),
              out.begin() + static_cast<std::ptrdiff_t>((o.value - first_value) * Q));
  };
  for (const BlockTimes::Output& o : times.outputs) {
    if (o.leg > 0 || o.s > 0) break;
    emit(o, s);
  }
  for (const FlowRecord::Step& step : record.steps) {
    load(times, step);
    const double h = h_[point];
    for (std::size_t i = 0; i < table_.all_stages; ++i) {
      evaluate(times, step, y.data(), i, 0);
      field_.jacobian(lane_, time(i), arg(i), jacobian_.data(), by_theta.data());
      argument = s;
      for (std::size_t j = 0; j < i; ++j) {
        const double f = h * table_.a[i][j];
        for (std::size_t q = 0; q < n * Q; ++q) argument[q] += f * ds[j * n * Q + q];
      }
      double* const dk = ds.data() + i * n * Q;
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t q = 0; q < Q; ++q) {
          double sum = q < P ? by_theta[(r * P + q) * B + point] : 0;
          for (std::size_t c = 0; c < n; ++c) {
            sum += jacobian_[(r * n + c) * B + point] * argument[c * Q + q];
          }
          dk[r * Q + q] = sum;
        }
      }
      if (table_.is_implicit(i)) {
        for (std::size_t r = 0; r < n; ++r) {
          for (std::size_t c = 0; c < n; ++c) {
            a[r * n + c] =
                (r == c ? 1 : 0) - h * table_.a[i][i] * jacobian_[(r * n + c) * B + point];
          }
        }
        solve_dense(a, n, dk, Q);
      }
    }
    std::vector<double> rows;
    for (std::size_t o = step.first_output; o < step.end_output; ++o) {
      const double theta = step.ds > 0 ? (times.outputs[o].s - step.s) / step.ds : 1;
      if (times.outputs[o].point != point || theta == 1 || table_.n_dense == 0) continue;
      table_.dense_weights(theta, weights_);
      rows = s;
      for (std::size_t j = 0; j < table_.all_stages; ++j) {
        for (std::size_t q = 0; q < n * Q; ++q) rows[q] += h * weights_[j] * ds[j * n * Q + q];
      }
      emit(times.outputs[o], rows);
    }
    for (std::size_t j = 0; j <= last; ++j) {
      for (std::size_t q = 0; q < n * Q; ++q) s[q] += h * table_.a[last][j] * ds[j * n * Q + q];
    }
    std::copy_n(arg(last), n_, y.begin());
    for (std::size_t o = step.first_output; o < step.end_output; ++o) {
      const double theta = step.ds > 0 ? (times.outputs[o].s - step.s) / step.ds : 1;
      if (theta == 1 || table_.n_dense == 0) emit(times.outputs[o], s);
    }
  }
}

}  // namespace cauchy::detail
