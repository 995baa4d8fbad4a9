#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <cauchy/operators/trained_operator.hpp>

#include "operators/deeponet/branch_model.hpp"
#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// Answers of a DeepONet: values of branch and trunk, and their products, in double.
///   sharing  one caller at a time
class DeepOnetPredictor final {
 public:
  /// The map must outlive it.
  DeepOnetPredictor(const DeepOnetMap& map, std::shared_ptr<Threads> pool);
  ~DeepOnetPredictor();

  [[nodiscard]] std::size_t n_parameters() const;
  /// As TrainedOperator::predict.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> theta, const DataSet& data);
  /// As TrainedOperator::predict_at.
  [[nodiscard]] std::vector<double> at_points(std::span<const double> theta, const DataSet& data,
                                              std::span<const Expr> expressions,
                                              std::span<const double> points);
  /// Fields and their derivatives of n functions at points, [function][expression][point];
  /// sensors: rows of DeepOnetMap::at_sensors.
  ///   expressions  fields of the map, or derivatives of them, without lifts
  [[nodiscard]] std::vector<double> operator()(std::span<const double> theta,
                                               std::span<const double> sensors,
                                               std::span<const Expr> expressions,
                                               std::span<const double> points);

 private:
  /// Adds the lifts of fields or derivatives of them, as operator() leaves them out.
  void add_lifts(const DataSet& data, std::span<const Expr> expressions,
                 std::span<const double> points, std::span<double> values) const;

  const DeepOnetMap& map_;
  std::shared_ptr<Threads> pool_;
  std::unique_ptr<BranchModel> branch_;
  std::unique_ptr<Executor> trunk_;
};

/// A DeepONet with its numbers.
class TrainedDeepOnet final : public TrainedOperator {
 public:
  ///   error    throws Error unless there are as many numbers as parameters
  TrainedDeepOnet(DeepOnetMap map, std::vector<double> theta);
  ~TrainedDeepOnet() override;

  [[nodiscard]] const DeepOnetMap& map() const noexcept { return map_; }
  [[nodiscard]] const std::vector<double>& theta() const noexcept { return theta_; }

  [[nodiscard]] std::string_view kind() const noexcept override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::size_t n_parameters() const noexcept override { return theta_.size(); }
  [[nodiscard]] const FieldGrid& grid() const noexcept override { return map_.grid; }
  [[nodiscard]] const std::vector<std::string>& inputs() const noexcept override {
    return map_.inputs;
  }
  [[nodiscard]] const std::vector<std::string>& outputs() const noexcept override {
    return map_.outputs;
  }
  [[nodiscard]] std::vector<std::size_t> given(const DataSet&) const override { return {}; }
  void check_fits(const DataSet& data) const override;
  [[nodiscard]] std::vector<double> predict(const DataSet& data, int threads) const override;
  [[nodiscard]] std::vector<std::string> coordinates() const override { return map_.coordinates(); }
  [[nodiscard]] std::vector<double> predict_at(const DataSet& data,
                                               std::span<const Expr> expressions,
                                               std::span<const double> points,
                                               int threads) const override;
  void save(Checkpoint& checkpoint) const override;

 private:
  /// Its predictor for so many threads; the mutex is held.
  DeepOnetPredictor& predictor(int threads) const;

  DeepOnetMap map_;
  std::vector<double> theta_;
  mutable std::mutex mutex_;  // guards all below
  mutable int threads_ = 0;
  mutable std::unique_ptr<DeepOnetPredictor> predictor_;
};

[[nodiscard]] std::shared_ptr<const TrainedOperator> load_deeponet(const Checkpoint& checkpoint,
                                                                   const DeepOnet& method);

}  // namespace cauchy::detail
