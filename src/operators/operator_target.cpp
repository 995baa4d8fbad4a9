#include "operators/operator_target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

#include "operators/ensemble_noise.hpp"

namespace cauchy::detail {
namespace {

// Uses of random numbers, each with streams of its own.
constexpr std::uint64_t use_of_noise = 2, use_of_symmetry = 3,
                        use_of_members = 4;  // 1 is that of epochs
/// Items of one pass through the network where all of them count and no batch is given.
constexpr std::size_t default_chunk = 20;

}  // namespace

OperatorTarget::OperatorTarget(TensorExecutor& executor, const OperatorSamples& samples,
                               BatchOptions options, Validation validation, std::size_t patience)
    : executor_(executor),
      samples_(samples),
      options_(std::move(options)),
      log_(std::move(validation), patience) {
  for (const TensorGraph::Input& input : executor.graph().inputs()) {
    inputs_.push_back(input.name);
    buffers_.emplace_back();
  }
}

std::size_t OperatorTarget::batch_size() const noexcept {
  return options_.batch == 0 ? samples_.size() : std::min(options_.batch, samples_.size());
}

std::uint64_t OperatorTarget::steps_per_epoch() const noexcept {
  return (samples_.size() + batch_size() - 1) / batch_size();
}

void OperatorTarget::load(std::span<const std::size_t> items, std::span<const double> theta,
                          std::size_t before) {
  spans_.clear();
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const bool is_noise = inputs_[k] == noise_input && options_.draw_noise;
    const std::size_t width = is_noise ? options_.noise_width : samples_.width(inputs_[k]);
    buffers_[k].resize(items.size() * width);
    const std::span<double> all(buffers_[k]);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::span<double> arrays = all.subspan(i * width, width);
      if (is_noise) {
        options_.draw_noise(
            Rng(options_.seed).split(use_of_members).split(noise_step_).split(items[i]), arrays);
        continue;
      }
      samples_.read(items[i], inputs_[k], arrays);
      const bool outputs = inputs_[k] == "out";
      if (inputs_[k] == "in" || outputs) carry_over(items[i], outputs, arrays);
    }
    if (inputs_[k] == "in" && !options_.noise.empty() && noise_step_ > 0) {
      const std::size_t channels = options_.noise.size(), points = width / channels;
      Rng rng = Rng(options_.seed).split(use_of_noise).split(noise_step_);
      rng.set_counter(before * width);
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] += options_.noise[i / points % channels] * rng.normal();
      }
    }
    if (inputs_[k] == "in" && options_.push) options_.push(theta, items.size(), all);
    spans_.emplace_back(all);
  }
  executor_.set_batch(items.size(), spans_);
}

void OperatorTarget::carry_over(std::size_t item, bool outputs, std::span<double> arrays) {
  const std::vector<GridSymmetry>& maps = options_.symmetries.maps;
  if (symmetry_epoch_ == 0 || maps.empty()) return;
  const std::size_t d = options_.grid.axes.size(), n = options_.grid.n_points();
  const Rng rng = Rng(options_.seed).split(use_of_symmetry).split(symmetry_epoch_).split(item);
  shift_.assign(d, 0);
  for (std::size_t k = 0; k < d; ++k) {
    if (!options_.symmetries.shifts[k]) continue;
    shift_[k] = rng.bits64_at(k + 1) % static_cast<std::uint64_t>(options_.grid.axes[k].n);
  }
  const std::size_t m = rng.bits64_at(0) % maps.size();
  symmetry_picks(maps[m], shift_, options_.grid, picks_);
  before_symmetry_.assign(arrays.begin(), arrays.end());
  if (outputs) return carry_outputs(options_.symmetries, m, picks_, before_symmetry_, arrays);
  for (std::size_t first = 0; first < arrays.size(); first += n) {
    for (std::size_t i = 0; i < n; ++i) arrays[first + i] = before_symmetry_[first + picks_[i]];
  }
}

