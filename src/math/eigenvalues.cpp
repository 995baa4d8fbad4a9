#include <cauchy/math/eigenvalues.hpp>

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

extern "C" void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*,
                       double*, const int*, double*, const int*, double*, const int*, int*,
                       std::size_t, std::size_t);

namespace cauchy {

Eigenvalues eigenvalues(MatrixView<const double> a) {
  if (a.rows() != a.cols()) {
    throw Error("eigenvalues need a square matrix", "[math.eigenvalues]");
  }
  Eigenvalues out;
  if (a.rows() == 0) return out;
  const int n = static_cast<int>(a.rows()), one = 1;
  // The transpose has the same eigenvalues, so the storage by rows will do.
  std::vector<double> copy, re(a.rows()), im(a.rows());
  copy.reserve(a.rows() * a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) copy.push_back(a(i, j));
  }
  if (!std::all_of(copy.begin(), copy.end(), [](double v) { return std::isfinite(v); })) {
    out.status = Factorization::not_finite;
    return out;
  }
  int length = -1, info = 0;
  double wanted = 0, none = 0;
  dgeev_("N", "N", &n, copy.data(), &n, re.data(), im.data(), &none, &one, &none, &one, &wanted,
         &length, &info, 1, 1);
  length = static_cast<int>(wanted);
  std::vector<double> work(static_cast<std::size_t>(length));
  dgeev_("N", "N", &n, copy.data(), &n, re.data(), im.data(), &none, &one, &none, &one, work.data(),
         &length, &info, 1, 1);
  if (info != 0) {
    out.status = Factorization::not_converged;
    return out;
  }
  for (std::size_t i = 0; i < a.rows(); ++i) out.values.emplace_back(re[i], im[i]);
  return out;
}

}  // namespace cauchy
