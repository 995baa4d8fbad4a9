#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/solvers/method.hpp>

#include "solvers/classical/refinement.hpp"

namespace cauchy::detail {

/// An answer of a classical method on one grid.
struct ClassicalAnswer {
  std::shared_ptr<const FieldModel> model;  ///< null when there is none
  std::string method;                       ///< "fdm, 128 x 128, order 2"
  std::size_t n_unknowns = 0;
  double error = 0;    ///< relative, that the method itself knows of: modes that are missing, steps
  bool finite = true;  ///< false: it blew up
  std::vector<std::string> troubles;  ///< numerical failures, one sentence each
  std::vector<std::string> remarks;   ///< how it went: "upwind differences, since ..."
  bool interrupted = false;
  std::map<std::string, double> unknowns = {};               ///< constants that were found
  std::map<std::string, ConfidenceInterval> intervals = {};  ///< of those
};

/// A problem without parameter ranges and a classical method, put together: an answer for every
/// level of resolution. Level 0 is the first, each further one has about half the spacing.
class ClassicalSolver {
 public:
  virtual ~ClassicalSolver() = default;
  /// Levels that make sense (the driver also minds memory and time).
  [[nodiscard]] virtual int levels() const = 0;
  /// Levels below 0, down to -coarser(): no answers, but what level 0 is measured by.
  [[nodiscard]] virtual int coarser() const { return 0; }
  /// For the driver: memory and rough time of one level.
  [[nodiscard]] virtual MethodCost cost(int level) const = 0;
  /// The error falls like 2^(-order * level); 0: faster than any power.
  [[nodiscard]] virtual double order() const = 0;
  /// The answer may jump at places that move with the grid: changes fall with their mean.
  [[nodiscard]] virtual bool jumps() const { return false; }
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  [[nodiscard]] virtual ClassicalAnswer solve(int level, const RunOptions& options) = 0;
};

/// Cells of a level that has so many at level 0.
[[nodiscard]] constexpr int cells_at(int first, int level) {
  return level >= 0 ? first << level : first >> -level;
}
/// Halvings of so many cells that leave at least `least`, at most two.
[[nodiscard]] constexpr int halvings(int n, int least) {
  return n / 4 >= least ? 2 : n / 2 >= least ? 1 : 0;
}

/// Settings that all classical methods share.
struct ClassicalSettings {
  int level = -1;  ///< one grid of this level; -1: refine until the tolerance is met
  double tolerance =
      0;  ///< relative error that is aimed at; 0: a tenth of the problem's, else 1e-4
  bool interfaces = false;  ///< the method takes conditions on surfaces inside the domain
  bool weak = false;  ///< it keeps fluxes and order: shocks and edges of the answer are no trouble
  bool constants = false;  ///< unknown constants are fitted on top of it, see inverse.hpp
};

using MakeClassicalSolver =
    std::function<std::unique_ptr<ClassicalSolver>(std::shared_ptr<const Problem>)>;

/// The prepared method around a classical solver: refinement with an error estimate from the last
/// levels, problems with parameter ranges (solved at Chebyshev nodes of the ranges), cost.
///   kind     name of the method in the table
///   make     throws Error (unsupported) for what the method cannot treat, with the reason and the
///            name of a method that fits; takes milliseconds
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_classical(
    std::string kind, std::shared_ptr<const Problem> problem, MakeClassicalSolver make,
    const ClassicalSettings& settings, int threads);

using LoadField = std::function<std::shared_ptr<const FieldModel>(const Checkpoint&,
                                                                  std::shared_ptr<const Problem>)>;

/// A field of a classical method from what it saved: a family of fields, a grid (texts["field"] is
/// "grid"), or what `own` reads, for a method with a model of its own.
///   error    throws Error when it is none of these
[[nodiscard]] std::shared_ptr<const FieldModel> load_classical(const std::string& kind,
                                                               const Checkpoint& checkpoint,
                                                               const Problem& problem,
                                                               const LoadField& own = {});

}  // namespace cauchy::detail
