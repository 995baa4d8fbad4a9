#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/vector.hpp>

namespace cauchy {

/// One equation against a test function v, for all v:
///   int [ source v + sum_i flux[i] v_{x_i} ] dx - int_boundary (flux . n) v ds = 0
/// Fluxes and source hold fields, their first derivatives by space, and their derivatives by time.
struct WeakRow {
  std::string test;   ///< name of the test function
  std::string field;  ///< whose variations it stands for: it vanishes where this field is given
  Expr source;
  std::vector<Expr> flux;    ///< one per coordinate of space
  std::size_t equation = 0;  ///< that it comes from; beyond the equations: of an auxiliary field
};

/// A field that was added to lower the order: lap_u = laplacian(u) of a plate, u_xx of a beam.
struct AuxiliaryField {
  std::string name, of;
  Expr meaning;  ///< of the fields of the equations
};

/// Equations in weak form, one row per field, in the order of the fields.
///   by parts   divergences of fluxes that hold derivatives, as they were written; in plain terms
///              c*u_xx with the product rule for c, and c*u_xy half along x and half along y;
///              gradients of fields that have no equation of their own (the pressure of a flow)
///   rows       each is a multiple by +1 or -1 of its equation: diffusion is positive where its
///              sign is known, constraints are such that the form is symmetric if it can be
struct WeakForm {
  Space space;
  std::optional<Expr> time;
  std::vector<std::string> fields;  ///< those of the equations, then auxiliary ones
  std::vector<AuxiliaryField> auxiliary;
  std::vector<WeakRow> rows;
  std::vector<bool> multiplier;  ///< per field: no equation of its own, as pressure
  /// A term c*u_xy of a row: its share `share` is taken as d(c*u_y, x), the rest as d(c*u_x, y).
  struct MixedTerm {
    std::size_t equation;
    Expr atom, share;
  };
  std::vector<MixedTerm> mixed;

  [[nodiscard]] std::size_t row_of(const std::string& field) const;
};

struct WeakOptions {
  /// Numbers of coordinates and parameters at which the signs of coefficients are looked at.
  Values at = {};
  /// Divergences of fluxes without derivatives, div(b*u), are integrated by parts as well.
  bool convective = false;
  /// Shares of the mixed terms, in their order; what is missing is 1/2.
  std::vector<Expr> shares = {};
};

/// The weak form of as many equations as fields.
///   error    throws Error (unsupported) where there is none, with the reason and a method that
///            fits: orders above two other than laplacian(laplacian(u)), second derivatives that
///            stand in no divergence (u_xx^2, u_x*u_xx)
[[nodiscard]] WeakForm weak_form(std::span<const Equation> equations,
                                 std::span<const std::string> fields, const Space& space,
                                 const std::optional<Expr>& time = {},
                                 const WeakOptions& options = {});

/// source v + sum_i flux[i] v_{x_i}, with the test function as a field.
[[nodiscard]] Expr integrand(const WeakForm& form, const WeakRow& row);
/// sum_i flux[i] n_{x_i}, with the symbols n_x, n_y, ... of the outward normal.
[[nodiscard]] Expr natural_flux(const WeakForm& form, const WeakRow& row);
/// An expression of the equations' fields in those of the form: second derivatives of a field with
/// an auxiliary one become that where they make up its meaning.
[[nodiscard]] Expr in_auxiliary(const WeakForm& form, const Expr& e);

/// If the flux can be found from conditions (residuals that vanish): the rest of it, without
/// derivatives by space. a*u_n with the condition a*u_n + h*(u - g) = 0 leaves -h*(u - g).
[[nodiscard]] std::optional<Expr> reduced_flux(const WeakForm& form, const Expr& flux,
                                               std::span<const Expr> residuals);

/// Gateaux derivative of a row by a field: of the integrand in the direction w of the field,
///   (u w + du_j w_j + rate w_t + acceleration w_tt) v + (flux_u[i] w + flux_du[i][j] w_j) v_i
struct WeakDerivative {
  Expr source_u;
  std::vector<Expr> source_du;
  Expr rate, acceleration;
  std::vector<Expr> flux_u;
  std::vector<std::vector<Expr>> flux_du;  ///< flux_du[i][j]: of flux i by u_{x_j}

  [[nodiscard]] bool is_zero() const;
};
[[nodiscard]] WeakDerivative gateaux(const WeakForm& form, const WeakRow& row,
                                     const std::string& field);

/// Linear in the fields (affine counts).
[[nodiscard]] bool is_linear(const WeakForm& form);
/// The derivative is a symmetric bilinear form of space: a(w, v) = a(v, w). For nonlinear forms
/// this is the condition for an energy. Time derivatives are left out.
[[nodiscard]] bool is_symmetric(const WeakForm& form);

/// W(x, u, grad u) with dW/du = source and dW/du_{x_i} = flux[i] for all rows: the steady form is
/// the derivative of int W dx. None: the form is not symmetric, holds derivatives by time, or W is
/// no formula of the known functions.
[[nodiscard]] std::optional<Expr> energy_density(const WeakForm& form);
/// B(x, u) with dB/du = b for boundary terms int b v ds of the rows, in the order of the fields;
/// none where there is no such B.
[[nodiscard]] std::optional<Expr> boundary_energy(const WeakForm& form, std::span<const Expr> b);

/// An antiderivative by an atom, for sums of c*f(p*a + q) with f a power, exp, sin, cos, sinh or
/// cosh, and of c*a*(p*a^2 + q)^r.
[[nodiscard]] std::optional<Expr> antiderivative(const Expr& e, const Expr& atom);

/// The volume integral of a row: "u_x*v_x + u_y*v_y - f*v", without the signs of integration.
[[nodiscard]] std::string to_string(const WeakForm& form, const WeakRow& row);
/// With gradients where flux = c*grad(w): "a \nabla u \cdot \nabla v - f v".
[[nodiscard]] std::string to_latex(const WeakForm& form, const WeakRow& row);

}  // namespace cauchy
