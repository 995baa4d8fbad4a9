#include "dynamics/latent_ode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/reduce.hpp>
#include <cauchy/base/rng.hpp>

#include "dynamics/trained_times.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint64_t use_of_start_noise = 2;

}  // namespace

struct LatentNetworks::Lane {
  Lane(const RowEncoder& e, const BlockField& g, const FlowOptions& o)
      : encoder(e.make_lane(o)), latent(g, o) {}

  RowEncoder::Lane encoder;
  BlockFlow latent;
  std::size_t n_points = 0;
  AlignedVector<double> scratch, head_arena, z, z_bar, bar, noise;
  BlockTimes out_times;
  FlowRecord out_record;
  std::vector<double> values, seeds;
  struct Part {  // a block of answers
    AlignedVector<double> in, arena;
  };
  std::vector<Part> parts;
  struct Place {
    std::size_t trajectory, row, value;
  };
  std::vector<Place> places;  // of the answers, in the order of the parts

  /// h behind the last row, which is the first in time.
  [[nodiscard]] RowEncoder::Lane::Visit& last() { return encoder.visits[encoder.n_visits - 1]; }
};

LatentNetworks::LatentNetworks(const LatentForm& form, std::size_t block)
    : form_(form),
      block_(block),
      L_(static_cast<std::size_t>(form.options.latent)),
      M_(form.units.columns.size()),
      encoder_(form.options.network, form.options.cell,
               static_cast<std::size_t>(form.options.units), M_, block) {
  head_ = std::make_unique<BlockNetwork>(affine_graph(encoder_.units(), 2 * L_), block);
  latent_ = std::make_unique<BlockField>(autonomous("z", L_, form.options.network), block);
  read_out_ = std::make_unique<BlockNetwork>(
      graph_of(FieldUnknown{.network = form.options.network}, L_, M_), block);
  list_.add(encoder_.parameters());
  at_head_ = list_.add(head_->graph().parameters());
  at_latent_ = list_.add(parameters_of(latent_->spec()));
  at_read_out_ = list_.add(read_out_->graph().parameters());
}

void LatentNetworks::prepare(std::span<const double> theta) {
  encoder_.prepare(theta.first(encoder_.n_parameters()));
  head_->prepare(theta.subspan(at_head_, head_->n_parameters()));
  latent_->prepare(theta.subspan(at_latent_, latent_->n_parameters()));
  read_out_->prepare(theta.subspan(at_read_out_, read_out_->n_parameters()));
}

std::shared_ptr<LatentNetworks::Lane> LatentNetworks::make_lane() const {
  auto lane = std::make_shared<Lane>(encoder_, *latent_, form_.options.flow);
  lane->scratch.resize(std::max(head_->scratch_size(), read_out_->scratch_size()));
  lane->head_arena.resize(head_->arena_size());
  return lane;
}

