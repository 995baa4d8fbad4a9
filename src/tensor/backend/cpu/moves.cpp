// Numbers that are moved and not changed.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"
#include "tensor/stencil.hpp"

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

/// The largest number of every box, the first one of several, found without branches: which one it
/// is cannot be foreseen.
template <class T>
class CpuMaxPool final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuMaxPool(const TensorGraph& graph, int value) : CpuOperation<T>(graph, value) {
    for (const std::ptrdiff_t q :
         stencil_of(this->shape_of(0).grid, this->op_.shape.grid, this->op_.convolution)) {
      boxes_.push_back(static_cast<std::uint32_t>(q));
    }
    in_box_ = boxes_.size() / this->points();
  }

  void forward(const Call& call) const override {
    for_each_box(call, [&](std::size_t, std::size_t, std::size_t p, T x) { call.out[p] = x; });
  }
  void backward(const Call& call) const override {
    T* by_x = call.by_inputs[0];
    if (by_x == nullptr) return;
    for_each_box(call, [&](std::size_t channel, std::size_t at, std::size_t p, T) {
      by_x[channel + at] += call.by_out[p];
    });
  }

 private:
  /// body(where the channel begins, point of the largest, number of the box, the largest)
  template <class Body>
  void for_each_box(const Call& call, Body body) const {
    const std::size_t P = this->points(), Q = this->points_of(0);
    for (std::size_t c = 0; c < call.n * this->channels(); ++c) {
      const T* x = call.inputs[0] + c * Q;
      const std::uint32_t* box = boxes_.data();
      for (std::size_t p = 0; p < P; ++p, box += in_box_) {
        std::uint32_t at = box[0];
        T largest = x[at];
        for (std::size_t k = 1; k < in_box_; ++k) {
          const T other = x[box[k]];
          const std::uint32_t larger = 0U - static_cast<std::uint32_t>(other > largest);
          at = (at & ~larger) | (box[k] & larger);
          largest = other > largest ? other : largest;
        }
        body(c * Q, at, c * P + p, largest);
      }
    }
  }

  std::vector<std::uint32_t> boxes_;  ///< points of all boxes
  std::size_t in_box_ = 1;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_moves(const TensorGraph& graph, int value) {
  const TensorOp code = graph.ops()[static_cast<std::size_t>(value)].code;
  if (code == TensorOp::max_pool) return std::make_unique<CpuMaxPool<T>>(graph, value);
  if (code == TensorOp::concatenate) return std::make_unique<CpuConcatenate<T>>(graph, value);
  return std::make_unique<CpuPick<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_moves(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_moves(const TensorGraph&, int);

}  // namespace cauchy::detail
