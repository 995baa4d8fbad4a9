#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/engine/backend.hpp>
#include <cauchy/engine/residual_form.hpp>

namespace cauchy::detail {

/// A plan together with the parameters in the form that the backend reads.
template <class T>
struct PreparedPlan {
  Plan<T> plan;
  AlignedVector<T> shared;     ///< the parameters
  AlignedVector<T> direction;  ///< a direction in parameter space; sized at first use
};

/// Plans of one graph by jets, block and outputs: terms of the same shape share one.
template <class T>
class PlanCache {
 public:
  PlanCache(std::shared_ptr<const Graph> graph, std::map<std::string, double> known,
            const Backend<T>* backend)
      : graph_(std::move(graph)), known_(std::move(known)), backend_(backend) {}

  /// For the outputs that the rows of a form come from.
  PreparedPlan<T>* get(const ResidualForm& form, std::size_t block) {
    std::vector<int> outputs;
    for (const ResidualForm::Row& row : form.rows) outputs.push_back(row.field);
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    const Plan<T>* like = nullptr;
    for (const auto& p : plans_) {
      const bool same_jets = p->plan.jets() == form.jets;
      const bool same_outputs = outputs.empty() || p->plan.outputs() == outputs;
      if (same_jets && same_outputs && p->plan.block() == block) return p.get();
      if (like == nullptr || (same_jets && (same_outputs || like->jets() != form.jets))) {
        like = &p->plan;
      }
    }
    plans_.push_back(std::make_unique<PreparedPlan<T>>(
        PreparedPlan<T>{Plan<T>(graph_, form.jets, block, Plan<T>::Mode::backward, known_,
                                std::move(outputs), like),
                        {},
                        {}}));
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
