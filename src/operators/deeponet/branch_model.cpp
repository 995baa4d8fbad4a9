#include "operators/deeponet/branch_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/engine/executor.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::detail {
namespace {

/// A coordinate network: values at sensors are its coordinates, functions its points.
class PointBranch final : public BranchModel {
 public:
  PointBranch(const DeepOnetMap& map, std::shared_ptr<Threads> pool, Precision precision) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < map.branch_inputs(); ++i) names.push_back(fmt::format("s{}", i));
    auto graph = std::make_shared<Graph>(std::move(names));
    const int b = map.add_branch(*graph, graph->coordinates());
    Term term{.name = "branch", .residuals = {}};
    for (std::size_t k = 0; k < map.n_products(); ++k) {
      graph->output(fmt::format("b{}", k), b, static_cast<int>(k));
      term.residuals.push_back(Field(fmt::format("b{}", k)));
    }
    executor_ =
        make_executor(graph, {std::move(term)}, {.precision = precision, .pool = std::move(pool)});
  }
  [[nodiscard]] std::span<const ParameterBlock> parameters() const override {
    return executor_->graph().parameters();
  }
  [[nodiscard]] std::size_t n_parameters() const override { return executor_->n_parameters(); }
  void set(std::span<const double> rows) override { executor_->set_points(0, {.points = rows}); }
  void forward(std::span<const double> theta, std::span<double> out) override {
    executor_->residuals(0, theta, out);
  }
  void adjoint(std::span<const double> theta, std::span<const double> seeds,
               std::span<double> gradient) override {
    executor_->jacobian_transposed_times(0, theta, seeds, gradient);
  }

 private:
  std::unique_ptr<Executor> executor_;
};

/// A field network on a grid of sensors.
class GridBranch final : public BranchModel {
 public:
  GridBranch(const DeepOnetMap& map, std::shared_ptr<Threads> pool, Precision precision)
      : graph_(std::make_shared<TensorGraph>()), width_(map.branch_inputs()) {
    const TensorShape shape{static_cast<int>(map.inputs.size()), map.sensors.sizes()};
    value_ = map.add_branch(*graph_, graph_->input("sensors", shape));
    executor_ = make_tensor_executor(graph_, {}, {.pool = std::move(pool), .precision = precision});
  }
  [[nodiscard]] std::span<const ParameterBlock> parameters() const override {
    return graph_->parameters();
  }
  [[nodiscard]] std::size_t n_parameters() const override { return graph_->n_parameters(); }
  void set(std::span<const double> rows) override {
    rows_.assign(rows.begin(), rows.end());
    const std::span<const double> inputs[] = {rows_};
    executor_->set_batch(rows_.size() / width_, inputs);
  }
  void forward(std::span<const double> theta, std::span<double> out) override {
    const std::span<const double> inputs[] = {rows_};
    executor_->predict(value_, theta, rows_.size() / width_, inputs, out);
  }
  void adjoint(std::span<const double> theta, std::span<const double> seeds,
               std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    executor_->adjoint(value_, theta, seeds, gradient);
  }

 private:
  std::shared_ptr<TensorGraph> graph_;
  std::size_t width_;
  int value_ = -1;
  std::unique_ptr<TensorExecutor> executor_;
  std::vector<double> rows_;
};

}  // namespace

std::unique_ptr<BranchModel> make_branch(const DeepOnetMap& map, std::shared_ptr<Threads> pool,
                                         Precision precision) {
  if (map.branch_on_grid()) return std::make_unique<GridBranch>(map, std::move(pool), precision);
  return std::make_unique<PointBranch>(map, std::move(pool), precision);
}

}  // namespace cauchy::detail
