// The halves of an inverse transform: kernels that use the points of a line at once make them in
// the cache, and nothing but the rows between the halves is ever written.
#include <algorithm>

#include "tensor/backend/cpu/real_transform.hpp"

namespace cauchy::detail {

template <class T>
std::size_t RealTransform<T>::rows_scratch(std::size_t channels) const {
  // Sums with cosines and sines of an axis, for all axes behind it; and what one axis works in.
  std::size_t sums = 0, work = 0, rest = modes_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    rest /= 2 * axis.m;
    const std::size_t columns = 2 * channels * rest;
    sums += axis.rows() * columns;
    if (a + 1 < axes_.size()) sums += axis.n * columns;
    work = std::max(work, (axis.n + 1) * block_of(axis, columns));
  }
  return sums + work;
}

template <class T>
void RealTransform<T>::to_rows(std::size_t channels, const T* c, T* rows, T* scratch) const {
  if (axes_.empty()) {
    std::copy_n(c, channels * row_size(), rows);
    return;
  }
  const Axis& axis = axes_[0];
  const std::size_t rest = modes_ / (2 * axis.m), columns = 2 * channels * rest;
  T *sums = scratch, *behind = sums + axis.rows() * columns;
  for (std::size_t i = 0; i < channels; ++i) {
    const T* re = c + 2 * i * modes_;
    element_.split_modes(re, re + modes_,
                         {axis.m, rest, sums + 2 * i * rest, columns, rest, axis.without_last});
  }
  if (axes_.size() == 1) {
    spread_axis(axis, columns, sums, false, rows, behind);
    return;
  }
  const Axis& next = axes_[1];
  const std::size_t inner = channels * row_size();
  T *planes = behind, *of_plane = planes + axis.n * columns;
  T* work = of_plane + next.rows() * inner;
  spread_axis(axis, columns, sums, false, planes, work);
  for (std::size_t j = 0; j < axis.n; ++j) {
    for (std::size_t i = 0; i < channels; ++i) {
      const T* re = planes + j * columns + 2 * i * rest;
      element_.split_modes(
          re, re + rest,
          {next.m, last_.m, of_plane + i * row_size(), inner, last_.m, next.without_last});
    }
    spread_axis(next, inner, of_plane, false, rows + j * next.n * inner, work);
  }
}

template <class T>
void RealTransform<T>::from_rows(std::size_t channels, const T* rows, bool add, T* c,
                                 T* scratch) const {
  if (axes_.empty()) {
    if (add) {
      element_.add(channels * row_size(), rows, c);
    } else {
      std::copy_n(rows, channels * row_size(), c);
    }
    return;
  }
  const Axis& axis = axes_[0];
  const std::size_t rest = modes_ / (2 * axis.m), columns = 2 * channels * rest;
  T *sums = scratch, *behind = sums + axis.rows() * columns;
  if (axes_.size() == 1) {
    sum_axis(axis, columns, rows, sums, behind);
  } else {
    const Axis& next = axes_[1];
    const std::size_t inner = channels * row_size();
    T *planes = behind, *of_plane = planes + axis.n * columns;
    T* work = of_plane + next.rows() * inner;
    for (std::size_t j = 0; j < axis.n; ++j) {
      sum_axis(next, inner, rows + j * next.n * inner, of_plane, work);
      for (std::size_t i = 0; i < channels; ++i) {
        T* re = planes + j * columns + 2 * i * rest;
        element_.join_modes(
            {next.m, last_.m, of_plane + i * row_size(), inner, last_.m, next.without_last}, false,
            re, re + rest);
      }
    }
    sum_axis(axis, columns, planes, sums, work);
  }
  for (std::size_t i = 0; i < channels; ++i) {
    T* re = c + 2 * i * modes_;
    element_.join_modes({axis.m, rest, sums + 2 * i * rest, columns, rest, axis.without_last}, add,
                        re, re + modes_);
  }
}

/// Of x_j and x_(n-j) the tables hold one: cosines are even, sines odd.
template <class T>
std::vector<T> RealTransform<T>::line_table() const {
  const std::size_t n = last_.n, m = last_.m;
  std::vector<T> table(2 * m * n, T(0));
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t near = std::min(j, n - j);
      table[k * n + j] = last_.cosines[k * last_.full_evens + near];
      if (near == 0 || 2 * near == n) continue;
      const T sine = last_.sines[k * last_.full_odds + near - 1];
      table[(m + k) * n + j] = j == near ? sine : -sine;
    }
  }
  return table;
}

template <class T>
std::vector<T> RealTransform<T>::line_columns() const {
  const std::vector<T> table = line_table();
  std::vector<T> columns(table.size());
  element_.turn({row_size(), last_.n, table.data(), last_.n, columns.data(), row_size()});
  return columns;
}

// The other members are instantiated where they are defined.
#define CAUCHY_INSTANTIATE(T)                                                           \
  template std::size_t RealTransform<T>::rows_scratch(std::size_t) const;               \
  template void RealTransform<T>::to_rows(std::size_t, const T*, T*, T*) const;         \
  template void RealTransform<T>::from_rows(std::size_t, const T*, bool, T*, T*) const; \
  template std::vector<T> RealTransform<T>::line_table() const;                         \
  template std::vector<T> RealTransform<T>::line_columns() const;
CAUCHY_INSTANTIATE(float)
CAUCHY_INSTANTIATE(double)
#undef CAUCHY_INSTANTIATE

}  // namespace cauchy::detail
