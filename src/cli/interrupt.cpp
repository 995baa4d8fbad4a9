#include "cli/interrupt.hpp"

#include <atomic>

namespace cauchy::cli {
namespace {

std::atomic<bool> stop_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void keep_wish(int) { stop_wanted.store(true); }

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_wanted.store(false);
  struct sigaction action = {};
  action.sa_handler = keep_wish;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool InterruptGuard::requested() noexcept { return stop_wanted.load(); }

RunProgress::RunProgress(std::ostream& out, bool shown) {
  if (shown) bar_.emplace(out);
}

void RunProgress::update(const ProgressState& state) {
  if (bar_) bar_->update(state);
}

void RunProgress::finish(const ProgressState& state) {
  if (bar_) bar_->finish(state);
}

}  // namespace cauchy::cli
