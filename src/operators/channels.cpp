#include "operators/channels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>

#include "training/checkpoints.hpp"  // lines_of

namespace cauchy::detail {
namespace {

constexpr const char* channels_place = "[operators]";
/// Times that differ by less than this part of a step are the same.
constexpr double same_time = 1e-6;

std::size_t position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// The name before the brackets of a frame, and of the time in them.
struct FrameText {
  std::string_view field, time, number;
};
std::optional<FrameText> frame_text(std::string_view name) {
  const std::size_t open = name.find('('), equal = name.find('=');
  if (open == std::string_view::npos || equal == std::string_view::npos || equal < open ||
      open == 0 || !name.ends_with(')')) {
    return std::nullopt;
  }
  return FrameText{name.substr(0, open), name.substr(open + 1, equal - open - 1),
                   name.substr(equal + 1, name.size() - equal - 2)};
}

std::string field_of(const std::string& output) {
  const auto frame = frame_in(output);
  return frame ? frame->field : output;
}

/// Throws Error unless increasing times are equally spaced.
double step_of(const std::vector<double>& times, std::string_view what) {
  if (times.size() < 2) {
    throw Error(
        fmt::format("{} needs outputs at several times, the data have {}", what, times.size()),
        channels_place, "give more `times` in [operator]");
  }
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double expected = times.front() + static_cast<double>(i) * step;
    if (std::abs(times[i] - expected) <= same_time * step) continue;
    throw Error(fmt::format("{} needs equal steps of time, but frame {} is at {}, not at {:.6g}",
                            what, i + 1, times[i], expected),
                channels_place, "give equally spaced `times` in [operator]");
  }
  return step;
}

/// The input that a field starts from at the beginning of time; empty: none.
std::string initial_input(const OperatorProblem& p, const std::string& field, double begin) {
  for (const Condition& c : p.problem.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const ConditionPlace where = place_of(p.problem, c);
    if (where.kind != ConditionPlace::Kind::slice || where.time != begin) continue;
    const auto form = dirichlet_form(c.form);
    if (!form || form->field != field) continue;
    if (form->value.kind() != Kind::call) continue;
    for (const InputFunction& input : p.inputs) {
      if (form->value.name() == input.name) return input.name;
    }
  }
  return {};
}

/// Frames in order of time; throws Error for one that lacks a field.
struct FrameOrder {
  std::vector<double> times;
  std::vector<std::vector<ChannelSource>> sources;
};
FrameOrder ordered(const std::vector<std::string>& fields,
                   std::vector<std::pair<ChannelFrame, ChannelSource>> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first.time < b.first.time; });
  FrameOrder order;
  std::vector<std::vector<bool>> known;
  const double span = found.empty() ? 0 : found.back().first.time - found.front().first.time;
  const double same = same_time * span / std::max<double>(1, static_cast<double>(found.size()));
  for (const auto& [frame, source] : found) {
    if (order.times.empty() || frame.time - order.times.back() > same) {
      order.times.push_back(frame.time);
      order.sources.emplace_back(fields.size());
      known.emplace_back(fields.size(), false);
    }
    const std::size_t f = position(fields, frame.field);
    if (f == fields.size() || known.back()[f]) continue;  // the input comes before the output
    order.sources.back()[f] = source;
    known.back()[f] = true;
  }
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto missing = std::find(known[k].begin(), known[k].end(), false);
    if (missing == known[k].end()) continue;
    throw Error(
        fmt::format("the data have no '{}' at time {:.6g}",
                    fields[static_cast<std::size_t>(missing - known[k].begin())], order.times[k]),
        channels_place, "give all fields at the same times");
  }
  return order;
}

/// Every frame that a data set has: the inputs that are some, then the outputs.
FrameOrder frames_of(const Channels& c, const DataSet& data,
                     const std::vector<std::string>& outputs) {
  std::vector<std::pair<ChannelFrame, ChannelSource>> found;
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const std::size_t f = position(c.first, data.inputs[i]);
    if (f < c.first.size()) {
      found.push_back({{c.fields[f], c.begin}, {true, i}});
    } else if (const auto frame = frame_in(data.inputs[i])) {
      if (position(c.fields, frame->field) < c.fields.size()) found.push_back({*frame, {true, i}});
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (const auto frame = frame_in(outputs[i])) found.push_back({*frame, {false, i}});
  }
  return ordered(c.fields, std::move(found));
}

}  // namespace

