#include "solvers/classical/classical_solver.hpp"

#include <cauchy/base/error.hpp>

#include "solvers/classical/grid_field.hpp"

namespace cauchy::detail {

std::unique_ptr<PreparedMethod> prepare_classical(std::string /*kind*/,
                                                  std::shared_ptr<const Problem> /*problem*/,
                                                  MakeClassicalSolver /*make*/,
                                                  const ClassicalSettings& /*settings*/,
                                                  int /*threads*/) {
  throw Error("not here yet");
}

std::shared_ptr<const FieldModel> load_classical(std::string kind, const Checkpoint& checkpoint,
                                                 const Problem& problem) {
  return GridField::load(std::move(kind), std::make_shared<const Problem>(problem), checkpoint);
}

}  // namespace cauchy::detail
