#pragma once

#include <vector>

#include <cauchy/data/data_set.hpp>

#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// Quadrature weights of answers on a grid at some times, 1 in the mean.
[[nodiscard]] std::vector<double> answer_weights(const FieldGrid& grid, std::size_t n_times);

/// Gives the map the p leading principal functions of the answers, in the norm of the grid, each
/// times the deviation of its coefficient, and their mean.
///   error    throws Error at "[train.width]" for more functions than samples or points
///   cost     an eigenproblem of the smaller of both numbers
void put_principal_functions(DeepOnetMap& map, const AnswerPoints& answers, const DataSet& train);

}  // namespace cauchy::detail
