#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/matrix.hpp>
#include <cstdint>

namespace cauchy {
namespace checks {

void throw_shape_error(std::string_view message) { throw Error(message, "[math.matrix]"); }

void throw_out_of_range(std::string_view what, std::size_t index, std::size_t size) {
  throw Error(fmt::format("{} {} is outside the size {}", what, index, size), "[math.matrix]");
}

std::size_t checked_area(std::size_t rows, std::size_t cols) {
  // Room for 8-byte elements in a signed address difference.
  constexpr std::size_t limit = PTRDIFF_MAX / sizeof(double);
  if (cols != 0 && rows > limit / cols)
    throw_shape_error(fmt::format("a {} x {} matrix does not fit into memory", rows, cols));
  return rows * cols;
}

}  // namespace checks

template <class T>
BasicMatrix<T>::BasicMatrix(std::initializer_list<std::initializer_list<T>> rows)
    : rows_(rows.size()), cols_(rows.size() == 0 ? 0 : rows.begin()->size()) {
  data_.reserve(rows_ * cols_);
  for (const auto& row : rows) {
    if (row.size() != cols_)
      checks::throw_shape_error(
          fmt::format("rows of a matrix literal have lengths {} and {}", cols_, row.size()));
    data_.insert(data_.end(), row.begin(), row.end());
  }
}

template <class T>
BasicMatrix<T>::BasicMatrix(MatrixView<const T> a) : BasicMatrix(a.rows(), a.cols()) {
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < cols_; ++j) (*this)(i, j) = a(i, j);
}

template <class T>
BasicMatrix<T> BasicMatrix<T>::identity(std::size_t n) {
  BasicMatrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) a(i, i) = T(1);
  return a;
}

template <class T>
BasicMatrix<T> BasicMatrix<T>::transposed() const {
  BasicMatrix t(cols_, rows_);
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < cols_; ++j) t(j, i) = (*this)(i, j);
  return t;
}

template class BasicMatrix<float>;
template class BasicMatrix<double>;

}  // namespace cauchy
