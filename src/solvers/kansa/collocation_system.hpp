#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/math/matrix.hpp>
#include <cauchy/math/rbf.hpp>

#include "solvers/classical/node_program.hpp"
#include "solvers/kansa/collocation.hpp"

namespace cauchy::detail {

/// The rows of a collocation as functions of the coefficients of a basis, the same for every field:
/// residuals, and their derivatives by the coefficients. Coefficients and columns are ordered by
/// field.
class CollocationSystem final {
 public:
  /// The problem must outlive it.
  CollocationSystem(const Problem& problem, std::vector<CollocationTerm> terms, UnitFrame frame);

  [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }
  [[nodiscard]] const std::vector<CollocationTerm>& terms() const noexcept { return terms_; }
  /// First row of a term.
  [[nodiscard]] std::size_t first_row(std::size_t term) const { return first_[term]; }
  /// Points of a term in the unit frame.
  [[nodiscard]] const std::vector<double>& points(std::size_t term) const {
    return parts_[term].points;
  }
  /// Whether every row is linear in the coefficients.
  [[nodiscard]] bool linear() const noexcept { return linear_; }

  /// Residuals of all rows for these coefficients.
  void residual(const RbfBasis& basis, std::span<const double> coefficients, std::span<double> out);
  /// The same, and keeps what jacobian() needs.
  void linearize(const RbfBasis& basis, std::span<const double> coefficients,
                 std::span<double> out);
  /// Derivatives of the rows by the coefficients of any basis, at the fields of the last
  /// linearize(): n_rows() x fields * trial.size().
  void jacobian(const RbfBasis& trial, MatrixView<double> out) const;

 private:
  struct Part {
    std::vector<Expr> atoms;
    std::vector<std::size_t> field;         // of each atom
    std::vector<std::vector<int>> orders;   // of each atom
    std::vector<double> factor;             // from the unit frame to the coordinates
    std::vector<double> points;             // in the unit frame
    std::unique_ptr<NodeProgram> residual;  // the residual alone
    std::unique_ptr<NodeProgram> slopes;    // the residual and its derivatives by the atoms
    std::vector<std::vector<double>> at;    // results of slopes
  };
  void run(bool with_slopes, const RbfBasis& basis, std::span<const double> coefficients,
           std::span<double> out);

  std::vector<CollocationTerm> terms_;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;
  std::size_t n_rows_ = 0, n_fields_;
  bool linear_ = true;
};

}  // namespace cauchy::detail
