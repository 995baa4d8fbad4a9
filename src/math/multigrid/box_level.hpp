#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/base/threads.hpp>

#include "math/multigrid/axis_grid.hpp"

namespace cauchy::detail {

/// One grid of a BoxMultigrid and what is done on it. Three directions; those that are missing come
/// first and have one node without neighbours. Rows of the last direction are shared among
/// threads in chunks that depend on the grid alone.
class BoxLevel final {
 public:
  using Grids = std::array<AxisGrid, 3>;
  using Faces = std::array<std::vector<double>, 3>;

  /// faces    values of a across each direction, or all empty
  BoxLevel(Grids grids, Faces faces, double c);

  [[nodiscard]] std::size_t size() const noexcept { return n_[0] * n_[1] * n_[2]; }
  [[nodiscard]] const Grids& grids() const noexcept { return grids_; }
  [[nodiscard]] const std::array<std::size_t, 3>& shape() const noexcept { return n_; }
  /// The grid of half as many nodes; directions that are far coarser than others wait. False in
  /// `possible` when there is none.
  [[nodiscard]] BoxLevel coarser(bool& possible) const;

  /// One sweep of Gauss-Seidel over both colours, `first` (0 or 1) before the other.
  void relax(std::span<const double> f, std::span<double> u, std::size_t first,
             Threads* threads) const;
  /// out = f - A u; returns the sum of squares. f may be empty (zero).
  double residual(std::span<const double> f, std::span<const double> u, std::span<double> out,
                  Threads* threads) const;

  // Between this grid and the coarser one, through scratch space of transfer_size().
  void prepare_transfer(const BoxLevel& coarse);
  [[nodiscard]] std::size_t transfer_size() const noexcept { return transfer_size_; }
  /// coarse_f = R fine.
  void restrict_to(std::span<const double> fine, std::span<double> coarse_f,
                   std::span<double> scratch, Threads* threads) const;
  /// u += P coarse_u.
  void add_interpolated(std::span<const double> coarse_u, std::span<double> u,
                        std::span<double> scratch, Threads* threads) const;

  /// Sum of v times volume over the sum of the volumes.
  [[nodiscard]] double mean(std::span<const double> v) const;
  [[nodiscard]] double volume(std::size_t node) const;

 private:
  // Coefficients along a direction: to the neighbours (0 at ends), and with the ends for the
  // diagonal.
  struct Along {
    std::vector<double> lower, upper, lower_diagonal, upper_diagonal, diagonal;
  };
  struct PlainRow;
  struct FaceRow;
  [[nodiscard]] std::size_t neighbour(std::size_t axis, std::size_t i, bool upper) const noexcept;
  [[nodiscard]] PlainRow plain_row(std::size_t row, const double* u) const;
  [[nodiscard]] FaceRow face_row(std::size_t row, const double* u) const;
  template <class Row>
  void relax_row(const Row& row, const double* f, double* u, std::size_t first) const;
  template <class Row>
  double residual_row(const Row& row, const double* f, const double* u, double* out) const;

  Grids grids_;
  Faces faces_;
  double c_;
  std::array<std::size_t, 3> n_, coarse_n_ = {};
  std::array<Along, 3> along_;
  std::array<AxisMap, 3> down_, up_;
  std::size_t transfer_size_ = 0;
};

}  // namespace cauchy::detail
