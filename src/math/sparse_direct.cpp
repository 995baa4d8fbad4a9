#include <cmath>
#include <string>

// Eigen's headers are not clean under the warnings of this library.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#pragma GCC diagnostic pop

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {
namespace detail {

using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

inline Eigen::Map<const Rows> view_of(const SparseMatrix& a) {
  return {static_cast<Eigen::Index>(a.rows()),
          static_cast<Eigen::Index>(a.cols()),
          static_cast<Eigen::Index>(a.nonzeros()),
          a.begin().data(),
          a.columns().data(),
          a.values().data()};
}

inline Eigen::Map<Eigen::VectorXd> view_of(std::span<double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

/// Factors L D L', and how many numbers their columns have.
class CountedLdlt
    : public Eigen::SimplicialLDLT<Columns, Eigen::Lower, Eigen::AMDOrdering<std::int32_t>> {
 public:
  /// Flops of the factorisation, known from the pattern, as those of LU that take as long: one
  /// column after the other is half as fast as blocks.
  [[nodiscard]] double flops(const Columns&) const {
    double sum = 0;
    for (const std::int32_t n : this->m_nonZerosPerCol) {
      sum += static_cast<double>(n) * static_cast<double>(n);
    }
    return 2 * sum;
  }
  [[nodiscard]] double flops_done() const { return flops(Columns()); }
  [[nodiscard]] double n_factors() const {
    double sum = 0;
    for (const std::int32_t n : this->m_nonZerosPerCol) sum += static_cast<double>(n);
    return 2 * sum;  // used forwards and backwards
  }
};

/// Factors L U. How they fill is known only afterwards: before, that of a symmetric matrix of the
/// same pattern is taken.
class CountedLu : public Eigen::SparseLU<Columns, Eigen::COLAMDOrdering<std::int32_t>> {
 public:
  [[nodiscard]] double flops(const Columns& a) const {
    CountedLdlt symmetric;
    Columns pattern = a;
    for (Eigen::Index k = 0; k < pattern.nonZeros(); ++k) pattern.valuePtr()[k] = 1;
    const Columns transposed = pattern.transpose();
    symmetric.analyzePattern(Columns(pattern + transposed));
    return 2 * symmetric.flops(pattern);
  }
  /// Flops of the last factorisation. A column takes those below the diagonal of all columns that
  /// its upper part names.
  [[nodiscard]] double flops_done() const {
    const auto& lower = this->m_Lstore;
    const auto below = [&](Eigen::Index i) {
      const Eigen::Index first = lower.supToCol()[lower.colToSup()[i]];
      const Eigen::Index height = lower.colIndexPtr()[i + 1] - lower.colIndexPtr()[i];
      return static_cast<double>(height - (i - first) - 1);
    };
    double sum = 0, own = 0;  // own: of the columns to the left in the same block
    for (Eigen::Index j = 0; j < this->cols(); ++j) {
      if (lower.supToCol()[lower.colToSup()[j]] == j) own = 0;
      for (auto e = this->m_Ustore.outerIndexPtr()[j]; e < this->m_Ustore.outerIndexPtr()[j + 1];
           ++e) {
        sum += 2 * below(this->m_Ustore.innerIndexPtr()[e]);
      }
      sum += own + below(j);
      own += 2 * below(j);
    }
    return sum;
  }
  [[nodiscard]] double n_factors() const {
    return static_cast<double>(this->nnzL()) + static_cast<double>(this->nnzU());
  }
};

/// What the two factorisations share: when the pattern is looked at, the work, and the status.
template <class Solver>
class DirectSolver {
 public:
  Factorization factor(const SparseMatrix& a, Factorization failure) {
    if (a.rows() != a.cols()) throw Error("a matrix to be factored is not square", "[math.sparse]");
    status_ = Factorization::not_finite;
    for (const double v : a.values()) {
      if (!std::isfinite(v)) return status_;
    }
    const Columns columns = view_of(a);
    if (!std::equal(begin_.begin(), begin_.end(), a.begin().begin(), a.begin().end()) ||
        !std::equal(columns_.begin(), columns_.end(), a.columns().begin(), a.columns().end())) {
      begin_.assign(a.begin().begin(), a.begin().end());
      columns_.assign(a.columns().begin(), a.columns().end());
      solver_.analyzePattern(columns);
      flops_ = solver_.flops(columns);
      // Sorting, the pattern of the factors.
      count_work(WorkKind::pieces, static_cast<double>(a.rows() + a.nonzeros()));
    }
    ask_limit("a factorisation of " + std::to_string(a.rows()) + " equations",
              flops_ / nominal_rates()[static_cast<std::size_t>(WorkKind::factors)]);
    solver_.factorize(columns);
    status_ = solver_.info() == Eigen::Success ? Factorization::ok : failure;
    if (status_ == Factorization::ok) flops_ = solver_.flops_done();
    count_work(WorkKind::factors, flops_);
    count_work(WorkKind::memory, bytes_per_entry * static_cast<double>(a.nonzeros()));
    return status_;
  }
  [[nodiscard]] Factorization status() const noexcept { return status_; }
  void solve(std::span<double> b) const {
    if (status_ != Factorization::ok || b.size() + 1 != begin_.size()) {
      throw Error("a sparse system was not factored, or its right side does not fit",
                  "[math.sparse]");
    }
    count_work(WorkKind::memory, bytes_per_entry * solver_.n_factors() +
                                     bytes_per_row * static_cast<double>(b.size()));
    const Eigen::VectorXd x = solver_.solve(view_of(b));
    view_of(b) = x;
  }

 private:
  static constexpr double bytes_per_entry = 12;  // a number and its place
  static constexpr double bytes_per_row = 300;   // small blocks of the factors, one after the other
  Solver solver_;
  double flops_ = 0;
  std::vector<SparseMatrix::Index> begin_, columns_;
  Factorization status_ = Factorization::singular;
};

}  // namespace detail

struct SparseLu::Impl : detail::DirectSolver<detail::CountedLu> {};
struct SparseCholesky::Impl : detail::DirectSolver<detail::CountedLdlt> {};

SparseLu::SparseLu() : impl_(std::make_unique<Impl>()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;
Factorization SparseLu::factor(const SparseMatrix& a) {
  return impl_->factor(a, Factorization::singular);
}
Factorization SparseLu::status() const noexcept { return impl_->status(); }
void SparseLu::solve(std::span<double> b) const { impl_->solve(b); }

SparseCholesky::SparseCholesky() : impl_(std::make_unique<Impl>()) {}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;
Factorization SparseCholesky::factor(const SparseMatrix& a) {
  return impl_->factor(a, Factorization::not_positive_definite);
}
Factorization SparseCholesky::status() const noexcept { return impl_->status(); }
void SparseCholesky::solve(std::span<double> b) const { impl_->solve(b); }

}  // namespace cauchy
