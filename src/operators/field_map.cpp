#include "operators/field_map.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// Samples that go through a network together; a number of its own, so that answers do not depend
/// on the memory of the machine.
constexpr std::size_t samples_at_once = 16;

}  // namespace

int at_all_times(TensorGraph& g, int value, std::size_t n_times) {
  const TensorShape from = g.shape(value);
  const std::size_t points = from.points();
  TensorShape to = from;
  to.grid.insert(to.grid.begin(), static_cast<int>(n_times));
  std::vector<std::ptrdiff_t> picks;
  picks.reserve(to.size());
  for (std::size_t c = 0; c < static_cast<std::size_t>(from.channels); ++c) {
    for (std::size_t t = 0; t < n_times; ++t) {
      for (std::size_t p = 0; p < points; ++p) {
        picks.push_back(static_cast<std::ptrdiff_t>(c * points + p));
      }
    }
  }
  return g.pick(value, std::move(to), std::move(picks));
}

std::size_t FieldMap::n_in() const {
  if (channels.kind != Channels::Kind::roll_out) return channels.inputs.size();
  return channels.history * channels.fields.size() + channels.fixed.size();
}

std::size_t FieldMap::n_out() const {
  return channels.kind == Channels::Kind::all ? channels.outputs.size() : channels.fields.size();
}

NetworkInput FieldMap::add_input(TensorGraph& g, int in, const FieldGrid& space,
                                 const std::vector<double>& times) const {
  const int v = input.on(space).add_normalized(g, in);
  if (channels.kind != Channels::Kind::axis) return {v, space};
  return {at_all_times(g, v, times.size()), with_times(space, channels.time, times)};
}

int FieldMap::by_channels(TensorGraph& g, int v, const FieldGrid& space) const {
  if (channels.kind != Channels::Kind::axis) return v;
  const int all = g.shape(v).channels * g.shape(v).grid.front();
  return g.reshape(v, {all, space.sizes()});
}

int FieldMap::add(TensorGraph& g, int in, const FieldGrid& space, const std::vector<double>& times,
                  int noise) const {
  NetworkInput x = add_input(g, in, space, times);
  if (ensemble) {
    if (noise < 0) noise = g.input(noise_input, {n_noise(), space.sizes()});
    x.value = g.concatenate(std::vector{x.value, noise});
  }
  const int v = add_field_network(g, network, x.value, x.grid, static_cast<int>(n_out()));
  if (!increment) return by_channels(g, output.on(space).add_restored(g, v), space);
  const auto fields = static_cast<int>(channels.fields.size());
  const int last = g.slice(in, (static_cast<int>(channels.history) - 1) * fields, fields);
  return g.add(last, increment->on(space).add_restored(g, v));
}

MapNormalizers fit_normalizers(Normalization kind, const Channels& c, const DataSet& data,
                               std::size_t n_samples, const Symmetries& symmetries) {
  const ChannelTable table = table_of(c, data);
  const bool roll_out = c.kind == Channels::Kind::roll_out;
  const std::size_t F = c.fields.size();
  // What frames of a roll-out and moments of a time axis are in is theirs together.
  const bool by_field = c.kind != Channels::Kind::all;
  Normalizer::Fit in(kind, table.inputs.size(), data.grid);
  Normalizer::Fit out(kind, by_field ? F : table.outputs.size(), data.grid);
  const std::size_t points = data.grid.n_points();
  std::vector<std::size_t> picks;
  std::vector<double> own, carried;
  const auto by_symmetries = [&](Normalizer::Fit& fit, bool outputs, const auto& channel) {
    if (kind != Normalization::point) return;
    carried.resize(own.size());
    const Symmetries scalars;
    for (std::size_t m = 0; m < symmetries.maps.size(); ++m) {
      const GridSymmetry& map = symmetries.maps[m];
      if (map.identity()) continue;
      symmetry_picks(map, std::vector<std::size_t>(map.axis.size(), 0), data.grid, picks);
      carry_outputs(outputs ? symmetries : scalars, m, picks, own, carried);
      for (std::size_t i = 0; i < own.size() / points; ++i) {
        fit.add(channel(i), std::span(carried).subspan(i * points, points));
      }
    }
  };
  const auto add = [&](Normalizer::Fit& fit, std::size_t channel, std::span<const double> values) {
    fit.add(channel, values);
    own.insert(own.end(), values.begin(), values.end());
  };
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) {
      in.next_pass();
      out.next_pass();
    }
    for (std::size_t s = 0; s < n_samples; ++s) {
      const auto in_channel = [](std::size_t i) { return i; };
      const auto out_channel = [&](std::size_t i) { return by_field ? table.field[i] : i; };
      own.clear();
      for (std::size_t i = 0; i < table.inputs.size(); ++i) {
        add(in, in_channel(i), channel_of(data, s, table.inputs[i]));
      }
      by_symmetries(in, false, in_channel);
      own.clear();
      for (std::size_t i = 0; i < table.outputs.size(); ++i) {
        add(out, out_channel(i), channel_of(data, s, {false, table.outputs[i]}));
      }
      by_symmetries(out, true, out_channel);
      own.clear();
      for (const auto& frame : table.frames) {
        for (std::size_t f = 0; f < F; ++f) add(out, f, channel_of(data, s, frame[f]));
      }
      by_symmetries(out, false, [&](std::size_t i) { return i % F; });
    }
  }
  MapNormalizers made{in.finish(), out.finish()};
  if (!roll_out) return made;
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < c.history * F; ++k) frames.push_back(k % F);
  made.input = made.output.picked(frames).joined(made.input);
  return made;
}

