#include "operators/deeponet/deeponet_target.hpp"

#include <algorithm>
#include <numeric>

#include <cauchy/base/rng.hpp>

#include "training/checkpoints.hpp"  // put_state

namespace cauchy::detail {
namespace {

// Of random numbers, with streams of their own.
constexpr std::uint64_t use_of_function_symmetry = 3, use_of_points = 4;

/// Kinds of the terms and the seed, as balancers ask for them.
std::unique_ptr<Balancer> balancer_of(const DeepOnetSamples& samples, const DeepOnet& method) {
  std::vector<PointSource> sources;
  for (const DeepOnetSamples::Pool& pool : samples.pools) {
    PointSource& source = sources.emplace_back();
    source.name = pool.term.name;
    source.n = pool.n_points;
    source.kind = pool.kind;
  }
  PointSettings settings;
  settings.seed = method.seed;
  return make_balancer(method.balancer, TrainingPoints(std::move(sources), settings));
}

}  // namespace

DeepOnetTarget::DeepOnetTarget(DeepOnetExecutor& executor, const DeepOnetSamples& samples,
                               const DeepOnet& method, EpochLog::Validation validation)
    : executor_(executor),
      samples_(samples),
      batch_(method.batch),
      points_(method.points),
      seed_(method.seed),
      loss_(executor),
      balancer_(balancer_of(samples, method)),
      log_(std::move(validation), method.patience) {}

void DeepOnetTarget::use_symmetries(Symmetries symmetries, FieldGrid grid, FieldGrid sensors) {
  symmetries_ = std::move(symmetries);
  // Values are asked for at points: those of vectors are not turned.
  if (!symmetries_.outputs.empty()) symmetries_ = {};
  grid_ = std::move(grid);
  sensors_ = std::move(sensors);
  if (grid_ == sensors_) return;
  // A shift by nodes of one grid is none of the other; axes are exchanged that are alike in both.
  symmetries_.shifts.assign(symmetries_.shifts.size(), false);
  std::erase_if(symmetries_.maps, [&](const GridSymmetry& map) {
    for (std::size_t k = 0; k < map.axis.size(); ++k) {
      if (sensors_.axes[k].n != sensors_.axes[map.axis[k]].n) return true;
    }
    return false;
  });
}

std::size_t DeepOnetTarget::batch_size() const noexcept {
  return batch_ == 0 ? samples_.size() : std::min(batch_, samples_.size());
}

std::uint64_t DeepOnetTarget::steps_per_epoch() const noexcept {
  return (samples_.size() + batch_size() - 1) / batch_size();
}

void DeepOnetTarget::load(std::span<const std::size_t> items, std::uint64_t step) {
  loaded_all_ = false;
  // Functions of the equations first; those of the data are the same ones, or come behind them.
  functions_.clear();
  labelled_.clear();
  physical_.clear();
  const std::size_t L = samples_.n_labelled, Q = samples_.n_physics;
  const auto add = [&](std::vector<int>& places, auto function) {
    for (const std::size_t item : items) {
      places.push_back(static_cast<int>(functions_.size()));
      functions_.push_back(function(item));
    }
  };
  if (Q > 0) add(physical_, [&](std::size_t item) { return item % Q; });
  const bool same = L == Q && samples_.labelled.empty();
  if (L > 0 && same) labelled_ = physical_;
  if (L > 0 && !same) {
    add(labelled_, [&](std::size_t item) { return samples_.labelled_function(item); });
  }
  const std::size_t width = samples_.sensors.size() / samples_.n_functions;
  rows_.resize(functions_.size() * width);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    std::copy_n(samples_.sensors.begin() + static_cast<std::ptrdiff_t>(functions_[i] * width),
                width, rows_.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  picks_.clear();
  if (symmetry_epoch_ > 0 && !symmetries_.maps.empty()) carry_over(symmetry_epoch_, width);
  executor_.set_samples(rows_);
  for (std::size_t t = 0; t < samples_.pools.size(); ++t) {
    const DeepOnetSamples::Pool& pool = samples_.pools[t];
    if (!pool.first_row.empty()) {
      load_triples(t, step);
      continue;
    }
    const std::vector<int>& places = pool.labelled ? labelled_ : physical_;
    const std::size_t P = pool.n_points, D = pool.points.size() / P;
    chosen_.resize(P);
    std::size_t n = P;
    if (step > 0 && points_ > 0 && points_ < P) {
      Rng(seed_).split(use_of_points).split(step).split(t).permutation(chosen_);
      n = points_;
      std::sort(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(n));
    } else {
      std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
    }
    point_rows_.resize(n * D);
    weights_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(pool.points.begin() + static_cast<std::ptrdiff_t>(chosen_[i] * D), D,
                  point_rows_.begin() + static_cast<std::ptrdiff_t>(i * D));
      if (!pool.weights.empty()) weights_.push_back(pool.weights[chosen_[i]]);
    }
    data_.resize(pool.data.size());
    if (values_.size() < pool.data.size()) values_.resize(pool.data.size());
    for (std::size_t k = 0; k < pool.data.size(); ++k) {
      const DeepOnetSamples::Pool::Data& d = pool.data[k];
      std::vector<double>& to = values_[k];
      to.clear();
      if (d.per == AlignedData::Per::point) {
        for (std::size_t i = 0; i < n; ++i) to.push_back(d.values[chosen_[i]]);
      } else {
        for (const int place : places) {
          const std::size_t f = functions_[static_cast<std::size_t>(place)];
          if (d.per == AlignedData::Per::sample) {
            to.push_back(d.values[f]);
          } else {
            for (std::size_t i = 0; i < n; ++i) {
              to.push_back(d.values[f * P + answer(place, chosen_[i])]);
            }
          }
        }
      }
      data_[k] = {d.per, to};
    }
    executor_.set_aligned(
        t, {.points = point_rows_, .data = data_, .weights = weights_, .samples = places});
  }
}

void DeepOnetTarget::carry_over(std::uint64_t epoch, std::size_t width) {
  const std::size_t d = grid_.axes.size(), m = sensors_.n_points();
  picks_.resize(functions_.size());
  shift_.resize(d);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Rng rng = Rng(seed_).split(use_of_function_symmetry).split(epoch).split(functions_[i]);
    for (std::size_t k = 0; k < d; ++k) {
      shift_[k] = symmetries_.shifts[k]
                      ? rng.bits64_at(k + 1) % static_cast<std::uint64_t>(grid_.axes[k].n)
                      : 0;
    }
    const GridSymmetry& map = symmetries_.maps[rng.bits64_at(0) % symmetries_.maps.size()];
    symmetry_picks(map, shift_, grid_, picks_[i]);
    symmetry_picks(map, shift_, sensors_, sensor_picks_);
    const std::span<double> row = std::span(rows_).subspan(i * width, width);
    before_symmetry_.assign(row.begin(), row.end());
    for (std::size_t first = 0; first < width; first += m) {
      for (std::size_t k = 0; k < m; ++k)
        row[first + k] = before_symmetry_[first + sensor_picks_[k]];
    }
  }
}

