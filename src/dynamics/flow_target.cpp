#include "dynamics/flow_target.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail {
namespace {

constexpr std::uint64_t use_of_pieces = 1;

}  // namespace

FlowTarget::FlowTarget(const NeuralOdeForm& form, const NeuralOde& method,
                       const TrajectoryData& data, std::shared_ptr<Threads> pool)
    : form_(form),
      data_(data),
      layer_(form.field, form.flow, std::move(pool)),
      gradient_(method.gradient),
      windows_(method.windows.empty() ? std::vector<std::size_t>{0} : method.windows),
      batch_(method.batch),
      n_field_(layer_.n_parameters()),
      n_more_(form.n_more()),
      seed_(method.seed) {
  for (std::size_t c = 0; c < data.columns.size(); ++c) {
    sizes_.push_back(size_of_column(data, c));
  }
  for (std::size_t s = 0; s < std::max(windows_.size(), method.stages.size()); ++s) {
    make_pieces(window_of(s));  // refuses what cannot be loaded
  }
}

std::size_t FlowTarget::window_of(std::size_t stage) const {
  return windows_[std::min(stage, windows_.size() - 1)];
}

void FlowTarget::make_pieces(std::size_t window) {
  if (window == window_) return;
  const std::size_t m = data_.columns.size();
  pieces_.clear();
  std::string lacks;
  for (std::size_t i = 0; i < data_.trajectories.size(); ++i) {
    const Trajectory& t = data_.trajectories[i];
    const std::size_t count = window == 0 ? t.times.size() : std::min(window, t.times.size());
    if (count < 2) continue;
    for (std::size_t first = 0; first + count <= t.times.size(); ++first) {
      // A start at the data needs a row that is complete.
      const auto row = std::span(t.values).subspan(first * m, m);
      const auto gap = std::find_if(row.begin(), row.end(), [](double v) { return std::isnan(v); });
      const bool trained = form_.start == StartRule::trained && first == 0;
      if (gap == row.end() || trained) {
        pieces_.push_back({i, first, count});
      } else if (first == 0 && window == 0) {
        throw Error(fmt::format("the first row lacks '{}'",
                                data_.columns[static_cast<std::size_t>(gap - row.begin())]),
                    fmt::format("trajectory {}", t.name), "use start = \"trained\"");
      }
    }
  }
  if (pieces_.empty()) {
    throw Error("no trajectory has two rows to learn from", "[train]", "give more rows");
  }
  window_ = window;
}

std::span<const double> FlowTarget::row_of(const Piece& p) const {
  const std::size_t m = data_.columns.size();
  return std::span(data_.trajectories[p.trajectory].values).subspan(p.first * m, m);
}

std::ptrdiff_t FlowTarget::number_of(const Piece& p) const {
  return p.first == 0 && form_.start == StartRule::trained
             ? static_cast<std::ptrdiff_t>(p.trajectory)
             : -1;
}

void FlowTarget::load(std::vector<Piece> pieces) {
  loaded_ = std::move(pieces);
  std::vector<std::vector<double>> times;
  const std::size_t m = data_.columns.size();
  count_ = 0;
  for (const Piece& p : loaded_) {
    const Trajectory& t = data_.trajectories[p.trajectory];
    const auto begin = t.times.begin() + static_cast<std::ptrdiff_t>(p.first);
    times.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(p.count));
    for (std::size_t q = p.first * m; q < (p.first + p.count) * m; ++q) {
      count_ += std::isnan(t.values[q]) ? 0 : 1;
    }
  }
  layer_.set_times(times);
  starts_.resize(loaded_.size() * form_.n_states());
  start_bar_.resize(starts_.size());
  values_.resize(layer_.n_values());
  seeds_.resize(values_.size());
}

double FlowTarget::evaluate(std::span<const double> x, std::span<double> g) {
  const std::size_t n = form_.n_states(), m = data_.columns.size();
  const std::span<const double> theta = x.first(n_field_), more = x.subspan(n_field_);
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    form_.start_of(more, row_of(loaded_[i]), number_of(loaded_[i]),
                   std::span(starts_).subspan(i * n, n));
  }
  report_ = layer_.run(theta, starts_, values_);
  std::fill(seeds_.begin(), seeds_.end(), 0.0);
  const std::span<double> by_more = g.empty() ? g : g.subspan(n_field_);
  std::fill(by_more.begin(), by_more.end(), 0.0);
  answer_.resize(m);
  answer_bar_.resize(m);
  double sum = 0;
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    const Piece& p = loaded_[i];
    const Trajectory& t = data_.trajectories[p.trajectory];
    double part = 0;
    for (std::size_t j = 0; j < p.count; ++j) {
      const std::size_t at = layer_.offset(i) + j * n;
      const auto state = std::span<const double>(values_).subspan(at, n);
      form_.read(more, state, answer_);
      for (std::size_t c = 0; c < m; ++c) {
        const double truth = t.values[(p.first + j) * m + c];
        const double off = std::isnan(truth) ? 0 : (answer_[c] - truth) / sizes_[c];
        part += off * off;
        answer_bar_[c] = 2 * off / (sizes_[c] * count_);
      }
      if (!g.empty()) {
        form_.pull_read(more, state, answer_bar_, std::span(seeds_).subspan(at, n), by_more);
      }
    }
    sum += part;
  }
  last_ = sum / count_;
  if (g.empty()) return last_;
  const std::span<double> by_theta = g.first(n_field_);
  if (gradient_ == FlowGradient::continuous && report_.good()) {
    report_ = layer_.pull_continuous(seeds_, by_theta, start_bar_);
  } else {
    layer_.pull(seeds_, by_theta, start_bar_);
  }
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    form_.pull_start(row_of(loaded_[i]), number_of(loaded_[i]),
                     std::span(start_bar_).subspan(i * n, n), by_more);
  }
  return last_;
}

void FlowTarget::start() {
  make_pieces(window_of(0));
  load(pieces_);
}

void FlowTarget::begin_stage(std::size_t stage, bool all) {
  make_pieces(window_of(stage));
  all_ = all || batch_ == 0 || batch_ >= pieces_.size();
  load(pieces_);
}

bool FlowTarget::ask(const TrainingStep& step) {
  if (all_) return false;
  const Rng rng = Rng(seed_).split(use_of_pieces).split(step.step);
  std::vector<Piece> chosen;
  for (std::size_t i = 0; i < batch_; ++i) {
    chosen.push_back(pieces_[rng.bits64_at(i) % pieces_.size()]);
  }
  load(std::move(chosen));
  return true;
}

void FlowTarget::end(const TrainingStep& step) {
  make_pieces(window_of(step.stage));
  load(pieces_);
}

void FlowTarget::save(Checkpoint& c) const { c.numbers["dynamics/all"] = all_ ? 1 : 0; }

void FlowTarget::restore(const Checkpoint& c, std::size_t stage) {
  begin_stage(stage, c.number("dynamics/all") != 0);
}

}  // namespace cauchy::detail
