// Fixed matrices over the points: along one axis, sparse, or one row (a weighted sum).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

/// An array as [outer][length of the axis][inner]: inner numbers are the columns of the product, or
/// (along the last axis) the rows.
template <class T>
class CpuAlong final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuAlong(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value), matrix_(this->op_.fixed->begin(), this->op_.fixed->end()) {
    const auto axis = static_cast<std::size_t>(this->op_.axis);
    from_ = static_cast<std::size_t>(this->shape_of(0).grid[axis]);
    to_ = static_cast<std::size_t>(this->op_.shape.grid[axis]);
    for (std::size_t a = axis + 1; a < this->op_.shape.grid.size(); ++a) {
      inner_ *= static_cast<std::size_t>(this->op_.shape.grid[a]);
    }
    outer_ = this->size() / to_ / inner_;
    if (inner_ > 1) return;
    transposed_.resize(matrix_.size());
    for (std::size_t i = 0; i < to_; ++i) {
      for (std::size_t j = 0; j < from_; ++j) transposed_[j * to_ + i] = matrix_[i * from_ + j];
    }
  }

  void forward(const Call& call) const override {
    if (inner_ == 1) {
      this->product_.product({.rows = call.n * outer_,
                              .columns = to_,
                              .inner = from_,
                              .a = call.inputs[0],
                              .a_stride = from_,
                              .b = transposed_.data(),
                              .b_stride = to_,
                              .c = call.out,
                              .c_stride = to_});
      return;
    }
    for (std::size_t o = 0; o < call.n * outer_; ++o) {
      this->product_.product({.rows = to_,
                              .columns = inner_,
                              .inner = from_,
                              .a = matrix_.data(),
                              .a_stride = from_,
                              .b = call.inputs[0] + o * from_ * inner_,
                              .b_stride = inner_,
                              .c = call.out + o * to_ * inner_,
                              .c_stride = inner_});
    }
  }

  void backward(const Call& call) const override {
    T* by_x = call.by_inputs[0];
    if (by_x == nullptr) return;
    if (inner_ == 1) {
      this->product_.product({.rows = call.n * outer_,
                              .columns = from_,
                              .inner = to_,
                              .a = call.by_out,
                              .a_stride = to_,
                              .b = matrix_.data(),
                              .b_stride = from_,
                              .c = by_x,
                              .c_stride = from_,
                              .d = by_x,
                              .d_stride = from_});
      return;
    }
    for (std::size_t o = 0; o < call.n * outer_; ++o) {
      T* to = by_x + o * from_ * inner_;
      this->product_.product({.rows = from_,
                              .columns = inner_,
                              .inner = to_,
                              .a = matrix_.data(),
                              .a_stride = from_,
                              .a_by_columns = true,
                              .b = call.by_out + o * to_ * inner_,
                              .b_stride = inner_,
                              .c = to,
                              .c_stride = inner_,
                              .d = to,
                              .d_stride = inner_});
    }
  }

 private:
  std::vector<T> matrix_, transposed_;
  std::size_t from_, to_, inner_ = 1, outer_;
};

