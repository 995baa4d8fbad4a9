#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <thread>
#include <utility>

#include "base/parallel_body.hpp"

namespace cauchy {

struct RunLimit::State {
  double began = clock_seconds();
  double max_seconds = unlimited, max_work = unlimited;
  bool is_share = false;  // of seconds that were set for the whole
  Progress* progress = nullptr;
  Work work_then = work_of_thread();
  std::thread::id thread = std::this_thread::get_id();
  const void* body = detail::innermost_parallel_body();
  std::shared_ptr<State> whole;
  std::atomic<bool> seconds_decided{false};

  [[nodiscard]] bool counts_here() const {
    return thread == std::this_thread::get_id() && body == detail::innermost_parallel_body();
  }
  [[nodiscard]] double work() const { return nominal_seconds(work_of_thread().since(work_then)); }
  [[nodiscard]] double work_left() const { return counts_here() ? max_work - work() : unlimited; }
  [[nodiscard]] double seconds_left() const { return max_seconds - (clock_seconds() - began); }
  [[nodiscard]] bool timed() const { return max_seconds < unlimited; }
};

namespace {

thread_local const RunLimit* ambient = nullptr;

/// A machine is taken for a nominal one with this many threads' worth of speed when its seconds are
/// compared with nominal ones.
constexpr double nominal_per_second = 1;

}  // namespace

RunLimit RunLimit::of_run(double max_seconds, Progress* progress, const RunLimit& whole) {
  auto state = std::make_shared<State>();
  if (max_seconds > 0) state->max_seconds = max_seconds;
  state->progress = progress;
  state->whole = whole.state_;
  return RunLimit(std::move(state));
}

RunLimit RunLimit::with_work(double nominal) const {
  auto state = std::make_shared<State>();
  state->max_work = nominal;
  state->whole = state_;
  return RunLimit(std::move(state));
}

RunLimit RunLimit::share(double part) const {
  auto state = std::make_shared<State>();
  state->max_seconds = part * std::max(seconds_left(), 0.0);
  state->is_share = true;
  double work_left = unlimited;
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    work_left = std::min(work_left, s->work_left());
  }
  state->max_work = part * std::max(work_left, 0.0);
  state->whole = state_;
  return RunLimit(std::move(state));
}

RunLimit::End RunLimit::end() const {
  // Work first: where it has ended too, the clock has decided nothing.
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (s->max_work < unlimited && s->work_left() <= 0) return End::work;
  }
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (s->progress != nullptr && s->progress->stop_requested()) return End::asked;
  }
  if (seconds_left() > 0) return End::none;
  mark_seconds_decided();
  return End::seconds;
}

bool RunLimit::fits(double nominal) const {
  if (end() != End::none) return false;
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (s->max_work < unlimited && !(nominal <= s->work_left())) return false;
  }
  if (nominal <= nominal_per_second * seconds_left()) return true;
  mark_seconds_decided();
  return false;
}

double RunLimit::left() const {
  double left = nominal_per_second * seconds_left();
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (s->max_work < unlimited) left = std::min(left, s->work_left());
  }
  return std::max(left, 0.0);
}

double RunLimit::seconds() const { return state_ ? clock_seconds() - state_->began : 0; }

double RunLimit::seconds_left() const {
  double left = unlimited;
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (s->timed()) left = std::min(left, s->seconds_left());
  }
  return left;
}

void RunLimit::show(ProgressState shown) const {
  for (std::shared_ptr<State> s = state_; s != nullptr; s = s->whole) {
    if (s->progress == nullptr) continue;
    shown.elapsed_s = clock_seconds() - s->began;
    shown.limit_s = RunLimit(s).max_seconds();
    return s->progress->update(shown);
  }
}

double RunLimit::work() const { return state_ ? state_->work() : 0; }

bool RunLimit::timed() const { return max_seconds() > 0; }

double RunLimit::max_seconds() const {
  double least = unlimited;
  for (const State* s = state_.get(); s != nullptr; s = s->whole.get()) {
    if (!s->is_share) least = std::min(least, s->max_seconds);
  }
  return least < unlimited ? least : 0;
}

void RunLimit::mark_seconds_decided() const {
  for (State* s = state_.get(); s != nullptr; s = s->whole.get()) s->seconds_decided = true;
}

bool RunLimit::seconds_decided() const { return state_ && state_->seconds_decided; }

LimitScope::LimitScope(RunLimit limit)
    : limit_(std::move(limit)), outer_(std::exchange(ambient, &limit_)) {}
LimitScope::~LimitScope() { ambient = outer_; }

const RunLimit& limit_of_thread() {
  static const RunLimit none;
  return ambient == nullptr ? none : *ambient;
}

void ask_limit(std::string_view what) {
  if (ambient == nullptr) return;
  const RunLimit::End end = ambient->end();
  if (end == RunLimit::End::none) return;
  throw Error(
      ErrorKind::interrupted,
      fmt::format("{} for {}",
                  end == RunLimit::End::asked     ? "it was stopped, no time was left"
                  : end == RunLimit::End::seconds ? "the time that was given did not suffice"
                                                  : "the work that was planned did not suffice",
                  what));
}

void ask_limit(std::string_view what, double nominal) {
  ask_limit(what);
  if (ambient == nullptr || ambient->fits(nominal)) return;
  throw Error(ErrorKind::interrupted,
              fmt::format("{} would take about {:.2g} s, more than is left", what, nominal));
}

void LoopLimit::next(double pieces) {
  constexpr double often = 2e5;  // pieces, about 10 ms
  count_work(WorkKind::pieces, pieces);
  counted_ += pieces;
  if (counted_ < often) return;
  counted_ = 0;
  ask_limit(what_);
}

std::string seconds_decided_text(double max_seconds) {
  const std::string limit =
      max_seconds > 0 ? fmt::format("the limit of {:.3g} s", max_seconds) : "a limit in seconds";
  return limit +
         " decided about this answer: another run, or another machine, may come to a different one";
}

}  // namespace cauchy
