#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solvers/spectral/chebyshev_basis.hpp"
#include "solvers/spectral/chebyshev_box.hpp"
#include "solvers/spectral/chebyshev_least_squares.hpp"

namespace cauchy::detail {

/// Polynomials on a slab of time (or without time) and pieces of the first axis of space.
struct ChebyshevGrid {
  std::vector<double> breaks;  ///< ends of the pieces
  std::vector<std::size_t> n;  ///< coefficients by axis: time (1 without), then space
  double from = 0, to = 1;     ///< the slab

  [[nodiscard]] std::size_t pieces() const noexcept { return breaks.size() - 1; }
  [[nodiscard]] std::size_t block() const noexcept;  ///< coefficients of a field on a piece
};

/// A grid with coefficients: pieces x fields x n.
struct ChebyshevAnswer {
  ChebyshevGrid grid;
  std::vector<double> c;
};

/// A derivative of a field at all combinations of coordinates, by axis (time first; ascending along
/// the first axis of space). Without time its list has one number, which does not matter.
[[nodiscard]] std::vector<double> chebyshev_values(const ChebyshevBox& box,
                                                   const ChebyshevAnswer& answer, std::size_t field,
                                                   std::span<const int> orders,
                                                   const std::vector<std::vector<double>>& at);

/// The same function on another grid, by interpolation at its Lobatto points; as it is at `time`,
/// where that is given.
[[nodiscard]] std::vector<double> chebyshev_on(const ChebyshevBox& box,
                                               const ChebyshevAnswer& answer,
                                               const ChebyshevGrid& grid,
                                               std::optional<double> time = {});

/// Equations and conditions collocated on a grid: rows of unit length, so that all of them count
/// alike.
class ChebyshevSystem final {
 public:
  /// before   the slab before this one; null: there is none, and initial conditions hold
  /// last     whether conditions at the end of the slab belong to it
  ChebyshevSystem(const ChebyshevBox& box, std::span<const ChebyshevTerm> equations,
                  ChebyshevGrid grid, const ChebyshevAnswer* before, bool last);
  ~ChebyshevSystem();

  [[nodiscard]] const ChebyshevGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::size_t unknowns() const noexcept;
  /// The first value of such a field is 0: rows that fix its constant.
  void pin(std::size_t field) { pins_.push_back(field); }
  /// The linearised rows at these coefficients: J dc = -residual.
  [[nodiscard]] const ChebyshevRows& assemble(std::span<const double> c);
  /// Norm of all residuals, in the units of the last assemble().
  [[nodiscard]] double norm(std::span<const double> c);

 private:
  struct Group;  // the rows of a term on a place and a piece
  /// A derivative of a field at a point, times a factor: a part of a linear row.
  struct Functional {
    std::size_t piece, field;
    std::vector<int> orders;
    std::vector<double> at;
    double factor;
  };
  void add_groups(const ChebyshevTerm& term, bool last);
  [[nodiscard]] std::vector<std::vector<double>> run(const Group& group,
                                                     std::span<const double> c) const;
  void fill(double* row, const Group& group, const std::vector<std::vector<double>>& values,
            std::size_t time, std::size_t point, double factor) const;
  void add_linear(std::span<const Functional> parts, double target, std::span<const double> c);
  void add_matching(std::span<const double> c);
  void add_periods(std::span<const double> c);
  void add_before(std::span<const double> c);
  void add_pins(std::span<const double> c);
  [[nodiscard]] std::pair<double, double> interval(std::size_t axis, std::size_t piece) const;
  [[nodiscard]] std::vector<double> points(std::size_t axis, std::size_t piece) const;

  const ChebyshevBox& box_;
  ChebyshevGrid grid_;
  const ChebyshevAnswer* before_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::size_t> pins_;
  // Of the last assemble().
  ChebyshevRows rows_;
  std::vector<double> units_;    // of the residuals of the groups; 0: the row was dropped
  std::vector<double> targets_;  // of the linear rows, which stand behind them
};

}  // namespace cauchy::detail
