// Which entries a matrix of elements has, and where those of a cell lie in it.
#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "solvers/fem/fem_system.hpp"

namespace cauchy::detail {

void FemSystem::make_pattern() {
  using Index = SparseMatrix::Index;
  const std::size_t n_fields = spaces_.size();
  // Where each unknown stands in cells: cell * n_local + number there.
  std::vector<std::uint32_t> begin(n_ + 1, 0), slots(cell_dofs_.size());
  for (const std::uint32_t i : cell_dofs_) ++begin[i + 1];
  for (std::size_t i = 0; i < n_; ++i) begin[i + 1] += begin[i];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < cell_dofs_.size(); ++k) {
    slots[next[cell_dofs_[k]]++] = static_cast<std::uint32_t>(k);
  }
  std::vector<std::size_t> row_of(n_);
  for (std::size_t r = 0; r < n_fields; ++r) {
    std::fill_n(row_of.begin() + static_cast<std::ptrdiff_t>(offset_[r]), spaces_[r]->n_dofs(), r);
  }
  position_.assign(cell_dofs_.size() * n_local_, not_coupled);
  constexpr std::size_t grain = 8192;
  const std::size_t n_chunks = chunk_count(n_, grain);
  std::vector<std::vector<Index>> columns(n_chunks);
  std::vector<Index> rows(n_ + 1, 0);
  struct Marks {
    std::vector<std::uint32_t> seen, place, found;
  };
  std::vector<Marks> marks(static_cast<std::size_t>(threads_.size()));
  threads_.run(n_chunks, [&](std::size_t chunk, int worker) {
    Marks& own = marks[static_cast<std::size_t>(worker)];
    std::vector<std::uint32_t>&seen = own.seen, &place = own.place, &found = own.found;
    if (seen.empty()) {
      seen.assign(n_, UINT32_MAX);
      place.resize(n_);
    }
    columns[chunk].reserve(grain * 3 * n_local_);
    const IndexRange range = chunk_range(n_, n_chunks, chunk);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::vector<char>& coupled = coupled_[row_of[i]];
      const auto for_neighbours = [&](const auto& body) {
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
          const std::size_t slot = slots[k];
          const std::uint32_t* const dofs = &cell_dofs_[slot - slot % n_local_];
          for (std::size_t f = 0; f < n_fields; ++f) {
            if (!coupled[f]) continue;
            const std::size_t last = local_offset_[f] + spaces_[f]->basis().size();
            for (std::size_t b = local_offset_[f]; b < last; ++b) body(slot, b, dofs[b]);
          }
        }
      };
      found.clear();
      for_neighbours([&](std::size_t, std::size_t, std::uint32_t j) {
        if (seen[j] == i) return;
        seen[j] = static_cast<std::uint32_t>(i);
        found.push_back(j);
      });
      if (found.size() >= not_coupled) {
        throw Error(ErrorKind::unsupported,
                    fmt::format("{} unknowns meet in the cells of one node", found.size()),
                    "[solvers.fem]", "use a mesh without nodes that belong to so many cells");
      }
      std::sort(found.begin(), found.end());
      for (std::uint32_t p = 0; p < found.size(); ++p) {
        place[found[p]] = p;
        columns[chunk].push_back(static_cast<Index>(found[p]));
      }
      rows[i + 1] = static_cast<Index>(found.size());
      for_neighbours([&](std::size_t slot, std::size_t b, std::uint32_t j) {
        position_[slot * n_local_ + b] = static_cast<std::uint16_t>(place[j]);
      });
    }
  });
  std::size_t total = 0;
  for (const auto& c : columns) total += c.size();
  std::vector<Index> all;
  all.reserve(total);
  for (const auto& c : columns) all.insert(all.end(), c.begin(), c.end());
  for (std::size_t i = 0; i < n_; ++i) rows[i + 1] += rows[i];
  pattern_ = SparseMatrix(n_, n_, std::move(rows), std::move(all));
}

}  // namespace cauchy::detail
