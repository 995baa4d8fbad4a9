#pragma once

namespace cauchy {

/// Seconds of the one clock, from some moment on. Nothing else in the library reads time for a
/// decision, and the only decisions that read it are limits in seconds that a user has set.
///   tests   the variable CAUCHY_CLOCK turns the clock of a process: "10" lets it run ten times as
///           fast, as if the machine were ten times slower; "step 0.01" stands still but for
///           0.01 s at each reading
///   error   throws Error when CAUCHY_CLOCK is neither
[[nodiscard]] double clock_seconds();

/// Seconds since 1970, for stamps in files; no decision reads them.
[[nodiscard]] double wall_seconds() noexcept;

/// Turns the clock of this process while it lives; it never goes back.
class TurnedClock final {
 public:
  /// Runs `speed` times as fast as time, and `step` seconds further at each reading.
  ///   error   throws Error for negative or infinite numbers
  explicit TurnedClock(double speed, double step = 0);
  ~TurnedClock();
  TurnedClock(const TurnedClock&) = delete;
  TurnedClock& operator=(const TurnedClock&) = delete;

 private:
  double speed_before_, step_before_;
};

}  // namespace cauchy
