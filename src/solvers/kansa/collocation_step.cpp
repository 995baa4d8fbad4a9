#include "solvers/kansa/collocation_step.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

constexpr double free_motion = 1e-9;  // singular value of a polynomial that no row sees

/// 1 / largest element of each term's rows.
std::vector<double> row_scales(const CollocationSystem& system, const Matrix& rows) {
  std::vector<double> scale(rows.rows(), 1);
  for (std::size_t t = 0; t < system.terms().size(); ++t) {
    const std::size_t first = system.first_row(t), n = system.terms()[t].n_rows();
    double largest = 0;
    for (std::size_t i = first; i < first + n; ++i) {
      for (const double v : rows.row(i).span()) largest = std::max(largest, std::abs(v));
    }
    if (largest > 0 && std::isfinite(largest)) {
      std::fill_n(scale.begin() + static_cast<std::ptrdiff_t>(first), n, 1 / largest);
    }
  }
  return scale;
}

/// Linear polynomials of the fields that no row sees, such as a constant where all conditions are
/// on derivatives: coefficients of 1, z_1, z_2, ... for every field.
std::vector<std::vector<double>> free_motions(const CollocationSystem& system, std::size_t n_fields,
                                              std::size_t dimension,
                                              std::span<const double> scale) {
  const RbfBasis linear(RbfKernel::gaussian, 1, std::vector<double>(dimension, 0), dimension, 1);
  const std::size_t q = dimension + 1;
  Matrix all(system.n_rows(), n_fields * linear.size()), seen(system.n_rows(), n_fields * q);
  system.jacobian(linear, all.view());
  for (std::size_t i = 0; i < seen.rows(); ++i) {
    for (std::size_t k = 0; k < seen.cols(); ++k) {
      seen(i, k) = scale[i] * all(i, k / q * linear.size() + 1 + k % q);
    }
  }
  const Svd<double> parts = svd(seen.view());
  std::vector<std::vector<double>> free;
  if (parts.status != Factorization::ok) return free;
  for (std::size_t k = 0; k < parts.values.size(); ++k) {
    if (parts.values[k] > free_motion * parts.values[0]) continue;
    const auto row = parts.vt.row(k).span();
    free.emplace_back(row.begin(), row.end());
  }
  return free;
}

/// Rows below those of the terms.
class ExtraRows final {
 public:
  ExtraRows(const RbfBasis& basis, std::size_t n_fields, std::span<const double> coefficients)
      : basis_(basis), n_fields_(n_fields), coefficients_(coefficients) {}

