#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <cauchy/problem/solution.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// The field of a classical method: it gives derivatives of fields at points; expressions of them
/// are put together here.
class NodalModel : public FieldModel {
 public:
  /// kind     name of the method in the table of methods, under which it is loaded
  NodalModel(std::string kind, std::shared_ptr<const Problem> problem);

  [[nodiscard]] std::string_view kind() const noexcept final { return kind_; }
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const final;

  /// Derivatives of fields (Kind::field: u, u_x, u_xxt) at points, row-major n x coordinates of the
  /// problem; out is row-major n x atoms. Thread-safe.
  virtual void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                           std::span<double> out) const = 0;

 protected:
  [[nodiscard]] const Problem& problem() const noexcept { return *problem_; }

 private:
  std::string kind_;
  std::shared_ptr<const Problem> problem_;
  Lowering lower_;
};

}  // namespace cauchy::detail
