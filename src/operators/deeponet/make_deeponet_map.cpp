#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "operators/channels.hpp"
#include "operators/deeponet/deeponet_map.hpp"
#include "problem/lowering.hpp"
#include "problem/point_data.hpp"  // data_of
#include "solvers/pinn/hard_form.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* deeponet_place = "[train]";

FieldGrid sensors_of(const FieldGrid& grid, const DeepOnet& method) {
  const std::size_t d = grid.axes.size();
  if (!method.sensors.empty()) {
    std::vector<int> n = method.sensors;
    if (n.size() == 1) n.assign(d, n[0]);
    if (n.size() != d || grid.is_cloud()) {
      throw Error(grid.is_cloud() ? "scattered data have no grid of sensors"
                                  : fmt::format("{} numbers of sensors for {} axes", n.size(), d),
                  "[train.sensors]",
                  grid.is_cloud() ? "leave out 'sensors'" : "give one, or one per axis");
    }
    return grid.resized(n);
  }
  if (method.sensor_points.empty()) return grid;
  if (method.sensor_points.size() % d != 0) {
    throw Error(fmt::format("{} numbers are no whole number of points with {} coordinates",
                            method.sensor_points.size(), d),
                "[train.sensor_points]", "give the points one after the other");
  }
  for (std::size_t i = 0; i < method.sensor_points.size(); ++i) {
    const FieldGrid::Axis& a = grid.axes[i % d];
    const double slack = 1e-9 * (a.upper - a.lower), x = method.sensor_points[i];
    if (x >= a.lower - slack && x <= a.upper + slack) continue;
    throw Error(
        fmt::format("sensor {} lies outside of the domain: {} = {:.6g}", i / d + 1, a.name, x),
        "[train.sensor_points]",
        fmt::format("{} runs from {:.6g} to {:.6g}", a.name, a.lower, a.upper));
  }
  FieldGrid cloud{.axes = grid.axes};
  cloud.cloud = method.sensor_points;
  return cloud;
}

/// Time of an output without one: the end, where the map has a time.
double time_of(const DeepOnetMap& map) {
  return !map.axes.empty() && map.axes[0].time ? map.axes[0].upper : 0;
}

}  // namespace

AnswerPoints answer_points(const DeepOnetMap& map, const DataSet& data) {
  const std::vector<std::string>& outputs = data.outputs.empty() ? map.outputs : data.outputs;
  AnswerPoints a;
  std::vector<std::pair<std::size_t, double>> found;  // field and time of every channel
  for (const std::string& name : outputs) {
    const auto frame = frame_in(name);
    const std::string field = frame ? frame->field : name;
    const auto at = std::find_if(map.fields.begin(), map.fields.end(),
                                 [&](const auto& f) { return f.name == field; });
    if (at == map.fields.end()) {
      throw Error(ErrorKind::not_found, fmt::format("the operator knows no output '{}'", name),
                  "[operators]");
    }
    found.emplace_back(static_cast<std::size_t>(at - map.fields.begin()),
                       frame ? frame->time : time_of(map));
    a.times.push_back(found.back().second);
  }
  std::sort(a.times.begin(), a.times.end());
  a.times.erase(std::unique(a.times.begin(), a.times.end()), a.times.end());
  for (std::size_t f = 0; f < map.fields.size(); ++f) {
    const std::size_t before = a.channel.size();
    for (const double t : a.times) {
      for (std::size_t c = 0; c < found.size(); ++c) {
        if (found[c] == std::pair(f, t)) a.channel.push_back(c);
      }
    }
    const std::size_t n = a.channel.size() - before;
    if (n > 0) a.field.push_back(f);
    if (n == 0 || n == a.times.size()) continue;
    throw Error(
        fmt::format("'{}' is given at {} of {} times", map.fields[f].name, n, a.times.size()),
        "[operators]", "give all fields at the same times, each once");
  }
  if (a.channel.size() != outputs.size()) {
    throw Error("an output is named twice", "[operators]", "give every field once per time");
  }
  const std::vector<double> nodes = data.grid.positions();
  const std::size_t d = data.grid.axes.size(), n = data.grid.n_points();
  const bool time = map.axes[0].time;
  for (const double t : a.times) {
    for (std::size_t i = 0; i < n; ++i) {
      if (time) a.points.push_back(t);
      a.points.insert(a.points.end(), nodes.begin() + static_cast<std::ptrdiff_t>(i * d),
                      nodes.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
    }
  }
  return a;
}

DeepOnetMap make_deeponet_map(const OperatorProblem& problem, const DataSet& data,
                              const DeepOnet& method) {
  DeepOnetMap map;
  map.method = method;
  map.grid = data.grid;
  map.inputs = data.inputs;
  map.outputs = data.outputs;
  map.sensors = sensors_of(data.grid, method);
  const Problem& p = problem.problem;
  for (const std::string& name : data.inputs) {
    map.arguments.emplace_back();
    for (const InputFunction& input : problem.inputs) {
      if (input.name == name) map.arguments.back() = input.arguments;
    }
    TableInterpolation kind = TableInterpolation::cubic;
    for (const TabulatedFunction& f : p.functions) {
      if (f.name == name) kind = f.interpolation;
    }
    map.interpolation.push_back(kind);
  }
  map.input_mean.assign(data.inputs.size(), 0.0);
  map.input_deviation.assign(data.inputs.size(), 1.0);
  // Fields and times of the outputs.
  std::vector<std::string> fields;
  std::vector<double> times;
  for (const std::string& name : data.outputs) {
    const auto frame = frame_in(name);
    const std::string field = frame ? frame->field : name;
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    if (frame) times.push_back(frame->time);
  }
  if (method.physics.weight > 0) fields = p.fields;
  const bool with_domain = p.domain.has_value();
  if (with_domain && p.domain->time() != nullptr) {
    const Time& t = *p.domain->time();
    map.axes.push_back({t.name, t.lower, t.upper, false, true});
  } else if (!times.empty()) {
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    map.axes.push_back({"t", *low, *high > *low ? *high : *low + 1, false, true});
  }
  for (const FieldGrid::Axis& a : data.grid.axes) {
    map.axes.push_back({a.name, a.lower, a.upper, a.periodic, false});
  }
  for (const std::string& name : fields) map.fields.push_back({.name = name});
  const bool hard = std::any_of(p.condition.begin(), p.condition.end(), [](const Condition& c) {
    return c.hard && c.kind != Condition::Kind::periodic;
  });
  if (with_domain && hard) {
    if (method.pod) {
      throw Error(ErrorKind::unsupported, "conditions are not built into principal functions",
                  deeponet_place, "leave out 'hard' or 'pod'");
    }
    const Lowering lower(p);
    const Sizes sizes = characteristic_sizes(p, lower, true);
    for (DeepOnetMap::FieldForm& f : map.fields) {
      if (const auto form = hard_form_of_functions(p, lower, sizes, f.name)) {
        const Expr roots[] = {form->extension};
        f.factor = form->factor;
        (data_of(roots).empty() ? f.extension : f.lift) = form->extension;
      }
    }
  }
  // What does not fit is said now.
  if (map.branch_on_grid()) {
    TensorGraph g;
    (void)map.add_branch(
        g, g.input("sensors", {static_cast<int>(map.inputs.size()), map.sensors.sizes()}));
  } else {
    (void)map.whole_graph();
  }
  return map;
}

}  // namespace cauchy::detail
