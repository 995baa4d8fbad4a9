// softmax(k q / sqrt(d)) v, head by head, for a block of queries at a time. A query is a column:
// scores [key][query], so that softmax runs down columns and all sums are matrix products. Saved
// are the logarithms of the sums of a softmax, from which backward computes it again.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuAttention final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuAttention(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        heads_(static_cast<std::size_t>(this->op_.groups)),
        queries_(this->points()),
        keys_(this->points_of(1)),
        d_(this->channels_of(0) / heads_),
        e_(this->channels() / heads_),
        factor_(static_cast<T>(1 / std::sqrt(static_cast<double>(d_)))) {
    if (this->op_.fixed) weights_.assign(this->op_.fixed->begin(), this->op_.fixed->end());
    // Scores of a block and their adjoints: a part of the second-level cache.
    constexpr std::size_t cache = 512 * 1024, step = 96;
    const std::size_t fit = cache / sizeof(T) / (2 * keys_) / step * step;
    block_ = std::min(queries_, std::max(fit, step));
  }

  [[nodiscard]] std::size_t saved() const override { return heads_ * queries_; }
  /// Queries, scores, their adjoints, sums.
  [[nodiscard]] std::size_t scratch(std::size_t) const override {
    return block_ * (d_ + 2 * keys_ + 1);
  }

  void forward(const Call& call) const override {
    for_each_block(call, [&](std::size_t s, std::size_t head, std::size_t p, std::size_t n) {
      T *scores = scores_of(call, s, head, p, n), *sums = call.scratch + block_ * (d_ + 2 * keys_);
      this->element_.softmax({keys_, n, scores, n}, weights(), sums, logs_of(call, s, head) + p);
      T* out = this->out(call, s) + head * e_ * queries_ + p;
      this->product_.product({.rows = e_,
                              .columns = n,
                              .inner = keys_,
                              .a = this->in(call, 2, s) + head * e_ * keys_,
                              .a_stride = keys_,
                              .b = scores,
                              .b_stride = n,
                              .c = out,
                              .c_stride = queries_});
      for (std::size_t c = 0; c < e_; ++c) {
        this->element_.binary(BinaryOp::multiply, n, out + c * queries_, 1, sums, 1,
                              out + c * queries_);
      }
    });
  }

  void backward(const Call& call) const override {
    for_each_block(call, [&](std::size_t s, std::size_t head, std::size_t p, std::size_t n) {
      const std::size_t at_k = head * d_ * keys_, at_v = head * e_ * keys_;
      const T *k = this->in(call, 1, s) + at_k, *v = this->in(call, 2, s) + at_v;
      const T* by_out = this->by_out(call, s) + head * e_ * queries_ + p;
      T *by_q = this->by_in(call, 0, s), *by_k = this->by_in(call, 1, s),
        *by_v = this->by_in(call, 2, s);
      T *scores = scores_of(call, s, head, p, n), *by_scores = scores + block_ * keys_;
      T* q = call.scratch;  // scaled
      this->element_.softmax_again({keys_, n, scores, n}, weights(), logs_of(call, s, head) + p);
      if (by_v != nullptr) {
        this->product_.product_transposed(e_, keys_, n, by_out, queries_, scores, n, by_v + at_v,
                                          keys_);
      }
      if (by_q == nullptr && by_k == nullptr) return;
      this->product_.product({.rows = keys_,
                              .columns = n,
                              .inner = e_,
                              .a = v,
                              .a_stride = keys_,
                              .a_by_columns = true,
                              .b = by_out,
                              .b_stride = queries_,
                              .c = by_scores,
                              .c_stride = n});
      this->element_.softmax_backward({keys_, n, scores, n}, by_scores);
      if (by_k != nullptr) {
        this->product_.product_transposed(d_, keys_, n, q, n, by_scores, n, by_k + at_k, keys_);
      }
      if (by_q != nullptr) {
        this->product_.product({.rows = d_,
                                .columns = n,
                                .inner = keys_,
                                .a = k,
                                .a_stride = keys_,
                                .b = by_scores,
                                .b_stride = n,
                                .c = q,
                                .c_stride = n});
        for (std::size_t c = 0; c < d_; ++c) {
          this->element_.axpy(n, factor_, q + c * n, by_q + (head * d_ + c) * queries_ + p);
        }
      }
    });
  }

 private:
  [[nodiscard]] const T* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
  [[nodiscard]] T* logs_of(const Call& call, std::size_t s, std::size_t head) const {
    return call.saved + (s * heads_ + head) * queries_;
  }
  template <class Body>
  void for_each_block(const Call& call, Body body) const {
    for (std::size_t s = 0; s < call.n; ++s) {
      for (std::size_t head = 0; head < heads_; ++head) {
        for (std::size_t p = 0; p < queries_; p += block_) {
          body(s, head, p, std::min(block_, queries_ - p));
        }
      }
    }
  }
  /// k q / sqrt(d) for n queries from p on, keys x n; the scaled queries lie at the begin of the
  /// scratch.
  T* scores_of(const Call& call, std::size_t s, std::size_t head, std::size_t p,
               std::size_t n) const {
    T *q = call.scratch, *scores = q + block_ * d_;
    for (std::size_t c = 0; c < d_; ++c) {
      this->element_.scale(n, factor_, this->in(call, 0, s) + (head * d_ + c) * queries_ + p,
                           q + c * n);
    }
    this->product_.product({.rows = keys_,
                            .columns = n,
                            .inner = d_,
                            .a = this->in(call, 1, s) + head * d_ * keys_,
                            .a_stride = keys_,
                            .a_by_columns = true,
                            .b = q,
                            .b_stride = n,
                            .c = scores,
                            .c_stride = n});
    return scores;
  }

  std::size_t heads_, queries_, keys_, d_, e_;
  T factor_;
  std::vector<T> weights_;
  std::size_t block_;  ///< queries
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_attention(const TensorGraph& graph, int value) {
  return std::make_unique<CpuAttention<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_attention(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_attention(const TensorGraph&, int);

}  // namespace cauchy::detail
