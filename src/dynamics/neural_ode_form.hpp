#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/dynamics/learn_dynamics.hpp>

namespace cauchy::detail {

/// A neural ODE without its parameters: the field with the scales of its network, and how
/// trajectories start.
struct NeuralOdeForm {
  VectorFieldSpec field;
  FlowOptions flow;
  StartRule start = StartRule::data;
  ReadOut read_out = ReadOut::states;
  std::vector<std::string> columns;
  std::vector<std::size_t> state_of_column = {};
  std::vector<std::string> names = {};  ///< of the trajectories whose starts are trained

  [[nodiscard]] std::size_t n_states() const noexcept { return field.states.size(); }
  /// What the numbers of theta are: the field, then the starts or A and b, then C and d of the
  /// read-out. `data` are those of the training, whose first rows are the first guess.
  [[nodiscard]] std::vector<ParameterBlock> parameters(const TrajectoryData& data) const;
  [[nodiscard]] std::size_t n_field() const;
  [[nodiscard]] std::size_t n_more() const;
  /// The start of a trajectory; row: its first one. `number`: whose start is trained, or -1. theta:
  /// what stands behind the parameters of the field.
  void start_of(std::span<const double> more, std::span<const double> row, std::ptrdiff_t number,
                std::span<double> start) const;
  /// Its transpose: adds to the gradient by `more`.
  void pull_start(std::span<const double> row, std::ptrdiff_t number, std::span<const double> bar,
                  std::span<double> more) const;
  /// The columns of a state: the fields themselves, or C y + d.
  void read(std::span<const double> more, std::span<const double> state,
            std::span<double> columns) const;
  /// Its transpose: adds to the adjoints of the state and to the gradient by `more`.
  void pull_read(std::span<const double> more, std::span<const double> state,
                 std::span<const double> bar, std::span<double> state_bar,
                 std::span<double> more_bar) const;

 private:
  [[nodiscard]] std::size_t n_starts() const;  ///< numbers of `more` that belong to the starts
};
/// Scales of the network are those of the data.
[[nodiscard]] NeuralOdeForm make_form(const DynamicsProblem& problem, const NeuralOde& method,
                                      const TrajectoryData& train);

/// Deviation of a column over the numbers that were seen; 1 where there is none.
[[nodiscard]] double size_of_column(const TrajectoryData& data, std::size_t column);

}  // namespace cauchy::detail
