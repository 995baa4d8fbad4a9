#include <algorithm>

#include <cauchy/engine/backend.hpp>

#include "engine/backend/reference/backward.hpp"
#include "engine/backend/reference/forward.hpp"

namespace cauchy {
namespace {

template <class T>
class ReferenceBackend final : public Backend<T> {
 public:
  using Block = typename Backend<T>::Block;

  [[nodiscard]] std::string_view name() const noexcept override { return "reference"; }
  [[nodiscard]] std::size_t granularity() const noexcept override { return 1; }
  [[nodiscard]] std::size_t shared_size(const Plan<T>& plan) const override {
    return plan.graph().n_parameters() + plan.constants().size();
  }
  [[nodiscard]] std::size_t scratch_size(const Plan<T>& plan) const override {
    return plan.program_workspace();
  }

  void prepare_fixed(const Plan<T>&, T*) const override {}  // read from the operations themselves

  void prepare(const Plan<T>& plan, const double* theta, T* shared) const override {
    const auto to_precision = [](double x) { return static_cast<T>(x); };
    T* out = std::transform(theta, theta + plan.graph().n_parameters(), shared, to_precision);
    // The constants once more, side by side as programs take them.
    for (const std::ptrdiff_t offset : plan.constants()) *out++ = to_precision(theta[offset]);
  }

  void forward(const Plan<T>& plan, const Block& block) const override {
    detail::reference_forward(plan, block);
  }

  void backward(const Plan<T>& plan, const Block& block, T* gradient) const override {
    detail::reference_backward<T>(
        plan, block,
        [gradient](std::ptrdiff_t i, std::size_t /*point*/, T slope) { gradient[i] += slope; });
  }

  void backward_per_point(const Plan<T>& plan, const Block& block, T* rows) const override {
    const std::size_t n_points = plan.block();
    detail::reference_backward<T>(plan, block, [=](std::ptrdiff_t i, std::size_t p, T slope) {
      rows[static_cast<std::size_t>(i) * n_points + p] += slope;
    });
  }

  void backward_directional(const Plan<T>& plan, const Block& block, const T* direction,
                            T* out) const override {
    detail::reference_backward<T>(plan, block, [=](std::ptrdiff_t i, std::size_t p, T slope) {
      out[p] += direction[i] * slope;
    });
  }
};

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> make_reference_backend() {
  return std::make_unique<ReferenceBackend<T>>();
}

template std::unique_ptr<Backend<float>> make_reference_backend();
template std::unique_ptr<Backend<double>> make_reference_backend();

}  // namespace cauchy