  /// The mean of what the polynomials of free_motions() say is 0.
  void add_means(const std::vector<std::vector<double>>& free, std::span<const double> points,
                 std::span<const double> weights) {
    const std::size_t d = basis_.dimension(), n = points.size() / d, N = basis_.size();
    const Matrix phi = functions(points, {std::vector<int>(d, 0)});
    for (const std::vector<double>& motion : free) {
      std::vector<double> row(n_fields_ * N, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t f = 0; f < n_fields_; ++f) {
          const double* c = motion.data() + f * (d + 1);
          double v = c[0];
          for (std::size_t j = 0; j < d; ++j) v += c[1 + j] * points[i * d + j];
          for (std::size_t k = 0; k < N; ++k) {
            row[f * N + k] += weights[i] * v * phi(i, k);
          }
        }
      }
      add(std::move(row), true);
    }
  }

  /// sum_k a_k p(c_k) = 0 for the monomials p of the tail.
  void add_sides() {
    const std::size_t n = basis_.n_centres(), N = basis_.size();
    const Matrix phi = functions(basis_.centres(), {std::vector<int>(basis_.dimension(), 0)});
    for (std::size_t f = 0; f < n_fields_; ++f) {
      for (std::size_t q = n; q < N; ++q) {
        std::vector<double> row(n_fields_ * N, 0.0);
        for (std::size_t k = 0; k < n; ++k) row[f * N + k] = phi(k, q);
        add(std::move(row), true);
      }
    }
  }

  /// The Laplacian of the change at points is 0, with a weight.
  void add_smoothing(std::span<const double> points, double weight) {
    const std::size_t d = basis_.dimension(), N = basis_.size();
    std::vector<std::vector<int>> orders(d, std::vector<int>(d, 0));
    for (std::size_t j = 0; j < d; ++j) orders[j][j] = 2;
    const Matrix laplacian = functions(points, orders);
    double largest = 0;
    for (std::size_t i = 0; i < laplacian.size(); ++i) {
      largest = std::max(largest, std::abs(laplacian.data()[i]));
    }
    for (std::size_t f = 0; f < n_fields_; ++f) {
      for (std::size_t i = 0; i < laplacian.rows(); ++i) {
        std::vector<double> row(n_fields_ * N, 0.0);
        for (std::size_t k = 0; k < N; ++k) row[f * N + k] = weight / largest * laplacian(i, k);
        add(std::move(row), false);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::vector<double>& row(std::size_t i) const { return rows_[i]; }
  [[nodiscard]] double right(std::size_t i) const { return right_[i]; }

 private:
  /// Sum of the derivatives of the functions at points.
  [[nodiscard]] Matrix functions(std::span<const double> points,
                                 const std::vector<std::vector<int>>& orders) const {
    const std::size_t n = points.size() / basis_.dimension();
    std::vector<Matrix> parts(orders.size(), Matrix(n, basis_.size()));
    std::vector<MatrixView<double>> views;
    for (Matrix& p : parts) views.push_back(p.view());
    basis_.derivatives(points, orders, views);
    for (std::size_t q = 1; q < parts.size(); ++q) {
      for (std::size_t i = 0; i < parts[0].size(); ++i) parts[0].data()[i] += parts[q].data()[i];
    }
    return std::move(parts[0]);
  }
  /// of_sum: the row holds for the coefficients, not for their change.
  void add(std::vector<double> row, bool of_sum) {
    double now = 0;
    for (std::size_t k = 0; of_sum && k < row.size(); ++k) now += row[k] * coefficients_[k];
    rows_.push_back(std::move(row));
    right_.push_back(-now);
  }

  const RbfBasis& basis_;
  std::size_t n_fields_;
  std::span<const double> coefficients_;
  std::vector<std::vector<double>> rows_;
  std::vector<double> right_;
};

}  // namespace

CollocationStep collocation_step(const CollocationSystem& system, const RbfBasis& basis,
                                 std::size_t n_fields, std::span<const double> coefficients,
                                 std::span<const double> residual,
                                 const CollocationStepOptions& options) {
  const std::size_t N = basis.size(), columns = n_fields * N, m = system.n_rows();
  CollocationStep step;
  Matrix rows(m, columns);
  system.jacobian(basis, rows.view());
  step.scale = row_scales(system, rows);
  const std::vector<std::vector<double>> free =
      free_motions(system, n_fields, basis.dimension(), step.scale);
  step.free = free.size();
  ExtraRows extra(basis, n_fields, coefficients);
  if (!free.empty()) extra.add_means(free, options.mean_points, options.mean_weights);
  if (options.sides) extra.add_sides();
  if (options.damping > 0) extra.add_smoothing(system.points(0), options.damping);

  Matrix a(m + extra.size(), columns), b(m + extra.size(), 1);
  std::vector<double> unit(n_fields, 0);  // fields of different sizes get equal columns
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const bool own = i < m;
    const double* from = own ? &rows(i, 0) : extra.row(i - m).data();
    const double factor = own ? step.scale[i] : 1;
    b(i, 0) = own ? -factor * residual[i] : extra.right(i - m);
    for (std::size_t k = 0; k < columns; ++k) {
      a(i, k) = factor * from[k];
      unit[k / N] = std::max(unit[k / N], std::abs(a(i, k)));
    }
  }
  rows = Matrix();
  for (double& u : unit) u = u > 0 && std::isfinite(u) ? 1 / u : 1;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < columns; ++k) a(i, k) *= unit[k / N];
  }
  const LeastSquaresSolution<double> solved =
      options.svd ? least_squares_svd(a.view(), b.view(), options.cutoff)
                  : least_squares(a.view(), b.view(), options.cutoff);
  step.status = solved.status;
  step.rank = solved.rank;
  if (solved.status != Factorization::ok) return step;
  if (options.svd && solved.singular_values.back() > 0) {
    step.condition = solved.singular_values.front() / solved.singular_values.back();
  }
  step.change.resize(columns);
  for (std::size_t k = 0; k < columns; ++k) step.change[k] = unit[k / N] * solved.x(k, 0);
  return step;
}

}  // namespace cauchy::detail
