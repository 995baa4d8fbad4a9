#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// A problem without the fields that are fluxes of others: q/k + u_x = 0 and q_x = f become
/// d(-k*u_x, x) = f.
struct PrimalProblem {
  Problem problem;
  std::vector<Replacement> fluxes;  ///< each flux by the fields that are left
};

/// Takes a field for a flux when an equation gives it by first derivatives of other fields in
/// space, linearly and without derivatives of its own.
///   returns  none when there is no such field, or no other one
[[nodiscard]] std::optional<PrimalProblem> primal_problem(const Problem& problem);

/// A field of the primal problem as one of the whole problem.
class PrimalModel final : public FieldModel {
 public:
  PrimalModel(std::shared_ptr<const FieldModel> inner, std::vector<Replacement> fluxes)
      : inner_(std::move(inner)), fluxes_(std::move(fluxes)) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return inner_->kind(); }
  void save(Checkpoint& checkpoint) const override { inner_->save(checkpoint); }
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override;

 private:
  std::shared_ptr<const FieldModel> inner_;
  std::vector<Replacement> fluxes_;
};

}  // namespace cauchy::detail
