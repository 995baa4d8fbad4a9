#pragma once

#include <functional>
#include <memory>
#include <string>

#include <cauchy/problem/solution.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// An answer and a correction of it: the sum of both fields; or, with factor -1, a field minus the
/// answer.
class CorrectedModel final : public FieldModel {
 public:
  static constexpr std::string_view name = "corrected";

  /// problem: without unknown constants, or with the values that were found among its parameters
  CorrectedModel(std::shared_ptr<const Problem> problem, std::shared_ptr<const FieldModel> base,
                 std::shared_ptr<const FieldModel> correction, double factor = 1)
      : problem_(std::move(problem)),
        lower_(*problem_),
        base_(std::move(base)),
        correction_(std::move(correction)),
        factor_(factor) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return name; }
  void save(Checkpoint& checkpoint) const override;
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override;

 private:
  std::shared_ptr<const Problem> problem_;
  Lowering lower_;
  std::shared_ptr<const FieldModel> base_, correction_;
  double factor_;  // of the base
};

/// What `save` wrote.
///   load     a part from its kind and entries
[[nodiscard]] std::shared_ptr<const FieldModel> load_corrected(
    const Checkpoint& checkpoint, std::shared_ptr<const Problem> problem,
    const std::function<std::shared_ptr<const FieldModel>(const std::string& kind,
                                                          const Checkpoint& own)>& load);

}  // namespace cauchy::detail
