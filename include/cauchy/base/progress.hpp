#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cauchy {

/// A named number worth watching, for example {"loss", 3.1e-4}.
struct ProgressValue {
  std::string_view name = {};
  double value = 0.0;
};

/// Where a long computation stands. Views are valid only during the call that receives the state.
struct ProgressState {
  std::uint64_t step = 0;                      ///< steps done
  std::uint64_t total = 0;                     ///< steps planned, 0 when unknown
  double elapsed_s = 0.0;                      ///< wall time since the computation began
  std::span<const ProgressValue> values = {};  ///< key numbers, most important first
  std::string_view message = {};               ///< what is being done, may be empty
  std::string_view stage = {};  ///< the part of the computation, "adam"; may be empty
  double limit_s = 0.0;         ///< it ends by then at the latest; 0: no limit
};

/// Receives the progress of a computation and may ask it to stop. The library is silent: whoever
/// wants to see progress passes a sink. Implementations must allow concurrent calls of all members,
/// and update() must be cheap enough to be called at every step.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void update(const ProgressState& state) = 0;
  /// Called once at the end, however it came; the next update() begins a new computation.
  virtual void finish(const ProgressState& state) = 0;
  /// Asked after each step; when true the computation ends with Status::interrupted and the best
  /// result so far.
  [[nodiscard]] virtual bool stop_requested() const noexcept = 0;
};

/// Shows nothing and never stops.
class NullProgress final : public Progress {
 public:
  void update(const ProgressState&) override {}
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return false; }
};

}  // namespace cauchy
