#include "dynamics/ode_rnn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>

#include "dynamics/trained_times.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint64_t use_of_dropped_rows = 3;

}  // namespace

OdeRnnNetworks::OdeRnnNetworks(const OdeRnnForm& form, std::size_t block)
    : form_(form),
      block_(block),
      M_(form.units.columns.size()),
      encoder_(form.options.network, form.options.cell,
               static_cast<std::size_t>(form.options.units), M_, block) {
  read_out_ = std::make_unique<BlockNetwork>(
      graph_of(FieldUnknown{.network = form.options.network}, encoder_.units(), M_), block);
  list_.add(encoder_.parameters());
  at_read_out_ = list_.add(read_out_->graph().parameters());
}

void OdeRnnNetworks::prepare(std::span<const double> theta) {
  encoder_.prepare(theta.first(encoder_.n_parameters()));
  read_out_->prepare(theta.subspan(at_read_out_, read_out_->n_parameters()));
}

OdeRnnNetworks::Lane OdeRnnNetworks::make_lane() const {
  Lane lane{encoder_.make_lane(form_.options.flow), {}, {}};
  lane.scratch.resize(read_out_->scratch_size());
  return lane;
}

std::string OdeRnnNetworks::run(Lane& lane, const RowEncoder::Stops& stops,
                                std::vector<std::vector<double>>& answers) const {
  answers.assign(stops.size(), {});
  for (std::size_t i = 0; i < stops.size(); ++i) {
    answers[i].assign(stops[i].size() * M_, std::numeric_limits<double>::quiet_NaN());
  }
  std::string trouble = encoder_.run(lane.encoder, form_.units, stops);
  if (!trouble.empty()) return trouble;
  const std::size_t n = lane.encoder.n_visits;
  if (lane.arenas.size() < n) lane.arenas.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    lane.arenas[k].resize(read_out_->arena_size());
    const double* x =
        read_out_->forward(source(lane.encoder, k), lane.arenas[k].data(), lane.scratch.data());
    for (std::size_t p = 0; p < stops.size(); ++p) {
      if (k >= stops[p].size()) continue;
      for (std::size_t c = 0; c < M_; ++c) {
        answers[p][k * M_ + c] =
            form_.units.shift[c] + form_.units.size[c] * x[c * read_out_->stride() + p];
      }
    }
  }
  return {};
}

void OdeRnnNetworks::pull(Lane& lane, const std::vector<std::vector<double>>& seeds,
                          std::span<double> gradient) const {
  for (std::size_t k = 0; k < lane.encoder.n_visits; ++k) {
    RowEncoder::Lane::Visit& v = lane.encoder.visits[k];
    double* const out = read_out_->adjoints(lane.arenas[k].data());
    for (std::size_t c = 0; c < M_; ++c) std::fill_n(out + c * read_out_->stride(), block_, 0.0);
    for (std::size_t p = 0; p < seeds.size(); ++p) {
      if (k * M_ >= seeds[p].size()) continue;
      for (std::size_t c = 0; c < M_; ++c) {
        out[c * read_out_->stride() + p] = form_.units.size[c] * seeds[p][k * M_ + c];
      }
    }
    AlignedVector<double>& bar = k == 0 ? v.after_bar : v.before_bar;
    read_out_->backward(source(lane.encoder, k), bar.data(), gradient.data() + at_read_out_,
                        lane.arenas[k].data(), lane.scratch.data());
  }
  encoder_.pull(lane.encoder, gradient.data());
}

OdeRnnLoss::OdeRnnLoss(const OdeRnnForm& form, const TrajectoryData& data)
    : form_(form), data_(data), networks_(form, trajectories_per_block), errors_(form.units, data) {
  const std::size_t n_blocks = chunk_count(data.trajectories.size(), trajectories_per_block);
  for (std::size_t b = 0; b < n_blocks; ++b) lanes_.push_back(networks_.make_lane());
}

