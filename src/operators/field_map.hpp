#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/operators/operator_method.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/channels.hpp"
#include "operators/ensemble_noise.hpp"
#include "operators/normalizer.hpp"
#include "operators/symmetries.hpp"

namespace cauchy::detail {

/// What a network sees, and the grid that it lies on.
struct NetworkInput {
  int value = -1;
  FieldGrid grid;
};

/// Everything that a learnt map between functions is, apart from its trainable numbers: raw inputs,
/// normalised, through the network, and back to the units of the outputs.
struct FieldMap {
  FieldNetwork network;
  Channels channels;
  FieldGrid grid;            ///< of the training
  Normalizer input, output;  ///< of the channels of the network
  /// Of the differences of frames that follow each other: the network of a roll-out answers by
  /// them. None: by the next frame itself.
  std::optional<Normalizer> increment = {};
  std::optional<Ensemble> ensemble = {};  ///< the network sees its noise as further channels
  Precision precision = Precision::f32;

  /// Channels of the network: of a roll-out frames, oldest first, then fixed inputs.
  [[nodiscard]] std::size_t n_in() const;
  /// Of a time axis per moment; of a roll-out one frame.
  [[nodiscard]] std::size_t n_out() const;
  /// The network on a grid of space; `times` of a time axis. Returns a value [outputs, grid], in
  /// the order of ChannelTable.
  ///   noise    of an ensemble: a value [noise channels, grid]; -1: one more input of the graph
  ///   error    as add_field_network
  int add(TensorGraph& graph, int input, const FieldGrid& space, const std::vector<double>& times,
          int noise = -1) const;
  [[nodiscard]] int n_noise() const {
    return ensemble ? static_cast<int>(ensemble->noise.lengths.size()) : 0;
  }
  /// What stands before the network in that, and the order of its channels behind it.
  NetworkInput add_input(TensorGraph& graph, int input, const FieldGrid& space,
                         const std::vector<double>& times) const;
  int by_channels(TensorGraph& graph, int value, const FieldGrid& space) const;
  /// What an error is measured in: increments, or outputs.
  [[nodiscard]] const Normalizer& units() const { return increment ? *increment : output; }
};

/// [channels, space] to [channels, times, space], the same at all times.
int at_all_times(TensorGraph& graph, int value, std::size_t n_times);

/// Mean and deviation of the channels of the network over some samples; those of single points over
/// all that the samples become by the symmetries, which then leave them as they are.
struct MapNormalizers {
  Normalizer input, output;
};
[[nodiscard]] MapNormalizers fit_normalizers(Normalization kind, const Channels& channels,
                                             const DataSet& data, std::size_t n_samples,
                                             const Symmetries& symmetries = {});
/// Those of the differences of frames of a roll-out, per field.
[[nodiscard]] Normalizer fit_increments(Normalization kind, const Channels& channels,
                                        const DataSet& data, std::size_t n_samples);

/// The map on one grid, ready to answer.
///   sharing  one caller at a time
class MapPredictor final {
 public:
  /// For data of the grid and the channels of `data`.
  MapPredictor(const FieldMap& map, const DataSet& data, std::shared_ptr<Threads> pool);
  ~MapPredictor();

  [[nodiscard]] std::size_t n_parameters() const;
  /// Whether it answers for these data.
  [[nodiscard]] bool serves(const DataSet& data) const;
  /// Channels of the outputs that are copied from the data, not predicted.
  [[nodiscard]] const std::vector<std::size_t>& given() const noexcept { return given_; }
  /// As TrainedOperator::predict.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> theta, const DataSet& data);
  /// The forecast of one member of an ensemble.
  [[nodiscard]] std::vector<double> member(std::span<const double> theta, const DataSet& data,
                                           std::size_t member);
  /// One step of a roll-out for n samples: in [history frames, fixed inputs], out the next frame;
  /// noise of an ensemble [noise channels].
  void step(std::span<const double> theta, std::size_t n, std::span<const double> in,
            std::span<double> out, std::span<const double> noise = {});

 private:
  void all_at_once(std::span<const double> theta, const DataSet& data, std::span<double> out);
  void roll_out(std::span<const double> theta, const DataSet& data, std::size_t member,
                std::span<double> out);

  const FieldMap& map_;
  FieldGrid grid_;
  std::vector<std::string> inputs_, outputs_;
  ChannelTable table_;
  std::vector<std::size_t> given_;
  std::unique_ptr<TensorExecutor> executor_;
  std::optional<EnsembleNoise> noise_;
  int out_ = -1;
};

/// In a roll-out the oldest frame leaves, a new one comes: in [samples, channels, points].
void push_frame(std::span<double> in, std::span<const double> frame, std::size_t n_samples,
                std::size_t history, std::size_t fields, std::size_t points);

}  // namespace cauchy::detail
