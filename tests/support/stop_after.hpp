#pragma once

#include <cstdint>

#include <cauchy/base/progress.hpp>

namespace cauchy {

/// Asks a computation to stop once it has done so many steps; not for use by several threads.
class StopAfter final : public Progress {
 public:
  explicit StopAfter(std::uint64_t steps) : steps_(steps) {}
  void update(const ProgressState& at) override { stop_ = stop_ || at.step >= steps_; }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_; }

 private:
  std::uint64_t steps_;
  bool stop_ = false;
};

}  // namespace cauchy
