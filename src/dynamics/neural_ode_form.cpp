#include "dynamics/neural_ode_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/expr/program.hpp>

namespace cauchy::detail {
namespace {

/// Mean and deviation of numbers; deviation 1 where there is none.
std::pair<double, double> spread_of(const std::vector<double>& v) {
  double mean = 0, square = 0;
  for (const double x : v) mean += x / static_cast<double>(v.size());
  for (const double x : v) square += (x - mean) * (x - mean) / static_cast<double>(v.size());
  const bool good = square > 0 && std::isfinite(square);
  return {std::isfinite(mean) && !v.empty() ? mean : 0, good ? std::sqrt(square) : 1};
}

/// The numbers of a column that were seen.
std::vector<double> seen(const TrajectoryData& data, std::size_t column) {
  std::vector<double> all;
  const std::size_t m = data.columns.size();
  for (const Trajectory& t : data.trajectories) {
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      const double v = t.values[j * m + column];
      if (!std::isnan(v)) all.push_back(v);
    }
  }
  return all;
}

/// Root mean square of the differences of a column over those of time.
double slope_size(const TrajectoryData& data, std::size_t column) {
  const std::size_t m = data.columns.size();
  double sum = 0, n = 0;
  for (const Trajectory& t : data.trajectories) {
    std::ptrdiff_t before = -1;
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      const double v = t.values[j * m + column];
      if (std::isnan(v)) continue;
      if (before >= 0) {
        const auto b = static_cast<std::size_t>(before);
        const double slope = (v - t.values[b * m + column]) / (t.times[j] - t.times[b]);
        sum += slope * slope;
        n += 1;
      }
      before = static_cast<std::ptrdiff_t>(j);
    }
  }
  return n > 0 && sum > 0 ? std::sqrt(sum / n) : 1;
}

void set_scales(NeuralOdeForm& form, const TrajectoryData& train) {
  FieldUnknown& u = *form.field.unknown;
  const std::size_t n = form.n_states(), m = train.columns.size();
  std::vector<Expr> inputs = u.inputs;
  if (inputs.empty()) {
    for (const std::string& s : form.field.states) inputs.push_back(Field(s));
  }
  // Inputs at the rows where all they need was seen.
  std::vector<Expr> atoms{Coordinate(form.field.time)}, known;
  for (const std::string& s : form.field.states) atoms.push_back(Field(s));
  std::vector<double> numbers;
  for (const auto& [name, value] : form.field.known) {
    known.push_back(Parameter(name));
    numbers.push_back(value);
  }
  std::vector<std::vector<double>> rows(1 + n);
  for (const Trajectory& t : train.trajectories) {
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      rows[0].push_back(t.times[j]);
      for (std::size_t s = 0; s < n; ++s) {
        rows[1 + s].push_back(std::numeric_limits<double>::quiet_NaN());
      }
      for (std::size_t c = 0; c < m; ++c) {
        rows[1 + form.state_of_column[c]].back() = t.values[j * m + c];
      }
    }
  }
  const Program<double> program({inputs, atoms, known, {}});
  std::vector<std::vector<double>> out(inputs.size(), std::vector<double>(rows[0].size()));
  std::vector<const double*> in;
  std::vector<double*> to;
  for (const auto& r : rows) in.push_back(r.data());
  for (auto& r : out) to.push_back(r.data());
  std::vector<double> workspace(program.workspace_size());
  program.run(rows[0].size(), in.data(), numbers.data(), to.data(), nullptr, workspace.data());
  for (auto& r : out) {
    std::erase_if(r, [](double x) { return !std::isfinite(x); });
    const auto [mean, deviation] = spread_of(r);
    u.input_shift.push_back(mean);
    u.input_scale.push_back(deviation);
  }
  if (!form.field.slopes.empty()) return;
  // The outputs are slopes: in units of theirs; those of hidden fields in units of 1.
  u.output_scale.assign(n, 1);
  for (std::size_t c = 0; c < m; ++c) {
    u.output_scale[form.state_of_column[c]] = slope_size(train, c);
  }
}

}  // namespace

std::size_t NeuralOdeForm::n_field() const {
  std::size_t n = 0;
  for (const ParameterBlock& b : parameters_of(field)) n += static_cast<std::size_t>(b.size());
  return n;
}

std::size_t NeuralOdeForm::n_starts() const {
  const std::size_t n = n_states();
  if (start == StartRule::trained) return names.size() * n;
  return start == StartRule::affine ? n * columns.size() + n : 0;
}

std::size_t NeuralOdeForm::n_more() const {
  const std::size_t m = columns.size();
  return n_starts() + (read_out == ReadOut::affine ? m * n_states() + m : 0);
}

