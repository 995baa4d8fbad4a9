#pragma once

#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/threads.hpp>
#include <cstddef>
#include <span>

namespace cauchy {

/// Sum in a fixed binary tree over the slots: neighbours 0+1, 2+3, ..., then pairs of pairs, and so
/// on. Same bits whoever wrote the slots; rounding error at most ceil(log2 n) eps sum |x|. 0 when
/// empty.
[[nodiscard]] double tree_sum(std::span<const double> partials) noexcept;
[[nodiscard]] float tree_sum(std::span<const float> partials) noexcept;

/// The same tree over the rows of a row-major n_rows x n_columns matrix, in place: afterwards row 0
/// holds the sums and the other rows are garbage. Each column gets the bits of tree_sum. Throws
/// Error when the size does not match. Cost: one pass over the data, no allocation.
void tree_sum_rows(std::span<double> rows, std::size_t n_rows, std::size_t n_columns);
void tree_sum_rows(std::span<float> rows, std::size_t n_rows, std::size_t n_columns);

/// The same bits again, with the columns divided among the threads.
void tree_sum_rows(Threads& threads, std::span<double> rows, std::size_t n_rows,
                   std::size_t n_columns);
void tree_sum_rows(Threads& threads, std::span<float> rows, std::size_t n_rows,
                   std::size_t n_columns);

/// Runs term(chunk, worker) for every slot, keeps the values in partials[chunk] and returns their
/// tree_sum. Same bits for any number of threads.
double parallel_sum(Threads& threads, std::span<double> partials,
                    FunctionRef<double(std::size_t chunk, int worker)> term);

}  // namespace cauchy
