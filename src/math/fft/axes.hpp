#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "math/fft/line.hpp"

namespace cauchy::detail {

/// Work arrays for concurrent calls: one per thread that is inside at the same time, reused later.
template <class T>
class FftWorkPool final {
 public:
  explicit FftWorkPool(std::size_t size) : size_(size) {}

  /// A work array on loan; goes back to the pool at the end of its scope.
  class Loan final {
   public:
    explicit Loan(FftWorkPool& pool) : pool_(pool), array_(pool.take()) {}
    ~Loan() { pool_.put(std::move(array_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    [[nodiscard]] T* data() { return array_.data(); }

   private:
    FftWorkPool& pool_;
    std::vector<T> array_;
  };

 private:
  std::vector<T> take();
  void put(std::vector<T> array) noexcept;

  std::size_t size_;
  std::mutex mutex_;
  std::vector<std::vector<T>> idle_;
  std::size_t n_arrays_ = 0;
};

/// Complex transforms along some axes of one row-major array of interleaved complex numbers.
template <class T>
class FftAxes final {
 public:
  /// Axes 0 to n_axes - 1 of the shape are transformed.
  FftAxes(std::span<const std::size_t> shape, std::size_t n_axes);

  [[nodiscard]] std::size_t work_size() const { return work_size_; }
  /// in = out is allowed. inverse is scaled by the product of 1/n over the axes. Returns where the
  /// result is: out, or in when there was nothing to do.
  const T* run(const T* in, T* out, bool inverse, T* work) const;

 private:
  /// Columns per block: one widest vector, and half of one more at the end.
  static constexpr std::size_t lanes_per_block = 64 / sizeof(T);
  static constexpr std::size_t max_lanes = lanes_per_block + lanes_per_block / 2;
  struct Axis {
    std::shared_ptr<const FftLine<T>> line;
    std::size_t outer, inner;
  };
  void run_axis(const Axis& axis, const T* in, T* out, bool inverse, T* work) const;

  std::vector<Axis> axes_;
  std::size_t work_size_ = 0;
};

/// Throws Error for a shape or batch that no plan can have; returns batch * product of the shape.
std::size_t fft_checked_size(std::span<const std::size_t> shape, std::size_t batch,
                             std::string_view place);

/// Throws Error unless the array `name` has `expected` elements.
void fft_check_span(std::string_view name, std::size_t actual, std::size_t expected,
                    std::string_view place);

/// Throws Error when the work array is too small.
void fft_check_work(std::size_t actual, std::size_t needed, std::string_view place);

/// Throws Error when the byte ranges share memory, unless they may be and are equal.
void fft_check_overlap(std::span<const std::byte> in, std::span<const std::byte> out,
                       bool in_place_allowed, std::string_view place);

}  // namespace cauchy::detail