/// Several channels at a time: an entry of the matrix is read once for all of them. Where there are
/// many, their numbers stand point by point, so that a point is one or two vectors.
template <class T>
class CpuSparse final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuSparse(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value), matrix_(*this->op_.matrix) {}

  [[nodiscard]] std::size_t scratch(std::size_t n) const override {
    return n * this->channels_of(0) < few ? 0 : lanes * (matrix_.columns + matrix_.rows());
  }

  void forward(const Call& call) const override {
    const std::size_t rows = matrix_.rows(), columns = matrix_.columns;
    const std::size_t all = call.n * this->channels_of(0);
    if (all < few) return forward_few(call, all);
    const Entry* const entry = entries();
    T *from = call.scratch, *to = from + lanes * columns;
    for (std::size_t c = 0; c < all; c += lanes) {
      const std::size_t width = std::min(lanes, all - c);
      interleave(call.inputs[0] + c * columns, width, columns, from);
      for (std::size_t i = 0; i < rows; ++i) {
        Lanes sums{};
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          sums.add(entry[k].weight, Lanes::load(from + entry[k].point * lanes));
        }
        sums.store(to + i * lanes);
      }
      separate(to, width, rows, call.out + c * rows);
    }
  }

  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    const std::size_t rows = matrix_.rows(), columns = matrix_.columns;
    const std::size_t all = call.n * this->channels_of(0);
    if (all < few) return backward_few(call, all);
    const Entry* const entry = entries();
    T *by_x = call.scratch, *by_out = by_x + lanes * columns;
    for (std::size_t c = 0; c < all; c += lanes) {
      const std::size_t width = std::min(lanes, all - c);
      interleave(call.by_out + c * rows, width, rows, by_out);
      interleave(call.by_inputs[0] + c * columns, width, columns, by_x);
      for (std::size_t i = 0; i < rows; ++i) {
        const Lanes by = Lanes::load(by_out + i * lanes);
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          T* at = by_x + entry[k].point * lanes;
          Lanes x = Lanes::load(at);
          x.add(entry[k].weight, by);
          x.store(at);
        }
      }
      separate(by_x, width, columns, call.by_inputs[0] + c * columns);
    }
  }

 private:
  static constexpr std::size_t lanes = 64 / sizeof(T), few = 3, block = 64;
  /// Four registers that every machine has; an array of numbers the compiler keeps in memory.
  struct Lanes {
    using Register [[gnu::vector_size(16)]] = T;
    static constexpr std::size_t n = 16 / sizeof(T);
    Register a, b, c, d;

    static Register load_one(const T* x) {
      Register r;
      std::memcpy(&r, x, sizeof r);
      return r;
    }
    static Lanes load(const T* x) {
      return {load_one(x), load_one(x + n), load_one(x + 2 * n), load_one(x + 3 * n)};
    }
    void add(T weight, const Lanes& x) {
      a += weight * x.a;
      b += weight * x.b;
      c += weight * x.c;
      d += weight * x.d;
    }
    void store(T* x) const {
      std::memcpy(x, &a, sizeof a);
      std::memcpy(x + n, &b, sizeof b);
      std::memcpy(x + 2 * n, &c, sizeof c);
      std::memcpy(x + 3 * n, &d, sizeof d);
    }
  };
  struct Entry {
    std::uint32_t point;
    T weight;
  };

  /// [width][n] to [n][lanes], what is missing is 0; and back. Block by block: numbers of
  /// different channels may lie a power of two apart, which caches do not bear.
  static void interleave(const T* x, std::size_t width, std::size_t n, T* out) {
    if (width < lanes) std::fill_n(out, lanes * n, T(0));
    for (std::size_t first = 0; first < n; first += block) {
      const std::size_t end = std::min(n, first + block);
      for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t i = first; i < end; ++i) out[i * lanes + j] = x[j * n + i];
      }
    }
  }
  static void separate(const T* x, std::size_t width, std::size_t n, T* out) {
    for (std::size_t first = 0; first < n; first += block) {
      const std::size_t end = std::min(n, first + block);
      for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t i = first; i < end; ++i) out[j * n + i] = x[i * lanes + j];
      }
    }
  }

  void forward_few(const Call& call, std::size_t all) const {
    const Entry* const entry = entries();
    for (std::size_t c = 0; c < all; ++c) {
      const T* x = call.inputs[0] + c * matrix_.columns;
      for (std::size_t i = 0; i < matrix_.rows(); ++i) {
        T sum = 0;
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          sum += entry[k].weight * x[entry[k].point];
        }
        call.out[c * matrix_.rows() + i] = sum;
      }
    }
  }
  void backward_few(const Call& call, std::size_t all) const {
    const Entry* const entry = entries();
    for (std::size_t c = 0; c < all; ++c) {
      T* by_x = call.by_inputs[0] + c * matrix_.columns;
      for (std::size_t i = 0; i < matrix_.rows(); ++i) {
        const T by = call.by_out[c * matrix_.rows() + i];
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          by_x[entry[k].point] += entry[k].weight * by;
        }
      }
    }
  }

  /// The entries, made when they are first asked for: who wants to know sizes needs none.
  const Entry* entries() const {
    std::call_once(once_, [&] { table_ = entries_of(matrix_); });
    return table_->data();
  }
  /// One table for all operations with the same matrix, while one of them lives.
  static std::shared_ptr<const std::vector<Entry>> entries_of(const PointMatrix& matrix) {
    static std::mutex guard;
    static std::map<const PointMatrix*, std::weak_ptr<const std::vector<Entry>>> known;
    const std::lock_guard lock(guard);
    std::erase_if(known, [](const auto& item) { return item.second.expired(); });
    auto& mine = known[&matrix];
    if (auto found = mine.lock()) return found;
    auto made = std::make_shared<std::vector<Entry>>();
    made->reserve(matrix.points.size());
    for (std::size_t k = 0; k < matrix.points.size(); ++k) {
      made->push_back(
          {static_cast<std::uint32_t>(matrix.points[k]), static_cast<T>(matrix.weights[k])});
    }
    mine = made;
    return made;
  }

  const PointMatrix& matrix_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const std::vector<Entry>> table_;
};

template <class T>
class CpuReduce final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuReduce(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value), weights_(this->op_.fixed->begin(), this->op_.fixed->end()) {}

  void forward(const Call& call) const override {
    const std::size_t P = this->points_of(0);
    for (std::size_t c = 0; c < call.n * this->channels(); ++c) {
      call.out[c] = this->element_.dot(P, weights_.data(), call.inputs[0] + c * P);
    }
  }
  void backward(const Call& call) const override {
    const std::size_t P = this->points_of(0);
    for (std::size_t c = 0; c < call.n * this->channels() && call.by_inputs[0] != nullptr; ++c) {
      this->element_.axpy(P, call.by_out[c], weights_.data(), call.by_inputs[0] + c * P);
    }
  }

 private:
  std::vector<T> weights_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_point_sums(const TensorGraph& graph, int value) {
  switch (graph.ops()[static_cast<std::size_t>(value)].code) {
    case TensorOp::along:
      return std::make_unique<CpuAlong<T>>(graph, value);
    case TensorOp::sparse:
      return std::make_unique<CpuSparse<T>>(graph, value);
    default:
      return std::make_unique<CpuReduce<T>>(graph, value);
  }
}

template AnyCpuOperation<float> make_cpu_point_sums(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_point_sums(const TensorGraph&, int);

}  // namespace cauchy::detail
