#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <ostream>

#include <cauchy/base/terminal_progress.hpp>

namespace cauchy::cli {

/// While it lives, signals that ask a program to end are kept as a wish to stop after the current
/// step. One guard at a time. Signals that were ignored before (nohup) stay so.
///   INT, TERM, HUP     another one ends the program at once, unless it comes within `patience` of
///                      the first: people press twice, and shells and `timeout` send two
///   PIPE, XFSZ, XCPU   come again and again, and never end the program; the writing that caused
///                      them fails as any other does
class InterruptGuard final {
 public:
  explicit InterruptGuard(std::chrono::nanoseconds patience = std::chrono::seconds(1));
  /// Puts the handlers back that were there before.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool requested() noexcept;
  /// The same wish without a signal.
  static void request() noexcept;

 private:
  std::array<struct sigaction, 6> before_ = {};
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
