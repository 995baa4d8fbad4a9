#include <cauchy/engine/executor.hpp>

#include <cauchy/engine/host_executor.hpp>

#include "engine/backend/cuda/cuda_executor.hpp"

namespace cauchy {

std::span<const Precision> all_precisions() noexcept {
  static constexpr Precision all[] = {Precision::f64, Precision::f32};
  return all;
}

std::string_view to_string(Precision precision) noexcept {
  return precision == Precision::f64 ? "f64" : "f32";
}

std::size_t Executor::n_residuals(std::size_t term) const {
  return n_points(term) * this->term(term).residuals.size();
}

std::size_t Executor::n_residuals() const {
  std::size_t total = 0;
  for (std::size_t t = 0; t < n_terms(); ++t) total += n_residuals(t);
  return total;
}

std::unique_ptr<Executor> make_executor(std::shared_ptr<const Graph> graph, std::vector<Term> terms,
                                        ExecutorOptions options) {
  if (options.device == Device::cuda) {
    return detail::make_cuda_executor(std::move(graph), std::move(terms), std::move(options));
  }
  if (options.precision == Precision::f32) {
    return std::make_unique<HostExecutor<float>>(std::move(graph), std::move(terms),
                                                 std::move(options));
  }
  return std::make_unique<HostExecutor<double>>(std::move(graph), std::move(terms),
                                                std::move(options));
}

}  // namespace cauchy
