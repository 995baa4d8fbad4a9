#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cauchy {

/// Called by the views below when they are asked for what is not there.
namespace checks {
[[noreturn]] void throw_shape_error(std::string_view message);
[[noreturn]] void throw_out_of_range(std::string_view what, std::size_t index, std::size_t size);
/// rows * cols; throws Error when the product does not fit into memory addresses.
std::size_t checked_area(std::size_t rows, std::size_t cols);
}  // namespace checks

namespace detail {
/// A contiguous range of T (or of non-const T when T is const) that outlives the view made of it.
template <class R, class T>
concept ContiguousOf = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    (std::ranges::borrowed_range<R> || std::is_const_v<T>)&&std::is_convertible_v<
        std::remove_reference_t<std::ranges::range_reference_t<R>> (*)[], T (*)[]>;
}  // namespace detail

/// Non-owning view of size() elements, stride() apart. T may be const.
///   access   v[i] is unchecked (asserted in debug builds); construction and slices throw Error
template <class T>
class VectorView {
 public:
  using value_type = std::remove_const_t<T>;

  constexpr VectorView() noexcept = default;
  VectorView(T* data, std::size_t size, std::size_t stride = 1)
      : data_(data), size_(size), stride_(stride) {
    if (stride == 0) checks::throw_shape_error("stride of a vector view must be positive, got 0");
    if (data == nullptr && size > 0) checks::throw_shape_error("vector view of a null pointer");
  }
  /// From std::vector, std::array, std::span, ...
  template <class R>
  requires(detail::ContiguousOf<R, T> && !std::same_as<std::remove_cvref_t<R>, VectorView>)
      VectorView(R&& range)
  noexcept : data_(std::ranges::data(range)), size_(std::ranges::size(range)) {}
  /// View of const from view of mutable.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<const U, T>) VectorView(const VectorView<U>& v)
  noexcept : data_(v.data()), size_(v.size()), stride_(v.stride()) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return data_[i * stride_];
  }
  /// Elements [first, first + count).
  [[nodiscard]] VectorView slice(std::size_t first, std::size_t count) const {
    if (first > size_ || count > size_ - first)
      checks::throw_out_of_range("vector slice", first + count, size_);
    return count == 0 ? VectorView() : VectorView(data_ + first * stride_, count, stride_);
  }
  /// The same elements as a span; throws Error unless they are contiguous.
  [[nodiscard]] std::span<T> span() const {
    if (stride_ != 1 && size_ > 1) checks::throw_shape_error("strided vector view is not a span");
    return {data_, size_};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, stride_ = 1;
};

/// Non-owning row-major view: element (i, j) is data[i * leading() + j]. T may be const.
///   access   a(i, j) is unchecked (asserted in debug builds); construction, row(), col() and
///   block()
///            throw Error when they leave the matrix
template <class T>
class MatrixView {
 public:
  using value_type = std::remove_const_t<T>;

  constexpr MatrixView() noexcept = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t leading)
      : data_(data), rows_(rows), cols_(cols), leading_(leading) {
    if (leading < cols)
      checks::throw_shape_error("leading dimension of a matrix view is less than its columns");
    if (data == nullptr && rows > 0 && cols > 0)
      checks::throw_shape_error("matrix view of a null pointer");
    checks::checked_area(rows, leading);
  }
  /// View of const from view of mutable.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<const U, T>) MatrixView(const MatrixView<U>& a)
  noexcept : data_(a.data()), rows_(a.rows()), cols_(a.cols()), leading_(a.leading()) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t leading() const noexcept { return leading_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0 || cols_ == 0; }
  [[nodiscard]] bool is_contiguous() const noexcept { return leading_ == cols_ || rows_ <= 1; }
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) const noexcept {
    assert(i < rows_ && j < cols_);
    return data_[i * leading_ + j];
  }
  [[nodiscard]] VectorView<T> row(std::size_t i) const {
    if (i >= rows_) checks::throw_out_of_range("matrix row", i, rows_);
    return VectorView<T>(data_ + i * leading_, cols_);
  }
  [[nodiscard]] VectorView<T> col(std::size_t j) const {
    if (j >= cols_) checks::throw_out_of_range("matrix column", j, cols_);
    return VectorView<T>(data_ + j, rows_, leading_);
  }
  /// The n_rows x n_cols part whose first element is (i, j).
  [[nodiscard]] MatrixView block(std::size_t i, std::size_t j, std::size_t n_rows,
                                 std::size_t n_cols) const {
    if (i > rows_ || n_rows > rows_ - i)
      checks::throw_out_of_range("matrix block rows", i + n_rows, rows_);
    if (j > cols_ || n_cols > cols_ - j)
      checks::throw_out_of_range("matrix block columns", j + n_cols, cols_);
    if (n_rows == 0 || n_cols == 0) return MatrixView(nullptr, n_rows, n_cols, leading_);
    return MatrixView(data_ + i * leading_ + j, n_rows, n_cols, leading_);
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0, cols_ = 0, leading_ = 0;
};

/// Dense owning row-major matrix, contiguous. Converts to MatrixView; construction from bad shapes
/// throws Error. T is float or double.
template <class T>
class BasicMatrix {
 public:
  using value_type = T;

  BasicMatrix() = default;
  BasicMatrix(std::size_t rows, std::size_t cols, T fill = T(0))
      : rows_(rows), cols_(cols), data_(checks::checked_area(rows, cols), fill) {}
  /// Matrix{{1, 2}, {3, 4}}; all rows must have the same length.
  BasicMatrix(std::initializer_list<std::initializer_list<T>> rows);
  /// Copy of a view.
  explicit BasicMatrix(MatrixView<const T> a);
  static BasicMatrix identity(std::size_t n);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t size() const noexcept { return data_.size(); }
  [[nodiscard]] bool empty() const noexcept { return data_.empty(); }
  [[nodiscard]] T* data() noexcept { return data_.data(); }
  [[nodiscard]] const T* data() const noexcept { return data_.data(); }
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) noexcept {
    assert(i < rows_ && j < cols_);
    return data_[i * cols_ + j];
  }
  [[nodiscard]] const T& operator()(std::size_t i, std::size_t j) const noexcept {
    assert(i < rows_ && j < cols_);
    return data_[i * cols_ + j];
  }
  [[nodiscard]] MatrixView<T> view() noexcept { return MatrixView<T>(data(), rows_, cols_); }
  [[nodiscard]] MatrixView<const T> view() const noexcept {
    return MatrixView<const T>(data(), rows_, cols_);
  }
  operator MatrixView<T>() & noexcept { return view(); }
  operator MatrixView<const T>() const noexcept { return view(); }
  [[nodiscard]] VectorView<T> row(std::size_t i) { return view().row(i); }
  [[nodiscard]] VectorView<const T> row(std::size_t i) const { return view().row(i); }
  [[nodiscard]] VectorView<T> col(std::size_t j) { return view().col(j); }
  [[nodiscard]] VectorView<const T> col(std::size_t j) const { return view().col(j); }
  [[nodiscard]] BasicMatrix transposed() const;

  /// Same shape and equal elements.
  friend bool operator==(const BasicMatrix&, const BasicMatrix&) = default;

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<T> data_;
};

using Matrix = BasicMatrix<double>;
using MatrixF = BasicMatrix<float>;

extern template class BasicMatrix<float>;
extern template class BasicMatrix<double>;

}  // namespace cauchy