bool OdeRnnLoss::add(std::size_t block, IndexRange range, std::uint64_t step,
                     std::span<double> parts, std::span<double> gradient) {
  const std::size_t m = data_.columns.size();
  RowEncoder::Stops stops;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Trajectory& t = data_.trajectories[i];
    Rng rng = Rng(form_.options.seed).split(use_of_dropped_rows).split(step).split(i);
    std::vector<RowEncoder::Stop>& own = stops.emplace_back();
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      const bool dropped = step > 0 && j > 0 && rng.uniform() < form_.options.drop;
      own.push_back({t.times[j], dropped ? nullptr : &t.values[j * m]});
    }
  }
  std::vector<std::vector<double>> answers;
  OdeRnnNetworks::Lane& lane = lanes_[block];
  if (!networks_.run(lane, stops, answers).empty()) return false;
  parts[0] += errors_(range.begin, answers);
  if (!gradient.empty()) networks_.pull(lane, answers, gradient);
  return true;
}

TrainedOdeRnn::TrainedOdeRnn(OdeRnnForm form, std::vector<double> theta)
    : form_(std::move(form)), theta_(std::move(theta)) {
  require_parameters(OdeRnnNetworks(form_, block_granularity()).n_parameters(), theta_.size());
}

std::string TrainedOdeRnn::describe() const {
  return fmt::format("ODE-RNN of {} {}units, networks {}, {}", form_.options.units,
                     form_.options.cell == RowCell::lstm ? "LSTM " : "",
                     cauchy::describe(form_.options.network), to_string(form_.options.flow.scheme));
}

std::vector<std::vector<double>> TrainedOdeRnn::predict(
    const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads,
    std::string* trouble) const {
  require_after_start(known, times);
  const std::size_t m = form_.units.columns.size(), n = times.size();
  OdeRnnNetworks networks(form_, trajectories_per_block);
  networks.prepare(theta_);
  const std::size_t n_blocks = chunk_count(n, trajectories_per_block);
  std::vector<std::vector<double>> out(n);
  std::vector<std::string> said(n_blocks);
  Threads pool(threads);
  pool.run(n_blocks, [&](std::size_t b, int) {
    const IndexRange range = chunk_range(n, n_blocks, b);
    RowEncoder::Stops stops;
    std::vector<std::vector<std::size_t>> wanted;  // stops of the times that are asked for
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Trajectory& t = known.trajectories[i];
      std::vector<RowEncoder::Stop>& own = stops.emplace_back();
      std::vector<std::size_t>& at = wanted.emplace_back();
      std::size_t row = 0;
      const auto show_until = [&](double time) {
        for (; row < t.times.size() && t.times[row] <= time; ++row) {
          own.push_back({t.times[row], &t.values[row * m]});
        }
      };
      for (const double time : times[i]) {
        show_until(time);
        if (own.back().time < time) own.push_back({time});
        at.push_back(own.size() - 1);
      }
    }
    std::vector<std::vector<double>> answers;
    OdeRnnNetworks::Lane lane = networks.make_lane();
    said[b] = networks.run(lane, stops, answers);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (const std::size_t k : wanted[i - range.begin]) {
        const auto from = answers[i - range.begin].begin() + static_cast<std::ptrdiff_t>(k * m);
        out[i].insert(out[i].end(), from, from + static_cast<std::ptrdiff_t>(m));
      }
    }
  });
  for (const std::string& s : said) {
    if (trouble != nullptr && !s.empty()) *trouble = s;
  }
  return out;
}

void TrainedOdeRnn::save(Checkpoint& c) const {
  c.arrays["dynamics/theta"] = Array::list(theta_);
  save_units(c, form_.units);
}

std::shared_ptr<const TrainedDynamics> TrainedOdeRnn::load(const Checkpoint& c,
                                                           const DynamicsProblem& problem,
                                                           const OdeRnn& method) {
  return std::make_shared<TrainedOdeRnn>(OdeRnnForm{method, load_units(c, problem.data.columns)},
                                         c.array("dynamics/theta").values);
}

}  // namespace cauchy::detail
