#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/solvers/export.hpp>

#include "problem/lowering.hpp"
#include "solvers/pinn/pieces.hpp"

namespace cauchy::detail {

/// A network with any parameters as a field: one executor serves many of them.
class FieldEvaluator final {
 public:
  ///   n_fields  outputs of the graph that are fields of the problem (of every piece); parts follow
  ///   shape     network_shape(), for runs that start from this one
  ///   network   kept with the answer as far as training has changed it: the grids of a Kan
  ///   pieces    whose networks the graph holds; null: one network
  FieldEvaluator(std::shared_ptr<const Graph> graph, Lowering lower, ExecutorOptions options,
                 std::size_t n_fields, std::string shape, Network network,
                 std::shared_ptr<const Pieces> pieces);
  [[nodiscard]] const std::string& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<std::string>& parts() const noexcept { return parts_; }
  [[nodiscard]] const Network& network() const noexcept { return network_; }
  void operator()(std::span<const double> theta, std::span<const Expr> expressions,
                  std::span<const double> points, std::span<double> out) const;
  /// The networks with these parameters, one for every piece.
  [[nodiscard]] std::vector<TrainedNetwork> networks(const std::vector<double>& theta) const;

 private:
  std::shared_ptr<const Graph> graph_;
  std::size_t n_fields_;
  Lowering lower_;
  std::string shape_;
  std::vector<std::string> parts_;
  Network network_;
  std::shared_ptr<const Pieces> pieces_;
  mutable std::mutex mutex_;
  std::unique_ptr<Executor> executor_;
};

/// The trained network as a field.
class PinnField final : public NetworkField {
 public:
  PinnField(std::shared_ptr<const FieldEvaluator> evaluator, std::vector<double> theta)
      : evaluator_(std::move(evaluator)), theta_(std::move(theta)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "pinn"; }
  void save(Checkpoint& checkpoint) const override;
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    (*evaluator_)(theta_, expressions, points, out);
  }
  [[nodiscard]] std::vector<std::string> parts() const override { return evaluator_->parts(); }
  [[nodiscard]] std::vector<TrainedNetwork> networks() const override {
    return evaluator_->networks(theta_);
  }
  [[nodiscard]] std::map<std::string, Array> other_arrays() const override;
  [[nodiscard]] const std::vector<double>& parameters() const noexcept { return theta_; }
  [[nodiscard]] const Network& network() const noexcept { return evaluator_->network(); }

 private:
  std::shared_ptr<const FieldEvaluator> evaluator_;
  std::vector<double> theta_;
};

}  // namespace cauchy::detail
