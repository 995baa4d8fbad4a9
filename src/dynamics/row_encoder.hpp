#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/dynamics/dynamics_method.hpp>  // RowCell
#include <cauchy/dynamics/trajectories.hpp>
#include <cauchy/io/checkpoint.hpp>

#include "dynamics/block_flow.hpp"

namespace cauchy::detail {

/// Units of rows as networks see them.
struct RowUnits {
  std::vector<std::string> columns;
  std::vector<double> shift, size;  ///< of the columns
  double unit = 1;                  ///< of time
};
[[nodiscard]] RowUnits row_units(const TrajectoryData& train);
void save_units(Checkpoint& checkpoint, const RowUnits& units);
///   error    throws Error when they are those of other columns
[[nodiscard]] RowUnits load_units(const Checkpoint& checkpoint, std::vector<std::string> columns);

/// The loss of answers to some rows in place of the answers: count() numbers were seen of a set,
/// and it is the mean of ((answer - seen) / size)^2 over them.
class RowErrors final {
 public:
  RowErrors(const RowUnits& units, const TrajectoryData& data);
  [[nodiscard]] double count() const noexcept { return count_; }
  /// answers[i]: row-major rows x columns of trajectory first + i; they become the derivatives of
  /// the loss by them. Returns their share of the loss.
  double operator()(std::size_t first, std::vector<std::vector<double>>& answers) const;

 private:
  const RowUnits& units_;
  const TrajectoryData& data_;
  double count_ = 0;
};

/// Blocks of several networks as one list, and where each begins.
class ParameterList final {
 public:
  /// Returns the place of the first number.
  std::size_t add(const std::vector<ParameterBlock>& blocks);
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<ParameterBlock>& blocks() const noexcept { return blocks_; }

 private:
  std::vector<ParameterBlock> blocks_;
  std::size_t size_ = 0;
};

/// An affine map as a network of blocks.
[[nodiscard]] std::shared_ptr<const Graph> affine_graph(std::size_t n_in, std::size_t n_out);
/// y' = network(y) of states name1, name2, ...
[[nodiscard]] VectorFieldSpec autonomous(const char* name, std::size_t n, const Network& network);

/// An ODE-RNN over one block of trajectories: h' = f(h) between stops, h <- cell(h, row) at those
/// with a row. Columns that were not seen come as 0, with a mask that says so; h begins at 0. The
/// memory c of an LSTM cell stands behind h, begins at 0 and waits between stops.
class RowEncoder final {
 public:
  RowEncoder(const Network& network, RowCell cell, std::size_t units, std::size_t columns,
             std::size_t block);

  [[nodiscard]] std::size_t units() const noexcept { return H_; }
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept {
    return list_.blocks();
  }
  [[nodiscard]] std::size_t n_parameters() const noexcept { return list_.size(); }
  void prepare(std::span<const double> theta);

  /// Where a trajectory is looked at; times may fall or rise.
  struct Stop {
    double time;
    const double* row = nullptr;  ///< what was seen there; null: nothing
  };
  using Stops = std::vector<std::vector<Stop>>;
  /// Memory of one thread. Rows of (h, c) are [state * block + trajectory].
  struct Lane {
    Lane(const BlockField& field, const FlowOptions& options) : between(field, options) {}
    struct Visit {  // one stop of every trajectory that has one left
      BlockTimes times;
      FlowRecord record;
      AlignedVector<double> in, arena;  ///< in: (h, c) before the row first
      AlignedVector<double> after;
      AlignedVector<double> before_bar, after_bar;  ///< to be filled before pull(), 0 at first
      std::vector<char> has_row;
    };
    BlockFlow between;
    std::size_t n_points = 0, n_visits = 0;
    std::vector<Visit> visits;
    AlignedVector<double> scratch;
    std::vector<double> flow_values;
  };
  [[nodiscard]] Lane make_lane(const FlowOptions& options) const;
  /// Empty: good, else what went wrong.
  std::string run(Lane& lane, const RowUnits& units, const Stops& stops) const;
  /// After run(): adds the gradient of the adjoints that the visits hold.
  void pull(Lane& lane, double* gradient) const;

 private:
  std::size_t H_, S_, M_, block_, at_cell_ = 0;  // S_: states, c included
  std::unique_ptr<BlockField> between_;
  std::unique_ptr<BlockNetwork> cell_;
  ParameterList list_;
};

}  // namespace cauchy::detail