std::string LatentNetworks::run(Lane& lane, const Rows& rows,
                                std::vector<std::vector<double>>& answers) const {
  const std::size_t B = block_, n = rows.known.size();
  lane.n_points = n;
  RowEncoder::Stops stops(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Trajectory& t = *rows.known[i];
    for (std::size_t j = t.times.size(); j-- > 0;) {
      stops[i].push_back({t.times[j], &t.values[j * M_]});
    }
  }
  const std::string trouble = encoder_.run(lane.encoder, form_.units, stops);
  answers.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    answers[i].assign(rows.times[i].size() * M_, std::numeric_limits<double>::quiet_NaN());
  }
  if (!trouble.empty()) return trouble;
  const double* out =
      head_->forward(lane.last().after.data(), lane.head_arena.data(), lane.scratch.data());
  lane.z.resize(L_ * B);
  lane.noise.assign(L_ * B, 0.0);
  lane.bar.resize(2 * L_ * B);  // mu, v: kept for the divergence
  for (std::size_t c = 0; c < L_; ++c) {
    for (std::size_t p = 0; p < B; ++p) {
      const double mu = out[c * head_->stride() + p], v = out[(L_ + c) * head_->stride() + p];
      if (p < n && !rows.noise.empty()) lane.noise[c * B + p] = rows.noise[p][c];
      lane.bar[c * B + p] = mu;
      lane.bar[(L_ + c) * B + p] = v;
      lane.z[c * B + p] = mu + std::exp(0.5 * v) * lane.noise[c * B + p];
    }
  }
  // Every answer is at s of one leg from the first known time to the last that is asked for.
  BlockTimes& t = lane.out_times;
  t = {n, 1, std::vector<double>(B, 0.0), std::vector<double>(B, 0.0), {}};
  lane.places.clear();
  for (std::size_t p = 0; p < B; ++p) {
    const std::vector<double>& own = rows.times[p < n ? p : 0];
    const double from = rows.known[p < n ? p : 0]->times.front();
    t.length[p] = own.empty() ? 0 : (own.back() - from) / form_.units.unit;
    for (std::size_t j = 0; p < n && j < own.size(); ++j) {
      const std::size_t value = lane.places.size() * L_;
      const double share = own.back() > from ? (own[j] - from) / (own.back() - from) : 0;
      t.outputs.push_back({0, j + 1 == own.size() && share > 0 ? 1 : share, p, value});
      lane.places.push_back({p, j, value});
    }
  }
  std::stable_sort(t.outputs.begin(), t.outputs.end(),
                   [](const auto& a, const auto& b) { return a.s < b.s; });
  lane.values.resize(lane.places.size() * L_);
  const FlowReport report = lane.latent.run(t, lane.z.data(), lane.values.data(), lane.out_record);
  if (!report.good()) return "the latent field cannot be integrated: it is too steep";
  lane.parts.resize(chunk_count(lane.places.size(), B));
  for (std::size_t part = 0; part < lane.parts.size(); ++part) {
    Lane::Part& q = lane.parts[part];
    q.in.resize(L_ * B);
    q.arena.resize(read_out_->arena_size());
    for (std::size_t p = 0; p < B; ++p) {
      const std::size_t i = std::min(part * B + p, lane.places.size() - 1);
      for (std::size_t c = 0; c < L_; ++c) q.in[c * B + p] = lane.values[i * L_ + c];
    }
    const double* x = read_out_->forward(q.in.data(), q.arena.data(), lane.scratch.data());
    for (std::size_t p = 0; p < B && part * B + p < lane.places.size(); ++p) {
      const Lane::Place& place = lane.places[part * B + p];
      for (std::size_t c = 0; c < M_; ++c) {
        answers[place.trajectory][place.row * M_ + c] =
            form_.units.shift[c] + form_.units.size[c] * x[c * read_out_->stride() + p];
      }
    }
  }
  return {};
}

double LatentNetworks::divergence(const Lane& lane) const {
  double sum = 0;
  for (std::size_t p = 0; p < lane.n_points; ++p) {
    for (std::size_t c = 0; c < L_; ++c) {
      const double mu = lane.bar[c * block_ + p], v = lane.bar[(L_ + c) * block_ + p];
      sum += 0.5 * (std::exp(v) + mu * mu - 1 - v);
    }
  }
  return sum;
}

void LatentNetworks::pull(Lane& lane, const std::vector<std::vector<double>>& seeds, double kl,
                          std::span<double> gradient) const {
  const std::size_t B = block_, n = lane.n_points;
  lane.seeds.assign(lane.values.size(), 0.0);
  AlignedVector<double> in_bar(L_ * B);
  for (std::size_t part = 0; part < lane.parts.size(); ++part) {
    Lane::Part& q = lane.parts[part];
    double* const out = read_out_->adjoints(q.arena.data());
    for (std::size_t c = 0; c < M_; ++c) std::fill_n(out + c * read_out_->stride(), B, 0.0);
    for (std::size_t p = 0; p < B && part * B + p < lane.places.size(); ++p) {
      const Lane::Place& place = lane.places[part * B + p];
      for (std::size_t c = 0; c < M_; ++c) {
        out[c * read_out_->stride() + p] =
            form_.units.size[c] * seeds[place.trajectory][place.row * M_ + c];
      }
    }
    std::fill(in_bar.begin(), in_bar.end(), 0.0);
    read_out_->backward(q.in.data(), in_bar.data(), gradient.data() + at_read_out_, q.arena.data(),
                        lane.scratch.data());
    for (std::size_t p = 0; p < B && part * B + p < lane.places.size(); ++p) {
      for (std::size_t c = 0; c < L_; ++c) {
        lane.seeds[(part * B + p) * L_ + c] = in_bar[c * B + p];
      }
    }
  }
  lane.z_bar.assign(L_ * B, 0.0);
  lane.latent.pull(lane.out_times, lane.out_record, lane.seeds.data(), lane.z_bar.data(),
                   gradient.data() + at_latent_);
  double* const head = head_->adjoints(lane.head_arena.data());
  for (std::size_t c = 0; c < L_; ++c) {
    for (std::size_t p = 0; p < B; ++p) {
      const double mu = lane.bar[c * B + p], v = lane.bar[(L_ + c) * B + p];
      const double zb = p < n ? lane.z_bar[c * B + p] : 0, k = p < n ? kl : 0;
      head[c * head_->stride() + p] = zb + k * mu;
      head[(L_ + c) * head_->stride() + p] =
          zb * lane.noise[c * B + p] * 0.5 * std::exp(0.5 * v) + k * 0.5 * (std::exp(v) - 1);
    }
  }
  RowEncoder::Lane::Visit& last = lane.last();
  head_->backward(last.after.data(), last.after_bar.data(), gradient.data() + at_head_,
                  lane.head_arena.data(), lane.scratch.data());
  encoder_.pull(lane.encoder, gradient.data());
}

