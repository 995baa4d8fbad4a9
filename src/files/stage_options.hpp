#pragma once

#include <string_view>
#include <utility>

#include <cauchy/optimizers/any_optimizer.hpp>

#include "files/toml_section.hpp"

namespace cauchy::detail {

/// What a number of a file must be.
enum class NumberRange { any, positive, not_negative, below_one, up_to_one, inside_one };

[[nodiscard]] inline bool in_range(double v, NumberRange range) {
  switch (range) {
    case NumberRange::any:
      return true;
    case NumberRange::positive:
      return v > 0;
    case NumberRange::not_negative:
      return v >= 0;
    case NumberRange::below_one:
      return v >= 0 && v < 1;
    case NumberRange::up_to_one:
      return v > 0 && v <= 1;
    case NumberRange::inside_one:
      return v > 0 && v < 1;
  }
  return false;
}
[[nodiscard]] inline std::string_view described(NumberRange range) {
  switch (range) {
    case NumberRange::any:
      return "a number";
    case NumberRange::positive:
      return "positive";
    case NumberRange::not_negative:
      return "not negative";
    case NumberRange::below_one:
      return "in [0, 1)";
    case NumberRange::up_to_one:
      return "in (0, 1]";
    case NumberRange::inside_one:
      return "in (0, 1)";
  }
  return "";
}

// Every option of every optimiser under the name that files use, once, for reading, writing and
// for the list of keys. A visitor has
//   number(key, double&, range), count(key, whole&, least), flag(key, bool&),
//   word(key, T&, Words<T>), line_search(LineSearchOptions&)

template <class Visitor>
void for_each_option(GradientDescentOptions& o, Visitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

template <class Visitor>
void for_each_option(MomentumOptions& o, Visitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("momentum", o.momentum, NumberRange::below_one);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

template <class Visitor>
void for_each_option(RmsPropOptions& o, Visitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("beta", o.beta, NumberRange::below_one);
  v.number("epsilon", o.epsilon, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

template <class Options, class Visitor>
void for_each_adam_option(Options& o, Visitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("beta1", o.beta1, NumberRange::below_one);
  v.number("beta2", o.beta2, NumberRange::below_one);
  v.number("epsilon", o.epsilon, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

template <class Visitor>
void for_each_option(AdamOptions& o, Visitor& v) {
  for_each_adam_option(o, v);
}

template <class Visitor>
void for_each_option(AdamWOptions& o, Visitor& v) {
  for_each_adam_option(o, v);
  v.number("weight_decay", o.weight_decay, NumberRange::not_negative);
}

template <class Visitor>
void for_each_option(SoapOptions& o, Visitor& v) {
  for_each_adam_option(o, v);
  v.number("weight_decay", o.weight_decay, NumberRange::not_negative);
  v.count("precondition_frequency", o.precondition_frequency, 1);
  v.count("max_precond_dim", o.max_precond_dim, 1);
}

template <class Visitor>
void for_each_option(LbfgsOptions& o, Visitor& v) {
  v.count("memory", o.memory, 1);
  v.number("curvature_guard", o.curvature_guard, NumberRange::below_one);
  v.flag("clear_when_changed", o.clear_when_changed);
  v.line_search(o.line_search);
}

template <class Visitor>
void for_each_option(QuasiNewtonOptions& o, Visitor& v) {
  static const Words<InverseHessianChange> changes = {{"keep", InverseHessianChange::keep},
                                                      {"rescale", InverseHessianChange::rescale},
                                                      {"restart", InverseHessianChange::restart}};
  v.flag("initial_scaling", o.initial_scaling);
  v.number("curvature_guard", o.curvature_guard, NumberRange::below_one);
  v.word("when_changed", o.when_changed, changes);
  v.count("max_bytes", o.max_bytes, 0);
  v.line_search(o.line_search);
}

template <class Visitor>
void for_each_option(NewtonOptions& o, Visitor& v) {
  v.number("damping", o.damping, NumberRange::not_negative);
  v.number("difference", o.difference, NumberRange::positive);
  v.count("max_bytes", o.max_bytes, 0);
  v.line_search(o.line_search);
}

template <class Visitor>
void for_each_option(StepEquations& o, Visitor& v) {
  static const Words<StepSpace> spaces = {{"automatic", StepSpace::automatic},
                                          {"parameter", StepSpace::parameter},
                                          {"sample", StepSpace::sample},
                                          {"matrix_free", StepSpace::matrix_free}};
  static const Words<StepSolver> solvers = {{"automatic", StepSolver::automatic},
                                            {"cholesky", StepSolver::cholesky},
                                            {"qr", StepSolver::qr}};
  v.word("space", o.space, spaces);
  v.word("solver", o.solver, solvers);
  v.count("max_cg", o.max_cg, 1);
  v.count("max_bytes", o.max_bytes, 0);
}

inline const Words<StepSearch>& step_search_words() {
  static const Words<StepSearch> words = {{"backtracking", StepSearch::backtracking},
                                          {"grid", StepSearch::grid},
                                          {"wolfe", StepSearch::wolfe}};
  return words;
}

template <class Visitor>
void for_each_option(GaussNewtonOptions& o, Visitor& v) {
  v.number("damping", o.damping, NumberRange::not_negative);
  v.word("search", o.search, step_search_words());
  v.count("max_trials", o.max_trials, 1);
  v.line_search(o.line_search);
  for_each_option(o.equations, v);
}

template <class Visitor>
void for_each_option(LevenbergMarquardtOptions& o, Visitor& v) {
  static const Words<DampingScale> scales = {{"identity", DampingScale::identity},
                                             {"marquardt", DampingScale::marquardt}};
  static const Words<DampingRule> rules = {{"gain_ratio", DampingRule::gain_ratio},
                                           {"delayed", DampingRule::delayed}};
  v.number("initial_damping", o.initial_damping, NumberRange::positive);
  v.word("damping_rule", o.rule, rules);
  v.word("damping_scale", o.scale, scales);
  v.flag("acceleration", o.acceleration);
  v.count("max_rejected", o.max_rejected, 1);
  for_each_option(o.equations, v);
}

template <class Visitor>
void for_each_option(NaturalGradientOptions& o, Visitor& v) {
  v.number("damping", o.damping, NumberRange::positive);
  v.number("relative_damping", o.relative_damping, NumberRange::not_negative);
  v.number("momentum", o.momentum, NumberRange::below_one);
  v.word("search", o.search, step_search_words());
  v.count("max_trials", o.max_trials, 1);
  v.line_search(o.line_search);
  for_each_option(o.equations, v);
}

}  // namespace cauchy::detail
