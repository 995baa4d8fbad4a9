#pragma once

#include <csignal>
#include <optional>
#include <ostream>

#include <cauchy/base/terminal_progress.hpp>

namespace cauchy::cli {

/// While it lives, Ctrl-C (and the signal that asks a program to end) is kept as a wish to stop
/// after the current step; the second one ends the program at once. One at a time.
class InterruptGuard final {
 public:
  InterruptGuard();
  /// Puts the handlers back that were there before.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool requested() noexcept;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};
};

/// Shows how far a run is, and passes the wish to stop on to it.
class RunProgress final : public Progress {
 public:
  RunProgress(std::ostream& out, bool shown);
  void update(const ProgressState& state) override;
  void finish(const ProgressState& state) override;
  [[nodiscard]] bool stop_requested() const noexcept override {
    return InterruptGuard::requested();
  }

 private:
  std::optional<TerminalProgress> bar_;
};

}  // namespace cauchy::cli
