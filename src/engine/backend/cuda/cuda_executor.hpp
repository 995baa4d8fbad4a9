#pragma once

#include <memory>
#include <vector>

#include <cauchy/engine/executor.hpp>

namespace cauchy::detail {

/// The executor of a GPU, for both precisions.
///   error    throws Error when this build has no CUDA back end
[[nodiscard]] std::unique_ptr<Executor> make_cuda_executor(std::shared_ptr<const Graph> graph,
                                                           std::vector<Term> terms,
                                                           ExecutorOptions options);

}  // namespace cauchy::detail
