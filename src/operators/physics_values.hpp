#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/operator_method.hpp>  // GridDerivative
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// One field of an answer inside of a graph, in the units of the problem: its values at all nodes,
/// frame by frame; without times one frame.
struct PhysicsField {
  std::string name;
  int answer = -1;  ///< [frames that are answered, space]
  int given = -1;   ///< [frames before them that are known, space]; -1: none, or 0 everywhere
  /// The answer differentiated by coordinates of space; empty: from its values on the grid.
  std::function<int(const MultiIndex& index)> exact = {};
  bool exact_in_time = false;  ///< also by time
};

/// An answer and its inputs inside of a graph, as the equations of its problem see them.
struct PhysicsPlace {
  const OperatorProblem& problem;
  FieldGrid space;                 ///< its axes have the names of the coordinates
  std::string time = {};           ///< name of that coordinate; empty: no times
  std::vector<double> times = {};  ///< of all frames, increasing
  std::size_t given = 0;           ///< frames at the beginning that are no answers
  bool moves = false;              ///< a roll-out: times are known up to a shift
  int in = -1;                     ///< [inputs, space]
  std::vector<std::string> inputs = {};
  std::vector<PhysicsField> fields = {};
};

/// A part of the nodes: a box of frames and nodes along every axis of space.
struct NodeBox {
  std::vector<int> begin, size;
};

/// Fields, coordinates, functions and symbols of expressions: what needs a value at every node.
/// Nothing below a function is looked at.
[[nodiscard]] std::vector<Expr> grid_atoms(const std::vector<Expr>& expressions);

/// Values of the expressions of a problem at all nodes of a place, {frames, space} or {space}, as
/// values of its graph. Fields, coordinates and functions are found once and kept.
///   error    throws Error (unsupported) for what a grid does not have: a field that is no output,
///   a
///            function away from the nodes, a derivative by time without frames
class PhysicsValues final {
 public:
  /// Graph and place must outlive it.
  PhysicsValues(TensorGraph& graph, const PhysicsPlace& place, GridDerivative derivative);

  [[nodiscard]] TensorGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] const PhysicsPlace& place() const noexcept { return place_; }
  /// Nodes per axis, that of time first.
  [[nodiscard]] const std::vector<int>& sizes() const noexcept { return sizes_; }
  /// Axis of a coordinate among them.
  [[nodiscard]] std::size_t axis_of(const std::string& coordinate) const;
  /// Coordinates of the nodes in the order of Problem::coordinates(), row-major.
  [[nodiscard]] const std::vector<double>& positions() const noexcept { return positions_; }

  /// One atom of an expression, [1, sizes].
  [[nodiscard]] int operator()(const Expr& atom);
  /// Expressions at the nodes of a box (empty: all), [expressions, its sizes]. Symbols have the
  /// values that are given for them, [1, sizes].
  [[nodiscard]] int operator()(const std::vector<Expr>& expressions,
                               const std::map<std::string, int>& symbols = {},
                               const NodeBox& box = {});
  /// A value [1, sizes] differentiated along a coordinate on the grid.
  [[nodiscard]] int derivative(int value, const std::string& coordinate, int order);
  /// A value differentiated along axes of space on the grid; the axes of the value end with those
  /// of space.
  [[nodiscard]] int space_derivative(int value, const MultiIndex& index);

 private:
  [[nodiscard]] int field(const Expr& atom);
  [[nodiscard]] int function(const Expr& call);
  [[nodiscard]] int constant(std::vector<double> numbers);
  [[nodiscard]] int in_time(int value, int order);

  TensorGraph& graph_;
  const PhysicsPlace& place_;
  GridDerivative derivative_;
  bool timed_;
  std::vector<int> sizes_;
  std::vector<double> positions_;
  std::map<std::string, int> known_;
};

}  // namespace cauchy::detail
