#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/data/data_set.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/operators/operator_method.hpp>

namespace cauchy {

/// What has been learnt: functions in, functions out, on any grid of the same box.
class TrainedOperator {
 public:
  virtual ~TrainedOperator() = default;
  /// Name in the table of methods.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual std::size_t n_parameters() const noexcept = 0;
  /// Where it was trained.
  [[nodiscard]] virtual const FieldGrid& grid() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<std::string>& inputs() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<std::string>& outputs() const noexcept = 0;
  /// The first `given()` channels of outputs are not predicted: frames that a roll-out starts from
  /// and that are no inputs. They are copied from the data.
  [[nodiscard]] virtual std::vector<std::size_t> given(const DataSet& data) const = 0;

  /// Throws Error unless it can answer for the inputs of these data: other inputs, another box, a
  /// grid that the network cannot take.
  virtual void check_fits(const DataSet& data) const = 0;
  /// The outputs of every sample, in the order of data.outputs (of outputs() where that is empty),
  /// at its resolution. data.out may be empty unless the roll-out starts from there.
  ///   threads  0: CAUCHY_THREADS, else the machine; same bits for any number
  ///   error    as check_fits, and for outputs that it does not know
  [[nodiscard]] virtual std::vector<double> predict(const DataSet& data, int threads = 0) const = 0;
  /// Forecasts of an ensemble, whose mean predict() is; 1: there is one answer alone.
  [[nodiscard]] virtual std::size_t members() const noexcept { return 1; }
  /// As predict(), of one of them. The noise of a member depends on its number and that of the
  /// sample in `data` alone.
  ///   error    as predict, and for a member that there is not
  [[nodiscard]] virtual std::vector<double> predict_member(const DataSet& data, std::size_t member,
                                                           int threads = 0) const;
  /// Names of what a point of predict_at() is made of, time first; empty: it answers on grids
  /// alone.
  [[nodiscard]] virtual std::vector<std::string> coordinates() const { return {}; }
  /// Expressions of its fields, their derivatives (exact ones) and the coordinates at any points of
  /// the box, for the inputs of every sample: [sample][point][expression].
  ///   points   row-major n x coordinates()
  ///   error    throws Error (unsupported) where coordinates() is empty, for an unknown field, and
  ///            as check_fits
  [[nodiscard]] virtual std::vector<double> predict_at(const DataSet& data,
                                                       std::span<const Expr> expressions,
                                                       std::span<const double> points,
                                                       int threads = 0) const;
  /// All that it is beside the options of its method.
  virtual void save(Checkpoint& checkpoint) const = 0;
};

/// Inverse of TrainedOperator::save; `method` must be the one that it was trained with.
///   error    throws Error when they do not fit
[[nodiscard]] std::shared_ptr<const TrainedOperator> load_operator(const Checkpoint& checkpoint,
                                                                   const OperatorMethod& method);

/// Errors over a set of samples, as OperatorLoss has them.
struct OperatorError {
  std::vector<double> relative_l2 = {}, relative_h1 = {};  ///< per sample; H1: none for clouds
  std::vector<double> maximum = {};                        ///< largest absolute error per sample
  std::vector<std::string> fields = {};
  std::vector<double> field_l2 = {};  ///< relative L2 error per field, mean over the samples
  /// Coefficient of determination per field, 1 - sum (v - u)^2 / sum (u - mean of u)^2 over all
  /// samples, times and nodes; NaN: u is the same everywhere.
  std::vector<double> field_r2 = {};

  [[nodiscard]] bool empty() const noexcept { return relative_l2.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return relative_l2.size(); }
  /// NaN without samples, or when one is.
  [[nodiscard]] double mean_l2() const;
  [[nodiscard]] double mean_h1() const;
  [[nodiscard]] double median_l2() const;
  [[nodiscard]] double worst_l2() const;
  /// How far the mean may be off from that over all samples there are: its standard error,
  /// deviation / sqrt(n); infinite for fewer than two samples.
  [[nodiscard]] double standard_error() const;
  /// Numbers of the samples from the least to the largest error; NaN last.
  [[nodiscard]] std::vector<std::size_t> best_to_worst() const;
};

/// Errors of a prediction (row-major as data.out) against data.out; channels in `given` do not
/// count.
[[nodiscard]] OperatorError measure(std::span<const double> prediction, const DataSet& data,
                                    std::span<const std::size_t> given = {});
[[nodiscard]] OperatorError measure(const TrainedOperator& model, const DataSet& data,
                                    int threads = 0);

/// The error of one field in the course of time.
struct FieldCourse {
  std::string field;
  std::vector<double> times = {};
  std::vector<double> relative_l2 = {};  ///< mean over the samples
  std::vector<double> r2 = {};           ///< as OperatorError::field_r2, of one time
};
/// The courses of the fields that have times, in the order of the channels; channels in `given` do
/// not count.
[[nodiscard]] std::vector<FieldCourse> measure_over_time(std::span<const double> prediction,
                                                         const DataSet& data,
                                                         std::span<const std::size_t> given = {});

}  // namespace cauchy
