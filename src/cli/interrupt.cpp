#include "cli/interrupt.hpp"

#include <time.h>

#include <atomic>
#include <cstdint>

namespace cauchy::cli {
namespace {

// A signal handler has nothing but globals to write to.
std::atomic<bool> stop_wanted{false};
std::atomic<std::int64_t> first_time{0};  // of a signal, nanoseconds; 0: there was none
std::atomic<std::int64_t> patience_ns{0};
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t nanoseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void keep_wish(int) { stop_wanted.store(true); }

extern "C" void keep_wish_once(int signal) {
  stop_wanted.store(true);
  const std::int64_t now = nanoseconds();
  std::int64_t first = 0;
  if (first_time.compare_exchange_strong(first, now)) return;
  if (now - first < patience_ns.load()) return;
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  ::raise(signal);  // blocked here: it comes when the handler returns
}

struct Handled {
  int signal;
  void (*handler)(int);
};
constexpr std::array<Handled, 6> handled = {{{SIGINT, keep_wish_once},
                                             {SIGTERM, keep_wish_once},
                                             {SIGHUP, keep_wish_once},
                                             {SIGPIPE, keep_wish},
                                             {SIGXFSZ, keep_wish},
                                             {SIGXCPU, keep_wish}}};

}  // namespace

InterruptGuard::InterruptGuard(std::chrono::nanoseconds patience) {
  stop_wanted.store(false);
  first_time.store(0);
  patience_ns.store(patience.count());
  for (std::size_t i = 0; i < handled.size(); ++i) {
    ::sigaction(handled[i].signal, nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = handled[i].handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(handled[i].signal, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < handled.size(); ++i) {
    ::sigaction(handled[i].signal, &before_[i], nullptr);
  }
}

bool InterruptGuard::requested() noexcept { return stop_wanted.load(); }
void InterruptGuard::request() noexcept { stop_wanted.store(true); }

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
