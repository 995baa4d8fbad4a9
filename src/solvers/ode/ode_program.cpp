#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "problem/point_data.hpp"
#include "solvers/ode/ode_system.hpp"

namespace cauchy::detail {
namespace {

ProgramSpec ode_spec(const std::string& variable, std::vector<Expr> outputs,
                     std::span<const Expr> atoms, std::span<const Expr> data) {
  ProgramSpec spec;
  spec.outputs = std::move(outputs);
  spec.inputs.push_back(Coordinate(variable));
  spec.inputs.insert(spec.inputs.end(), atoms.begin(), atoms.end());
  spec.inputs.insert(spec.inputs.end(), data.begin(), data.end());
  return spec;
}

}  // namespace

OdeProgram::OdeProgram(const Problem& problem, std::string variable, std::vector<Expr> outputs,
                       std::span<const Expr> atoms)
    : data_(data_of(outputs)),
      program_(ode_spec(variable, std::move(outputs), atoms, data_)),
      inputs_(program_.n_inputs()) {
  std::map<std::string, std::shared_ptr<const FunctionValues>> functions;
  for (const Expr& call : data_) {
    const auto f = std::find_if(problem.functions.begin(), problem.functions.end(),
                                [&](const TabulatedFunction& g) { return g.name == call.name(); });
    if (call.kind() != Kind::call || f == problem.functions.end()) {
      throw Error(fmt::format("there are no values of '{}'", call.name()), "[solvers.ode]");
    }
    auto& function = functions[f->name];
    if (!function) function = std::make_shared<FunctionValues>(*f);
    calls_.push_back(
        {function,
         {call.call_orders().begin(), call.call_orders().end()},
         ScalarProgram(
             {{call.args().begin(), call.args().end()}, {Coordinate(variable)}, {}, {}})});
  }
}

void OdeProgram::run(double s, std::span<const double> atoms, std::span<double> out) const {
  inputs_[0] = s;
  std::copy(atoms.begin(), atoms.end(), inputs_.begin() + 1);
  for (std::size_t k = 0; k < calls_.size(); ++k) {
    const Call& c = calls_[k];
    at_.resize(c.arguments.n_outputs());
    c.arguments.run({&s, 1}, at_);
    inputs_[1 + atoms.size() + k] = (*c.function)(at_, c.orders);
  }
  program_.run(inputs_, out);
}

}  // namespace cauchy::detail
