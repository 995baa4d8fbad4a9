#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/orthogonal.hpp>
#include <climits>

#include "math/dense_work.hpp"
#include "math/lapack_symbols.hpp"
#include "math/serial_blas.hpp"

// LAPACK sees the transpose of a row-major matrix: A = Q R is A' = R'Q', its LQ factorisation with
// Q' in the place of Q, and the other way round.

namespace cauchy {
namespace {

using Routines = detail::Lapack<double>;

int orthogonal_int(std::size_t n) {
  if (n > static_cast<std::size_t>(INT_MAX)) {
    throw Error(fmt::format("dimension {} is too large for LAPACK", n), "[math.orthogonal]");
  }
  return static_cast<int>(n);
}

template <class Routine>
void factor(Routine routine, MatrixView<double> a, std::vector<double>& tau) {
  const std::size_t k = std::min(a.rows(), a.cols());
  tau.assign(k, 0.0);
  if (k == 0) return;
  count_work(dense_work(2 * static_cast<double>(a.rows() * a.cols()) * static_cast<double>(k), k,
                        speed_of_reflections));
  const int m = orthogonal_int(a.cols()), n = orthogonal_int(a.rows());
  const int lda = orthogonal_int(a.leading());
  int lwork = -1, info = 0;
  double query = 0;
  routine(&m, &n, a.data(), &lda, tau.data(), &query, &lwork, &info);
  std::vector<double> work(std::max<std::size_t>(1, static_cast<std::size_t>(query)));
  lwork = orthogonal_int(work.size());
  routine(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
}

template <class Routine>
void apply(Routine routine, const char* op, MatrixView<const double> a,
           const std::vector<double>& tau, std::span<double> b, std::size_t length) {
  const std::size_t k = std::min(a.rows(), a.cols());
  if (tau.size() != k || b.size() != length) {
    throw Error(fmt::format("reflectors of a {} x {} matrix do not fit {} factors and {} entries",
                            a.rows(), a.cols(), tau.size(), b.size()),
                "[math.orthogonal]");
  }
  if (k == 0) return;
  count_work(WorkKind::memory, sizeof(double) * static_cast<double>(a.rows() * a.cols()));
  const int m = orthogonal_int(length), one = 1, reflectors = orthogonal_int(k);
  const int lda = orthogonal_int(a.leading());
  int lwork = -1, info = 0;
  double query = 0;
  routine("L", op, &m, &one, &reflectors, a.data(), &lda, tau.data(), b.data(), &m, &query, &lwork,
          &info, 1, 1);
  std::vector<double> work(std::max<std::size_t>(1, static_cast<std::size_t>(query)));
  lwork = orthogonal_int(work.size());
  routine("L", op, &m, &one, &reflectors, a.data(), &lda, tau.data(), b.data(), &m, work.data(),
          &lwork, &info, 1, 1);
}

}  // namespace

void qr_factor(MatrixView<double> a, std::vector<double>& tau) { factor(Routines::gelqf, a, tau); }

void qr_apply(bool transposed, MatrixView<const double> factors, const std::vector<double>& tau,
              std::span<double> b) {
  apply(Routines::ormlq, transposed ? "N" : "T", factors, tau, b, factors.rows());
}

void lq_factor(MatrixView<double> a, std::vector<double>& tau) { factor(Routines::geqrf, a, tau); }

void lq_apply(bool transposed, MatrixView<const double> factors, const std::vector<double>& tau,
              std::span<double> b) {
  apply(Routines::ormqr, transposed ? "N" : "T", factors, tau, b, factors.cols());
}

}  // namespace cauchy
