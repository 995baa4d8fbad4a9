#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/solution.hpp>

#include "solvers/pinn/pinn_graph.hpp"

namespace cauchy::detail {

/// The trained network as a field.
class PinnField final : public FieldModel {
 public:
  PinnField(std::shared_ptr<const Graph> graph, std::vector<double> theta, Lowering lower,
            ExecutorOptions options)
      : lower_(std::move(lower)),
        theta_(std::move(theta)),
        executor_(make_executor(std::move(graph), {}, std::move(options))) {}

  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    std::vector<Expr> lowered;
    for (const Expr& e : expressions) lowered.push_back(lower_(e));
    const std::lock_guard lock(mutex_);
    executor_->predict(lowered, theta_, points, out);
  }

 private:
  Lowering lower_;
  std::vector<double> theta_;
  mutable std::mutex mutex_;
  std::unique_ptr<Executor> executor_;
};

void save_history(Checkpoint& c, const std::vector<HistoryEntry>& history);
[[nodiscard]] std::vector<HistoryEntry> load_history(const Checkpoint& c);

}  // namespace cauchy::detail
