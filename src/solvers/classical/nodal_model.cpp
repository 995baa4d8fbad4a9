#include "solvers/classical/nodal_model.hpp"

#include <cauchy/expr/analysis.hpp>

#include "solvers/classical/node_program.hpp"

namespace cauchy::detail {

NodalModel::NodalModel(std::string kind, std::shared_ptr<const Problem> problem)
    : kind_(std::move(kind)), problem_(std::move(problem)), lower_(*problem_) {}

void NodalModel::evaluate(std::span<const Expr> expressions, std::span<const double> points,
                          std::span<double> out) const {
  const std::size_t D = problem_->coordinates().size(), K = expressions.size();
  const std::size_t n = D == 0 ? 0 : points.size() / D;
  std::vector<Expr> lowered;
  for (const Expr& e : expressions) lowered.push_back(lower_(e));
  const std::vector<Expr> atoms = field_atoms(lowered);
  std::vector<double> values(n * atoms.size());
  if (n > 0 && !atoms.empty()) derivatives(atoms, points, values);
  const bool fields_alone =
      atoms.size() == K && std::equal(atoms.begin(), atoms.end(), lowered.begin(),
                                      [](const Expr& a, const Expr& b) { return same(a, b); });
  if (fields_alone) {
    std::copy(values.begin(), values.end(), out.begin());
    return;
  }
  Points at;
  at.columns = problem_->coordinates();
  at.values.assign(points.begin(), points.end());
  const NodeProgram program(*problem_, lowered, atoms, std::move(at));
  std::vector<std::vector<double>> rows(atoms.size(), std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < atoms.size(); ++k) rows[k][i] = values[i * atoms.size() + k];
  }
  std::vector<std::vector<double>> results(K, std::vector<double>(n));
  program.run(rows, results);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < K; ++k) out[i * K + k] = results[k][i];
  }
}

}  // namespace cauchy::detail
