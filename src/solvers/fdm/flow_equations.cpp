#include "solvers/fdm/flow_equations.hpp"

#include <algorithm>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {

FlowExpression::FlowExpression(const Problem& problem, const FlowGrid& grid, const Expr& e,
                               std::size_t kind, bool slopes) {
  const std::vector<Expr> atoms = field_atoms({&e, 1});
  std::vector<Expr> outputs = {e};
  for (const Expr& atom : atoms) {
    atoms_.push_back(grid.derivative(atom, kind));
    if (slopes) outputs.push_back(partial(e, atom));
  }
  rows_.assign(atoms.size(), std::vector<double>(grid.size(kind)));
  out_.assign(outputs.size(), std::vector<double>(grid.size(kind)));
  program_ = std::make_unique<NodeProgram>(problem, std::move(outputs), atoms, grid.points(kind));
}

void FlowExpression::evaluate(std::span<const double> x, std::span<const double> walls,
                              std::optional<double> time, std::span<double> out) {
  for (std::size_t k = 0; k < atoms_.size(); ++k) atoms_[k].apply(x, walls, rows_[k]);
  program_->run(rows_, out_, time);
  std::copy(out_[0].begin(), out_[0].end(), out.begin());
}

void FlowExpression::add_jacobian(std::size_t first_row,
                                  std::vector<SparseMatrix::Entry>& entries) const {
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    const SparseMatrix& s = atoms_[a].of_unknowns;
    for (std::size_t i = 0; i < s.rows(); ++i) {
      for (auto k = s.begin()[i]; k < s.begin()[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        entries.push_back({first_row + i, static_cast<std::size_t>(s.columns()[at]),
                           out_[a + 1][i] * s.values()[at]});
      }
    }
  }
}

}  // namespace cauchy::detail
