#include "dynamics/trained_neural_ode.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "dynamics/block_field.hpp"
#include "dynamics/trained_times.hpp"

namespace cauchy::detail {

TrainedNeuralOde::TrainedNeuralOde(NeuralOdeForm form, std::vector<double> theta)
    : form_(std::move(form)), theta_(std::move(theta)) {
  require_parameters(form_.n_field() + form_.n_more(), theta_.size());
}

std::string TrainedNeuralOde::describe() const {
  return fmt::format("neural ODE: {}, {}", cauchy::describe(form_.field),
                     to_string(form_.flow.scheme));
}

std::vector<std::vector<double>> TrainedNeuralOde::predict(
    const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads,
    std::string* trouble) const {
  const std::size_t n = form_.n_states(), m = form_.columns.size(), P = form_.n_field();
  const std::span<const double> theta = std::span(theta_).first(P),
                                more = std::span(theta_).subspan(P);
  require_after_start(known, times);
  std::vector<std::vector<double>> at(times.size());
  std::vector<double> starts(times.size() * n);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Trajectory& t = known.trajectories.at(i);
    const auto name = std::find(form_.names.begin(), form_.names.end(), t.name);
    const bool trained = name != form_.names.end();
    const std::span<const double> row = std::span(t.values).first(m);
    for (std::size_t c = 0; c < m && !trained; ++c) {
      if (!std::isnan(row[c])) continue;
      throw Error(fmt::format("the first row lacks '{}'", form_.columns[c]),
                  fmt::format("trajectory {}", t.name), "begin at a row that is complete");
    }
    form_.start_of(more, row, trained ? name - form_.names.begin() : -1,
                   std::span(starts).subspan(i * n, n));
    at[i] = times[i];
    if (at[i].empty() || at[i].front() > t.times.front()) {
      at[i].insert(at[i].begin(), t.times.front());
    }
  }
  OdeLayer layer(form_.field, form_.flow, std::make_shared<Threads>(threads));
  layer.set_times(at);
  std::vector<double> values(layer.n_values());
  const FlowReport report = layer.run(theta, starts, values);
  if (trouble != nullptr) *trouble = report.trouble;
  std::vector<std::vector<double>> out(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t skip = at[i].size() - times[i].size();
    for (std::size_t j = skip; j < at[i].size(); ++j) {
      out[i].resize(out[i].size() + m);
      form_.read(more, std::span<const double>(values).subspan(layer.offset(i) + j * n, n),
                 std::span(out[i]).last(m));
    }
  }
  return out;
}

std::vector<double> TrainedNeuralOde::slopes(double t, std::span<const double> states) const {
  if (form_.read_out != ReadOut::states) return {};  // the fields are no states
  const std::size_t n = form_.n_states(), B = block_granularity(), count = states.size() / n;
  BlockField field(form_.field, B);
  field.prepare(std::span(theta_).first(form_.n_field()));
  BlockField::Lane lane = field.make_lane(1);
  AlignedVector<double> y(n * B), k(n * B), time(B, t);
  std::vector<double> out(states.size());
  for (std::size_t first = 0; first < count; first += B) {
    for (std::size_t p = 0; p < B; ++p) {
      const std::size_t i = std::min(first + p, count - 1);
      for (std::size_t c = 0; c < n; ++c) y[c * B + p] = states[i * n + c];
    }
    field.slope(lane, 0, time.data(), y.data(), k.data());
    for (std::size_t p = 0; p < B && first + p < count; ++p) {
      for (std::size_t c = 0; c < n; ++c) out[(first + p) * n + c] = k[c * B + p];
    }
  }
  return out;
}

std::map<std::string, double> TrainedNeuralOde::constants() const {
  std::map<std::string, double> found;
  const std::size_t first = form_.n_field() - form_.field.constants.size();
  for (std::size_t i = 0; i < form_.field.constants.size(); ++i) {
    found[form_.field.constants[i].name] = theta_[first + i];
  }
  return found;
}

void TrainedNeuralOde::save(Checkpoint& c) const {
  c.arrays["dynamics/theta"] = Array::list(theta_);
  if (form_.field.unknown) {
    const FieldUnknown& u = *form_.field.unknown;
    c.arrays["dynamics/input_shift"] = Array::list(u.input_shift);
    c.arrays["dynamics/input_scale"] = Array::list(u.input_scale);
    c.arrays["dynamics/output_scale"] = Array::list(u.output_scale);
  }
  std::string names;
  for (const std::string& name : form_.names) names += name + "\n";
  c.texts["dynamics/names"] = names;
}

std::shared_ptr<const TrainedDynamics> TrainedNeuralOde::load(const Checkpoint& c,
                                                              const DynamicsProblem& problem,
                                                              const NeuralOde& method) {
  NeuralOdeForm form{.field = problem.field,
                     .flow = method.flow,
                     .start = method.start,
                     .read_out = method.read_out,
                     .columns = problem.data.columns};
  for (const std::string& name : form.columns) {
    const auto at = std::find(form.field.states.begin(), form.field.states.end(), name);
    form.state_of_column.push_back(static_cast<std::size_t>(at - form.field.states.begin()));
  }
  if (form.field.unknown) {
    FieldUnknown& u = *form.field.unknown;
    u.network = method.network;
    u.input_shift = c.array("dynamics/input_shift").values;
    u.input_scale = c.array("dynamics/input_scale").values;
    u.output_scale = c.array("dynamics/output_scale").values;
  }
  const std::string& names = c.text("dynamics/names");
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = names.find('\n', at);
    form.names.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  return std::make_shared<TrainedNeuralOde>(std::move(form), c.array("dynamics/theta").values);
}

}  // namespace cauchy::detail
