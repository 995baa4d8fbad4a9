#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/solvers/fdm.hpp>

#include "solvers/classical/semi_discrete.hpp"

namespace cauchy::detail {

/// A problem after discretisation of space by finite differences, F(t, y, y') = 0: equations at the
/// nodes of a grid, conditions at its boundary. y holds the fields at all nodes and at points
/// beyond the boundary; of a problem with second derivatives in time also the velocities u_t, so
/// that only first derivatives are left. A problem without time has F(0, y, 0) = 0.
///   error    the constructor throws Error (unsupported) for what differences cannot treat, with
///            the reason and a method that fits
class FdmSystem final : public SemiDiscrete {
 public:
  ///   n        cells along the longest side
  FdmSystem(std::shared_ptr<const Problem> problem, const Fdm& method, int n);
  ~FdmSystem() override;

  [[nodiscard]] std::size_t size() const override;
  [[nodiscard]] const std::vector<char>& differential() const override;
  [[nodiscard]] bool constant_mass() const override;
  bool begin_step(double t, std::span<const double> y, std::span<const double> dy) override;
  void residual(double t, std::span<const double> y, std::span<const double> dy,
                std::span<double> out) override;
  void jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                SparseMatrix& out) override;

  /// The state that the conditions at the first time give, velocities too; 0 where they give
  /// nothing. Values at and beyond the boundary need not fulfil the algebraic rows yet.
  ///   error    throws Error when a field with a time derivative has no initial condition
  [[nodiscard]] std::vector<double> initial() const;
  /// The fields of states at ascending times; one state and no times for a steady problem.
  [[nodiscard]] std::shared_ptr<const FieldModel> model(
      const std::vector<double>& times, const std::vector<std::vector<double>>& states) const;

  /// What had to be added to equations so that conditions at points and on integrals hold: 0, up to
  /// the error of the differences, where all of them agree.
  [[nodiscard]] std::vector<double> slacks(std::span<const double> y) const;
  /// Number of the field (velocities behind the others) that each unknown is a value of; slacks
  /// count as one more.
  [[nodiscard]] std::vector<int> fields() const;
  /// All equations and conditions are linear in the fields.
  [[nodiscard]] bool linear() const noexcept;
  /// The smallest distance of two nodes along a grid line.
  [[nodiscard]] double spacing() const noexcept;
  /// Nodes by direction, for people: "64 x 32".
  [[nodiscard]] std::string shape() const;
  /// Unknowns along each axis where they form a full grid, one field at the nodes of a box and
  /// nothing else (the last axis runs fastest); else empty. And which axes are periodic.
  struct Tensor {
    std::vector<std::size_t> shape;
    std::vector<bool> periodic;
  };
  [[nodiscard]] Tensor tensor() const;
  /// What people should know: "upwind differences at 12 % of the nodes, since ...".
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy::detail
