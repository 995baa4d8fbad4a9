// The weak form of a problem in words and formulas.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/problem/weak_problem.hpp>

namespace cauchy {
namespace {

std::string place_of_test(const Problem& problem, const WeakCondition& condition) {
  const std::string place = part_of(problem, condition).where;
  return place.empty() ? "boundary" : place;
}

}  // namespace

std::vector<std::string> describe(const Problem& problem, const WeakProblem& weak) {
  const Context context = problem.context();
  std::vector<std::string> lines;
  for (const AuxiliaryField& a : weak.form.auxiliary) {
    lines.push_back(fmt::format("with {} = {}", a.name, to_string(a.meaning, &context)));
  }
  for (std::size_t r = 0; r < weak.form.rows.size(); ++r) {
    const WeakRow& row = weak.form.rows[r];
    std::string text = fmt::format("int ({}) dx", to_string(weak.form, row));
    std::vector<std::string> fixed;
    for (const WeakCondition& c : weak.conditions) {
      if (c.row != r) continue;
      const std::string place = place_of_test(problem, c);
      if (c.role == WeakCondition::Role::essential) fixed.push_back(place);
      if (c.role != WeakCondition::Role::natural || c.value.is_constant(0)) continue;
      text += fmt::format(" + int_[{}] ({}) ds", place, to_string(c.value * Field(row.test)));
    }
    text += fmt::format(" = 0 for all {}", row.test);
    if (!fixed.empty()) {
      text += fmt::format(" that vanish on {}", fmt::join(fixed, ", "));
    }
    lines.push_back(std::move(text));
  }
  std::string kind = fmt::format("{}, {}", weak.linear ? "linear" : "nonlinear",
                                 weak.symmetric ? "symmetric" : "not symmetric");
  if (!weak.coercivity.empty()) kind += "; " + weak.coercivity;
  lines.push_back(std::move(kind));
  if (weak.energy) {
    lines.push_back(fmt::format("derivative of the energy int ({}) dx{}", to_string(*weak.energy),
                                std::any_of(weak.conditions.begin(), weak.conditions.end(),
                                            [](const auto& c) {
                                              return c.role == WeakCondition::Role::natural &&
                                                     !c.value.is_constant(0);
                                            })
                                    ? " and of boundary terms"
                                    : ""));
  }
  return lines;
}

std::vector<std::string> to_latex(const Problem& problem, const WeakProblem& weak) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < weak.form.rows.size(); ++r) {
    const WeakRow& row = weak.form.rows[r];
    std::string text = fmt::format("\\int_\\Omega \\left({}\\right) dx", to_latex(weak.form, row));
    for (const WeakCondition& c : weak.conditions) {
      if (c.role != WeakCondition::Role::natural || c.row != r || c.value.is_constant(0)) continue;
      text += fmt::format(" + \\int_{{\\text{{{}}}}} {} \\, ds", place_of_test(problem, c),
                          to_latex(c.value * Field(row.test)));
    }
    lines.push_back(text + fmt::format(" = 0 \\quad \\forall {}", to_latex(Field(row.test))));
  }
  return lines;
}

}  // namespace cauchy
