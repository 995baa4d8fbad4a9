#include "tensor/backend/cpu/cpu_operation.hpp"
#include "tensor/backend/cpu/real_transform.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuSpectrum final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuSpectrum(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        transform_(modes_of(this->shape_of(0).grid, this->op_.shape.grid), false) {}

  [[nodiscard]] std::size_t scratch(std::size_t) const override { return transform_.scratch(); }
  [[nodiscard]] bool writes_fresh() const override { return true; }
  void forward(const Call& call) const override {
    transform_.to_modes(call.n * this->channels_of(0), call.inputs[0], false, call.out,
                        call.scratch);
  }
  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    transform_.to_points(call.n * this->channels_of(0), call.by_out, !this->fresh(call, 0),
                         call.by_inputs[0], call.scratch);
  }

 private:
  RealTransform<T> transform_;
};

template <class T>
class CpuFromSpectrum final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuFromSpectrum(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        transform_(modes_of(this->op_.shape.grid, this->shape_of(0).grid), true) {}

  [[nodiscard]] std::size_t scratch(std::size_t) const override { return transform_.scratch(); }
  [[nodiscard]] bool writes_fresh() const override { return true; }
  void forward(const Call& call) const override {
    transform_.to_points(call.n * this->channels(), call.inputs[0], false, call.out, call.scratch);
  }
  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    transform_.to_modes(call.n * this->channels(), call.by_out, !this->fresh(call, 0),
                        call.by_inputs[0], call.scratch);
  }

 private:
  RealTransform<T> transform_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_spectrum(const TensorGraph& graph, int value) {
  if (graph.ops()[static_cast<std::size_t>(value)].code == TensorOp::spectrum) {
    return std::make_unique<CpuSpectrum<T>>(graph, value);
  }
  return std::make_unique<CpuFromSpectrum<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_spectrum(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_spectrum(const TensorGraph&, int);

}  // namespace cauchy::detail
