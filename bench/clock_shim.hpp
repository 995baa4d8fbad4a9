#pragma once
#include <cauchy/base/progress.hpp>
#include <chrono>
#include <ctime>
#include <string_view>
#include <vector>
namespace cauchy {
enum class RunClock { wall, processor };
inline std::string_view to_string(RunClock c) { return c == RunClock::wall ? "wall" : "processor"; }
inline const std::vector<RunClock>& all_run_clocks() {
  static const std::vector<RunClock> all{RunClock::wall, RunClock::processor};
  return all;
}
class Stopwatch {
 public:
  explicit Stopwatch(RunClock = RunClock::processor) : b_(now()) {}
  double seconds() const { return now() - b_; }
  static double now() { return double(std::clock()) / CLOCKS_PER_SEC; }

 private:
  double b_;
};
struct CpuStop final : Progress {
  Stopwatch w;
  double limit;
  explicit CpuStop(double l) : limit(l) {}
  void update(const ProgressState&) override {}
  void finish(const ProgressState&) override {}
  bool stop_requested() const noexcept override { return w.seconds() > limit; }
};
}  // namespace cauchy