Normalizer fit_increments(Normalization kind, const Channels& c, const DataSet& data,
                          std::size_t n_samples) {
  const ChannelTable table = table_of(c, data);
  Normalizer::Fit fit(kind, c.fields.size(), data.grid);
  std::vector<double> difference(data.grid.n_points());
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) fit.next_pass();
    for (std::size_t s = 0; s < n_samples; ++s) {
      for (std::size_t k = 1; k < table.frames.size(); ++k) {
        for (std::size_t f = 0; f < c.fields.size(); ++f) {
          std::ranges::transform(channel_of(data, s, table.frames[k][f]),
                                 channel_of(data, s, table.frames[k - 1][f]), difference.begin(),
                                 std::minus());
          fit.add(f, difference);
        }
      }
    }
  }
  return fit.finish();
}

MapPredictor::MapPredictor(const FieldMap& map, const DataSet& data, std::shared_ptr<Threads> pool)
    : map_(map),
      grid_(data.grid),
      inputs_(data.inputs),
      outputs_(data.outputs),
      table_(table_of(map.channels, data)) {
  given_ = given_outputs(map.channels, table_);
  auto graph = std::make_shared<TensorGraph>();
  const int in = graph->input("in", {static_cast<int>(map.n_in()), grid_.sizes()});
  out_ = map.add(*graph, in, grid_, table_.times);
  graph->output("out", out_);
  executor_ = make_tensor_executor(std::move(graph), {},
                                   {.pool = std::move(pool), .precision = map.precision});
  if (map.ensemble) noise_.emplace(*map.ensemble, grid_, map.channels.step);
}

MapPredictor::~MapPredictor() = default;

std::size_t MapPredictor::n_parameters() const { return executor_->n_parameters(); }

bool MapPredictor::serves(const DataSet& data) const {
  return data.grid == grid_ && data.inputs == inputs_ && data.outputs == outputs_;
}

std::vector<double> MapPredictor::operator()(std::span<const double> theta, const DataSet& data) {
  const std::size_t outputs = (outputs_.empty() ? map_.channels.outputs : outputs_).size();
  std::vector<double> out(data.size() * outputs * grid_.n_points());
  if (map_.channels.kind != Channels::Kind::roll_out) {
    all_at_once(theta, data, out);
    return out;
  }
  roll_out(theta, data, 0, out);
  const std::size_t members = members_of(map_.ensemble);
  if (members == 1) return out;
  std::vector<double> one(out.size());
  for (std::size_t m = 1; m < members; ++m) {
    roll_out(theta, data, m, one);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += one[i];
  }
  for (double& x : out) x /= static_cast<double>(members);
  return out;
}

std::vector<double> MapPredictor::member(std::span<const double> theta, const DataSet& data,
                                         std::size_t member) {
  const std::size_t outputs = (outputs_.empty() ? map_.channels.outputs : outputs_).size();
  std::vector<double> out(data.size() * outputs * grid_.n_points());
  roll_out(theta, data, member, out);
  return out;
}

