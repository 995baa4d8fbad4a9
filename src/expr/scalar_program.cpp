#include "expr/scalar_program.hpp"

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>

#include "expr/program_code.hpp"

namespace cauchy::detail {

ScalarProgram::ScalarProgram(const ProgramSpec& spec) : n_inputs_(spec.inputs.size()) {
  if (!spec.sums.empty() || !spec.parameters.empty()) {
    throw Error("a program for one point has no sums and no parameters", "[expr]");
  }
  const ValueGraph graph = lower(spec);
  outputs_.assign(graph.outputs.begin(), graph.outputs.end());
  std::vector<char> used(graph.values.size());
  for (const int o : graph.outputs) used[static_cast<std::size_t>(o)] = 1;
  for (std::size_t i = graph.values.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (const int a : graph.values[i].args) {
      if (a >= 0) used[static_cast<std::size_t>(a)] = 1;
    }
  }
  slots_.resize(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    if (!used[i]) continue;
    if (v.op == ProgramOp::constant) {
      slots_[i] = v.number;
    } else if (v.op == ProgramOp::input) {
      inputs_.emplace_back(static_cast<std::int32_t>(i), v.index);
    } else {
      Step step{static_cast<std::uint8_t>(v.op), static_cast<std::int32_t>(i), {0, 0, 0}};
      for (int k = 0; k < arity(v.op); ++k) step.args[k] = v.args[k];
      steps_.push_back(step);
    }
  }
}

void ScalarProgram::run(std::span<const double> inputs, std::span<double> outputs) const {
  // Read one by one, an instruction takes as long as for some points at once.
  count_work(WorkKind::formulas, 5 * static_cast<double>(steps_.size()));
  double* v = slots_.data();
  for (const auto& [slot, input] : inputs_) v[slot] = inputs[static_cast<std::size_t>(input)];
  for (const Step& s : steps_) {
    const double a = v[s.args[0]], b = v[s.args[1]];
    switch (static_cast<ProgramOp>(s.op)) {  // the most frequent ones without a call
      case ProgramOp::add:
        v[s.result] = a + b;
        break;
      case ProgramOp::subtract:
        v[s.result] = a - b;
        break;
      case ProgramOp::multiply:
        v[s.result] = a * b;
        break;
      default:
        v[s.result] = apply(static_cast<ProgramOp>(s.op), a, b, v[s.args[2]]);
    }
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) outputs[k] = v[outputs_[k]];
}

}  // namespace cauchy::detail
