#pragma once

#include <optional>
#include <span>
#include <vector>

#include <cauchy/expr/program.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Rows of numbers at the points of a batch of cells or facets.
struct FemBatch {
  std::size_t n = 0;                             ///< points
  std::vector<std::vector<double>> coordinates;  ///< of space
  std::vector<std::vector<double>> normals;      ///< on facets; else empty
  std::vector<std::vector<double>> atoms;        ///< those of the program, in its order
  std::vector<std::vector<double>> out;          ///< outputs of the program
};

/// Lowered expressions compiled once and run over batches of points. Thread-safe: a thread brings
/// its batch and workspace.
class FemProgram final {
 public:
  FemProgram(const Problem& problem, std::vector<Expr> outputs);

  /// Fields and derivatives of fields that the outputs hold: one row of FemBatch::atoms each.
  [[nodiscard]] const std::vector<Expr>& atoms() const noexcept { return atoms_; }
  [[nodiscard]] std::size_t n_outputs() const noexcept { return program_.spec().outputs.size(); }
  void run(FemBatch& batch, double time, std::vector<double>& workspace) const;

 private:
  static ProgramSpec spec_of(const Problem& problem, std::vector<Expr> outputs,
                             std::span<const Expr> atoms, std::span<const Expr> data);
  const Problem* problem_;
  std::vector<Expr> atoms_, data_;
  Program<double> program_;
};

}  // namespace cauchy::detail
