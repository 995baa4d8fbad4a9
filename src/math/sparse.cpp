#include <cauchy/math/sparse.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>

namespace cauchy {

SparseMatrix::SparseMatrix(std::size_t rows, std::size_t cols, std::span<const Entry> entries)
    : rows_(rows), cols_(cols) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  if (entries.size() > most || rows >= most || cols >= most) {
    throw Error(ErrorKind::memory, "a sparse matrix has more than 2^31 entries", "[math.sparse]",
                "use a coarser grid");
  }
  // By rows, counted; then by columns within a row, stable, so that sums have a fixed order.
  begin_.assign(rows + 1, 0);
  for (const Entry& e : entries) {
    if (e.row >= rows || e.col >= cols) {
      throw Error(
          fmt::format("entry ({}, {}) lies outside of a {} x {} matrix", e.row, e.col, rows, cols),
          "[math.sparse]");
    }
    ++begin_[e.row + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::pair<Index, double>> sorted(entries.size());
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  for (const Entry& e : entries) {
    sorted[static_cast<std::size_t>(next[e.row]++)] = {static_cast<Index>(e.col), e.value};
  }
  columns_.reserve(entries.size());
  values_.reserve(entries.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const auto first = sorted.begin() + begin_[i], last = sorted.begin() + begin_[i + 1];
    std::stable_sort(first, last, [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t row_first = columns_.size();
    begin_[i] = static_cast<Index>(row_first);
    for (auto e = first; e != last; ++e) {
      if (columns_.size() > row_first && columns_.back() == e->first) {
        values_.back() += e->second;
      } else {
        columns_.push_back(e->first);
        values_.push_back(e->second);
      }
    }
  }
  begin_[rows] = static_cast<Index>(columns_.size());
}

SparseMatrix::SparseMatrix(std::size_t rows, std::size_t cols, std::vector<Index> begin,
                           std::vector<Index> columns)
    : rows_(rows), cols_(cols), begin_(std::move(begin)), columns_(std::move(columns)) {
  bool fit = begin_.size() == rows + 1 && begin_.front() == 0 &&
             static_cast<std::size_t>(begin_.back()) == columns_.size();
  for (std::size_t i = 0; fit && i < rows; ++i) {
    fit = begin_[i] <= begin_[i + 1];
    Index before = -1;
    for (Index k = begin_[i]; fit && k < begin_[i + 1]; ++k) {
      const Index column = columns_[static_cast<std::size_t>(k)];
      fit = column > before && static_cast<std::size_t>(column) < cols;
      before = column;
    }
  }
  if (!fit) {
    throw Error(fmt::format("rows and columns do not make a {} x {} matrix", rows, cols),
                "[math.sparse]", "let the columns of a row ascend");
  }
  values_.assign(columns_.size(), 0.0);
}

SparseMatrix SparseMatrix::identity(std::size_t n) {
  std::vector<Entry> entries(n);
  for (std::size_t i = 0; i < n; ++i) entries[i] = {i, i, 1};
  return {n, n, entries};
}

double SparseMatrix::operator()(std::size_t i, std::size_t j) const {
  const auto first = columns_.begin() + begin_[i], last = columns_.begin() + begin_[i + 1];
  const auto found = std::lower_bound(first, last, static_cast<Index>(j));
  return found == last || *found != static_cast<Index>(j)
             ? 0
             : values_[static_cast<std::size_t>(found - columns_.begin())];
}

std::size_t SparseMatrix::position(std::size_t i, std::size_t j) const {
  const auto first = columns_.begin() + begin_[i], last = columns_.begin() + begin_[i + 1];
  const auto found = std::lower_bound(first, last, static_cast<Index>(j));
  if (found == last || *found != static_cast<Index>(j)) {
    throw Error(fmt::format("a sparse matrix has no entry ({}, {})", i, j), "[math.sparse]");
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

std::vector<double> SparseMatrix::diagonal() const {
  std::vector<double> d(std::min(rows_, cols_));
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = (*this)(i, i);
  return d;
}

SparseMatrix SparseMatrix::transposed() const {
  std::vector<Entry> entries;
  entries.reserve(values_.size());
  for (std::size_t i = 0; i < rows_; ++i) {
    for (auto k = static_cast<std::size_t>(begin_[i]); k < static_cast<std::size_t>(begin_[i + 1]);
         ++k) {
      entries.push_back({static_cast<std::size_t>(columns_[k]), i, values_[k]});
    }
  }
  return {cols_, rows_, entries};
}

void SparseMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  if (x.size() != cols_ || y.size() != rows_) {
    throw Error("vectors do not fit to a sparse matrix", "[math.sparse]");
  }
  count_work(WorkKind::memory, 12 * static_cast<double>(values_.size()));
  const Index* const columns = columns_.data();
  const double* const values = values_.data();
  for (std::size_t i = 0; i < rows_; ++i) {
    double sum = 0;
    for (Index k = begin_[i]; k < begin_[i + 1]; ++k)
      sum += values[k] * x[static_cast<std::size_t>(columns[k])];
    y[i] = sum;
  }
}

void SparseMatrix::multiply_transposed(std::span<const double> x, std::span<double> y) const {
  if (x.size() != rows_ || y.size() != cols_) {
    throw Error("vectors do not fit to a sparse matrix", "[math.sparse]");
  }
  count_work(WorkKind::memory, 12 * static_cast<double>(values_.size()));
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (auto k = static_cast<std::size_t>(begin_[i]); k < static_cast<std::size_t>(begin_[i + 1]);
         ++k) {
      y[static_cast<std::size_t>(columns_[k])] += values_[k] * x[i];
    }
  }
}

}  // namespace cauchy
