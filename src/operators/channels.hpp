#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/data/data_set.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/operators/operator_method.hpp>

namespace cauchy::detail {

/// A channel that is a field at one time: "u(t=0.5)".
struct ChannelFrame {
  std::string field;
  double time = 0;
};
/// None for any other name.
[[nodiscard]] std::optional<ChannelFrame> frame_in(std::string_view name);

/// A channel of a data set.
struct ChannelSource {
  bool is_input = false;
  std::size_t channel = 0;
};
/// Its numbers in one sample.
[[nodiscard]] std::span<const double> channel_of(const DataSet& data, std::size_t sample,
                                                 ChannelSource source);

/// What the channels of data sets are to a network. Fields keep the order in which the outputs
/// first name them.
///   all       all outputs are channels of one answer
///   axis      times of the outputs are one more axis of the grid, before those of space
///   roll_out  one moment follows from those before it; inputs that are no frames stay as they are
struct Channels {
  enum class Kind : std::uint8_t { all, axis, roll_out };
  Kind kind = Kind::all;
  std::vector<std::string> inputs = {}, outputs = {};  ///< of the data that it was made for
  std::vector<std::string> fields = {};
  std::string time = {};  ///< name of the time axis; empty: the outputs have no times
  // Of a roll-out.
  std::size_t history = 0;
  double begin = 0, step = 0;           ///< time of the first frame, and between two
  std::vector<std::string> first = {};  ///< input that is the first frame, per field; or empty
  std::vector<std::size_t> fixed = {};  ///< numbers of the inputs that are no frames

  void save(Checkpoint& checkpoint) const;
  [[nodiscard]] static Channels load(const Checkpoint& checkpoint);
};

/// Throws Error when the times do not fit: none for a time axis or a roll-out, steps that differ,
/// fewer frames than the roll-out needs.
[[nodiscard]] Channels channels_of(const OperatorProblem& problem, const DataSet& data,
                                   const FieldOperator& method);

/// The channels of a data set in the order that the network has.
struct ChannelTable {
  std::vector<ChannelSource> inputs = {};  ///< of the network: all inputs; of a roll-out the fixed
  std::vector<double> times = {};          ///< increasing; of the outputs, or of all frames
  /// Outputs field by field, times within a field in order; channels of kind `all` likewise,
  /// those of one field one after the other.
  std::vector<std::size_t> outputs = {};
  std::vector<std::size_t> field = {};  ///< of each of them
  /// Of a roll-out: [frame][field], inputs first.
  std::vector<std::vector<ChannelSource>> frames = {};
};
/// `data.outputs` may be empty: the outputs are then those of `channels`.
///   error    throws Error naming the channel that is missing, or that is too much
[[nodiscard]] ChannelTable table_of(const Channels& channels, const DataSet& data);

/// Channels of the outputs that a roll-out starts from: they are copied, not predicted.
[[nodiscard]] std::vector<std::size_t> given_outputs(const Channels& channels,
                                                     const ChannelTable& table);

/// The grid with an axis of time before the others.
[[nodiscard]] FieldGrid with_times(const FieldGrid& grid, const std::string& name,
                                   const std::vector<double>& times);

}  // namespace cauchy::detail
