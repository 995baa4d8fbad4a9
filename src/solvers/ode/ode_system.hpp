#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/math/matrix.hpp>
#include <cauchy/problem/problem.hpp>

#include "expr/scalar_program.hpp"
#include "problem/grid_table.hpp"
#include "solvers/classical/semi_discrete.hpp"

namespace cauchy::detail {

/// Values of expressions of one problem in one variable s at single points: coordinates and
/// tabulated functions are known from s, atoms (fields, derivatives) are given.
class OdeProgram final {
 public:
  OdeProgram(const Problem& problem, std::string variable, std::vector<Expr> outputs,
             std::span<const Expr> atoms);
  [[nodiscard]] std::size_t n_outputs() const noexcept { return program_.n_outputs(); }
  /// atoms as many as given to the constructor.
  void run(double s, std::span<const double> atoms, std::span<double> out) const;

 private:
  struct Call {
    std::shared_ptr<const FunctionValues> function;
    std::vector<int> orders;
    ScalarProgram arguments;
  };
  std::vector<Expr> data_;
  std::vector<Call> calls_;
  ScalarProgram program_;
  mutable std::vector<double> inputs_, at_;
};

/// Equations in one variable s as a first-order system F(s, y, y') = 0. The state holds every field
/// with its derivatives below the highest; fields without derivatives are algebraic.
///   explicit   when the equations are linear in the highest derivatives and none is algebraic:
///              y' = slope(s, y)
///   error      the constructor throws Error (unsupported) with the reason
class OdeSystem final : public SemiDiscrete {
 public:
  struct Chain {
    std::string field;
    std::size_t first = 0;  ///< component of the field itself
    int order = 0;          ///< highest derivative; 0: algebraic
  };

  /// equations  lowered residuals (problem/lowering.hpp), one per field
  OdeSystem(std::shared_ptr<const Problem> problem, std::string variable,
            std::vector<std::string> fields, std::vector<Expr> equations);

  [[nodiscard]] const std::string& variable() const noexcept { return variable_; }
  [[nodiscard]] const Problem& problem() const noexcept { return *problem_; }
  [[nodiscard]] const std::vector<Chain>& chains() const noexcept { return chains_; }
  /// The atom that a component stands for: u, u_t, ...
  [[nodiscard]] const std::vector<Expr>& states() const noexcept { return states_; }
  [[nodiscard]] std::size_t n_differential() const noexcept;
  [[nodiscard]] bool is_explicit() const noexcept { return slope_ != nullptr; }

  /// The component whose row of F an equation is.
  [[nodiscard]] std::size_t row_of(std::size_t equation) const;

  /// From now on the variable is taken from inside (lower, upper), where equations with jumps at
  /// the ends are smooth.
  void stay_between(double lower, double upper) noexcept;

  /// Needs is_explicit().
  void slope(double s, std::span<const double> y, std::span<double> dy) const;
  void slope_jacobian(double s, std::span<const double> y, Matrix& out) const;
  /// dF/dy and dF/dy', both size() x size().
  void partials(double s, std::span<const double> y, std::span<const double> dy, Matrix& by_state,
                Matrix& by_slope) const;

  [[nodiscard]] std::size_t size() const override { return states_.size(); }
  /// One per component: not 0 where y' of it occurs.
  [[nodiscard]] const std::vector<char>& differential() const override { return differential_; }
  void residual(double s, std::span<const double> y, std::span<const double> dy,
                std::span<double> out) override;
  void jacobian(double s, std::span<const double> y, std::span<const double> dy, double a,
                SparseMatrix& out) override;

 private:
  struct Partial {
    std::size_t row;  // equation
    std::size_t atom;
  };
  [[nodiscard]] double inside(double s) const noexcept;
  void fill_atoms(std::span<const double> y, std::span<const double> dy) const;
  /// Of every field, or itself where it has none.
  [[nodiscard]] std::vector<Expr> highest_derivatives() const;
  [[nodiscard]] std::vector<std::size_t> matched(const std::vector<Expr>& equations) const;
  void make_slope(const std::vector<Expr>& equations);

  std::shared_ptr<const Problem> problem_;
  std::string variable_;
  std::vector<Chain> chains_;
  std::vector<Expr> states_, atoms_;
  std::vector<char> differential_;
  // Of every atom: its component, in y or, for a highest derivative, in y'.
  std::vector<std::size_t> component_;
  std::vector<char> highest_;
  std::vector<std::size_t> field_of_;  // equation -> field
  std::vector<Partial> entries_;
  std::unique_ptr<OdeProgram> residual_, partial_, slope_;
  double inside_lower_, inside_upper_;
  bool solved_ = false;  // slope_ gives the highest derivatives, else a linear system for them
  mutable std::vector<double> values_, out_, partial_values_, none_;
};

}  // namespace cauchy::detail
