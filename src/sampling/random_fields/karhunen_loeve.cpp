#include "sampling/random_fields/karhunen_loeve.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/polynomials.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy::detail {
namespace {

const OrthogonalPolynomials legendre = OrthogonalPolynomials::legendre();

/// What makes the norm of polynomial j on [-1, 1] one.
double scale_of(std::size_t j) { return std::sqrt(static_cast<double>(j) + 0.5); }

class LegendreFunctions final : public AxisBasis {
 public:
  /// One row of coefficients per function.
  explicit LegendreFunctions(Matrix coefficients) : coefficients_(std::move(coefficients)) {}
  [[nodiscard]] std::size_t size() const noexcept override { return coefficients_.rows(); }
  void evaluate(double t, std::span<double> values) const override {
    std::vector<double> p(coefficients_.cols());
    legendre.evaluate(2 * t - 1, p);
    gemv(Transpose::no, 1.0, coefficients_, p, 0.0, values);
  }

 private:
  Matrix coefficients_;
};

/// a(i, j) = integral of p_i(x) correlation(|x - y| size / 2) p_j(y) over [-1, 1]^2 with p of norm
/// one: twice the symmetric part of that over the triangle y < x, where the integrand is smooth.
Matrix galerkin_matrix(const std::function<double(double)>& correlation, double size,
                       std::size_t n) {
  const Rule rule = gauss_legendre(n + 32);
  const std::size_t m = rule.size();
  Matrix at_x(m, n), inner(m, n), at_y(m, n);
  std::vector<double> weight(m);
  for (std::size_t p = 0; p < m; ++p) {
    const double x = rule.nodes[p], half = 0.5 * (x + 1);
    legendre.evaluate(x, at_x.row(p).span());
    scal(rule.weights[p], at_x.row(p));
    for (std::size_t q = 0; q < m; ++q) {
      const double y = -1 + half * (rule.nodes[q] + 1);
      weight[q] = half * rule.weights[q] * correlation(0.5 * size * (x - y));
      legendre.evaluate(y, at_y.row(q).span());
    }
    gemv(Transpose::yes, 1.0, at_y, weight, 0.0, inner.row(p));
  }
  Matrix triangle(n, n), all(n, n);
  gemm(Transpose::yes, Transpose::no, 1.0, at_x, inner, 0.0, triangle);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      all(i, j) = scale_of(i) * scale_of(j) * (triangle(i, j) + triangle(j, i));
    }
  }
  return all;
}

}  // namespace

KarhunenLoeve karhunen_loeve(const std::function<double(double)>& correlation, double size,
                             std::size_t terms, double least) {
  // Function i has about i half waves, which polynomials above degree i pi / 2 resolve.
  const std::size_t n = terms + terms * 3 / 5 + 32;
  const SymmetricEigen<double> eigen = symmetric_eigen(galerkin_matrix(correlation, size, n));
  if (eigen.status != Factorization::ok) {
    throw Error("the eigenvalues of the covariance were not found", "[random_field.kl]",
                "use another length");
  }
  KarhunenLoeve out;
  while (out.values.size() < terms) {
    const double value = 0.5 * size * std::max(0.0, eigen.values[n - 1 - out.values.size()]);
    if (!out.values.empty() && value < least * out.values.front()) break;
    out.values.push_back(value);
  }
  Matrix coefficients(out.values.size(), n);
  for (std::size_t i = 0; i < coefficients.rows(); ++i) {
    double at_lower = 0;  // P_j(-1) = (-1)^j
    for (std::size_t j = 0; j < n; ++j) {
      coefficients(i, j) = std::sqrt(2 / size) * scale_of(j) * eigen.vectors(j, n - 1 - i);
      at_lower += j % 2 == 0 ? coefficients(i, j) : -coefficients(i, j);
    }
    if (at_lower < 0) scal(-1.0, coefficients.row(i));
  }
  out.functions = std::make_shared<LegendreFunctions>(std::move(coefficients));
  return out;
}

}  // namespace cauchy::detail
