#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy::detail {

/// A map T of a box onto itself: coordinate k of T x is coordinate axis[k] of x, measured from the
/// other end where flipped[k].
struct GridSymmetry {
  std::vector<std::size_t> axis;
  std::vector<bool> flipped;
  [[nodiscard]] bool identity() const;
};

/// What carries every solution of a problem over into another one: with (a, u) the pair of
/// functions a(T x), u(T x) belongs to the operator too.
struct Symmetries {
  std::vector<GridSymmetry> maps;  ///< the identity first
  std::vector<bool> shifts;        ///< axes along which every shift is one too
  /// Of each map, for outputs that are no scalars (SampleSource::carried_outputs); empty: none is.
  std::vector<std::vector<std::int32_t>> outputs = {};
  /// More than the identity.
  [[nodiscard]] bool any() const;
  /// For people: "flips of x, flips of y, exchange of axes".
  [[nodiscard]] std::string describe(const FieldGrid& grid) const;
};

/// Found from the equations: fields and input functions are carried along as scalars; every
/// equation and condition at T x must be one of those at x up to its sign, as an identity in the
/// values of all derivatives, which is looked at for random values. Conditions on parts of the
/// boundary, at points, of integrals: no symmetry is claimed. A simulator says itself which
/// ones it has (SampleSource::is_symmetric).
[[nodiscard]] Symmetries symmetries_of(const OperatorProblem& problem, const FieldGrid& grid);

/// The outputs of a sample carried over by map `m`, scalars by `picks` (symmetry_picks).
void carry_outputs(const Symmetries& symmetries, std::size_t m,
                   const std::vector<std::size_t>& picks, std::span<const double> from,
                   std::span<double> to);

/// Where the numbers of an array over the grid come from: out[i] = in[picks[i]] is the function
/// carried over by the map and then shifted along the axes by that many nodes.
void symmetry_picks(const GridSymmetry& map, const std::vector<std::size_t>& shift,
                    const FieldGrid& grid, std::vector<std::size_t>& picks);

}  // namespace cauchy::detail