std::optional<ChannelFrame> frame_in(std::string_view name) {
  const auto text = frame_text(name);
  if (!text) return std::nullopt;
  ChannelFrame frame{std::string(text->field), 0};
  const char* const end = text->number.data() + text->number.size();
  const auto read = std::from_chars(text->number.data(), end, frame.time);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return frame;
}

std::span<const double> channel_of(const DataSet& data, std::size_t sample, ChannelSource source) {
  const std::size_t points = data.grid.n_points();
  const std::size_t channels = source.is_input ? data.inputs.size() : data.outputs.size();
  const std::vector<double>& all = source.is_input ? data.in : data.out;
  return std::span(all).subspan((sample * channels + source.channel) * points, points);
}

Channels channels_of(const OperatorProblem& problem, const DataSet& data,
                     const FieldOperator& method) {
  Channels c;
  c.inputs = data.inputs;
  c.outputs = data.outputs;
  for (const std::string& name : data.outputs) {
    const std::string field = field_of(name);
    if (position(c.fields, field) == c.fields.size()) c.fields.push_back(field);
    if (const auto text = frame_text(name); text && c.time.empty()) c.time = text->time;
  }
  if (method.time_axis) {
    c.kind = Channels::Kind::axis;
    if (data.grid.is_cloud() || data.grid.axes.size() > 2) {
      throw Error("an axis of time needs a grid of one or two axes of space", channels_place,
                  "leave out time_axis, or use a roll-out: history = 1");
    }
    (void)step_of(frames_of(c, data, data.outputs).times, "an axis of time");
  }
  if (method.history == 0) return c;
  c.kind = Channels::Kind::roll_out;
  c.history = static_cast<std::size_t>(method.history);
  if (const Time* time = problem.problem.domain ? problem.problem.domain->time() : nullptr) {
    c.begin = time->lower;
    for (const std::string& field : c.fields) {
      c.first.push_back(initial_input(problem, field, c.begin));
      if (position(data.inputs, c.first.back()) == data.inputs.size()) c.first.back().clear();
    }
    // One moment has all fields or none.
    if (position(c.first, "") < c.first.size()) c.first.clear();
  }
  const FrameOrder order = frames_of(c, data, data.outputs);
  c.step = step_of(order.times, "a roll-out");
  const std::size_t needed = c.history + static_cast<std::size_t>(method.unroll);
  if (order.times.size() < needed) {
    throw Error(
        fmt::format("a roll-out with history = {} and unroll = {} needs {} frames, the data "
                    "have {}",
                    method.history, method.unroll, needed, order.times.size()),
        channels_place, "give more `times` in [operator], or a shorter history");
  }
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const bool is_frame = std::any_of(order.sources.begin(), order.sources.end(), [&](auto& row) {
      return std::any_of(row.begin(), row.end(),
                         [&](const ChannelSource& s) { return s.is_input && s.channel == i; });
    });
    if (!is_frame) c.fixed.push_back(i);
  }
  return c;
}

