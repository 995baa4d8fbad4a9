#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <cauchy/data/data_set.hpp>

#include "operators/channels.hpp"
#include "operators/field_norm.hpp"

namespace cauchy::detail {

/// What a network is trained on: items, each with inputs, truth, and what an error is measured by.
/// An item is a sample, or in a roll-out a sample and the frame that it starts from.
class OperatorSamples final {
 public:
  /// The first n samples of a data set, which must outlive it.
  ///   norm        of the relative error
  ///   steps       of a roll-out that an item has truth for
  ///   skip        steps of a roll-out before them, without truth
  OperatorSamples(const Channels& channels, const DataSet& data, std::size_t n,
                  const FieldNorm& norm, std::size_t steps, std::size_t skip);

  /// Inputs of the equations alone, all of one length; items then go on until all of them have been
  /// met, and meet those of the data again and again.
  void set_physics_inputs(std::vector<double> inputs, std::size_t n);
  /// The same functions as the equations have them, where those inputs are means of them.
  void set_physics_values(std::vector<double> values);

  [[nodiscard]] std::size_t size() const noexcept {
    return std::max(n_samples_ * windows_, n_physics_);
  }
  /// Numbers of one item for an input of the graph:
  ///   in         channels of the network
  ///   out        truth, for all steps
  ///   scale      per step and field: 1 / |truth|^2
  ///   physics/in, physics/values  channels of the network for the equations
  ///   more/NAME  DataSet::more of that name
  [[nodiscard]] std::size_t width(const std::string& input) const;
  void read(std::size_t item, const std::string& input, std::span<double> to) const;
  [[nodiscard]] const ChannelTable& table() const noexcept { return table_; }

 private:
  [[nodiscard]] const std::vector<double>& more(const std::string& input) const;

  const DataSet& data_;
  ChannelTable table_;
  std::size_t n_samples_, windows_ = 1, history_ = 0, fields_, steps_ = 1, skip_ = 0;
  std::size_t points_;
  std::vector<double> scales_;  // [sample][frame][field], of kinds without frames one frame
  std::size_t n_frames_ = 1;
  std::vector<double> physics_, values_;
  std::size_t n_physics_ = 0;
};

}  // namespace cauchy::detail
