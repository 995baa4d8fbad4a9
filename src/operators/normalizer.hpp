#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/operators/operator_method.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// (x - mean) / deviation and back, per channel or per number of a channel. Numbers that do not
/// vary have deviation 0: they become 0, and come back as their mean.
class Normalizer final {
 public:
  /// Leaves `channels` channels as they are.
  explicit Normalizer(std::size_t channels = 0);

  /// Collects mean and deviation of channels from all their functions.
  class Fit final {
   public:
    Fit(Normalization kind, std::size_t channels, const FieldGrid& grid);
    /// One function of a channel; all of them are added twice: first for the mean, and after
    /// next_pass() for the deviation.
    void add(std::size_t channel, std::span<const double> values);
    void next_pass();
    [[nodiscard]] Normalizer finish();

   private:
    Normalization kind_;
    const FieldGrid& grid_;
    std::size_t width_;  // numbers per channel: 1, or the points
    bool second_ = false;
    std::vector<double> mean_, square_, count_;
  };

  [[nodiscard]] std::size_t channels() const noexcept;
  /// Deviation of a channel: of all its numbers, the root mean square of theirs.
  [[nodiscard]] double deviation(std::size_t channel) const;
  /// These channels one after the other; one may stand several times.
  [[nodiscard]] Normalizer picked(std::span<const std::size_t> channels) const;
  /// The channels of both.
  [[nodiscard]] Normalizer joined(const Normalizer& other) const;
  /// The same on another grid of the box: interpolated linearly where it belongs to points.
  ///   error    throws Error for another cloud of points
  [[nodiscard]] Normalizer on(const FieldGrid& grid) const;

  /// The value with all that added to a graph; `grid` is that of on().
  [[nodiscard]] int add_normalized(TensorGraph& graph, int value) const;
  [[nodiscard]] int add_restored(TensorGraph& graph, int value) const;
  /// value / deviation.
  [[nodiscard]] int add_scaled(TensorGraph& graph, int value) const;
  /// value * deviation: differences and derivatives of what is restored.
  ///   error    throws Error (unsupported) where mean and deviation are functions of the place
  [[nodiscard]] int add_rescaled(TensorGraph& graph, int value) const;

  void save(Checkpoint& checkpoint, const std::string& prefix) const;
  /// Throws Error when it does not fit.
  [[nodiscard]] static Normalizer load(const Checkpoint& checkpoint, const std::string& prefix,
                                       const FieldGrid& grid);

 private:
  [[nodiscard]] bool is_identity() const noexcept { return kind_ == Normalization::none; }
  [[nodiscard]] int constant(TensorGraph& graph, int value, std::vector<double> numbers) const;
  [[nodiscard]] std::vector<double> inverse() const;

  Normalization kind_ = Normalization::none;
  std::size_t channels_ = 0;
  FieldGrid grid_ = {};  // of kind point
  std::vector<double> mean_, deviation_;
};

}  // namespace cauchy::detail