double OperatorTarget::over_all(std::span<const double> x, std::span<double> g) {
  const std::size_t n = samples_.size();
  const std::size_t chunk = options_.batch == 0 ? std::min(n, default_chunk) : batch_size();
  if (items_.size() != n) {
    items_.resize(n);
    std::iota(items_.begin(), items_.end(), std::size_t{0});
  }
  parts_.assign(executor_.terms().size(), 0.0);
  std::ranges::fill(g, 0.0);
  chunk_.resize(g.size());
  double sum = 0;
  for (std::size_t first = 0; first < n; first += chunk) {
    const std::size_t m = std::min(chunk, n - first);
    load(std::span(items_).subspan(first, m), x, first);
    const double share = static_cast<double>(m) / static_cast<double>(n);
    sum += share * (g.empty() ? executor_.loss(x) : executor_.gradient(x, chunk_));
    for (std::size_t i = 0; i < g.size(); ++i) g[i] += share * chunk_[i];
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k] += share * executor_.last_terms()[k];
  }
  return last_value_ = sum;
}

double OperatorTarget::value(std::span<const double> x) {
  if (all_) return over_all(x, {});
  last_value_ = executor_.loss(x);
  parts_.assign(executor_.last_terms().begin(), executor_.last_terms().end());
  return last_value_;
}

double OperatorTarget::gradient(std::span<const double> x, std::span<double> g) {
  if (all_) return over_all(x, g);
  last_value_ = executor_.gradient(x, g);
  parts_.assign(executor_.last_terms().begin(), executor_.last_terms().end());
  return last_value_;
}

void OperatorTarget::start() {
  all_ = true;
  noise_step_ = 0;
  symmetry_epoch_ = 0;
  executor_.set_step(0);
}

void OperatorTarget::begin_stage(std::size_t /*stage*/, bool all) {
  all_ = all || batch_size() == samples_.size();
  stage_epoch_ = log_.epochs().size();
  log_.forget_losses();
}

bool OperatorTarget::ask(const TrainingStep& step) {
  step_in_stage_ = step.step_in_stage;
  noise_step_ = step.first_order ? step.step + 1 : 0;
  executor_.set_step(step.first_order ? step.step : 0);
  if (all_)
    return step.first_order && (!options_.noise.empty() || options_.push || options_.draw_noise);
  const std::uint64_t per_epoch = steps_per_epoch();
  const std::uint64_t epoch = stage_epoch_ + step.step_in_stage / per_epoch;
  if (epoch != order_epoch_) {
    order_.resize(samples_.size());
    epoch_order(options_.seed, epoch, order_);
    order_epoch_ = epoch;
  }
  symmetry_epoch_ = epoch + 1;
  const std::size_t first = static_cast<std::size_t>(step.step_in_stage % per_epoch) * batch_size();
  const std::size_t n = std::min(batch_size(), order_.size() - first);
  load(std::span(order_).subspan(first, n), step.theta);
  return true;
}

bool OperatorTarget::after_step(std::span<const double> theta, std::uint64_t step) {
  log_.add_loss(last_value_);
  if (all_ || (step_in_stage_ + 1) % steps_per_epoch() == 0) log_.end_epoch(theta, step);
  return log_.patience_is_over();
}

void OperatorTarget::end(const TrainingStep& step) {
  if (log_.has_losses()) log_.end_epoch(step.theta, step.step);
  start();
}

void OperatorTarget::save(Checkpoint& c) const {
  log_.save(c);
  c.numbers["operator/stage_epoch"] = stage_epoch_;
  c.numbers["operator/step_in_stage"] = step_in_stage_;
  c.numbers["operator/all"] = all_ ? 1 : 0;
}

void OperatorTarget::restore(const Checkpoint& c, std::size_t /*stage*/) {
  log_.restore(c, size());
  stage_epoch_ = c.number("operator/stage_epoch");
  step_in_stage_ = c.number("operator/step_in_stage");
  all_ = c.number("operator/all") != 0;
}

}  // namespace cauchy::detail
