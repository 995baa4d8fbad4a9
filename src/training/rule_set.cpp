#include "training/rule_set.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "training/checkpoints.hpp"
#include "training/rule_table.hpp"

namespace cauchy::detail {
namespace {

std::string states_of_weights(std::size_t i) { return fmt::format("point_weights/{}/", i); }

}  // namespace

RuleSet::RuleSet(const TrainingRules& rules, std::size_t stages, TrainingLoss& loss,
                 TrainingPoints& points)
    : loss_(loss),
      points_(points),
      balancer_name_(rule_name(rules.balancer, all_balancers())),
      scheme_name_(rule_name(rules.point_scheme, all_point_schemes())),
      balancer_(make_balancer(rules.balancer, points)),
      scheme_(make_point_scheme(rules.point_scheme, points)),
      curriculum_(make_curriculum(rules.curriculum, points, stages)) {
  for (const PointWeightsOptions& options : rules.point_weights) {
    if (auto made = make_point_weights(options, points)) {
      weights_.push_back({rule_name(options, all_point_weights()), std::move(made)});
    }
  }
  off_.assign(scheme_number() + 1, false);
  off_[balancer_number] = !balancer_;
}

std::string RuleSet::name_of(std::size_t rule) const {
  if (rule == balancer_number) return fmt::format("the balancer '{}'", balancer_name_);
  if (rule == scheme_number()) return fmt::format("the scheme of points '{}'", scheme_name_);
  return fmt::format("the point weights '{}'", weights_[rule - 1].name);
}

void RuleSet::finish(TrainingRecord& record) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!points_.source(i).divisible) continue;  // nodes of a quadrature
    record.points[points_.source(i).name] = points_[i];
  }
}

void RuleSet::begin_stage(std::size_t stage, bool all) {
  stage_ = stage;
  moved_ = all && points_.use_all();
  if (!curriculum_) return;
  moved_ = curriculum_->begin_stage(stage, loss_, points_) || moved_;
  if (loss_.take_refusal() || points_.take_refusal()) {
    throw Error("the curriculum gave a factor or a point that is no number",
                "[training.curriculum]", "factors are finite and not negative, points finite");
  }
}

bool RuleSet::ask(const TrainingStep& step) {
  bool moved = std::exchange(moved_, false);
  if (!off_[scheme_number()]) {
    moved = scheme_->update(points_, loss_, step) || moved;
    for (std::string& text : scheme_->take_events()) news_.push_back({std::move(text)});
    if (points_.take_refusal()) {
      switch_off(scheme_number(), step.step);
      moved = true;
    }
  }
  bool changed = weigh_points(step, moved) || moved;
  if (!off_[balancer_number]) {
    changed = balancer_->update(loss_, step) || changed;
    if (loss_.take_refusal()) {
      switch_off(balancer_number, step.step);
      changed = true;
    }
  }
  return changed;
}

void RuleSet::end(const TrainingStep& step) {
  if (points_.use_all()) (void)weigh_points(step, true);
  loss_.combine({});
}

bool RuleSet::weigh_points(const TrainingStep& step, bool moved) {
  bool changed = false;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (off_[1 + i]) continue;
    changed = weights_[i].rule->update(loss_, points_, step, moved) || changed;
    for (std::string& text : weights_[i].rule->take_events()) news_.push_back({std::move(text)});
  }
  if (!weights_.empty() && (changed || moved)) changed = put_factors(step.step) || changed;
  return changed;
}

/// The factors of all weights, multiplied, for the points in use; true when some were refused.
bool RuleSet::put_factors(std::uint64_t step) {
  std::vector<double> product;
  for (std::size_t t = 0; t < points_.size(); ++t) {
    product.clear();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (off_[1 + i] || multiply(t, weights_[i].rule->factors(t), product)) continue;
      switch_off(1 + i, step);
      (void)put_factors(step);
      return true;
    }
    points_.weigh(t, product);
  }
  return false;
}

/// False when a weight would be negative or not finite.
bool RuleSet::multiply(std::size_t term, std::span<const double> factors,
                       std::vector<double>& product) {
  if (factors.empty()) return true;
  const std::vector<double>& own = points_.weights(term);
  if (product.empty()) product.assign(factors.size(), 1.0);
  if (factors.size() != product.size() || (!own.empty() && own.size() != factors.size())) {
    throw Error(fmt::format("{} factors for {} points", factors.size(),
                            own.empty() ? product.size() : own.size()),
                "[training.point_weights]", "give one per point in use, or none");
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    product[i] *= factors[i];
    const double weight = own.empty() ? product[i] : product[i] * own[i];
    if (!(product[i] >= 0) || !std::isfinite(weight)) return false;
  }
  return true;
}

// --- rules that spoil the loss ---

