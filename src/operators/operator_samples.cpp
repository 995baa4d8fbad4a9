#include "operators/operator_samples.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr std::string_view more_prefix = "more/", physics_name = "physics/in",
                           values_name = "physics/values";

}  // namespace

OperatorSamples::OperatorSamples(const Channels& channels, const DataSet& data, std::size_t n,
                                 const FieldNorm& norm, std::size_t steps, std::size_t skip)
    : data_(data),
      table_(table_of(channels, data)),
      n_samples_(n),
      fields_(channels.fields.size()),
      points_(data.grid.n_points()) {
  const bool roll_out = channels.kind == Channels::Kind::roll_out;
  if (roll_out) {
    history_ = channels.history;
    steps_ = steps;
    skip_ = skip;
    n_frames_ = table_.frames.size();
    windows_ = n_frames_ - history_ - skip_ - steps_ + 1;
  }
  scales_.assign(n * n_frames_ * fields_, 0.0);
  std::vector<double> mean(fields_, 0.0);
  for (std::size_t s = 0; s < n; ++s) {
    double* const of_sample = &scales_[s * n_frames_ * fields_];
    for (std::size_t i = 0; i < table_.outputs.size(); ++i) {
      of_sample[table_.field[i]] += norm.squared(channel_of(data, s, {false, table_.outputs[i]}));
    }
    for (std::size_t k = 0; k < table_.frames.size(); ++k) {
      for (std::size_t f = 0; f < fields_; ++f) {
        of_sample[k * fields_ + f] = norm.squared(channel_of(data, s, table_.frames[k][f]));
      }
    }
    for (std::size_t i = 0; i < n_frames_ * fields_; ++i) mean[i % fields_] += of_sample[i];
  }
  for (double& m : mean) m /= static_cast<double>(n * n_frames_);
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const double of_field = mean[i % fields_];
    const double size = scales_[i] > 0 ? scales_[i] : of_field;
    scales_[i] = size > 0 ? 1 / size : 1;
  }
}

void OperatorSamples::set_physics_inputs(std::vector<double> inputs, std::size_t n) {
  physics_ = std::move(inputs);
  n_physics_ = n;
}

void OperatorSamples::set_physics_values(std::vector<double> values) {
  values_ = std::move(values);
}

const std::vector<double>& OperatorSamples::more(const std::string& input) const {
  const auto found = input.starts_with(more_prefix)
                         ? data_.more.find(input.substr(more_prefix.size()))
                         : data_.more.end();
  if (found != data_.more.end()) return found->second;
  throw Error(ErrorKind::not_found, fmt::format("the data have no array '{}'", input),
              "[operators]", "make the data with it");
}

std::size_t OperatorSamples::width(const std::string& input) const {
  if (input == "in") return (history_ * fields_ + table_.inputs.size()) * points_;
  if (input == "out") {
    return (history_ > 0 ? steps_ * fields_ : table_.outputs.size()) * points_;
  }
  if (input == "scale") return steps_ * fields_;
  if (input == physics_name && n_physics_ > 0) return physics_.size() / n_physics_;
  if (input == values_name && n_physics_ > 0) return values_.size() / n_physics_;
  (void)more(input);
  return points_;
}

void OperatorSamples::read(std::size_t item, const std::string& input, std::span<double> to) const {
  const std::size_t labelled = item % (n_samples_ * windows_);
  const std::size_t sample = labelled / windows_, window = labelled % windows_;
  auto at = to.begin();
  const auto put = [&](std::span<const double> values) { at = std::ranges::copy(values, at).out; };
  const std::size_t truth = window + history_ + skip_;
  if (input == "in") {
    for (std::size_t k = window; k < window + history_; ++k) {
      for (const ChannelSource& source : table_.frames[k]) put(channel_of(data_, sample, source));
    }
    for (const ChannelSource& source : table_.inputs) put(channel_of(data_, sample, source));
  } else if (input == "out" && history_ > 0) {
    for (std::size_t k = truth; k < truth + steps_; ++k) {
      for (const ChannelSource& source : table_.frames[k]) put(channel_of(data_, sample, source));
    }
  } else if (input == "out") {
    for (const std::size_t i : table_.outputs) put(channel_of(data_, sample, {false, i}));
  } else if (input == physics_name && n_physics_ > 0) {
    const std::size_t size = physics_.size() / n_physics_;
    put(std::span(physics_).subspan(item % n_physics_ * size, size));
  } else if (input == values_name && n_physics_ > 0) {
    const std::size_t size = values_.size() / n_physics_;
    put(std::span(values_).subspan(item % n_physics_ * size, size));
  } else if (input == "scale") {
    const std::size_t first = history_ > 0 ? truth : 0;
    put(std::span(scales_).subspan((sample * n_frames_ + first) * fields_, steps_ * fields_));
  } else {
    put(std::span(more(input)).subspan(sample * points_, points_));
  }
}

}  // namespace cauchy::detail
