#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cauchy/expr/program.hpp>

namespace cauchy::detail {

/// A program for one point at a time: right sides of small systems of ordinary differential
/// equations, where setting up vectors would cost more than the work. The same results as
/// Program<double> up to the rounding of fused operations.
///   error    the constructor throws Error like Program, and for sums or parameters
///   cost     a few nanoseconds per operation; nothing is allocated in run()
class ScalarProgram final {
 public:
  explicit ScalarProgram(const ProgramSpec& spec);

  [[nodiscard]] std::size_t n_inputs() const noexcept { return n_inputs_; }
  [[nodiscard]] std::size_t n_outputs() const noexcept { return outputs_.size(); }
  /// Inputs and outputs in the order of the spec. Not thread-safe: one object per thread.
  void run(std::span<const double> inputs, std::span<double> outputs) const;

 private:
  struct Step {
    std::uint8_t op;
    std::int32_t result, args[3];
  };
  std::size_t n_inputs_;
  std::vector<std::pair<std::int32_t, std::int32_t>> inputs_;  // slot, input
  std::vector<Step> steps_;
  std::vector<std::int32_t> outputs_;
  mutable std::vector<double> slots_;  // constants stay
};

}  // namespace cauchy::detail
