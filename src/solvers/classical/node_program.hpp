#pragma once

#include <optional>
#include <span>
#include <vector>

#include <cauchy/expr/program.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// Lowered expressions (problem/lowering.hpp) compiled once for fixed points: residuals of
/// equations at the nodes of a grid and their partial derivatives, fluxes, sources. Values of the
/// fields and their derivatives come with every call; coordinates, normals and tabulated functions
/// are known from the points. In a problem with time the points may stand for any time, see run().
///   error    the constructor throws Error for an atom that is not listed
///   cost     one pass of a vector program per run
class NodeProgram final {
 public:
  /// atoms    fields and derivatives of fields, and symbols that are none of the problem: one row
  /// of
  ///          values each
  /// points   columns are the coordinates of the problem, or those without time: then every run
  ///          must give the time
  NodeProgram(const Problem& problem, std::vector<Expr> outputs, std::vector<Expr> atoms,
              Points points);

  [[nodiscard]] std::size_t n_points() const noexcept { return n_; }
  [[nodiscard]] std::size_t n_outputs() const noexcept { return program_.spec().outputs.size(); }

  /// rows[k] has the values of atom k at all points (null where no output holds it), out[j] gets
  /// those of output j. Not thread-safe: one object per thread.
  void run(std::span<const double* const> rows, std::span<double* const> out,
           std::optional<double> time = {}) const;
  void run(const std::vector<std::vector<double>>& rows, std::vector<std::vector<double>>& out,
           std::optional<double> time = {}) const;

 private:
  static ProgramSpec spec_of(const Problem& problem, std::vector<Expr> outputs,
                             std::span<const Expr> atoms, std::span<const Expr> data,
                             bool timeless);
  void set_time(double time) const;

  const Problem* problem_;
  std::size_t n_, n_atoms_;
  bool timeless_;  // the points have no time
  std::vector<Expr> data_;
  Program<double> program_;
  std::vector<std::vector<double>> coordinates_;  // rows of the program that do not change
  // What depends on the time of the last run.
  mutable Points points_;  // with a column of time
  mutable std::optional<double> time_;
  mutable std::vector<std::vector<double>> data_rows_;
  mutable std::vector<double> workspace_;
};

}  // namespace cauchy::detail
