#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// A part of the closed box: along every axis of space all of it or one number, and the same in
/// time.
struct ChebyshevPlace {
  std::vector<std::optional<double>> space;
  std::optional<double> time;
  std::vector<double> normal;  ///< outward; on sides
  Expr where = 1;              ///< a condition on the coordinates; not 0: it holds there
};

/// An expression that is 0 at every point of its places, or on the average over them.
struct ChebyshevTerm {
  std::string name;
  Expr residual;
  std::vector<ChebyshevPlace> places;
  bool integral = false;
};

/// Both ends of an axis of space agree.
struct ChebyshevPeriod {
  std::size_t axis;
  int order;  ///< of the highest derivative that agrees
};

/// A problem on a box, as collocation takes it.
struct ChebyshevBox {
  std::shared_ptr<const Problem> problem;
  std::vector<std::string> space;
  std::vector<double> lower, upper;
  std::optional<Time> time;
  std::vector<std::string> fields;
  std::vector<ChebyshevTerm> equations, conditions;
  std::vector<ChebyshevPeriod> periods;
  /// Highest order of each field in the equations along each axis, time (or nothing) first.
  std::vector<std::vector<int>> orders;
  int highest = 0;  ///< of any derivative along one axis in equations and conditions
  bool linear = true;
  bool marches = false;  ///< all that is given in time is given at its beginning
  /// Where known functions switch, inside, ascending: in space of one dimension, and in time.
  std::vector<double> kinks, switches;

  [[nodiscard]] std::size_t dimension() const noexcept { return space.size(); }
};

/// Reads the problem.
///   error    throws Error (unsupported) for what collocation cannot treat
[[nodiscard]] ChebyshevBox chebyshev_box(std::shared_ptr<const Problem> problem);

}  // namespace cauchy::detail
