#pragma once

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/threads.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cauchy::detail {

/// Bytes that an InverseHessian of n rows allocates, as a double since n^2 may overflow.
[[nodiscard]] double inverse_hessian_bytes(std::size_t n) noexcept;

/// A dense symmetric matrix H that changes by scaled updates of rank two.
///   memory   n^2 / 2 doubles: one triangle
///   cost     an update is kept until the next product, which then applies it in the same pass: one
///            read and one write of the triangle for both
///   bits     products are cut into pieces that depend on n only and are added in order: the same
///            for any number of threads and any instruction set
class InverseHessian final {
 public:
  /// The identity. Without a pool one of `threads` is made when the matrix is large enough.
  InverseHessian(std::size_t n, int threads, std::shared_ptr<Threads> pool = nullptr);

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] bool identity() const noexcept { return identity_; }
  void reset() noexcept;
  /// result <- H x. The vectors have n entries and do not overlap.
  void multiply(std::span<const double> x, std::span<double> result);
  /// H <- scale H + ss s s' + sw (s w' + w s') + ww w w'.
  void update(double scale, std::span<const double> s, std::span<const double> w, double ss,
              double sw, double ww);
  /// result <- H x for the H after the last update(), from hx = H x before it. O(n).
  void product_after_update(std::span<const double> x, std::span<const double> hx,
                            std::span<double> result) const;

  /// The lower triangle by rows, n (n + 1) / 2 entries; load() continues with the same bits.
  [[nodiscard]] std::vector<double> triangle() const;
  void load(std::span<const double> triangle);

 private:
  void run_pass(std::span<const double> x);
  void set_identity_strips(std::size_t first, std::size_t last);

  std::size_t n_, n_strips_;
  int n_threads_;
  bool identity_ = true;  ///< H = I; the matrix is then stale, and there is no update to apply
  bool stale_ = true;     ///< the matrix is to be taken as I
  bool pending_ = false;  ///< the update below is still to be applied
  double scale_ = 1;
  AlignedVector<double> matrix_;
  AlignedVector<double> s_, w_, p_, q_, x_;  ///< zero behind entry n
  std::vector<std::size_t> piece_;           ///< piece k: strips piece_[k] to piece_[k + 1] - 1
  AlignedVector<double> products_;           ///< one row for each piece
  std::shared_ptr<Threads> pool_;
};

}  // namespace cauchy::detail
