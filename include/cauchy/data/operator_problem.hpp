#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/data/sample_source.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy {

/// A function that is drawn at random, and stands in the equations or conditions of the problem as
/// name(x, y) (or name alone): a coefficient, a source, an initial or a boundary value.
struct InputFunction {
  std::string name;
  std::vector<std::string> arguments = {};  ///< coordinates of space; empty: all of them
  std::string field;                        ///< as make_random_field reads it
  /// Of g, the random number (Symbol("g")), the arguments and the parameters of the problem.
  Expr map = Symbol("g");
  /// Width of the boxes around the nodes over which a channel of the data holds the mean of the
  /// function, one number whatever the grid: functions that jump mean the same on every grid then.
  /// The equations have its values. 0: values at the nodes.
  double mean = 0;
};

/// A problem with functions as inputs: the map from them to its solution.
struct OperatorProblem {
  /// The problem of the first sample: `functions` holds a table for each input.
  Problem problem = {};
  std::vector<InputFunction> inputs = {};
  std::vector<std::string> outputs = {};  ///< fields; empty: all of them
  std::vector<double> times = {};  ///< of the outputs, ascending; empty: stationary, or the end
  std::vector<int> grid = {};      ///< nodes per axis of space
  /// The solver's grid has this many times as many cells along each axis; 0: as many as its
  /// tolerance asks for. Methods that choose their own points (ode, kansa) take no part.
  int refine = 0;
  std::size_t samples = 1000;  ///< for training
  std::size_t validation = 100, test = 100;
  std::uint64_t seed = 1;
  Method method = AutoClassical{};  ///< that makes the answers
  /// Makes the samples in place of the method; `problem` then has a name, a title and a tolerance
  /// alone, inputs, outputs, times and grid are those of the source.
  std::shared_ptr<const SampleSource> source = {};

  [[nodiscard]] std::size_t total() const noexcept { return samples + validation + test; }
};

/// The nodes of the grid over the box of the problem; an axis with a periodic condition is
/// periodic.
///   error    throws Error unless space is a box of 1 to 3 axes with as many numbers of nodes
[[nodiscard]] FieldGrid grid_of(const OperatorProblem& problem);

/// The problem with the table of every input put into Problem::functions, in place of one of that
/// name: what forms need before anything is drawn. Its values are 1.
void declare_inputs(OperatorProblem& problem);

/// Checks it as a whole; throws Error for the first thing that is wrong: no samples, an input that
/// nothing uses, unknown outputs, times beyond the domain, grids that do not fit, a method that
/// trains.
///   place    "input 'a'", "[operator.grid]", "[operator.times]", ...: the key that it is about
void check(const OperatorProblem& problem);

}  // namespace cauchy
