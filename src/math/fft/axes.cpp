#include "math/fft/axes.hpp"

#include <cauchy/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace cauchy::detail {

using std::size_t;

template <class T>
std::vector<T> FftWorkPool<T>::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::vector<T> array = std::move(idle_.back());
      idle_.pop_back();
      return array;
    }
    idle_.reserve(n_arrays_ + 1);  // so that put() never allocates
    ++n_arrays_;
  }
  return std::vector<T>(size_);
}

template <class T>
void FftWorkPool<T>::put(std::vector<T> array) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(array));
}

template <class T>
FftAxes<T>::FftAxes(std::span<const size_t> shape, size_t n_axes) {
  size_t total = 1;
  for (const size_t n : shape) total *= n;
  size_t outer = 1;
  for (size_t i = 0; i < n_axes; ++i) {
    const size_t n = shape[i], inner = total / (outer * n);
    if (n > 1) {
      std::shared_ptr<const FftLine<T>> line;
      for (const Axis& other : axes_) {
        if (other.line->size() == n) line = other.line;
      }
      if (!line) line = std::make_shared<const FftLine<T>>(n);
      axes_.push_back({std::move(line), outer, inner});
    }
    outer *= n;
  }
  std::reverse(axes_.begin(), axes_.end());  // the contiguous axis first
  for (const Axis& axis : axes_) {
    work_size_ = std::max(work_size_, axis.line->work_size(std::min(axis.inner, max_lanes)));
  }
}

template <class T>
const T* FftAxes<T>::run(const T* in, T* out, bool inverse, T* work) const {
  const T* source = in;
  for (const Axis& axis : axes_) {
    run_axis(axis, source, out, inverse, work);
    source = out;
  }
  return source;
}

// Columns of a strided axis are transformed together, one vector lane each.
template <class T>
void FftAxes<T>::run_axis(const Axis& axis, const T* in, T* out, bool inverse, T* work) const {
  const size_t n = axis.line->size(), inner = axis.inner;
  const T scale = inverse ? T(1) / static_cast<T>(n) : T(1);
  for (size_t o = 0; o < axis.outer; ++o) {
    for (size_t q = 0, lanes = 0; q < inner; q += lanes) {
      // A short rest (half spectra have one column more than a power of two) joins the last block.
      lanes = inner - q < max_lanes ? inner - q : lanes_per_block;
      const size_t offset = 2 * (o * n * inner + q);
      FftRows<T> from{.re = const_cast<T*>(in) + offset,  // read only
                      .im = nullptr,
                      .stride = inner,
                      .interleaved = true,
                      .swap = inverse};
      FftRows<T> to = from;
      to.re = out + offset;
      axis.line->run(from, to, lanes, scale, work);
    }
  }
}

size_t fft_checked_size(std::span<const size_t> shape, size_t batch, std::string_view place) {
  if (shape.empty() || shape.size() > 3) {
    throw Error(fmt::format("a transform needs 1 to 3 axes, got {}", shape.size()), place);
  }
  // Work space and padded convolutions stay below 64 times the array.
  constexpr size_t limit = std::numeric_limits<std::ptrdiff_t>::max() / (64 * 16);
  size_t total = 1;
  const auto multiply = [&](size_t n) {
    if (n > limit / total) {
      throw Error("the array is too large for the address space", place);
    }
    total *= n;
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      throw Error(fmt::format("axis {} has length 0", i), place, "every length must be at least 1");
    }
    multiply(shape[i]);
  }
  if (batch == 0) throw Error("batch must be positive, got 0", place);
  multiply(batch);
  return total;
}

void fft_check_span(std::string_view name, size_t actual, size_t expected, std::string_view place) {
  if (actual == expected) return;
  throw Error(fmt::format("{} has {} elements, the plan needs {}", name, actual, expected), place);
}

void fft_check_work(size_t actual, size_t needed, std::string_view place) {
  if (actual >= needed) return;
  throw Error(fmt::format("work has {} elements, the plan needs {}", actual, needed), place,
              "see work_size()");
}

void fft_check_overlap(std::span<const std::byte> in, std::span<const std::byte> out,
                       bool in_place_allowed, std::string_view place) {
  const auto a = reinterpret_cast<std::uintptr_t>(in.data());
  const auto b = reinterpret_cast<std::uintptr_t>(out.data());
  if (a + in.size() <= b || b + out.size() <= a || (in_place_allowed && a == b)) return;
  throw Error("in and out overlap", place,
              in_place_allowed ? "give the same array twice or two disjoint ones"
                               : "give two disjoint arrays");
}

template class FftWorkPool<float>;
template class FftWorkPool<double>;
template class FftAxes<float>;
template class FftAxes<double>;

}  // namespace cauchy::detail
