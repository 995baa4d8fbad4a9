#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// All nodes of one kind, sorted by compare(): fields (with their derivatives), coordinates, ...
[[nodiscard]] std::vector<Expr> atoms(std::span<const Expr> exprs, Kind kind);
/// The fields and field derivatives that occur; u itself only where it occurs.
[[nodiscard]] std::vector<Expr> field_atoms(std::span<const Expr> exprs);

/// Highest total order of a derivative of any field; 0 for algebraic expressions.
[[nodiscard]] int order(const Expr& e);
/// Highest order by one coordinate.
///   error    throws Error when it is not a coordinate
[[nodiscard]] int order(const Expr& e, const Expr& coordinate);

/// Whether the atom (or any node) occurs. A field counts as occurring when a derivative of it does.
[[nodiscard]] bool depends_on(const Expr& e, const Expr& atom);

/// Whether a function has jumps that its derivatives do not see: sign, floor, mod,
/// comparisons, and where() by its condition.
[[nodiscard]] bool has_jump(Kind kind) noexcept;

/// e = sum_k coefficient_k * atom_k + remainder, with coefficients free of fields.
struct LinearForm {
  bool linear = false;  ///< false: the rest is empty
  struct Entry {
    Expr atom, coefficient;
  };
  std::vector<Entry> terms;  ///< sorted by atom; coefficients not zero
  Expr remainder;            ///< free of fields
};
/// Exact: e is linear when its partial derivatives by all field atoms are free of fields, after
/// expand() and simplify() where needed, and none of the functions that has_jump() names looks at a
/// field.
[[nodiscard]] LinearForm linear_form(const Expr& e);
/// Linear in the fields and their derivatives (affine counts as linear).
[[nodiscard]] bool is_linear(const Expr& e);

/// Part of the residual with the derivatives of one field that have the highest total order.
///   order        of this field; derivatives whose coefficients cancel do not count; 0 when the
///                field does not occur
///   quasilinear  that part is linear in them; the coefficients may contain lower derivatives and
///                other fields
struct PrincipalPart {
  int order = 0;
  bool quasilinear = false;
  std::vector<LinearForm::Entry> terms;  ///< sorted by atom; empty when not quasilinear
};
///   error    throws Error when `field` is not a field without derivatives
[[nodiscard]] PrincipalPart principal_part(const Expr& e, const Expr& field);

enum class PdeType {
  elliptic,          ///< all eigenvalues of one sign
  parabolic,         ///< some eigenvalues are zero, the others have one sign
  hyperbolic,        ///< one eigenvalue has the opposite sign of all the others
  ultra_hyperbolic,  ///< at least two of each sign
  degenerate,        ///< zero and both signs, or no derivative of order two or one at this point
  first_order,       ///< one first-order equation: hyperbolic along its characteristics
  higher_order,      ///< order above two: no such classification
  undetermined,      ///< coefficients depend on the point and no point was given, or nonlinear
};
[[nodiscard]] std::string_view to_string(PdeType type) noexcept;

/// Type of a second-order operator from the eigenvalue signs of the symmetric coefficient matrix of
/// its second derivatives over `coordinates` (an eigenvalue below 1e-12 times the largest is zero):
///   sum_ij A_ij u_ij + ...   with half of the coefficient of u_ij, i != j, in A_ij and in A_ji
/// Values of coordinates, parameters and, for quasilinear equations, of the fields at a point come
/// from `values`; without the needed ones, or with a coefficient that is not finite there, the
/// answer is `undetermined`. A listed coordinate without second derivatives gives a zero eigenvalue
/// (time in the heat equation). In a system the other fields count as given.
///   error    throws Error when a second derivative is by a coordinate that is not listed, or when
///            `coordinates` has something else than distinct coordinates
[[nodiscard]] PdeType classify(const Expr& residual, const Expr& field,
                               std::span<const Expr> coordinates, const Values& values = {});

}  // namespace cauchy
