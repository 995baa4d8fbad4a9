#include <fmt/format.h>

#include <bit>
#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>

namespace cauchy {
namespace {

template <class T>
T sum(std::span<const T> x) noexcept {
  if (x.empty()) return T(0);
  if (x.size() == 1) return x[0];
  if (x.size() == 2) return x[0] + x[1];
  // The largest power of two below n: the halves are whole subtrees of the tree over neighbours.
  const std::size_t half = std::bit_floor(x.size() - 1);
  return sum(x.first(half)) + sum(x.subspan(half));
}

template <class T>
void sum_rows(T* rows, std::size_t n_rows, std::size_t n_columns, IndexRange columns) noexcept {
  for (std::size_t stride = 1; stride < n_rows; stride *= 2) {
    for (std::size_t i = 0; i + stride < n_rows; i += 2 * stride) {
      T* to = rows + i * n_columns;
      const T* from = rows + (i + stride) * n_columns;
      for (std::size_t j = columns.begin; j < columns.end; ++j) to[j] += from[j];
    }
  }
}

void check_shape(std::size_t size, std::size_t n_rows, std::size_t n_columns) {
  if (n_rows == 0 ? size == 0 : size / n_rows == n_columns && size % n_rows == 0) return;
  throw Error(fmt::format("{} x {} rows do not match {} values", n_rows, n_columns, size),
              "[base.reduce] tree_sum_rows");
}

template <class T>
void sum_rows(Threads& threads, std::span<T> rows, std::size_t n_rows, std::size_t n_columns) {
  check_shape(rows.size(), n_rows, n_columns);
  // Small enough that the rows' pieces stay in cache, large enough to pay for a chunk.
  constexpr std::size_t grain = 1024;
  const std::size_t n_chunks = chunk_count(n_columns, grain);
  threads.run(n_chunks, [&](std::size_t chunk, int) {
    sum_rows(rows.data(), n_rows, n_columns, chunk_range(n_columns, n_chunks, chunk));
  });
}

}  // namespace

double tree_sum(std::span<const double> partials) noexcept { return sum(partials); }
float tree_sum(std::span<const float> partials) noexcept { return sum(partials); }

void tree_sum_rows(std::span<double> rows, std::size_t n_rows, std::size_t n_columns) {
  check_shape(rows.size(), n_rows, n_columns);
  sum_rows(rows.data(), n_rows, n_columns, {0, n_columns});
}

void tree_sum_rows(std::span<float> rows, std::size_t n_rows, std::size_t n_columns) {
  check_shape(rows.size(), n_rows, n_columns);
  sum_rows(rows.data(), n_rows, n_columns, {0, n_columns});
}

void tree_sum_rows(Threads& threads, std::span<double> rows, std::size_t n_rows,
                   std::size_t n_columns) {
  sum_rows(threads, rows, n_rows, n_columns);
}

void tree_sum_rows(Threads& threads, std::span<float> rows, std::size_t n_rows,
                   std::size_t n_columns) {
  sum_rows(threads, rows, n_rows, n_columns);
}

double parallel_sum(Threads& threads, std::span<double> partials,
                    FunctionRef<double(std::size_t chunk, int worker)> term) {
  threads.run(partials.size(),
              [&](std::size_t chunk, int worker) { partials[chunk] = term(chunk, worker); });
  return tree_sum(partials);
}

}  // namespace cauchy
