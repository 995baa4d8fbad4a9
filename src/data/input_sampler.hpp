#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/sampling/random_field.hpp>

#include "data/box_mean.hpp"

namespace cauchy::detail {

/// A grid with `refine` times as many cells along every axis.
[[nodiscard]] FieldGrid refined(const FieldGrid& grid, int refine);

/// Draws the input functions of an operator problem on one grid over its box. Sample i is a
/// function: its values on two grids belong together. Thread-safe.
///   error    the constructor throws Error at "input 'a'" for fields and maps that make no sense
class InputSampler final {
 public:
  InputSampler(const OperatorProblem& problem, FieldGrid grid);
  [[nodiscard]] std::size_t size() const noexcept { return inputs_.size(); }
  [[nodiscard]] const FieldGrid& grid() const noexcept { return grid_; }

  /// What a channel of the data holds at the nodes: values of an input, or means around them
  /// (InputFunction::mean). Row-major over all axes of the grid; constant along those that are no
  /// arguments.
  ///   error    throws Error with the sample when the map is not finite
  [[nodiscard]] std::vector<double> on_grid(std::size_t input, std::uint64_t number) const;
  /// Values at the nodes, as the equations have them.
  [[nodiscard]] std::vector<double> values_on_grid(std::size_t input, std::uint64_t number) const;
  /// The input as a function of the problem. Between the nodes: nearest where the map jumps, linear
  /// where it has kinks, else cubic. A periodic axis has its end too.
  [[nodiscard]] TabulatedFunction table(std::size_t input, std::uint64_t number) const;
  /// The problem with the tables of a sample.
  [[nodiscard]] Problem problem_of(const Problem& problem, std::uint64_t number) const;

 private:
  /// A function on the nodes of its arguments.
  struct Drawn {
    std::vector<FieldGrid::Axis> axes;
    std::unique_ptr<FieldSampler> field;
    std::optional<Program<double>> map;            // none: g itself
    std::vector<std::vector<double>> coordinates;  // of the nodes, for the map
  };
  struct Input {
    std::string name;
    TableInterpolation interpolation = TableInterpolation::cubic;
    Drawn nodes;
    std::optional<BoxMean> mean;  // none: values at the nodes
    Drawn fine;                   // that the means are taken of
  };
  [[nodiscard]] static Drawn draw_on(const InputFunction& given, const Expr& map,
                                     std::vector<FieldGrid::Axis> axes);
  /// Row-major over the arguments.
  [[nodiscard]] std::vector<double> values(std::size_t input, const Drawn& on,
                                           std::uint64_t number) const;
  /// Along all axes of the grid.
  [[nodiscard]] std::vector<double> spread(std::size_t input, std::vector<double> own) const;

  FieldGrid grid_;
  std::vector<Input> inputs_;
  Rng rng_;
};

/// Puts a function into a problem, in place of one of its name.
void set_table(Problem& problem, TabulatedFunction function);

}  // namespace cauchy::detail