ChannelTable table_of(const Channels& c, const DataSet& data) {
  ChannelTable table;
  const auto input = [&](const std::string& name) -> ChannelSource {
    const std::size_t i = position(data.inputs, name);
    if (i < data.inputs.size()) return {true, i};
    throw Error(ErrorKind::not_found, fmt::format("the data have no input '{}'", name),
                channels_place, fmt::format("their inputs are: {}", fmt::join(data.inputs, ", ")));
  };
  const std::vector<std::string>& outputs = data.outputs.empty() ? c.outputs : data.outputs;
  for (const std::string& name : outputs) {
    if (position(c.fields, field_of(name)) < c.fields.size()) continue;
    throw Error(ErrorKind::not_found,
                fmt::format("the operator has not learnt the output '{}'", name), channels_place,
                fmt::format("its outputs are: {}", fmt::join(c.fields, ", ")));
  }
  if (c.kind == Channels::Kind::roll_out) {
    for (const std::size_t i : c.fixed) table.inputs.push_back(input(c.inputs[i]));
    for (const std::string& name : c.first) (void)input(name);
    FrameOrder order = frames_of(c, data, outputs);
    for (std::size_t k = 0; k < order.times.size(); ++k) {
      const double expected = order.times.front() + static_cast<double>(k) * c.step;
      if (std::abs(order.times[k] - expected) <= same_time * c.step) continue;
      throw Error(fmt::format("the operator was trained with steps of {:.6g}, but frame {} of the "
                              "data is at {:.6g}, not at {:.6g}",
                              c.step, k + 1, order.times[k], expected),
                  channels_place, "make data with the same steps of time");
    }
    table.times = std::move(order.times);
    table.frames = std::move(order.sources);
    return table;
  }
  for (const std::string& name : c.inputs) table.inputs.push_back(input(name));
  if (c.kind == Channels::Kind::axis) {
    const FrameOrder order = frames_of(c, DataSet{}, outputs);
    (void)step_of(order.times, "an axis of time");
    table.times = order.times;
    for (std::size_t f = 0; f < c.fields.size(); ++f) {
      for (const auto& row : order.sources) {
        table.outputs.push_back(row[f].channel);
        table.field.push_back(f);
      }
    }
    return table;
  }
  // The network has a channel for each of the outputs that it was trained with.
  for (const std::string& field : c.fields) {
    for (const std::string& name : c.outputs) {
      if (field_of(name) != field) continue;
      const std::size_t i = position(outputs, name);
      if (i == outputs.size()) {
        throw Error(ErrorKind::not_found, fmt::format("the data have no output '{}'", name),
                    channels_place, fmt::format("their outputs are: {}", fmt::join(outputs, ", ")));
      }
      table.outputs.push_back(i);
      table.field.push_back(position(c.fields, field));
    }
  }
  for (const std::string& name : outputs) {
    if (position(c.outputs, name) < c.outputs.size()) continue;
    throw Error(ErrorKind::not_found,
                fmt::format("the operator has not learnt the output '{}'", name), channels_place,
                fmt::format("its outputs are: {}; with time_axis = true it answers for other times",
                            fmt::join(c.outputs, ", ")));
  }
  return table;
}

std::vector<std::size_t> given_outputs(const Channels& channels, const ChannelTable& table) {
  std::vector<std::size_t> given;
  for (std::size_t k = 0; k < std::min(channels.history, table.frames.size()); ++k) {
    for (const ChannelSource& source : table.frames[k]) {
      if (!source.is_input) given.push_back(source.channel);
    }
  }
  return given;
}

FieldGrid with_times(const FieldGrid& grid, const std::string& name,
                     const std::vector<double>& times) {
  FieldGrid made = grid;
  made.axes.insert(made.axes.begin(), {.name = name,
                                       .n = static_cast<int>(times.size()),
                                       .lower = times.front(),
                                       .upper = times.back()});
  return made;
}

void Channels::save(Checkpoint& c) const {
  c.numbers["channels/kind"] = static_cast<std::uint64_t>(kind);
  c.numbers["channels/history"] = history;
  c.arrays["channels/time"] = Array::list({begin, step});
  c.texts["channels/time"] = time;
  const auto put = [&](const char* name, const std::vector<std::string>& list) {
    c.texts[name] = fmt::format("{}", fmt::join(list, "\n"));
  };
  put("channels/inputs", inputs);
  put("channels/outputs", outputs);
  put("channels/fields", fields);
  put("channels/first", first);
  c.arrays["channels/fixed"] = Array::list({fixed.begin(), fixed.end()});
}

Channels Channels::load(const Checkpoint& c) {
  Channels made;
  const std::uint64_t kind = c.number("channels/kind");
  made.kind = static_cast<Kind>(kind);
  made.history = c.number("channels/history");
  made.time = c.text("channels/time");
  made.inputs = lines_of(c.text("channels/inputs"));
  made.outputs = lines_of(c.text("channels/outputs"));
  made.fields = lines_of(c.text("channels/fields"));
  made.first = lines_of(c.text("channels/first"));
  const std::vector<double>& time = c.array("channels/time").values;
  bool whole = kind <= 2 && time.size() == 2 && !made.fields.empty();
  for (const double i : c.array("channels/fixed").values) {
    whole = whole && i >= 0 && i < static_cast<double>(made.inputs.size());
    if (whole) made.fixed.push_back(static_cast<std::size_t>(i));
  }
  if (!whole) {
    throw Error(ErrorKind::file, "the names of the channels in the model are damaged",
                channels_place, "train it again");
  }
  made.begin = time[0];
  made.step = time[1];
  return made;
}

}  // namespace cauchy::detail
