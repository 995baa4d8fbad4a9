#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/domain.hpp>
#include "sampling/shape_points.hpp"

namespace cauchy::detail {

/// The conditions of a Boundary on the pieces of a domain, each computed once.
class DomainSelection final {
 public:
  ///   error    throws Error when the domain has no space, and the errors of Boundary
  DomainSelection(const Domain& domain, std::string_view where);

  [[nodiscard]] Expr condition(const Piece& piece);
  [[nodiscard]] const std::string& text() const noexcept { return boundary_.text(); }
  /// Whether other parts are selected at other times.
  [[nodiscard]] bool varies_in_time() const noexcept { return varies_in_time_; }

 private:
  Boundary boundary_;
  bool varies_in_time_;
  std::vector<Replacement> known_;  // parameters that have values
  std::map<std::vector<std::string>, Expr> conditions_;
};

}  // namespace cauchy::detail
