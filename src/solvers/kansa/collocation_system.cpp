#include "solvers/kansa/collocation_system.hpp"

#include <algorithm>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {

CollocationSystem::CollocationSystem(const Problem& problem, std::vector<CollocationTerm> terms,
                                     UnitFrame frame)
    : terms_(std::move(terms)), n_fields_(problem.fields.size()) {
  const std::vector<std::string> names = problem.coordinates();
  for (const CollocationTerm& term : terms_) {
    first_.push_back(n_rows_);
    n_rows_ += term.n_rows();
    linear_ = linear_ && is_linear(term.residual);
    Part part;
    part.atoms = field_atoms(std::span(&term.residual, 1));
    std::vector<Expr> outputs{term.residual};
    for (const Expr& atom : part.atoms) {
      const auto field = std::find(problem.fields.begin(), problem.fields.end(), atom.name());
      part.field.push_back(static_cast<std::size_t>(field - problem.fields.begin()));
      part.orders.push_back(orders_of(atom, names));
      part.factor.push_back(frame.factor(part.orders.back()));
      outputs.push_back(partial(term.residual, atom));
    }
    part.points = frame.scaled(term.points.values);
    part.at.assign(outputs.size(), std::vector<double>(term.points.size()));
    part.residual = std::make_unique<NodeProgram>(problem, std::vector<Expr>{term.residual},
                                                  part.atoms, term.points);
    part.slopes = std::make_unique<NodeProgram>(problem, outputs, part.atoms, term.points);
    parts_.push_back(std::move(part));
  }
}

void CollocationSystem::run(bool with_slopes, const RbfBasis& basis,
                            std::span<const double> coefficients, std::span<double> out) {
  const bool zero =
      std::all_of(coefficients.begin(), coefficients.end(), [](double c) { return c == 0; });
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const CollocationTerm& term = terms_[t];
    Part& part = parts_[t];
    const std::size_t n = term.points.size(), K = part.atoms.size();
    std::vector<std::vector<double>> rows(K, std::vector<double>(n, 0.0));
    if (!zero) {
      Matrix values(n, K);
      std::vector<std::span<const double>> of_atom;
      for (const std::size_t f : part.field) {
        of_atom.push_back(coefficients.subspan(f * basis.size(), basis.size()));
      }
      basis.derivatives_of_sums(of_atom, part.points, part.orders, values.view());
      for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t i = 0; i < n; ++i) rows[k][i] = part.factor[k] * values(i, k);
      }
    }
    std::vector<std::vector<double>> alone;
    if (!with_slopes) alone.assign(1, std::vector<double>(n));
    with_slopes ? part.slopes->run(rows, part.at) : part.residual->run(rows, alone);
    const std::vector<double>& r = with_slopes ? part.at[0] : alone[0];
    double* to = out.data() + first_[t];
    for (std::size_t i = 0; i < n; ++i) {
      if (term.row.empty()) {
        to[i] = r[i];
      } else {
        to[term.row[i]] += term.weight[i] * r[i];
      }
    }
    for (std::size_t j = 0; j < term.target.size(); ++j) to[j] -= term.target[j];
  }
}

void CollocationSystem::residual(const RbfBasis& basis, std::span<const double> coefficients,
                                 std::span<double> out) {
  run(false, basis, coefficients, out);
}

void CollocationSystem::linearize(const RbfBasis& basis, std::span<const double> coefficients,
                                  std::span<double> out) {
  run(true, basis, coefficients, out);
}

void CollocationSystem::jacobian(const RbfBasis& trial, MatrixView<double> out) const {
  constexpr std::size_t block = 16;  // points together, so that their functions stay in the cache
  const std::size_t N = trial.size(), d = trial.dimension();
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t k = 0; k < n_fields_ * N; ++k) out(i, k) = 0;
  }
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const CollocationTerm& term = terms_[t];
    const Part& part = parts_[t];
    const std::size_t n = term.points.size(), K = part.atoms.size();
    std::vector<Matrix> functions(K, Matrix(block, N));
    for (std::size_t first = 0; first < n; first += block) {
      const std::size_t m = std::min(block, n - first);
      std::vector<MatrixView<double>> views;
      for (Matrix& f : functions) views.emplace_back(f.data(), m, N);
      trial.derivatives(std::span(part.points).subspan(first * d, m * d), part.orders, views);
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t p = first + i;
        const std::size_t row = first_[t] + (term.row.empty() ? p : term.row[p]);
        const double weight = term.row.empty() ? 1 : term.weight[p];
        for (std::size_t k = 0; k < K; ++k) {
          const double slope = weight * part.factor[k] * part.at[k + 1][p];
          if (slope == 0) continue;
          double* to = &out(row, part.field[k] * N);
          const double* from = &functions[k](i, 0);
          for (std::size_t c = 0; c < N; ++c) to[c] += slope * from[c];
        }
      }
    }
  }
}

}  // namespace cauchy::detail
