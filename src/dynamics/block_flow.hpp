#pragma once

#include <span>
#include <vector>

#include "dynamics/block_field.hpp"
#include "dynamics/flow_table.hpp"

namespace cauchy::detail {

/// When the trajectories of one block are where. A leg is a stretch of time of every trajectory,
/// [start, start + length], that they go through together: s runs from 0 to 1 for all of them.
struct BlockTimes {
  std::size_t n_points = 0;  ///< trajectories; further points are copies of the first
  std::size_t n_legs = 0;
  std::vector<double> start, length;  ///< [leg * block + point]; length 0: it rests
  /// A state that is wanted, at `s` of a leg.
  struct Output {
    std::size_t leg;
    double s;
    std::size_t point, value;  ///< value: where its numbers begin among all values
  };
  std::vector<Output> outputs;  ///< sorted by leg and s; s = 0 only in the first leg
};

/// The steps that a block has taken, and states from which they can be taken again.
struct FlowRecord {
  struct Step {
    std::size_t leg;
    double s, ds;
    std::size_t first_output, end_output;
  };
  std::vector<Step> steps;
  std::size_t stride = 1;      ///< steps between two kept states
  std::vector<double> states;  ///< rows of the kept ones, one after the other
  std::size_t most_states = 0;
};

/// Integrates one block of trajectories, and goes back over the steps.
class BlockFlow final {
 public:
  BlockFlow(const BlockField& field, const FlowOptions& options);

  /// From the rows y; writes values[output.value + i]. Trouble: FlowReport, trajectory is the
  /// number of the point in the block.
  FlowReport run(const BlockTimes& times, const double* y, double* values, FlowRecord& record);
  /// Adds to y_bar (rows) and gradient.
  void pull(const BlockTimes& times, const FlowRecord& record, const double* seeds, double* y_bar,
            double* gradient);
  /// Rows of the outputs of one point: d value / d (theta, start), by their places in values less
  /// `first_value`.
  void jacobian(const BlockTimes& times, const FlowRecord& record, const double* start,
                std::size_t point, std::size_t first_value, std::span<double> out);

 private:
  void load(const BlockTimes& times, const FlowRecord::Step& step);
  void stage_time(const BlockTimes& times, const FlowRecord::Step& step, std::size_t i);
  void stage_argument(const double* y, std::size_t i, double* out) const;
  /// Stage i from those before it; false: no solution was found (implicit stages).
  bool evaluate(const BlockTimes& times, const FlowRecord::Step& step, const double* y,
                std::size_t i, std::size_t slot);
  bool solve_stage(double diagonal, double* argument, double* k, std::size_t slot);
  [[nodiscard]] double error(const BlockTimes& times, const double* y, std::size_t& worst) const;
  [[nodiscard]] double first_step(const BlockTimes& times, std::size_t leg, const double* y);
  void write_outputs(const BlockTimes& times, const FlowRecord::Step& step, const double* y,
                     double* values);
  void pull_step(const BlockTimes& times, const FlowRecord::Step& step, const double* y,
                 const double* seeds, double* y_bar, double* gradient);
  void blame(FlowReport& report, const BlockTimes& times, std::size_t leg, double s,
             const double* y, std::size_t point);
  [[nodiscard]] double* k(std::size_t i) { return k_.data() + i * n_; }
  [[nodiscard]] const double* k(std::size_t i) const { return k_.data() + i * n_; }
  [[nodiscard]] double* arg(std::size_t i) { return arguments_.data() + i * n_; }
  [[nodiscard]] double* time(std::size_t i) { return t_.data() + i * field_.block(); }

  const BlockField& field_;
  const FlowTable& table_;
  FlowOptions options_;
  std::size_t n_;  // numbers of one state: components x points
  BlockField::Lane lane_;
  AlignedVector<double> k_, arguments_, t_, h_, base_, k_bar_, stage_bar_, jacobian_, next_;
  std::vector<double> weights_;
  std::size_t evaluations_ = 0;
};

}  // namespace cauchy::detail
