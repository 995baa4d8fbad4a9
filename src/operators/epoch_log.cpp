#include "operators/epoch_log.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail {
namespace {

constexpr std::uint64_t use_of_order = 1;  // of random numbers, with streams of its own

}  // namespace

void epoch_order(std::uint64_t seed, std::uint64_t epoch, std::span<std::size_t> order) {
  Rng(seed).split(use_of_order).split(epoch).permutation(order);
}

double EpochLog::seconds() const { return before_ + clock_seconds() - begin_; }

void EpochLog::forget_losses() {
  loss_sum_ = 0;
  n_losses_ = 0;
}

void EpochLog::add_loss(double loss) {
  loss_sum_ += loss;
  ++n_losses_;
}

double EpochLog::validation_error(std::span<const double> theta) {
  if (!validation_) return std::numeric_limits<double>::quiet_NaN();
  if (!std::ranges::equal(theta, seen_theta_)) {
    seen_error_ = validation_(theta);
    seen_theta_.assign(theta.begin(), theta.end());
  }
  return seen_error_;
}

void EpochLog::end_epoch(std::span<const double> theta, std::uint64_t step) {
  const double error = validation_error(theta);
  const double loss = loss_sum_ / static_cast<double>(n_losses_);
  epochs_.push_back({step, seconds(), loss, error});
  forget_losses();
  if (error < best_) {
    best_ = error;
    best_epoch_ = epochs_.size();
    best_theta_.assign(theta.begin(), theta.end());
  }
  if (patience_ > 0 && validation_ && !stop_ && epochs_.size() - best_epoch_ >= patience_) {
    stop_ = true;
    news_.push_back(
        {fmt::format("{} epochs have not lowered the validation error: the training "
                     "ends",
                     patience_)});
  }
}

void EpochLog::save(Checkpoint& c) const {
  std::vector<double> rows;
  for (const EpochEntry& e : epochs_) {
    rows.insert(rows.end(), {static_cast<double>(e.step), e.seconds, e.loss, e.validation});
  }
  c.arrays["operator/epochs"] = Array::list(std::move(rows));
  c.arrays["operator/best_theta"] = Array::list(best_theta_);
  c.arrays["operator/running"] = Array::list({loss_sum_, best_, seconds()});
  c.numbers["operator/losses"] = n_losses_;
  c.numbers["operator/best_epoch"] = best_epoch_;
  c.numbers["operator/stop"] = stop_ ? 1 : 0;
}

void EpochLog::restore(const Checkpoint& c, std::size_t n_parameters) {
  const std::vector<double>&rows = c.array("operator/epochs").values,
        &running = c.array("operator/running").values;
  best_theta_ = c.array("operator/best_theta").values;
  best_epoch_ = c.number("operator/best_epoch");
  const bool known = best_theta_.size() == (best_epoch_ > 0 ? n_parameters : 0);
  if (rows.size() % 4 != 0 || running.size() != 3 || !known || best_epoch_ > rows.size() / 4) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", "[operators]",
                "remove it, or choose another folder");
  }
  epochs_.clear();
  for (std::size_t i = 0; i < rows.size(); i += 4) {
    epochs_.push_back({static_cast<std::uint64_t>(rows[i]), rows[i + 1], rows[i + 2], rows[i + 3]});
  }
  loss_sum_ = running[0];
  best_ = running[1];
  before_ = running[2];
  begin_ = clock_seconds();
  n_losses_ = c.number("operator/losses");
  stop_ = c.number("operator/stop") != 0;
}

}  // namespace cauchy::detail
