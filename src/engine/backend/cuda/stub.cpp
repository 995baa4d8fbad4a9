// What a build without CUDA has in place of the executor of a GPU.
#include <cauchy/base/error.hpp>

#include "engine/backend/cuda/cuda_executor.hpp"

namespace cauchy::detail {

std::unique_ptr<Executor> make_cuda_executor(std::shared_ptr<const Graph>, std::vector<Term>,
                                             ExecutorOptions) {
  throw Error("this build has no CUDA back end", "[engine.executor]", "use device host");
}

}  // namespace cauchy::detail
