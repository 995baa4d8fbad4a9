#include "dynamics/row_encoder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// A trajectory takes about this long in the time of its networks.
constexpr double units_of_a_run = 5;

void name_outputs(Graph& g, int value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) g.output(fmt::format("o{}", i), value, static_cast<int>(i));
}

/// Gated recurrent unit on rows (h, u): h + (1 - gate) (candidate - h).
std::shared_ptr<const Graph> gru_graph(std::size_t n_state, std::size_t n_input) {
  const int H = static_cast<int>(n_state), U = static_cast<int>(n_input);
  auto g = std::make_shared<Graph>(std::vector<std::string>{"t"});
  const int all = g->input("z", H + U), h = g->slice(all, 0, H), u = g->slice(all, H, U);
  const int reset = g->activation(g->affine(all, H, true, "reset"), Activation::sigmoid);
  const int gate = g->activation(g->affine(all, H, true, "gate"), Activation::sigmoid);
  const int parts[] = {g->multiply(reset, h), u};
  const int candidate =
      g->activation(g->affine(g->concatenate(parts), H, true, "candidate"), Activation::tanh);
  name_outputs(*g, g->add(candidate, g->multiply(gate, g->subtract(h, candidate))), n_state);
  return g;
}

/// Long short-term memory on rows (h, c, u): c' = forget c + write candidate, h' = show tanh(c').
std::shared_ptr<const Graph> lstm_graph(std::size_t n_state, std::size_t n_input) {
  const int H = static_cast<int>(n_state), U = static_cast<int>(n_input);
  auto g = std::make_shared<Graph>(std::vector<std::string>{"t"});
  const int all = g->input("z", 2 * H + U), c = g->slice(all, H, H);
  const int seen[] = {g->slice(all, 0, H), g->slice(all, 2 * H, U)};
  const int x = g->concatenate(seen);
  const auto gate = [&](const char* name) {
    return g->activation(g->affine(x, H, true, name), Activation::sigmoid);
  };
  const int forget = gate("forget"), write = gate("write"), show = gate("show");
  const int candidate = g->activation(g->affine(x, H, true, "candidate"), Activation::tanh);
  const int memory = g->add(g->multiply(forget, c), g->multiply(write, candidate));
  const int parts[] = {g->multiply(show, g->activation(memory, Activation::tanh)), memory};
  name_outputs(*g, g->concatenate(parts), 2 * n_state);
  return g;
}

}  // namespace

RowErrors::RowErrors(const RowUnits& units, const TrajectoryData& data)
    : units_(units), data_(data) {
  for (const Trajectory& t : data.trajectories) {
    for (const double v : t.values) count_ += std::isnan(v) ? 0 : 1;
  }
}

double RowErrors::operator()(std::size_t first, std::vector<std::vector<double>>& answers) const {
  const std::size_t m = data_.columns.size();
  double sum = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Trajectory& t = data_.trajectories[first + i];
    for (std::size_t q = 0; q < answers[i].size(); ++q) {
      const double size = units_.size[q % m];
      const double off = std::isnan(t.values[q]) ? 0 : (answers[i][q] - t.values[q]) / size;
      sum += off * off / count_;
      answers[i][q] = 2 * off / (size * count_);
    }
  }
  return sum;
}

RowUnits row_units(const TrajectoryData& train) {
  RowUnits u{.columns = train.columns, .shift = {}, .size = {}};
  const std::size_t m = train.columns.size();
  double span = 0;
  for (const Trajectory& t : train.trajectories) {
    span = std::max(span, t.times.back() - t.times.front());
  }
  if (span > 0) u.unit = span / units_of_a_run;
  for (std::size_t c = 0; c < m; ++c) {
    double n = 0, mean = 0, square = 0;
    for (const Trajectory& t : train.trajectories) {
      for (std::size_t q = c; q < t.values.size(); q += m) {
        if (std::isnan(t.values[q])) continue;
        n += 1;
        mean += t.values[q];
        square += t.values[q] * t.values[q];
      }
    }
    mean /= std::max(n, 1.0);
    const double variance = square / std::max(n, 1.0) - mean * mean;
    u.shift.push_back(mean);
    u.size.push_back(variance > 0 ? std::sqrt(variance) : 1);
  }
  return u;
}

void save_units(Checkpoint& c, const RowUnits& u) {
  c.arrays["dynamics/shift"] = Array::list(u.shift);
  c.arrays["dynamics/size"] = Array::list(u.size);
  c.arrays["dynamics/unit"] = Array::list({u.unit});
}

RowUnits load_units(const Checkpoint& c, std::vector<std::string> columns) {
  RowUnits u{std::move(columns), c.array("dynamics/shift").values, c.array("dynamics/size").values};
  const std::vector<double>& unit = c.array("dynamics/unit").values;
  if (unit.size() != 1 || u.shift.size() != u.columns.size() || u.size.size() != u.columns.size()) {
    throw Error(ErrorKind::file, "the model is of other columns", "[dynamics]");
  }
  u.unit = unit[0];
  return u;
}

std::size_t ParameterList::add(const std::vector<ParameterBlock>& blocks) {
  const std::size_t first = size_;
  for (ParameterBlock b : blocks) {
    size_ = std::max(size_, first + static_cast<std::size_t>(b.offset + b.size()));
    b.offset += static_cast<std::ptrdiff_t>(first);
    blocks_.push_back(std::move(b));
  }
  return first;
}

std::shared_ptr<const Graph> affine_graph(std::size_t n_in, std::size_t n_out) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"t"});
  name_outputs(*g, g->affine(g->input("z", static_cast<int>(n_in)), static_cast<int>(n_out)),
               n_out);
  return g;
}