// --- LatentLoss ---

LatentLoss::LatentLoss(const LatentForm& form, const TrajectoryData& data)
    : form_(form), data_(data), networks_(form, trajectories_per_block), errors_(form.units, data) {
  const std::size_t n_blocks = chunk_count(data.trajectories.size(), trajectories_per_block);
  for (std::size_t b = 0; b < n_blocks; ++b) lanes_.push_back(networks_.make_lane());
}

bool LatentLoss::add(std::size_t block, IndexRange range, std::uint64_t step,
                     std::span<double> parts, std::span<double> gradient) {
  const double kl = form_.options.kl / errors_.count();
  LatentNetworks::Rows rows;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    rows.known.push_back(&data_.trajectories[i]);
    rows.times.push_back(data_.trajectories[i].times);
    if (step == 0) continue;
    Rng rng = Rng(form_.options.seed).split(use_of_start_noise).split(step).split(i);
    rows.noise.emplace_back();
    for (int c = 0; c < form_.options.latent; ++c) rows.noise.back().push_back(rng.normal());
  }
  std::vector<std::vector<double>> answers;
  LatentNetworks::Lane& lane = *lanes_[block];
  if (!networks_.run(lane, rows, answers).empty()) return false;
  parts[0] += errors_(range.begin, answers);
  parts[1] += kl * networks_.divergence(lane);
  if (!gradient.empty()) networks_.pull(lane, answers, kl, gradient);
  return true;
}

// --- TrainedLatentOde ---

TrainedLatentOde::TrainedLatentOde(LatentForm form, std::vector<double> theta)
    : form_(std::move(form)), theta_(std::move(theta)) {
  require_parameters(LatentNetworks(form_, block_granularity()).n_parameters(), theta_.size());
}

std::string TrainedLatentOde::describe() const {
  return fmt::format("latent ODE: {} latent states, encoder of {} {}units, networks {}, {}",
                     form_.options.latent, form_.options.units,
                     form_.options.cell == RowCell::lstm ? "LSTM " : "",
                     cauchy::describe(form_.options.network), to_string(form_.options.flow.scheme));
}

std::vector<std::vector<double>> TrainedLatentOde::predict(
    const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads,
    std::string* trouble) const {
  require_after_start(known, times);
  LatentNetworks networks(form_, trajectories_per_block);
  networks.prepare(theta_);
  const std::size_t n = times.size(), n_blocks = chunk_count(n, trajectories_per_block);
  std::vector<std::vector<double>> out(n);
  std::vector<std::string> said(n_blocks);
  Threads pool(threads);
  pool.run(n_blocks, [&](std::size_t b, int) {
    const IndexRange range = chunk_range(n, n_blocks, b);
    LatentNetworks::Rows rows;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      rows.known.push_back(&known.trajectories[i]);
      rows.times.push_back(times[i]);
    }
    std::vector<std::vector<double>> answers;
    const auto lane = networks.make_lane();
    said[b] = networks.run(*lane, rows, answers);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      out[i] = std::move(answers[i - range.begin]);
    }
  });
  for (const std::string& s : said) {
    if (trouble != nullptr && !s.empty()) *trouble = s;
  }
  return out;
}

void TrainedLatentOde::save(Checkpoint& c) const {
  c.arrays["dynamics/theta"] = Array::list(theta_);
  save_units(c, form_.units);
}

std::shared_ptr<const TrainedDynamics> TrainedLatentOde::load(const Checkpoint& c,
                                                              const DynamicsProblem& problem,
                                                              const LatentOde& method) {
  LatentForm form{method, load_units(c, problem.data.columns)};
  return std::make_shared<TrainedLatentOde>(std::move(form), c.array("dynamics/theta").values);
}

}  // namespace cauchy::detail
