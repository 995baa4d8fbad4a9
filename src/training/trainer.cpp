#include <cauchy/training/trainer.hpp>

#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

bool all_finite(std::span<const double> v) {
  for (const double x : v) {
    if (!std::isfinite(x)) return false;
  }
  return true;
}

}  // namespace

TrainReport train(Executor& executor, std::span<double> theta, const TrainOptions& options) {
  if (!(options.final_rate_factor > 0) || !std::isfinite(options.final_rate_factor)) {
    throw Error(
        fmt::format("final_rate_factor must be positive, got {}", options.final_rate_factor),
        "[training.train]");
  }
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Adam adam(theta.size(), options.adam);
  std::vector<double> gradient(theta.size()), finite(theta.begin(), theta.end());
  TrainReport report;
  ProgressState state;
  state.total = options.steps;
  std::array<ProgressValue, 1> values{{{"loss", 0}}};
  state.values = values;
  for (std::uint64_t step = 0; step < options.steps; ++step) {
    if (options.before_step) options.before_step(step);
    const double loss = executor.gradient(theta, gradient);
    report.seconds = state.elapsed_s = elapsed();
    if (!std::isfinite(loss) || !all_finite(gradient)) {
      if (step == 0) report.loss = loss;
      std::copy(finite.begin(), finite.end(), theta.begin());
      report.status = Status::not_finite;
      break;
    }
    report.loss = values[0].value = loss;
    report.steps = state.step = step + 1;
    if (options.history_every > 0 && step % options.history_every == 0) {
      report.history.push_back(
          {step, loss, {executor.last_terms().begin(), executor.last_terms().end()}});
    }
    if (options.progress != nullptr) {
      options.progress->update(state);
      if (options.progress->stop_requested()) {
        report.status = Status::interrupted;
        break;
      }
    }
    if (options.max_seconds > 0 && report.seconds > options.max_seconds) {
      report.status = Status::budget_exhausted;
      break;
    }
    std::copy(theta.begin(), theta.end(), finite.begin());
    const double progress = static_cast<double>(step) / static_cast<double>(options.steps);
    adam.set_learning_rate(options.adam.learning_rate *
                           std::pow(options.final_rate_factor, progress));
    adam.step(theta, gradient);
  }
  if (report.status == Status::ok) {
    // The last step moved theta once more: its loss must be finite too.
    const double loss = executor.loss(theta);
    if (std::isfinite(loss) || options.steps == 0) report.loss = loss;
    if (!std::isfinite(loss)) {
      std::copy(finite.begin(), finite.end(), theta.begin());
      report.status = Status::not_finite;
    }
  }
  report.seconds = state.elapsed_s = elapsed();
  if (options.progress != nullptr) options.progress->finish(state);
  return report;
}

}  // namespace cauchy
