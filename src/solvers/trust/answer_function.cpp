#include "solvers/trust/answer_function.hpp"

#include <map>
#include <mutex>

#include <cauchy/expr/derivative.hpp>

#include "problem/lowering.hpp"
#include "solvers/trust/answer_program.hpp"

namespace cauchy::detail {
namespace {

/// All derivatives that have been asked for.
class AnswerFunction final {
 public:
  AnswerFunction(std::shared_ptr<const FieldModel> model, std::shared_ptr<const Problem> problem,
                 const Expr& expression)
      : model_(std::move(model)),
        problem_(std::move(problem)),
        expression_(Lowering(*problem_)(expression)) {}

  void evaluate(std::span<const int> orders, std::span<const double> rows,
                std::span<double> values) {
    program(orders).run(*model_, *problem_, rows, values);
  }

 private:
  const AnswerProgram& program(std::span<const int> orders) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<AnswerProgram>& found = programs_[{orders.begin(), orders.end()}];
    if (!found) {
      const std::vector<std::string> names = problem_->coordinates();
      Expr e = expression_;
      for (std::size_t k = 0; k < orders.size(); ++k) e = d_n(e, Coordinate(names[k]), orders[k]);
      found = std::make_unique<AnswerProgram>(*problem_, std::vector<Expr>{e});
    }
    return *found;
  }

  std::shared_ptr<const FieldModel> model_;
  std::shared_ptr<const Problem> problem_;
  Expr expression_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::unique_ptr<AnswerProgram>> programs_;
};

}  // namespace

FunctionCode answer_function(std::shared_ptr<const FieldModel> model,
                             std::shared_ptr<const Problem> problem, const Expr& expression) {
  auto function =
      std::make_shared<AnswerFunction>(std::move(model), std::move(problem), expression);
  return [function](std::span<const int> orders, std::span<const double> rows,
                    std::span<double> values) { function->evaluate(orders, rows, values); };
}

}  // namespace cauchy::detail
