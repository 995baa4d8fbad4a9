#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/sampling/points.hpp>

#include "problem/weak_coercivity.hpp"

namespace cauchy::detail {

/// A linear equation of one field in space, as the theories of bounds see it:
///   acceleration u_tt + rate u_t - div(A grad u) + b . grad u + c u = f
/// The error e of an answer fulfils it with f = strong(answer), and has the defects of the
/// conditions as its data.
struct BoundForm {
  std::shared_ptr<const Problem> problem;
  std::string field;
  Domain domain;
  ShapePtr shape;
  Bounds box;           ///< around the shape
  bool is_box = false;  ///< the shape fills it
  double measure = 0;   ///< of the shape; of the box where it has no closed form
  WeakForm weak;
  WeakDerivative by_field;  ///< A, b, c of the weak form
  CoercivityTerms terms;
  Expr strong;             ///< source - div(flux) of the row, without jumps of the flux
  std::vector<Expr> flux;  ///< of the row
  /// Surfaces x_axis = at inside the box where a coefficient of the flux jumps.
  struct Plane {
    std::size_t axis;
    double at;
  };
  std::vector<Plane> planes;
  bool other_jumps = false;  ///< on surfaces of another kind, or at times

  /// u = value on a part of the boundary; the condition says where, for each piece of the shape.
  struct Given {
    Condition condition;
    Expr value;
    std::vector<Expr> on_piece;
  };
  std::vector<Given> given;
  std::optional<Expr> start, start_rate;  ///< values of u and u_t at the first time
  std::vector<std::string> periodic;      ///< coordinates
  bool all_given = false;                 ///< values on all of the boundary

  [[nodiscard]] std::size_t dimension() const noexcept { return box.lower.size(); }
  [[nodiscard]] bool steady() const noexcept { return domain.time() == nullptr; }
  [[nodiscard]] bool all_periodic() const noexcept { return periodic.size() == dimension(); }
  [[nodiscard]] double side(std::size_t axis) const { return box.upper[axis] - box.lower[axis]; }

  /// None for other problems, and for those with conditions of other kinds.
  [[nodiscard]] static std::optional<BoundForm> of(const Solution& solution);
};

/// The condition that gives the field at points of the boundary, counted in BoundForm::given; -1
/// where there is none.
[[nodiscard]] std::vector<int> given_at(const BoundForm& form, const Points& points);

/// Largest answer - value at points of the boundary where values are given, and the same at the
/// first time inside.
struct ConditionDefects {
  double boundary = 0, start = 0;
};
[[nodiscard]] ConditionDefects condition_defects(const BoundForm& form, const Solution& solution,
                                                 std::size_t n_points);

/// Whether transport enters the domain only where values are given; b . grad u is the part of the
/// form with first derivatives, of the sign that rate u_t has with a positive rate. The largest
/// defect there, and |b . n|.
struct Inflow {
  bool given = true;
  double defect = 0, speed = 0;
  double measure = 0;  ///< of the part of the boundary where it enters
};
[[nodiscard]] Inflow inflow_of(const BoundForm& form, const Solution& solution, double sign,
                               std::size_t n_points);
/// Largest difference of the field, and of its slopes times the side, between both ends of periodic
/// coordinates; infinite where a coefficient differs.
[[nodiscard]] double periodic_defect(const BoundForm& form, const Solution& solution,
                                     std::size_t n_points);

/// Smallest and largest values of expressions without fields at points; NaN where one is.
struct ValueRange {
  double least, most;
};
[[nodiscard]] std::vector<ValueRange> ranges_of(const BoundForm& form,
                                                std::span<const Expr> expressions,
                                                const Points& points);

/// What the coefficients are at points: diffusion from below, per axis (by Gershgorin's circles,
/// else the least eigenvalue for all), reaction c - div(b)/2 from below, and what makes a(u, v) <=
/// above |grad u| |grad v| for functions that vanish on the boundary.
struct FormConstants {
  std::vector<double> diffusion;
  double reaction = 0, above = 0;
  bool constant = false;  ///< A diagonal and c constant, b = 0: sines are eigenfunctions
};
[[nodiscard]] std::optional<FormConstants> form_constants(const BoundForm& form,
                                                          const Points& points);

}  // namespace cauchy::detail
