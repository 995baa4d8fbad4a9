#include "solvers/wellposed/null_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cauchy::detail {
namespace {

constexpr std::size_t most_null_vectors = 12;

/// Of a direction: the largest |A x| of a row in units of |A| |x|. Sums below rounding count as 0.
double uncancelled_share(const Matrix& a, const std::vector<double>& x) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double sum = 0, size = 0, all = 0;
    for (std::size_t j = 0; j < a.cols(); ++j) {
      sum += a(i, j) * x[j];
      size += std::abs(a(i, j) * x[j]);
      all += std::abs(a(i, j));
    }
    if (std::abs(sum) > rounding * all) worst = std::max(worst, std::abs(sum) / size);
  }
  return worst;
}

}  // namespace

std::vector<NullVector> null_vectors(const ChebyshevRows& rows, double share) {
  Matrix a = rows.dense();
  const std::size_t n = a.cols();
  // Columns of unit length: then small singular values mean dependence.
  Matrix scaled = a;
  std::vector<double> length(n, 0);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < n; ++j) length[j] += a(i, j) * a(i, j);
  }
  for (double& l : length) l = l > 0 ? std::sqrt(l) : 1;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < n; ++j) scaled(i, j) /= length[j];
  }
  if (a.rows() < n) {  // rows of zeros, so that all n right singular vectors are there
    Matrix tall(n, n);
    std::copy_n(scaled.data(), scaled.size(), tall.data());
    scaled = std::move(tall);
  }
  const Svd<double> s = svd(scaled);
  std::vector<NullVector> found;
  if (s.status != Factorization::ok) return found;
  for (std::size_t k = n; k-- > 0 && n - k <= most_null_vectors;) {
    NullVector v;
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      v.x.push_back(s.vt(k, j) / length[j]);
      largest = std::max(largest, std::abs(v.x.back()));
    }
    for (double& e : v.x) e /= largest;
    v.share = uncancelled_share(a, v.x);
    if (v.share <= share) found.push_back(std::move(v));
  }
  return found;
}

}  // namespace cauchy::detail