void RuleSet::switch_off(std::size_t rule, std::uint64_t step) {
  off_[rule] = true;
  if (rule == balancer_number) undo_balancer();
  if (rule == scheme_number()) {
    points_.draw(0);
    if (curriculum_) (void)curriculum_->begin_stage(stage_, loss_, points_);
  }
  news_.push_back({fmt::format("{} gave {} at step {} and was switched off", name_of(rule),
                               rule == scheme_number() ? "points or factors that are no numbers"
                                                       : "a factor that is negative or not finite",
                               step + 1),
                   true});
}

void RuleSet::undo_balancer() {
  loss_.combine({});
  for (std::size_t t = 0; t < loss_.n_terms(); ++t) loss_.weigh(t, 1, WeightLayer::balancer);
}

/// What is not finite at theta; empty: nothing.
std::string RuleSet::trouble_at(std::span<const double> theta) {
  std::vector<double> gradient(theta.size());
  const double value = loss_.gradient(theta, gradient);
  double square = 0;
  for (const double g : gradient) square += g * g;
  const auto word = [](double v) { return std::isnan(v) ? "NaN" : "infinite"; };
  if (!std::isfinite(value)) return fmt::format("the loss {}", word(value));
  if (!std::isfinite(square)) return fmt::format("the gradient {}", word(square));
  return {};
}

bool RuleSet::blame(std::span<const double> theta, std::uint64_t step) {
  for (const double v : theta) {
    if (!std::isfinite(v)) return false;
  }
  const std::string trouble = trouble_at(theta);
  if (trouble.empty()) return false;
  Checkpoint now;
  save(now);
  const std::vector<bool> before = off_;
  off_.assign(off_.size(), true);
  bring_back(now);
  const bool guilty = trouble_at(theta).empty();
  // The scheme first: those that come back while the loss stays finite are innocent.
  for (std::size_t k = off_.size(); k-- > 0;) {
    off_[k] = before[k];
    bring_back(now);
    if (guilty && !before[k]) off_[k] = !trouble_at(theta).empty();
  }
  if (!guilty) return false;
  // A combination of gradients comes back with the next step only.
  if (off_ == before) off_[balancer_number] = true;
  bring_back(now);
  std::string names;
  std::size_t n = 0;
  for (std::size_t k = 0; k < off_.size(); ++k) {
    if (off_[k] && !before[k]) names += (n++ > 0 ? " and " : "") + name_of(k);
  }
  news_.push_back({fmt::format("{} made {} at step {} and {} switched off", names, trouble, step,
                               n == 1 ? "was" : "were"),
                   true});
  moved_ = true;
  return true;
}

std::vector<RuleSet::News> RuleSet::take_news() { return std::exchange(news_, {}); }

// --- checkpoints ---

void RuleSet::save(Checkpoint& c) const {
  const auto put = [&](const auto& rule, const std::string& prefix) {
    TrainingState state;
    rule.save(state);
    put_state(c, prefix, std::move(state));
  };
  c.numbers["batched"] = points_.batched() ? 1 : 0;
  c.numbers["moved"] = moved_ ? 1 : 0;
  c.arrays["rules_off"] = Array::list(std::vector<double>(off_.begin(), off_.end()));
  if (!off_[scheme_number()]) put(*scheme_, "point_scheme/");
  if (!off_[balancer_number]) put(*balancer_, "balancer/");
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!off_[1 + i]) put(*weights_[i].rule, states_of_weights(i));
  }
  if (!curriculum_) return;
  put(*curriculum_, "curriculum/");
  put(points_, "points/");
}

void RuleSet::restore(const Checkpoint& c, std::size_t stage) {
  const std::vector<double>& off = c.array("rules_off").values;
  if (off.size() != off_.size()) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", "[training.rules]",
                "remove it, or choose another folder");
  }
  for (std::size_t i = 0; i < off.size(); ++i) off_[i] = off_[i] || off[i] != 0;
  stage_ = stage;
  bring_back(c);
  moved_ = c.number("moved") != 0;
}

/// Loss and points as the saved states of the rules that are not off say.
void RuleSet::bring_back(const Checkpoint& c) {
  points_.draw(0);
  if (curriculum_) {
    curriculum_->restore(state_in(c, "curriculum/"));
    (void)curriculum_->begin_stage(stage_, loss_, points_);
  }
  if (!off_[scheme_number()]) scheme_->restore(state_in(c, "point_scheme/"), points_);
  if (c.number("batched") == 0) (void)points_.use_all();
  if (curriculum_) points_.restore(state_in(c, "points/"));
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!off_[1 + i]) weights_[i].rule->restore(state_in(c, states_of_weights(i)), points_);
  }
  if (!weights_.empty()) (void)put_factors(0);
  undo_balancer();
  if (!off_[balancer_number]) {
    balancer_->restore(state_in(c, "balancer/"), loss_);
  }
}

}  // namespace cauchy::detail
