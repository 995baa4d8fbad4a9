#pragma once

#include <cauchy/base/threads.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/data/triples.hpp>

#include "operators/deeponet/deeponet_samples.hpp"
#include "operators/deeponet/grid_inputs.hpp"

namespace cauchy::detail {

/// Gives the map means and deviations of all fields of the data.
void put_output_sizes(DeepOnetMap& map, const AnswerPoints& answers, const DataSet& train);

/// The term of answers on one grid: |G(u) - truth|^2 over all functions and nodes.
[[nodiscard]] DeepOnetSamples::Pool data_pool(const DeepOnetMap& map, const AnswerPoints& answers,
                                              const DataSet& train, const GridInputs& inputs,
                                              Threads& threads);

/// The same for triples: every function at points of its own. Completes the sizes of the outputs
/// and the functions with answers.
///   error    throws Error at "[data.triples]" for rows of other samples or outside of the domain,
///            for a coordinate that is missing and a field that is no output
[[nodiscard]] DeepOnetSamples::Pool triples_pool(DeepOnetMap& map, const Triples& triples,
                                                 std::size_t n_train, const GridInputs& inputs,
                                                 DeepOnetSamples& samples);

}  // namespace cauchy::detail
