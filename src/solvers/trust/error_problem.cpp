#include "solvers/trust/error_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"
#include "problem/surface.hpp"
#include "solvers/trust/answer_function.hpp"

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::unsupported, why, "[solvers.error-bars]");
}

class ErrorProblemBuilder final {
 public:
  explicit ErrorProblemBuilder(const Solution& s)
      : evaluator_(s),
        of_answer_(std::make_shared<const Problem>(evaluator_.problem())),
        model_(s.model) {
    if (!of_answer_->coefficients.empty()) {
      refuse(fmt::format("the coefficient '{}' is to be found, and no classical method finds it",
                         of_answer_->coefficients[0].name));
    }
    if (!of_answer_->domain->ranges().empty()) {
      refuse(fmt::format("'{}' is a range of values: the error of its members is estimated",
                         of_answer_->domain->ranges()[0].name));
    }
    for (const std::string& name : of_answer_->coordinates()) at_.push_back(Coordinate(name));
    for (const std::string& name : of_answer_->fields) {
      answer_.push_back({Field(name), known("answer_" + name, Field(name))});
    }
  }

  ErrorProblem build() {
    Problem& p = made_;
    p.name = of_answer_->name + ", error";
    p.domain = of_answer_->domain;
    p.fields = of_answer_->fields;
    p.parameters = of_answer_->parameters;
    p.tolerance = 0.1;
    for (const ProblemEquation& e : of_answer_->equation) add(e);
    for (const Condition& c : of_answer_->condition) add(c);
    std::vector<TabulatedFunction> all = of_answer_->functions;
    all.insert(all.end(), p.functions.begin(), p.functions.end());
    p.functions = std::move(all);
    return {std::make_shared<const Problem>(std::move(made_)), linear_, transport_,
            std::move(left_out_)};
  }

 private:
  /// A function of all coordinates: this expression of the answer.
  Expr known(const std::string& name, const Expr& expression) {
    TabulatedFunction f;
    f.name = name;
    f.arguments = of_answer_->coordinates();
    f.code = answer_function(model_, of_answer_, expression);
    made_.functions.push_back(std::move(f));
    return DataFunction(name).call(at_);
  }

  /// The derivative of left - right at the answer, applied to the error. A linear one keeps how it
  /// was written: fluxes stay fluxes.
  Expr linearised(const Equation& form) {
    const Expr residual = form.residual();
    if (const LinearForm l = linear_form(residual); l.linear) return residual - l.remainder;
    linear_ = false;
    std::vector<LinearForm::Entry> entries;
    for (const Expr& atom : field_atoms(std::span(&residual, 1))) {
      entries.push_back({atom, substitute(partial(residual, atom), answer_)});
    }
    std::vector<Expr> terms = fluxes_of(entries);
    for (const LinearForm::Entry& e : entries) terms.push_back(e.coefficient * e.atom);
    for (const Expr& e : postorder(std::span(&residual, 1))) {
      if (!has_jump(e.kind())) continue;
      const std::vector<Expr> inside(e.args().begin(), e.args().end());
      if (!field_atoms(inside).empty()) {
        refuse("an equation jumps with the answer, and has no linear one beside it");
      }
    }
    return sum(std::move(terms));
  }

  /// a*e_x + a_x*e is d(a*e, x): a flux, which coarse grids keep. They make e grow where they do
  /// not see that the two belong together. What is taken goes out of the entries.
  std::vector<Expr> fluxes_of(std::vector<LinearForm::Entry>& entries) {
    std::vector<Expr> found;
    for (LinearForm::Entry& slope : entries) {
      if (total_order(slope.atom.index()) != 1) continue;
      const Coordinate by(slope.atom.index()[0].first);
      const Field field(slope.atom.name());
      const Expr change = d(slope.coefficient, by);
      if (change.is_constant(0)) continue;
      for (LinearForm::Entry& value : entries) {
        if (!same(value.atom, field)) continue;
        const Expr rest = value.coefficient - change;
        if (rest.depth() > value.coefficient.depth()) continue;  // it is no part of it
        found.push_back(d(slope.coefficient * field, by));
        value.coefficient = rest;
        slope.coefficient = 0;
        transport_ = true;
      }
    }
    return found;
  }

  void add(const ProblemEquation& e) {
    ProblemEquation made;
    made.name = e.name;
    made.where = e.where;
    const std::string name = fmt::format("defect_{}", made_.equation.size() + 1);
    made.form = linearised(e.form) == -known(name, e.form.residual());
    made_.equation.push_back(std::move(made));
  }

  void add(const Condition& c) {
    Condition made = c;
    made.weight = 1;
    made.hard = false;
    made.name = name_of(c);
    switch (c.kind) {
      case Condition::Kind::periodic:
        left_out_.push_back(name_of(c));
        break;
      case Condition::Kind::general:
        made.form = linearised(c.form) == -substitute(c.form.residual(), answer_);
        break;
      case Condition::Kind::point: {
        const Expr residual[] = {evaluator_.lower()(c.form.residual())};
        const double defect = evaluator_(residual, given_points(*of_answer_, c))[0][0];
        made.form = linearised(c.form) == Expr(-defect);
        break;
      }
      case Condition::Kind::interface: {
        const Expr residual = c.form.residual();
        if (!is_linear(with_jumps(residual, [](const Expr& e) { return e; }))) {
          refuse(fmt::format("'{}' is not linear", name_of(c)));
        }
        made.form = residual - with_jumps(residual, [](const Expr&) { return Expr(0); }) == Expr(0);
        left_out_.push_back(name_of(c));
        break;
      }
      case Condition::Kind::integral:
        if (!is_linear(c.form.residual())) refuse(fmt::format("'{}' is not linear", name_of(c)));
        made.form = linearised(c.form) == Expr(0);
        left_out_.push_back(name_of(c));
        break;
    }
    made_.condition.push_back(std::move(made));
  }

  PointEvaluator evaluator_;
  std::shared_ptr<const Problem> of_answer_;
  std::shared_ptr<const FieldModel> model_;
  Problem made_;
  std::vector<Expr> at_;
  std::vector<Replacement> answer_;
  bool linear_ = true, transport_ = false;
  std::vector<std::string> left_out_;
};

}  // namespace

ErrorProblem error_problem(const Solution& solution) {
  return ErrorProblemBuilder(solution).build();
}

}  // namespace cauchy::detail
