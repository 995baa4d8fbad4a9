#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/engine/backend.hpp>

namespace cauchy::detail {

/// A plan together with the parameters in the form that the backend reads.
template <class T>
struct PreparedPlan {
  Plan<T> plan;
  AlignedVector<T> shared;     ///< the parameters
  AlignedVector<T> direction;  ///< a direction in parameter space; sized at first use
};

/// Plans of one graph by jets and block: terms of the same shape share one.
template <class T>
class PlanCache {
 public:
  PlanCache(std::shared_ptr<const Graph> graph, std::map<std::string, double> known,
            const Backend<T>* backend)
      : graph_(std::move(graph)), known_(std::move(known)), backend_(backend) {}

  PreparedPlan<T>* get(const JetSpec& jets, std::size_t block) {
    for (const auto& p : plans_) {
      if (p->plan.block() == block && p->plan.jets() == jets) return p.get();
    }
    plans_.push_back(std::make_unique<PreparedPlan<T>>(
        PreparedPlan<T>{Plan<T>(graph_, jets, block, Plan<T>::Mode::backward, known_), {}, {}}));
    plans_.back()->shared.resize(backend_->shared_size(plans_.back()->plan));
    backend_->prepare_fixed(plans_.back()->plan, plans_.back()->shared.data());
    return plans_.back().get();
  }
  [[nodiscard]] std::size_t size() const noexcept { return plans_.size(); }
  [[nodiscard]] const Backend<T>& backend() const noexcept { return *backend_; }

 private:
  std::shared_ptr<const Graph> graph_;
  std::map<std::string, double> known_;
  const Backend<T>* backend_;
  std::vector<std::unique_ptr<PreparedPlan<T>>> plans_;
};

}  // namespace cauchy::detail
