#include <cauchy/math/functional.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

void check_exponent(double p) {
  if (p >= 1) return;
  throw Error(fmt::format("p must be at least 1, got {}", p), "[math.p_norm]",
              "below 1 the triangle inequality fails");
}

/// L^{-1} A L^{-T}: the form in an orthonormal basis of the inner product.
Matrix orthonormal_form(MatrixView<const double> a, const Matrix& lower) {
  const std::size_t n = a.rows();
  Matrix out(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out(i, j) = a(i, j);
  }
  for (const bool right : {false, true}) {  // columns, then rows
    for (std::size_t c = 0; c < n; ++c) {
      const auto at = [&](std::size_t i) -> double& { return right ? out(c, i) : out(i, c); };
      for (std::size_t i = 0; i < n; ++i) {
        double sum = at(i);
        for (std::size_t k = 0; k < i; ++k) sum -= lower(i, k) * at(k);
        at(i) = sum / lower(i, i);
      }
    }
  }
  return out;
}

}  // namespace

double p_norm(std::span<const double> x, double p) { return p_norm(x, {}, p); }

double p_norm(std::span<const double> f, std::span<const double> weights, double p) {
  check_exponent(p);
  if (!weights.empty() && weights.size() != f.size()) {
    throw Error(fmt::format("{} weights for {} values", weights.size(), f.size()), "[math.p_norm]");
  }
  double largest = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (!(w >= 0)) throw Error(fmt::format("weight {} is {}", i, w), "[math.p_norm]");
    if (w == 0) continue;
    if (std::isnan(f[i])) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(f[i]));
  }
  if (largest == 0 || std::isinf(largest) || std::isinf(p)) return largest;
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (w > 0) sum += w * std::pow(std::abs(f[i]) / largest, p);
  }
  return largest * std::pow(sum, 1 / p);
}

double FormReport::cea() const {
  if (!coercive()) return std::numeric_limits<double>::infinity();
  return symmetric() ? std::sqrt(continuity / coercivity) : continuity / coercivity;
}

FormReport examine_form(MatrixView<const double> a, MatrixView<const double> gram) {
  const std::size_t n = a.rows();
  if (n == 0 || a.cols() != n || gram.rows() != n || gram.cols() != n) {
    throw Error(fmt::format("the form is {} x {} and the inner product {} x {}", a.rows(), a.cols(),
                            gram.rows(), gram.cols()),
                "[math.examine_form]", "both must be square and of one size");
  }
  FormReport report;
  const Cholesky<double> factor = cholesky(gram);
  report.status = factor.status;
  if (factor.status != Factorization::ok) return report;
  const Matrix form = orthonormal_form(a, factor.lower);
  const Svd<double> all = svd(form);
  Matrix even(n, n), odd(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      even(i, j) = (form(i, j) + form(j, i)) / 2;
      odd(i, j) = form(i, j) - form(j, i);
    }
  }
  const SymmetricEigen<double> values = symmetric_eigenvalues(even);
  const Svd<double> skew = svd(odd);
  for (const Factorization status : {all.status, values.status, skew.status}) {
    if (status != Factorization::ok) report.status = status;
  }
  if (report.status != Factorization::ok) return report;
  report.continuity = all.values.front();
  report.inf_sup = all.values.back();
  report.coercivity = values.values.front();
  report.asymmetry = report.continuity > 0 ? skew.values.front() / report.continuity : 0;
  return report;
}

Representer riesz_representer(MatrixView<const double> gram, std::span<const double> f) {
  if (gram.rows() != f.size() || gram.cols() != f.size()) {
    throw Error(fmt::format("a functional of {} numbers on a space of {} x {}", f.size(),
                            gram.rows(), gram.cols()),
                "[math.riesz_representer]");
  }
  Representer out;
  const Cholesky<double> factor = cholesky(gram);
  out.status = factor.status;
  if (factor.status != Factorization::ok) return out;
  out.h.assign(f.begin(), f.end());
  factor.solve(VectorView<double>(out.h));
  double square = 0;
  for (std::size_t i = 0; i < f.size(); ++i) square += f[i] * out.h[i];
  out.norm = std::sqrt(std::max(0.0, square));
  return out;
}

}  // namespace cauchy