void MapPredictor::all_at_once(std::span<const double> theta, const DataSet& data,
                               std::span<double> out) {
  const std::size_t points = grid_.n_points(), n_in = table_.inputs.size();
  const std::size_t n_out = table_.outputs.size();
  std::vector<double> in(samples_at_once * n_in * points), answer(samples_at_once * n_out * points);
  for (std::size_t first = 0; first < data.size(); first += samples_at_once) {
    const std::size_t n = std::min(samples_at_once, data.size() - first);
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t i = 0; i < n_in; ++i) {
        std::ranges::copy(channel_of(data, first + s, table_.inputs[i]),
                          in.begin() + static_cast<std::ptrdiff_t>((s * n_in + i) * points));
      }
    }
    step(theta, n, std::span(in).first(n * n_in * points),
         std::span(answer).first(n * n_out * points));
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t i = 0; i < n_out; ++i) {
        const auto from = std::span(answer).subspan((s * n_out + i) * points, points);
        const std::size_t to = ((first + s) * n_out + table_.outputs[i]) * points;
        std::ranges::copy(from, out.subspan(to, points).begin());
      }
    }
  }
}

void MapPredictor::roll_out(std::span<const double> theta, const DataSet& data, std::size_t member,
                            std::span<double> out) {
  const std::size_t points = grid_.n_points(), F = map_.channels.fields.size();
  const std::size_t history = map_.channels.history, n_in = map_.n_in();
  const std::size_t outputs = (outputs_.empty() ? map_.channels.outputs : outputs_).size();
  if (!given_.empty() && data.out.empty()) {
    throw Error(
        fmt::format("the roll-out starts from {} frames, which the data do not give", history),
        "[operators]", "give the outputs at the first times");
  }
  std::vector<double> in(samples_at_once * n_in * points), frame(samples_at_once * F * points);
  const std::size_t n_noise = noise_ ? noise_->size() : 0;
  std::vector<double> noise(samples_at_once * n_noise);
  for (std::size_t first = 0; first < data.size(); first += samples_at_once) {
    const std::size_t n = std::min(samples_at_once, data.size() - first);
    const auto put = [&](std::size_t s, ChannelSource source, std::span<const double> values) {
      if (source.is_input) return;
      const std::size_t at = ((first + s) * outputs + source.channel) * points;
      std::ranges::copy(values, out.subspan(at, points).begin());
    };
    for (std::size_t s = 0; s < n; ++s) {
      auto to = in.begin() + static_cast<std::ptrdiff_t>(s * n_in * points);
      for (std::size_t k = 0; k < history; ++k) {
        for (const ChannelSource& source : table_.frames[k]) {
          const auto values = channel_of(data, first + s, source);
          put(s, source, values);
          to = std::ranges::copy(values, to).out;
        }
      }
      for (const ChannelSource& source : table_.inputs) {
        to = std::ranges::copy(channel_of(data, first + s, source), to).out;
      }
    }
    const auto all_in = std::span(in).first(n * n_in * points);
    const auto next = std::span(frame).first(n * F * points);
    std::vector<SphereNoiseSource::State> states(noise_ ? n : 0);
    for (std::size_t k = history; k < table_.frames.size(); ++k) {
      for (std::size_t s = 0; s < states.size(); ++s) {
        noise_->next(noise_->of_forecast(first + s, member), states[s],
                     std::span(noise).subspan(s * n_noise, n_noise));
      }
      step(theta, n, all_in, next, std::span(noise).first(n * n_noise));
      for (std::size_t s = 0; s < n; ++s) {
        for (std::size_t f = 0; f < F; ++f) {
          put(s, table_.frames[k][f], next.subspan((s * F + f) * points, points));
        }
      }
      push_frame(all_in, next, n, history, F, points);
    }
  }
}

void MapPredictor::step(std::span<const double> theta, std::size_t n, std::span<const double> in,
                        std::span<double> out, std::span<const double> noise) {
  const std::span<const double> inputs[] = {in, noise};
  executor_->predict(out_, theta, n, std::span(inputs).first(map_.ensemble ? 2 : 1), out);
}

void push_frame(std::span<double> in, std::span<const double> frame, std::size_t n_samples,
                std::size_t history, std::size_t fields, std::size_t points) {
  const std::size_t width = in.size() / n_samples, one = fields * points;
  for (std::size_t s = 0; s < n_samples; ++s) {
    const auto frames = in.subspan(s * width, history * one);
    std::copy(frames.begin() + static_cast<std::ptrdiff_t>(one), frames.end(), frames.begin());
    std::ranges::copy(frame.subspan(s * one, one), frames.last(one).begin());
  }
}

}  // namespace cauchy::detail
