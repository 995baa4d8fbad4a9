#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/math/sparse.hpp>
#include <cauchy/solvers/fdm.hpp>

#include "solvers/classical/node_program.hpp"
#include "solvers/fdm/fdm_form.hpp"
#include "solvers/fdm/fdm_stencil.hpp"

namespace cauchy::detail {

/// The state that rows look at: fields at nodes, node by node, and their derivatives in time.
struct FdmState {
  std::optional<double> time;
  std::span<const double> y, dy;
};

/// The slope of a flux by the derivative of a field along its axis, at the points.
struct FdmDiffusion {
  std::size_t symbol = 0, field = 0, axis = 0;
  std::vector<double> slope;
};

/// An expression of fields and their derivatives at fixed points, where the derivatives are
/// weighted sums of values at nodes: values, and partial derivatives by the values.
class FdmTerm final {
 public:
  ///   more     symbols in the expression whose values are given to update()
  FdmTerm(const Problem& problem, const FdmForm& form, const Expr& value, Points points,
          std::vector<Expr> more = {});

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] const std::vector<Expr>& atoms() const noexcept { return atoms_; }
  [[nodiscard]] std::size_t field_of(std::size_t atom) const { return field_[atom]; }
  /// Whether a derivative in time occurs.
  [[nodiscard]] bool differential() const noexcept { return differential_; }
  void set_stencils(std::size_t atom, StencilSet set) { stencils_[atom] = std::move(set); }
  /// Stencils against the flow from below and from above, of a first derivative.
  ///   sides    1 (from below) or 2 (from above) where these are taken, else 0
  void set_upwind(std::size_t atom, StencilSet backward, StencilSet forward);
  /// Of an atom, per axis.
  [[nodiscard]] const std::vector<int>& orders_of(std::size_t atom) const { return orders_[atom]; }
  [[nodiscard]] bool has_upwind() const noexcept { return !upwind_.empty(); }

  /// Values of all atoms in a state; `more` has one row per symbol.
  void update(const FdmState& state, std::vector<std::vector<double>> more = {});
  [[nodiscard]] const std::vector<double>& values(const FdmState& state);
  /// d value / d atom (symbols last), of the state of the last update().
  [[nodiscard]] const std::vector<std::vector<double>>& partials(const FdmState& state);
  /// Chooses differences against the flow; to be followed by update(). Whether one has changed.
  ///   spacings    of the axes
  ///   orientation +1 or -1: direction of the flow where neither time nor diffusion tells it
  ///   faces       diffusion in the fluxes whose differences are the symbols
  ///   more        values of the symbols, as for update()
  bool choose_upwind(const FdmState& state, const std::vector<double>& spacings, Upwind kind,
                     double orientation, const std::vector<FdmDiffusion>& faces = {},
                     std::vector<std::vector<double>> more = {});
  /// Share of the points with differences against the flow.
  [[nodiscard]] double upwind_share() const;

  /// Calls f(point, column, weight, in_time) for every node of the atom's stencils that may be
  /// used, in a fixed order; weight is 0 for those that are not used now.
  template <class F>
  void for_weights(std::size_t atom, const F& f) const {
    const auto visit = [&](const StencilSet& set, int side) {
      const std::vector<char>* chosen = side_of(atom);
      for (std::size_t i = 0; i < n_; ++i) {
        const bool now = chosen == nullptr || (*chosen)[i] == side;
        for (std::size_t e = set.begin[i]; e < set.begin[i + 1]; ++e) {
          f(i, static_cast<std::size_t>(set.node[e]) * n_fields_ + field_[atom],
            now ? set.weight[e] : 0.0, in_time_[atom] != 0);
        }
      }
    };
    visit(stencils_[atom], 0);
    for (const Lean& u : upwind_) {
      if (u.atom != atom) continue;
      visit(u.backward, 1);
      visit(u.forward, 2);
    }
  }

 private:
  struct Lean {
    std::size_t atom;
    std::size_t axis;
    StencilSet backward, forward;
    std::vector<char> side;
  };
  [[nodiscard]] const std::vector<char>* side_of(std::size_t atom) const;

  std::size_t n_, n_fields_;
  std::vector<Expr> atoms_;
  std::vector<std::size_t> field_;
  std::vector<char> in_time_;
  std::vector<std::vector<int>> orders_;  // in space
  bool differential_ = false;
  std::vector<StencilSet> stencils_;
  std::vector<Lean> upwind_;
  NodeProgram value_, partial_;
  std::vector<std::vector<double>> rows_, partials_, values_;
};

/// Differences of fluxes at the faces beside nodes: d(flux, x) ~ (flux(+h/2) - flux(-h/2)) / h.
struct FdmFaces {
  FdmTerm flux;  ///< faces below all nodes, then those above
  double h = 1;
  std::size_t axis = 0;
  std::vector<std::vector<double>> more = {};  ///< mean coefficients along the edges
};

/// Rows of the system: a residual at points, with a row of the system for each.
class FdmRows final {
 public:
  FdmRows(FdmTerm term, std::vector<std::size_t> rows)
      : term_(std::move(term)), rows_(std::move(rows)) {}
  FdmTerm& term() noexcept { return term_; }
  [[nodiscard]] const FdmTerm& term() const noexcept { return term_; }
  [[nodiscard]] const std::vector<std::size_t>& rows() const noexcept { return rows_; }
  /// Weights of an integral: all rows are one, and a number is subtracted.
  void set_integral(std::vector<double> weights, double value) {
    weights_ = std::move(weights);
    value_ = value;
  }
  void add_faces(FdmFaces faces) { faces_.push_back(std::move(faces)); }
  void set_upwind(std::vector<double> spacings, Upwind kind, double orientation) {
    spacings_ = std::move(spacings);
    kind_ = kind;
    orientation_ = orientation;
  }

  /// Chooses differences against the flow once, for all that follows; whether one has changed.
  bool freeze(const FdmState& state);
  void residual(const FdmState& state, std::span<double> out);
  void pattern(std::vector<SparseMatrix::Entry>& entries) const;
  void locate(const SparseMatrix& matrix);
  /// Adds d/dy + a d/dy'.
  void jacobian(const FdmState& state, double a, std::span<double> values);

 private:
  void update(const FdmState& state);
  /// The differences of the fluxes.
  [[nodiscard]] std::vector<std::vector<double>> differences(const FdmState& state);
  bool choose(const FdmState& state, const std::vector<std::vector<double>>& differences);
  template <class F>
  void for_entries(const F& f) const;

  FdmTerm term_;
  std::vector<std::size_t> rows_;
  std::vector<double> weights_;
  double value_ = 0;
  std::vector<FdmFaces> faces_;
  std::vector<double> spacings_;
  Upwind kind_ = Upwind::never;
  double orientation_ = 1;
  bool frozen_ = false;
  std::vector<std::size_t> places_;  // of the entries in the matrix
};

}  // namespace cauchy::detail
