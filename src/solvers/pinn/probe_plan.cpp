#include "solvers/pinn/probe_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

// Of the work of the training: on the way, and in all.
constexpr double share_on_the_way = 0.1, share_in_all = 0.18;

std::string plan_entry(std::string_view what) { return fmt::format("diagnosis/plan/{}", what); }
std::string work_entry(std::string_view what, std::size_t kind) {
  return fmt::format("{}/{}", plan_entry(what), to_string(static_cast<WorkKind>(kind)));
}

void save_work(Checkpoint& c, std::string_view what, const Work& work) {
  for (std::size_t k = 0; k < n_work_kinds; ++k) c.numbers[work_entry(what, k)] = work.counts[k];
}

Work load_work(const Checkpoint& c, std::string_view what) {
  Work work;
  for (std::size_t k = 0; k < n_work_kinds; ++k) work.counts[k] = c.number(work_entry(what, k));
  return work;
}

Array steps_array(const std::vector<std::uint64_t>& steps) {
  return Array::list(std::vector<double>(steps.begin(), steps.end()));
}

std::vector<std::uint64_t> load_steps(const Checkpoint& c, std::string_view what) {
  std::vector<std::uint64_t> steps;
  for (const double v : c.array(plan_entry(what)).values) {
    if (!(v >= 0 && v < 1e15)) {
      throw Error(ErrorKind::file, "the plan of the diagnosis is damaged", "[training]",
                  "start the run anew");
    }
    steps.push_back(static_cast<std::uint64_t>(v));
  }
  return steps;
}

}  // namespace

bool ProbePlan::take(std::uint64_t step) {
  if (step < next_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(step);
  next_ = std::max(step + 1, static_cast<std::uint64_t>(1.5 * static_cast<double>(step)));
  return true;
}

/// Of a step from all that were measured, on the scale of the ladder.
double ProbePlan::distance(std::uint64_t step) const {
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint64_t m : measured_) {
    least = std::min(
        least, std::abs(std::log((static_cast<double>(step) + 1) / (static_cast<double>(m) + 1))));
  }
  return least;
}

std::optional<std::uint64_t> ProbePlan::next() const {
  if (waiting_.empty()) return std::nullopt;
  if (measured_.empty()) return waiting_.front();
  if (!(spent() + expected() <= share_on_the_way * nominal_seconds(training_))) return std::nullopt;
  return *std::max_element(waiting_.begin(), waiting_.end(), [&](std::uint64_t a, std::uint64_t b) {
    return distance(a) < distance(b);
  });
}

void ProbePlan::measured(std::uint64_t step, const Work& work) {
  std::erase(waiting_, step);
  measured_.push_back(step);
  probe_ += work;
  latest_ = work;
}

bool ProbePlan::was_measured(std::uint64_t step) const {
  return std::find(measured_.begin(), measured_.end(), step) != measured_.end();
}

double ProbePlan::left() const { return share_in_all * nominal_seconds(training_) - spent(); }

double ProbePlan::share() const {
  const double all = spent() + nominal_seconds(training_);
  return all > 0 ? spent() / all : 0;
}

void ProbePlan::save(Checkpoint& c) const {
  c.numbers[plan_entry("next")] = next_;
  c.arrays[plan_entry("waiting")] = steps_array(waiting_);
  c.arrays[plan_entry("measured")] = steps_array(measured_);
  save_work(c, "training", training_);
  save_work(c, "probe", probe_);
  save_work(c, "latest", latest_);
}

void ProbePlan::restore(const Checkpoint& c) {
  next_ = c.number(plan_entry("next"));
  waiting_ = load_steps(c, "waiting");
  measured_ = load_steps(c, "measured");
  training_ = load_work(c, "training");
  probe_ = load_work(c, "probe");
  latest_ = load_work(c, "latest");
}

}  // namespace cauchy::detail