void DeepOnetTarget::load_triples(std::size_t t, std::uint64_t step) {
  const DeepOnetSamples::Pool& pool = samples_.pools[t];
  const std::size_t D = pool.points.size() / pool.n_points, K = pool.data.size();
  places_.clear();
  point_rows_.clear();
  if (values_.empty()) values_.resize(1);
  std::vector<double>& values = values_[0];
  values.clear();
  for (const int place : labelled_) {
    const std::size_t f = functions_[static_cast<std::size_t>(place)];
    const std::size_t first = pool.first_row[f], count = pool.first_row[f + 1] - first;
    chosen_.resize(count);
    std::size_t n = count;
    if (step > 0 && points_ > 0 && points_ < count) {
      Rng(seed_).split(use_of_points).split(step).split(t).split(f).permutation(chosen_);
      n = points_;
    } else {
      std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = first + chosen_[i];
      for (std::size_t k = 0; k < D; ++k) point_rows_.push_back(pool.points[row * D + k]);
      for (std::size_t k = 0; k < K; ++k) values.push_back(pool.data[k].values[row]);
      places_.push_back(place);
    }
  }
  executor_.set_pairs(t, {.points = point_rows_, .data = values}, places_);
}

void DeepOnetTarget::load_all() {
  if (loaded_all_) return;
  items_.resize(samples_.size());
  std::iota(items_.begin(), items_.end(), std::size_t{0});
  load(items_, 0);
  loaded_all_ = true;
}

double DeepOnetTarget::value(std::span<const double> x) { return last_value_ = loss_.value(x); }

double DeepOnetTarget::gradient(std::span<const double> x, std::span<double> g) {
  return last_value_ = loss_.gradient(x, g);
}

void DeepOnetTarget::start() {
  all_ = true;
  load_all();
}

void DeepOnetTarget::begin_stage(std::size_t /*stage*/, bool all) {
  all_ = all || (batch_size() == samples_.size() && points_ == 0);
  if (all_) load_all();
  stage_epoch_ = log_.epochs().size();
  log_.forget_losses();
}

bool DeepOnetTarget::ask(const TrainingStep& step) {
  step_in_stage_ = step.step_in_stage;
  if (!all_) {
    const std::uint64_t per_epoch = steps_per_epoch();
    const std::uint64_t epoch = stage_epoch_ + step.step_in_stage / per_epoch;
    if (epoch != order_epoch_) {
      order_.resize(samples_.size());
      epoch_order(seed_, epoch, order_);
      order_epoch_ = epoch;
    }
    const std::size_t first =
        static_cast<std::size_t>(step.step_in_stage % per_epoch) * batch_size();
    const std::size_t n = std::min(batch_size(), order_.size() - first);
    symmetry_epoch_ = epoch + 1;
    load(std::span(order_).subspan(first, n), step.step + 1);
    symmetry_epoch_ = 0;
  }
  const bool weighed = balancer_ && balancer_->update(loss_, step);
  return !all_ || weighed;
}

bool DeepOnetTarget::after_step(std::span<const double> theta, std::uint64_t step) {
  log_.add_loss(last_value_);
  if (all_ || (step_in_stage_ + 1) % steps_per_epoch() == 0) log_.end_epoch(theta, step);
  return log_.patience_is_over();
}

void DeepOnetTarget::end(const TrainingStep& step) {
  if (log_.has_losses()) log_.end_epoch(step.theta, step.step);
  loss_.combine({});
  start();
}

void DeepOnetTarget::save(Checkpoint& c) const {
  log_.save(c);
  c.numbers["operator/stage_epoch"] = stage_epoch_;
  c.numbers["operator/step_in_stage"] = step_in_stage_;
  c.numbers["operator/all"] = all_ ? 1 : 0;
  if (!balancer_) return;
  TrainingState state;
  balancer_->save(state);
  put_state(c, "operator/balancer/", std::move(state));
}

void DeepOnetTarget::restore(const Checkpoint& c, std::size_t /*stage*/) {
  log_.restore(c, loss_.size());
  stage_epoch_ = c.number("operator/stage_epoch");
  step_in_stage_ = c.number("operator/step_in_stage");
  all_ = c.number("operator/all") != 0;
  if (balancer_) balancer_->restore(state_in(c, "operator/balancer/"), loss_);
}

}  // namespace cauchy::detail
