#include "training/point_schemes/redraw.hpp"

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail {

bool redraw_is_due(const PointSettings& settings, const TrainingStep& step) {
  const std::uint64_t every =
      step.redraw > 0 ? step.redraw : (step.first_order ? settings.redraw : 0);
  return every > 0 && step.step_in_stage > 0 && step.step_in_stage % every == 0;
}

bool choose_batch(TrainingPoints& points, std::uint64_t number) {
  const PointSettings& settings = points.settings();
  bool changed = false;
  Rng rng = Rng(settings.seed).split(1000 + number);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t n = points[i].size();
    if (n <= settings.batch || !points.source(i).divisible) continue;
    std::vector<std::size_t> order(n);
    rng.permutation(order);
    order.resize(settings.batch);
    points.choose(i, order);
    changed = true;
  }
  return changed;
}

std::uint64_t scheme_number(const TrainingState& state, const char* name) {
  const auto found = state.numbers.find(name);
  if (found == state.numbers.end()) throw_damaged_scheme();
  return found->second;
}

void throw_damaged_scheme() {
  throw Error("the checkpoint is damaged", "[training.point_scheme]", "start the run anew");
}

bool Redraw::update(TrainingPoints& points, TrainingLoss&, const TrainingStep& step) {
  const bool due = redraw_is_due(points.settings(), step);
  if (due) points.draw(++round_);
  if (!step.first_order || points.settings().batch == 0) return due;
  return choose_batch(points, batch_number_++) || due;
}

void Redraw::save(TrainingState& state) const {
  state.numbers["round"] = round_;
  state.numbers["batch"] = batch_number_;
}

void Redraw::restore(const TrainingState& state, TrainingPoints& points) {
  round_ = scheme_number(state, "round");
  batch_number_ = scheme_number(state, "batch");
  if (round_ > 0) points.draw(round_);
  if (batch_number_ > 0) (void)choose_batch(points, batch_number_ - 1);
}

}  // namespace cauchy::detail
