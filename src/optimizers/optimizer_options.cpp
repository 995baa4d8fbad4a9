#include <cauchy/base/options.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>

namespace cauchy {

void visit_options(LineSearchOptions& o, OptionVisitor& v) {
  v.number("decrease", o.decrease, NumberRange::any);
  v.number("curvature", o.curvature, NumberRange::any);
  v.count("max_evaluations", o.max_evaluations, 1);
  v.number("max_step", o.max_step, NumberRange::any);
  v.number("rounding", o.rounding, NumberRange::any);
  v.check([&] { check_options(o); });
}

void visit_options(GradientDescentOptions& o, OptionVisitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

void visit_options(MomentumOptions& o, OptionVisitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("momentum", o.momentum, NumberRange::below_one);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

void visit_options(RmsPropOptions& o, OptionVisitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("beta", o.beta, NumberRange::below_one);
  v.number("epsilon", o.epsilon, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

template <class Options>
void visit_adam_options(Options& o, OptionVisitor& v) {
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.number("beta1", o.beta1, NumberRange::below_one);
  v.number("beta2", o.beta2, NumberRange::below_one);
  v.number("epsilon", o.epsilon, NumberRange::positive);
  v.number("clip_norm", o.clip_norm, NumberRange::not_negative);
}

void visit_options(AdamOptions& o, OptionVisitor& v) { visit_adam_options(o, v); }

void visit_options(AdamWOptions& o, OptionVisitor& v) {
  visit_adam_options(o, v);
  v.number("weight_decay", o.weight_decay, NumberRange::not_negative);
}

void visit_options(SoapOptions& o, OptionVisitor& v) {
  visit_adam_options(o, v);
  v.number("weight_decay", o.weight_decay, NumberRange::not_negative);
  v.count("precondition_frequency", o.precondition_frequency, 1);
  v.count("max_precond_dim", o.max_precond_dim, 1);
}

void visit_options(LbfgsOptions& o, OptionVisitor& v) {
  v.count("memory", o.memory, 1);
  v.number("curvature_guard", o.curvature_guard, NumberRange::below_one);
  v.flag("clear_when_changed", o.clear_when_changed);
  v.section("line_search", o.line_search, SectionStyle::line);
}

void visit_options(QuasiNewtonOptions& o, OptionVisitor& v) {
  static const Words<InverseHessianChange> changes = {{"keep", InverseHessianChange::keep},
                                                      {"rescale", InverseHessianChange::rescale},
                                                      {"restart", InverseHessianChange::restart}};
  v.flag("initial_scaling", o.initial_scaling);
  v.number("curvature_guard", o.curvature_guard, NumberRange::below_one);
  v.word("when_changed", o.when_changed, changes);
  v.count("max_bytes", o.max_bytes, 0);
  v.section("line_search", o.line_search, SectionStyle::line);
}

void visit_options(NewtonOptions& o, OptionVisitor& v) {
  v.number("damping", o.damping, NumberRange::not_negative);
  v.number("difference", o.difference, NumberRange::positive);
  v.count("max_bytes", o.max_bytes, 0);
  v.section("line_search", o.line_search, SectionStyle::line);
}

void visit_options(StepEquations& o, OptionVisitor& v) {
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

const Words<StepSearch>& step_search_words() {
  static const Words<StepSearch> words = {{"backtracking", StepSearch::backtracking},
                                          {"grid", StepSearch::grid},
                                          {"wolfe", StepSearch::wolfe}};
  return words;
}

void visit_options(GaussNewtonOptions& o, OptionVisitor& v) {
  v.number("damping", o.damping, NumberRange::not_negative);
  v.word("search", o.search, step_search_words());
  v.count("max_trials", o.max_trials, 1);
  v.section("line_search", o.line_search, SectionStyle::line);
  visit_options(o.equations, v);
}

void visit_options(LevenbergMarquardtOptions& o, OptionVisitor& v) {
  static const Words<DampingScale> scales = {{"identity", DampingScale::identity},
                                             {"marquardt", DampingScale::marquardt}};
  static const Words<DampingRule> rules = {{"gain_ratio", DampingRule::gain_ratio},
                                           {"delayed", DampingRule::delayed}};
  v.number("initial_damping", o.initial_damping, NumberRange::positive);
  v.word("damping_rule", o.rule, rules);
  v.word("damping_scale", o.scale, scales);
  v.flag("acceleration", o.acceleration);
  v.count("max_rejected", o.max_rejected, 1);
  visit_options(o.equations, v);
}

void visit_options(NaturalGradientOptions& o, OptionVisitor& v) {
  v.number("damping", o.damping, NumberRange::positive);
  v.number("relative_damping", o.relative_damping, NumberRange::not_negative);
  v.number("momentum", o.momentum, NumberRange::below_one);
  v.word("search", o.search, step_search_words());
  v.count("max_trials", o.max_trials, 1);
  v.section("line_search", o.line_search, SectionStyle::line);
  visit_options(o.equations, v);
}

void visit_options(OptimizerOptions& o, OptionVisitor& v) {
  std::visit([&](auto& options) { visit_options(options, v); }, o);
}

}  // namespace cauchy
