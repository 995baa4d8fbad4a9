#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/operators/deeponet.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// Everything that a DeepONet is, apart from its trainable numbers.
///   parameters  those of the branch first, then of the trunk, then the biases
struct DeepOnetMap {
  /// A coordinate of the trunk, brought to [-1, 1] or wound up.
  struct Axis {
    std::string name;
    double lower = 0, upper = 1;
    bool periodic = false, time = false;
  };
  /// A field: its answer is lift + extension + factor * (scale * sum + offset).
  struct FieldForm {
    std::string name;
    double scale = 1, offset = 0;
    Expr factor = 1, extension = 0;  ///< hard conditions
    Expr lift = 0;                   ///< the extension where it holds input functions
  };

  DeepOnet method;
  FieldGrid grid;                            ///< of the data
  FieldGrid sensors;                         ///< where the inputs are looked at: a grid or a cloud
  std::vector<std::string> inputs, outputs;  ///< channels of the data
  std::vector<std::vector<std::string>> arguments;  ///< of the inputs; empty: all axes
  std::vector<Axis> axes;                           ///< time first, then space
  std::vector<FieldForm> fields;
  std::vector<double> input_mean, input_deviation;  ///< per input
  std::vector<TableInterpolation> interpolation;    ///< per input, from grids to sensors
  /// Principal functions: times they belong to, and [field][1 + width][time][node], the mean first.
  std::vector<double> pod_times, pod;

  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(method.width); }
  /// Numbers of the branch: fields x width.
  [[nodiscard]] std::size_t n_products() const { return fields.size() * width(); }
  [[nodiscard]] std::size_t n_sensors() const { return sensors.n_points(); }
  [[nodiscard]] std::size_t branch_inputs() const { return inputs.size() * n_sensors(); }
  [[nodiscard]] std::vector<std::string> coordinates() const;

  /// Name of the trunk's function k of a field, and of its part without products.
  [[nodiscard]] static std::string product_name(const std::string& field, std::size_t k);
  [[nodiscard]] static std::string offset_name(const std::string& field);

  /// Branch networks on top of a value with the rows of branch_inputs(): n_products() rows.
  ///   error    throws Error as add_network
  int add_branch(Graph& graph, int values) const;
  /// The trunk on the coordinates; outputs product_name and offset_name of every field. A POD trunk
  /// has the input "pod", whose rows are 1 + width per field.
  void add_trunk(Graph& graph) const;
  /// The graph of the trunk, and that of the whole with the input "sensors" and the fields as
  /// outputs: the plain form of a DeepONet, which the fast one is compared with.
  [[nodiscard]] Graph trunk_graph() const;
  [[nodiscard]] Graph whole_graph() const;
  /// A branch on a grid, [inputs, sensors] to n_products() numbers.
  [[nodiscard]] bool branch_on_grid() const;
  int add_branch(TensorGraph& graph, int values) const;

  /// Values of the inputs of some samples at the sensors, normalised, row-major samples x
  /// branch_inputs().
  ///   error    throws Error for data that lie elsewhere
  [[nodiscard]] std::vector<double> at_sensors(const DataSet& data, Threads& pool) const;
  /// The same for one input of one sample, not normalised.
  [[nodiscard]] std::vector<double> at_sensors(const FieldGrid& where,
                                               std::span<const double> values,
                                               std::size_t input) const;
  /// An expression of the fields as one of what the networks give: lifts are added.
  [[nodiscard]] Expr lifted(const Expr& e) const;
  /// The lift of a field (or a derivative of it) at points for inputs on a grid, one value each.
  [[nodiscard]] std::vector<double> lift_at(const Expr& lift,
                                            std::span<const TabulatedFunction> inputs,
                                            std::span<const double> points) const;
  /// Mean and principal functions at points, [point][field][1 + width].
  [[nodiscard]] std::vector<double> pod_at(std::span<const double> points) const;

  void save(Checkpoint& checkpoint) const;
  [[nodiscard]] static DeepOnetMap load(const Checkpoint& checkpoint, const DeepOnet& method);

 private:
  struct TrunkValues {
    std::vector<int> products, offset;  ///< per field: width rows, one row
  };
  [[nodiscard]] TrunkValues add_trunk_values(Graph& graph) const;
  int add_coordinates(Graph& graph) const;
};

/// Where the answers of a data set are: [time][node] in the coordinates of a map, and the channel
/// of every field and time.
struct AnswerPoints {
  std::vector<double> times;
  std::vector<double> points;        ///< row-major (times x nodes) x coordinates
  std::vector<std::size_t> channel;  ///< [field of the map][time]
  std::vector<std::size_t> field;    ///< of those of the map that the data have
};
///   error    throws Error naming a channel that is no field at a time, or that is missing
[[nodiscard]] AnswerPoints answer_points(const DeepOnetMap& map, const DataSet& data);

/// The map of a problem for data of some shape (their numbers are not looked at, but those of the
/// inputs of the first `n` samples for normalisation, n = 0: none).
///   error    throws Error for sensors outside the domain, a branch that does not fit them
[[nodiscard]] DeepOnetMap make_deeponet_map(const OperatorProblem& problem, const DataSet& data,
                                            const DeepOnet& method);

/// Rows of a table on the nodes of a grid; a periodic axis has its end too.
[[nodiscard]] Table grid_rows_of(const FieldGrid& grid, std::span<const double> values,
                                 const std::string& name);
/// Throws Error for a model whose parts do not fit each other.
[[noreturn]] void damaged_model();

/// A table of values on all nodes of a grid as a function of some of its axes (constant along the
/// others), under the name of an input.
[[nodiscard]] TabulatedFunction input_function(const FieldGrid& grid,
                                               std::span<const double> values,
                                               const std::string& name,
                                               const std::vector<std::string>& arguments,
                                               TableInterpolation interpolation);

}  // namespace cauchy::detail
