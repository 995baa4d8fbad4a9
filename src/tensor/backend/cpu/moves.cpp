// Numbers that are moved and not changed.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuConcatenate final : public CpuOperation<T> {
 public:
  using CpuOperation<T>::CpuOperation;
  using typename CpuOperation<T>::Call;

  void forward(const Call& call) const override {
    for (std::size_t s = 0; s < call.n; ++s) {
      T* out = this->out(call, s);
      for (std::size_t k = 0; k < this->op_.inputs.size(); ++k) {
        out = std::copy_n(this->in(call, k, s), this->shape_of(k).size(), out);
      }
    }
  }
  void backward(const Call& call) const override {
    for (std::size_t s = 0; s < call.n; ++s) {
      const T* g = this->by_out(call, s);
      for (std::size_t k = 0; k < this->op_.inputs.size(); ++k) {
        const std::size_t size = this->shape_of(k).size();
        if (T* by_x = this->by_in(call, k, s)) {
          if (this->fresh(call, k)) {
            std::copy_n(g, size, by_x);
          } else {
            this->element_.add(size, g, by_x);
          }
        }
        g += size;
      }
    }
  }
  [[nodiscard]] bool writes_fresh() const override { return true; }
};

/// Where neighbours stay neighbours, whole stretches are moved (crop, pad, reshape, roll); else
/// number by number.
template <class T>
class CpuPick final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuPick(const TensorGraph& graph, int value) : CpuOperation<T>(graph, value) {
    const std::vector<std::ptrdiff_t>& picks = *this->op_.picks;
    for (std::size_t i = 0; i < picks.size(); ++i) {
      if (!runs_.empty()) {
        Run& run = runs_.back();
        const bool zeros = run.from < 0 && picks[i] < 0;
        if (zeros || (run.from >= 0 && picks[i] == run.from + run.size)) {
          ++run.size;
          continue;
        }
      }
      runs_.push_back({picks[i], 1});
    }
    constexpr std::size_t short_run = 8;
    if (picks.size() < short_run * runs_.size()) {
      runs_.clear();
      runs_.shrink_to_fit();
    }
  }

  void forward(const Call& call) const override {
    for (std::size_t s = 0; s < call.n; ++s) {
      const T* x = this->in(call, 0, s);
      T* out = this->out(call, s);
      if (runs_.empty()) {
        for (const std::ptrdiff_t i : *this->op_.picks) *out++ = i < 0 ? T(0) : x[i];
      }
      for (const Run& run : runs_) {
        out = run.from < 0 ? std::fill_n(out, run.size, T(0))
                           : std::copy_n(x + run.from, run.size, out);
      }
    }
  }

  void backward(const Call& call) const override {
    for (std::size_t s = 0; s < call.n && call.by_inputs[0] != nullptr; ++s) {
      const T* g = this->by_out(call, s);
      T* by_x = this->by_in(call, 0, s);
      if (runs_.empty()) {
        for (const std::ptrdiff_t i : *this->op_.picks) {
          if (i >= 0) by_x[i] += *g;
          ++g;
        }
      }
      for (const Run& run : runs_) {
        if (run.from >= 0) {
          this->element_.add(static_cast<std::size_t>(run.size), g, by_x + run.from);
        }
        g += run.size;
      }
    }
  }

 private:
  struct Run {
    std::ptrdiff_t from;  ///< -1: zeros
    std::ptrdiff_t size;
  };
  std::vector<Run> runs_;  ///< empty: there are too many
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_moves(const TensorGraph& graph, int value) {
  if (graph.ops()[static_cast<std::size_t>(value)].code == TensorOp::concatenate) {
    return std::make_unique<CpuConcatenate<T>>(graph, value);
  }
  return std::make_unique<CpuPick<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_moves(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_moves(const TensorGraph&, int);

}  // namespace cauchy::detail
