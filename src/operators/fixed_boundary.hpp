#pragma once

#include <optional>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// The values that conditions give to fields on all of the boundary of a box, [fields, grid]; 0
/// inside, and everywhere where no axis has ends.
///   none     a problem in time, a cloud, a condition that is no value of a field (u = g with g of
///            the coordinates alone), a node of the boundary that no condition names
[[nodiscard]] std::optional<std::vector<double>> boundary_values(
    const OperatorProblem& problem, const std::vector<std::string>& fields, const FieldGrid& space);

/// A value [fields, grid] u with these values g on the boundary:
///   g + (I - P_1) ... (I - P_d) (u - g),   P_k v = (1 - x_k) v(x_k = 0) + x_k v(x_k = 1)
/// over the axes with ends, x_k from 0 to 1. What u misses on the boundary is taken off inside as
/// the polynomial between the sides (Coons), linear in u.
[[nodiscard]] int add_boundary_values(TensorGraph& graph, int value, const FieldGrid& space,
                                      const std::vector<double>& given);

}  // namespace cauchy::detail
