#pragma once

#include <cstddef>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// What decides how a network is trained on a problem.
struct ProblemCharacter {
  bool time = false, space = false;
  bool inverse = false;       ///< unknowns, coefficient fields or observations
  bool linear = false;        ///< all equations
  bool smooth = false;        ///< no kinks, jumps or tables in equations and conditions
  bool marches = false;       ///< an initial value problem that windows of time can treat
  std::size_t dimension = 0;  ///< coordinates in all
  std::size_t fields = 1;
  std::size_t parts = 0;    ///< pieces of the boundary of space beyond those of a box
  int order = 0;            ///< highest order of a derivative in the equations
  int condition_order = 0;  ///< the same in conditions on boundaries and at times
  /// An equation F = 0 of first order, nonlinear in the gradient and without time, has many
  /// solutions with kinks; the one that is meant is the limit of F = eps laplacian(u) with eps of
  /// this sign: 1, where values are given around the domain; that of data which march into it where
  /// slopes are given too. 0: not such an equation.
  int viscosity = 0;
  /// Half waves across the domain, along its most restless axis of space: of known functions, and
  /// of free solutions of the operator (Helmholtz). At least 1.
  double waves = 1;
  /// One equation on a line: the fastest rate of its free solutions, of waves and of layers, as
  /// half waves over the domain; 0: not known, infinite: it has no highest derivative somewhere.
  double rates = 0;
  /// Fastest rate at which a field grows or decays by itself at the start, times the time; 0: not
  /// known.
  double turnovers = 0;
};
[[nodiscard]] ProblemCharacter character_of_problem(const Problem& problem);

}  // namespace cauchy::detail