std::vector<ParameterBlock> NeuralOdeForm::parameters(const TrajectoryData& data) const {
  std::vector<ParameterBlock> blocks = parameters_of(field);
  const std::size_t n = n_states(), m = columns.size();
  const auto add = [&](const char* name, std::vector<double> first) {
    ParameterBlock b{.name = name, .role = ParameterBlock::Role::constant};
    b.offset = blocks.empty() ? 0 : blocks.back().offset + blocks.back().size();
    b.rows = static_cast<int>(first.size());
    b.first = std::move(first);
    blocks.push_back(std::move(b));
  };
  if (start == StartRule::trained) {
    std::vector<double> first(names.size() * n);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Trajectory& t = data.trajectories[i];
      for (std::size_t c = 0; c < m; ++c) {  // the first number that was seen
        for (std::size_t j = 0; j < t.times.size(); ++j) {
          if (std::isnan(t.values[j * m + c])) continue;
          first[i * n + state_of_column[c]] = t.values[j * m + c];
          break;
        }
      }
    }
    add("starts", std::move(first));
  } else if (start == StartRule::affine) {
    std::vector<double> a(n * m);
    for (std::size_t c = 0; c < m; ++c) a[state_of_column[c] * m + c] = 1;
    add("start weights", std::move(a));
    add("start bias", std::vector<double>(n));
  }
  if (read_out == ReadOut::affine) {
    std::vector<double> c(m * n);
    for (std::size_t k = 0; k < m; ++k) c[k * n + state_of_column[k]] = 1;
    add("read-out weights", std::move(c));
    add("read-out bias", std::vector<double>(m));
  }
  return blocks;
}

void NeuralOdeForm::start_of(std::span<const double> more, std::span<const double> row,
                             std::ptrdiff_t number, std::span<double> out) const {
  const std::size_t n = n_states(), m = columns.size();
  if (start == StartRule::affine) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = more[n * m + i];
      for (std::size_t c = 0; c < m; ++c) out[i] += more[i * m + c] * row[c];
    }
    return;
  }
  if (start == StartRule::trained && number >= 0) {
    std::copy_n(more.begin() + number * static_cast<std::ptrdiff_t>(n), n, out.begin());
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  if (start == StartRule::trained) {  // hidden fields of others: the mean
    for (std::size_t k = 0; k < names.size() * n; ++k) {
      out[k % n] += more[k] / static_cast<double>(names.size());
    }
  }
  for (std::size_t c = 0; c < m; ++c) out[state_of_column[c]] = row[c];
}

void NeuralOdeForm::pull_start(std::span<const double> row, std::ptrdiff_t number,
                               std::span<const double> bar, std::span<double> more) const {
  const std::size_t n = n_states(), m = columns.size();
  if (start == StartRule::affine) {
    for (std::size_t i = 0; i < n; ++i) {
      more[n * m + i] += bar[i];
      for (std::size_t c = 0; c < m; ++c) more[i * m + c] += bar[i] * row[c];
    }
  } else if (start == StartRule::trained && number >= 0) {
    for (std::size_t i = 0; i < n; ++i) more[static_cast<std::size_t>(number) * n + i] += bar[i];
  } else if (start == StartRule::trained) {
    std::vector<char> is_seen(n);
    for (const std::size_t s : state_of_column) is_seen[s] = 1;
    for (std::size_t k = 0; k < names.size() * n; ++k) {
      if (is_seen[k % n] == 0) more[k] += bar[k % n] / static_cast<double>(names.size());
    }
  }
}

void NeuralOdeForm::read(std::span<const double> more, std::span<const double> state,
                         std::span<double> out) const {
  const std::size_t n = n_states(), m = columns.size();
  for (std::size_t c = 0; c < m; ++c) {
    if (read_out == ReadOut::states) {
      out[c] = state[state_of_column[c]];
      continue;
    }
    const std::span<const double> own = more.subspan(n_starts());
    out[c] = own[m * n + c];
    for (std::size_t i = 0; i < n; ++i) out[c] += own[c * n + i] * state[i];
  }
}

void NeuralOdeForm::pull_read(std::span<const double> more, std::span<const double> state,
                              std::span<const double> bar, std::span<double> state_bar,
                              std::span<double> more_bar) const {
  const std::size_t n = n_states(), m = columns.size(), first = n_starts();
  for (std::size_t c = 0; c < m; ++c) {
    if (read_out == ReadOut::states) {
      state_bar[state_of_column[c]] += bar[c];
      continue;
    }
    more_bar[first + m * n + c] += bar[c];
    for (std::size_t i = 0; i < n; ++i) {
      state_bar[i] += bar[c] * more[first + c * n + i];
      more_bar[first + c * n + i] += bar[c] * state[i];
    }
  }
}

double size_of_column(const TrajectoryData& data, std::size_t column) {
  return spread_of(seen(data, column)).second;
}

NeuralOdeForm make_form(const DynamicsProblem& problem, const NeuralOde& method,
                        const TrajectoryData& train) {
  NeuralOdeForm form{.field = problem.field,
                     .flow = method.flow,
                     .start = method.start,
                     .read_out = method.read_out,
                     .columns = train.columns};
  for (const std::string& c : train.columns) {
    const auto at = std::find(form.field.states.begin(), form.field.states.end(), c);
    form.state_of_column.push_back(static_cast<std::size_t>(at - form.field.states.begin()));
  }
  if (method.start == StartRule::trained) {
    for (const Trajectory& t : train.trajectories) form.names.push_back(t.name);
  }
  if (form.field.unknown) {
    form.field.unknown->network = method.network;
    set_scales(form, train);
  }
  return form;
}

}  // namespace cauchy::detail
