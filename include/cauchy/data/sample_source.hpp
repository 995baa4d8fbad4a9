#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy {

/// Numbers that follow from one sample and that people look at: a rate of a well over time.
struct SampleCurve {
  std::string name;            ///< "P1"
  std::string quantity;        ///< what curves in one plot share: "oil rate, m3/day"
  std::vector<double> values;  ///< at the times of the source
};

class TensorGraph;

/// An equation of a simulator inside of a graph: what an answer leaves over, at every cell and
/// moment.
struct SampleResidual {
  std::string name;
  /// Values [parts, {moments, axes of space}]; the residual is their sum, its unit the largest of
  /// them; the squares of parts are added.
  std::vector<int> summands = {};
  /// Of the box along the axes of space, in a unit of which all are alike.
  std::vector<double> lengths = {};
  /// Of the equation in space: by so many powers of its frequency the residual is larger than the
  /// error that it comes from.
  double order = 0;
};

/// What makes the samples of an operator problem in place of equations and a classical method: a
/// simulator that draws its own inputs. All members are safe to call from several threads at once.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Name in the table of simulators.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  /// All that decides on a sample beside the seed and its number, as text.
  [[nodiscard]] virtual std::string identity() const = 0;
  /// For people: "IMPES on 40 x 40 x 3 cells".
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual FieldGrid grid() const = 0;
  /// Names of the channels, as DataSet has them.
  [[nodiscard]] virtual std::vector<std::string> inputs() const = 0;
  [[nodiscard]] virtual std::vector<std::string> outputs() const = 0;
  [[nodiscard]] virtual std::vector<double> times() const = 0;  ///< empty: without time

  struct Sample {
    std::vector<double> in, out;  ///< [channel, node]
    /// Relative, as far as the simulator knows; NaN: it does not.
    double error = std::numeric_limits<double>::quiet_NaN();
    bool interrupted = false;
  };
  /// A pure function of seed and number, with one thread.
  ///   progress  asked for a wish to stop alone; may be null
  ///   error     throws Error at "sample 17" for what cannot be simulated
  [[nodiscard]] virtual Sample make(std::uint64_t seed, std::uint64_t number,
                                    const Progress* progress) const = 0;
  /// A source of the same samples on another grid of the same box; null: it has one grid alone.
  ///   error    throws Error for sizes that it cannot have
  [[nodiscard]] virtual std::shared_ptr<const SampleSource> resized(
      const std::vector<int>& /*sizes*/) const {
    return nullptr;
  }
  /// Whether flips and exchanges of axes of equal length carry samples into samples that are as
  /// likely, all channels being scalars.
  [[nodiscard]] virtual bool isotropic() const noexcept { return false; }
  /// Whether the simulator carries inputs u(T x) into outputs v(T x) wherever it carries u into v:
  /// coordinate k of T x is coordinate axis[k] of x, measured from the other end of the box where
  /// flipped[k]. How likely those inputs are does not matter.
  [[nodiscard]] virtual bool is_symmetric(const std::vector<std::size_t>& /*axis*/,
                                          const std::vector<bool>& /*flipped*/) const {
    return isotropic();
  }
  /// What v(T x) means for outputs that are no scalars: number i of the outputs carried over is
  /// number |k| - 1 of the outputs, k = picks[i], its negative for k < 0, 0 for k = 0. Empty: all
  /// outputs are scalars. Inputs are.
  [[nodiscard]] virtual std::vector<std::int32_t> carried_outputs(
      const std::vector<std::size_t>& /*axis*/, const std::vector<bool>& /*flipped*/) const {
    return {};
  }
  /// Whether it can say what an answer leaves over of its equations: draw() and add_residuals()
  /// then work.
  [[nodiscard]] virtual bool has_equations() const noexcept { return false; }
  /// The inputs of make(seed, number), at once.
  [[nodiscard]] virtual std::vector<double> draw(std::uint64_t /*seed*/,
                                                 std::uint64_t /*number*/) const {
    return {};
  }
  /// Adds the equations of an answer to a graph. Nothing flows through the sides of the box.
  ///   in, out  values [inputs, grid] and [outputs, grid] in the units and the order of samples
  ///   error    throws Error (unsupported) for settings whose equations are not known
  [[nodiscard]] virtual std::vector<SampleResidual> add_residuals(TensorGraph& /*graph*/,
                                                                  int /*in*/, int /*out*/) const {
    return {};
  }
  /// The curves of a sample, or of the answer of an operator for its inputs.
  [[nodiscard]] virtual std::vector<SampleCurve> curves(std::span<const double> /*in*/,
                                                        std::span<const double> /*out*/) const {
    return {};
  }
};

}  // namespace cauchy
