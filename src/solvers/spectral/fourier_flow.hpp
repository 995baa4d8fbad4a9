#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/problem/problem.hpp>

#include "solvers/classical/node_program.hpp"
#include "solvers/spectral/fourier_form.hpp"
#include "solvers/spectral/fourier_grid.hpp"
#include "solvers/spectral/fourier_system.hpp"

namespace cauchy::detail {

/// A form on a grid: what is linear mode by mode, what is not at the points.
class FourierFlow final {
 public:
  /// error    throws Error (unsupported) when a constraint is not linear with constant
  /// coefficients;
  ///          in steady problems, when it holds a field whose mean the linear part leaves open
  FourierFlow(const Problem& problem, const SpectralForm& form, FourierGrid grid, Threads& threads);

  [[nodiscard]] const FourierGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] const FourierSystem& system() const noexcept { return system_; }
  /// Transforms of one evaluation of the rest.
  [[nodiscard]] std::size_t n_transforms() const noexcept { return atoms_.size() + rows_.size(); }
  /// Neither products nor sources: the linear part is all.
  [[nodiscard]] bool is_linear() const noexcept { return rows_.empty() && !has_constants_; }

  /// Modes of the initial values.
  [[nodiscard]] Modes initial() const;
  /// out = B f(t, y): what is left of y' beside L y.
  void rest(double t, const Modes& y, Modes& out);
  /// Columns that do not evolve, at a time: R y + G f, and the means that are open.
  [[nodiscard]] Modes tied(double t, const Modes& y);
  /// The mean of rows that were left out, relative to the size of the row, and the name of the
  /// worst one. It should be 0.
  struct Imbalance {
    double size = 0;
    std::string row = {};
  };
  [[nodiscard]] Imbalance imbalance(double t, const Modes& y);

  // Steady problems: a = G f(a) is to be found.
  /// Whether f depends on a.
  [[nodiscard]] bool is_implicit() const noexcept { return !form_.time && !atoms_.empty(); }
  /// G f(a), and the means that are open.
  void map(const Modes& a, Modes& out);
  /// The derivative of map() at its last a in the direction v.
  void slope(const Modes& v, Modes& out);
  /// What tied() and imbalance() shall take for a in an implicit problem.
  void settle(Modes a) { tied_ = std::move(a); }

 private:
  void check_tied(const Expr& atom, std::size_t column);
  void sources(double t, const Modes& y);  // f_
  /// Derivatives at the points.
  void values_of(const Modes& y, const Modes& tied, std::vector<AlignedVector<double>>& out);
  void modes_of(const NodeProgram& program, const std::vector<const double*>& in, double t);
  void add_means(Modes& a) const;

  struct Atom {
    std::size_t column = 0;
    FourierGrid::Derivative derivative;
  };
  const Problem& problem_;
  const SpectralForm& form_;
  FourierGrid grid_;
  FourierSystem system_;
  Threads& threads_;
  bool has_constants_ = false;
  std::vector<Atom> atoms_;        // of the rest
  std::vector<std::size_t> rows_;  // with a rest
  bool reads_tied_ = false;        // the rest holds columns that do not evolve
  std::unique_ptr<NodeProgram> program_, slope_program_;
  std::vector<FourierGrid::Scratch> scratch_;    // one per worker
  std::vector<AlignedVector<double>> at_, out_;  // values of atoms and rows at the points
  std::vector<AlignedVector<double>> at_slope_;
  Modes f_, tied_;
};

}  // namespace cauchy::detail
