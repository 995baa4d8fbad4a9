#pragma once

#include <memory>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// An expression of the fields of an answer as a known function of all coordinates of its problem,
/// in their order, with partial derivatives as far as the model has those of its fields.
///   problem      without unknown constants
///   expression   of fields, coordinates, parameters and tables of the problem; no normals
///   cost         a program is compiled for each set of orders that is asked for
[[nodiscard]] FunctionCode answer_function(std::shared_ptr<const FieldModel> model,
                                           std::shared_ptr<const Problem> problem,
                                           const Expr& expression);

}  // namespace cauchy::detail
