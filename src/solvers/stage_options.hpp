#pragma once

#include <string_view>
#include <utility>

#include <cauchy/optimizers/any_optimizer.hpp>

#include "solvers/toml_section.hpp"

namespace cauchy::detail {

/// What a number of a file must be.
enum class NumberRange { any, positive, not_negative, below_one, up_to_one, inside_one };

[[nodiscard]] inline bool in_range(double v, NumberRange range) {
  switch (range) {
    case NumberRange::any: return true;
    case NumberRange::positive: return v > 0;
    case NumberRange::not_negative: return v >= 0;
    case NumberRange::below_one: return v >= 0 && v < 1;
    case NumberRange::up_to_one: return v > 0 && v <= 1;
    case NumberRange::inside_one: return v > 0 && v < 1;
  }
  return false;
}
[[nodiscard]] inline std::string_view described(NumberRange range) {
  switch (range) {
    case NumberRange::any: return "a number";
    case NumberRange::positive: return "positive";
    case NumberRange::not_negative: return "not negative";
    case NumberRange::below_one: return "in [0, 1)";
    case NumberRange::up_to_one: return "in (0, 1]";
    case NumberRange::inside_one: return "in (0, 1)";
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

}  // namespace cauchy::detail