VectorFieldSpec autonomous(const char* name, std::size_t n, const Network& network) {
  VectorFieldSpec f;
  for (std::size_t i = 0; i < n; ++i) f.states.push_back(fmt::format("{}{}", name, i + 1));
  f.unknown = FieldUnknown{.network = network};
  return f;
}

RowEncoder::RowEncoder(const Network& network, RowCell cell, std::size_t units, std::size_t columns,
                       std::size_t block)
    : H_(units), S_(cell == RowCell::lstm ? 2 * units : units), M_(columns), block_(block) {
  between_ = std::make_unique<BlockField>(autonomous("h", H_, network), block);
  cell_ = std::make_unique<BlockNetwork>(
      cell == RowCell::lstm ? lstm_graph(H_, 2 * M_) : gru_graph(H_, 2 * M_), block);
  list_.add(parameters_of(between_->spec()));
  at_cell_ = list_.add(cell_->graph().parameters());
}

void RowEncoder::prepare(std::span<const double> theta) {
  between_->prepare(theta.first(between_->n_parameters()));
  cell_->prepare(theta.subspan(at_cell_, cell_->n_parameters()));
}

RowEncoder::Lane RowEncoder::make_lane(const FlowOptions& options) const {
  Lane lane(*between_, options);
  lane.scratch.resize(cell_->scratch_size());
  return lane;
}

std::string RowEncoder::run(Lane& lane, const RowUnits& units, const Stops& stops) const {
  const std::size_t B = block_, n = stops.size();
  std::size_t longest = 0;
  for (const auto& own : stops) longest = std::max(longest, own.size());
  lane.n_points = n;
  lane.n_visits = longest;
  if (lane.visits.size() < longest) lane.visits.resize(longest);
  lane.flow_values.resize(n * H_);
  for (std::size_t k = 0; k < longest; ++k) {
    Lane::Visit& v = lane.visits[k];
    v.has_row.assign(B, 0);
    v.in.assign((S_ + 2 * M_) * B, 0.0);
    v.before_bar.assign(S_ * B, 0.0);
    v.after_bar.assign(S_ * B, 0.0);
    v.arena.resize(cell_->arena_size());
    v.times = {n, 1, std::vector<double>(B, 0.0), std::vector<double>(B, 0.0), {}};
    for (std::size_t p = 0; p < B; ++p) {
      const std::vector<Stop>& own = stops[p < n ? p : 0];
      if (k >= own.size()) continue;
      if (k > 0) v.times.length[p] = std::abs(own[k].time - own[k - 1].time) / units.unit;
      if (own[k].row == nullptr) continue;
      v.has_row[p] = 1;
      for (std::size_t c = 0; c < M_; ++c) {
        const double x = own[k].row[c];
        if (std::isnan(x)) continue;
        v.in[(S_ + c) * B + p] = (x - units.shift[c]) / units.size[c];
        v.in[(S_ + M_ + c) * B + p] = 1;
      }
    }
    if (k > 0) {
      const AlignedVector<double>& h = lane.visits[k - 1].after;
      for (std::size_t p = 0; p < n; ++p) v.times.outputs.push_back({0, 1, p, p * H_});
      const FlowReport report =
          lane.between.run(v.times, h.data(), lane.flow_values.data(), v.record);
      if (!report.good()) return "the encoder cannot be integrated: its field is too steep";
      for (std::size_t p = 0; p < B; ++p) {
        for (std::size_t c = 0; c < H_; ++c) {
          v.in[c * B + p] = lane.flow_values[(p < n ? p : 0) * H_ + c];
        }
      }
      std::copy(h.begin() + static_cast<std::ptrdiff_t>(H_ * B), h.end(),
                v.in.begin() + static_cast<std::ptrdiff_t>(H_ * B));
    }
    v.after.assign(v.in.begin(), v.in.begin() + static_cast<std::ptrdiff_t>(S_ * B));
    const double* out = cell_->forward(v.in.data(), v.arena.data(), lane.scratch.data());
    for (std::size_t c = 0; c < S_; ++c) {
      for (std::size_t p = 0; p < B; ++p) {
        if (v.has_row[p] != 0) v.after[c * B + p] = out[c * cell_->stride() + p];
      }
    }
  }
  return {};
}

void RowEncoder::pull(Lane& lane, double* gradient) const {
  const std::size_t B = block_, n = lane.n_points;
  AlignedVector<double> in_bar((S_ + 2 * M_) * B), h_bar(S_ * B);
  std::vector<double> flow_seeds(n * H_);
  for (std::size_t k = lane.n_visits; k-- > 0;) {
    Lane::Visit& v = lane.visits[k];
    double* const out = cell_->adjoints(v.arena.data());
    for (std::size_t c = 0; c < S_; ++c) {
      for (std::size_t p = 0; p < B; ++p) {
        const double bar = h_bar[c * B + p] + v.after_bar[c * B + p];
        const bool has_row = v.has_row[p] != 0;
        out[c * cell_->stride() + p] = has_row ? bar : 0;
        h_bar[c * B + p] = (has_row ? 0 : bar) + v.before_bar[c * B + p];
      }
    }
    std::fill(in_bar.begin(), in_bar.end(), 0.0);
    cell_->backward(v.in.data(), in_bar.data(), gradient + at_cell_, v.arena.data(),
                    lane.scratch.data());
    for (std::size_t q = 0; q < S_ * B; ++q) h_bar[q] += in_bar[q];
    if (k == 0) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t c = 0; c < H_; ++c) flow_seeds[p * H_ + c] = h_bar[c * B + p];
    }
    std::fill_n(h_bar.begin(), H_ * B, 0.0);
    lane.between.pull(v.times, v.record, flow_seeds.data(), h_bar.data(), gradient);
  }
}

}  // namespace cauchy::detail
