#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/applications/morph.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::detail {

/// Some moments of a trajectory as the network sees them, and its answer as a moment.
class MorphWindow final {
 public:
  ///   error    throws Error for more components than the network has
  MorphWindow(const Uptf& like, const MorphNetwork& network, int history);

  [[nodiscard]] const MorphShape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t frame_size() const noexcept { return fields_ * components_ * points_; }
  [[nodiscard]] std::size_t in_size() const noexcept {
    return lifted_ * history_ * fields_ * points_;
  }
  [[nodiscard]] std::size_t out_size() const noexcept { return lifted_ * fields_ * points_; }

  /// From `history` frames, the oldest first, to the input of the network; `units`: a b of every
  /// field.
  void encode(std::span<const double> frames, std::span<double> in, std::span<double> units) const;
  /// The answer that leads from the last frame to `next`.
  void encode_next(std::span<const double> last, std::span<const double> next,
                   std::span<const double> units, std::span<double> out) const;
  /// The inverse: last + a b y.
  void decode(std::span<const double> last, std::span<const double> out,
              std::span<const double> units, std::span<double> next) const;
  /// Weights of the numbers of an answer in a mean over those that are no lifting.
  [[nodiscard]] std::vector<double> weights() const;

 private:
  [[nodiscard]] std::size_t in_frame(std::size_t f, std::size_t c) const {
    return (f * components_ + c) * points_;
  }

  MorphShape shape_;
  std::size_t history_, fields_, components_, lifted_, points_;
  std::vector<std::size_t> real_;  // components of each field
};

/// The graph of a network for one shape, with inputs "in" and "out" and the loss.
struct MorphGraph {
  std::shared_ptr<const TensorGraph> graph;
  int answer = -1, loss = -1;
};
/// `weights`: of the numbers of an answer in the loss.
[[nodiscard]] MorphGraph make_morph_graph(const MorphNetwork& network, const MorphShape& shape,
                                          const Lora& lora, std::vector<double> weights);

/// Steps of many trajectories of one shape.
class MorphStepper final {
 public:
  MorphStepper(const MorphModel& model, const Uptf& like, std::shared_ptr<Threads> pool);
  /// windows: n times `history` frames, the oldest first; next: n frames.
  void step(std::span<const double> theta, std::span<const double> windows, std::span<double> next);
  [[nodiscard]] std::size_t frame_size() const noexcept { return window_.frame_size(); }

 private:
  MorphWindow window_;
  std::size_t history_;
  int answer_;
  std::unique_ptr<TensorExecutor> executor_;
  std::vector<double> in_, out_, units_;
};

/// All moments of one step from the truth, (N, T - history + 1, ...), by a stepper.
[[nodiscard]] Uptf all_next_moments(MorphStepper& stepper, std::span<const double> theta,
                                    const Uptf& data, int history);
/// Mean over trajectories of |v - u| / |u|, moments `first` ... of u against `from` ... of v.
[[nodiscard]] double relative_error(const Uptf& v, std::size_t from, const Uptf& u,
                                    std::size_t first, std::size_t moments);

}  // namespace cauchy::detail
