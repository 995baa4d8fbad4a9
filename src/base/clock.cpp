#include <fmt/format.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

namespace cauchy {
namespace {

/// A multiple of 2^-30 s, so that differences of readings are exact, for months: what steps by 0.25
/// s has come to 1 s after four readings, whatever was read first.
double whole_ticks(double seconds) {
  return std::ldexp(std::nearbyint(std::ldexp(seconds, 30)), -30);
}

/// Turned time: what it was when it was last turned, and how it goes since.
struct ClockFace {
  double speed = 1, step = 0;
  double shown = 0;  // at `since`, with the steps of later readings
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

  double read() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since;
    shown += step;
    return whole_ticks(shown + speed * passed.count());
  }
  void turn(double new_speed, double new_step) {
    const auto now = std::chrono::steady_clock::now();
    shown = whole_ticks(shown + speed * std::chrono::duration<double>(now - since).count());
    since = now;
    speed = new_speed;
    step = new_step;
  }
};

bool is_rate(double v) { return v >= 0 && std::isfinite(v); }

/// As CAUCHY_CLOCK says.
ClockFace face_from_environment() {
  ClockFace face;
  const char* text = std::getenv("CAUCHY_CLOCK");
  if (text == nullptr || *text == '\0') return face;
  std::string_view rest(text);
  constexpr std::string_view stepped = "step ";
  const bool steps = rest.starts_with(stepped);
  if (steps) rest.remove_prefix(stepped.size());
  double value = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || end != rest.data() + rest.size() || !is_rate(value)) {
    throw Error(fmt::format("environment variable CAUCHY_CLOCK must be a speed like '10' or "
                            "'step 0.01', got '{}'",
                            text),
                "[base.clock]", "unset it to read the true time");
  }
  face.turn(steps ? 0 : value, steps ? value : 0);
  return face;
}

std::mutex& face_mutex() {
  static std::mutex mutex;
  return mutex;
}
ClockFace& the_face() {
  static ClockFace face = face_from_environment();
  return face;
}

}  // namespace

double clock_seconds() {
  const std::lock_guard lock(face_mutex());
  return the_face().read();
}

double wall_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TurnedClock::TurnedClock(double speed, double step) {
  if (!is_rate(speed) || !is_rate(step)) {
    throw Error(
        fmt::format("a clock needs a speed and a step of at least 0, got {} and {}", speed, step),
        "[base.clock]");
  }
  const std::lock_guard lock(face_mutex());
  speed_before_ = the_face().speed;
  step_before_ = the_face().step;
  the_face().turn(speed, step);
}

TurnedClock::~TurnedClock() {
  const std::lock_guard lock(face_mutex());
  the_face().turn(speed_before_, step_before_);
}

}  // namespace cauchy
