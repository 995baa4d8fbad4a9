#include <cauchy/math/spline_interpolation.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {
namespace {

[[noreturn]] void refuse_spline(const std::string& why, std::string_view hint = {}) {
  throw Error(why, "[math.spline]", hint);
}

/// End knots k + 1 times, and between them what the ends ask for.
std::vector<double> spline_knots(std::span<const double> x, std::size_t k, SplineEnds ends) {
  const std::size_t n = x.size();
  std::vector<double> knots(k + 1, x.front());
  if (ends != SplineEnds::not_a_knot) {
    knots.insert(knots.end(), x.begin() + 1, x.end() - 1);
  } else if (k % 2 == 1) {
    for (std::size_t i = (k + 1) / 2; i + (k + 1) / 2 < n; ++i) knots.push_back(x[i]);
  } else {
    for (std::size_t i = k / 2; i + k / 2 + 1 < n; ++i) knots.push_back((x[i] + x[i + 1]) / 2);
  }
  knots.insert(knots.end(), k + 1, x.back());
  return knots;
}

void check_spline(std::span<const double> x, std::span<const double> y, const SplineOptions& o) {
  if (o.degree < 1 || o.degree > static_cast<int>(BSplineBasis::max_degree)) {
    refuse_spline(fmt::format("the degree must be 1 to {}, got {}",
                              static_cast<int>(BSplineBasis::max_degree), o.degree));
  }
  if (x.size() != y.size()) {
    refuse_spline(fmt::format("{} points have {} values", x.size(), y.size()));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool ascends = i == 0 || x[i] > x[i - 1];
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || !ascends) {
      refuse_spline("points must ascend, and points and values be finite");
    }
  }
  const auto k = static_cast<std::size_t>(o.degree);
  if (o.ends != SplineEnds::not_a_knot && k % 2 == 0) {
    refuse_spline(fmt::format("degree {} has no such ends", k), "use an odd degree, or not-a-knot");
  }
  const std::size_t least = o.ends == SplineEnds::not_a_knot ? k + 1
                            : o.ends == SplineEnds::natural  ? std::max<std::size_t>(2, (k + 1) / 2)
                                                             : 2;
  if (x.size() < least) {
    refuse_spline(fmt::format("a spline of degree {} needs {} points, got {}", k, least, x.size()));
  }
  const std::size_t given = o.ends == SplineEnds::clamped ? (k - 1) / 2 : 0;
  if (o.left.size() != given || o.right.size() != given) {
    refuse_spline(fmt::format("{} derivatives belong to each end, got {} and {}", given,
                              o.left.size(), o.right.size()));
  }
}

}  // namespace

Spline::Spline(BSplineBasis basis, std::vector<double> coefficients)
    : basis_(std::move(basis)), coefficients_(std::move(coefficients)) {
  if (coefficients_.size() != basis_.size()) {
    refuse_spline(
        fmt::format("{} B-splines have {} coefficients", basis_.size(), coefficients_.size()));
  }
}

double Spline::operator()(double x, int derivative) const {
  if (std::isnan(x) || derivative < 0) return std::nan("");
  const double at = std::min(std::max(x, basis_.lower()), basis_.upper());
  const std::size_t k = basis_.degree();
  Matrix table(k + 1, k + 1);
  const std::size_t first = basis_.evaluate(at, table.view());
  // The Taylor polynomial at the nearest point of the domain: one term inside.
  double sum = 0, power = 1;
  for (std::size_t q = static_cast<std::size_t>(derivative); q <= k; ++q) {
    double d = 0;
    for (std::size_t j = 0; j <= k; ++j) d += table(q, j) * coefficients_[first + j];
    sum += d * power;
    if (x == at) break;
    power *= (x - at) / static_cast<double>(q + 1 - static_cast<std::size_t>(derivative));
  }
  return sum;
}

Spline interpolate_spline(std::span<const double> x, std::span<const double> y,
                          const SplineOptions& options) {
  check_spline(x, y, options);
  const auto k = static_cast<std::size_t>(options.degree);
  const std::size_t n = x.size(), half = (k - 1) / 2;
  BSplineBasis basis(spline_knots(x, k, options.ends), k);
  std::vector<SparseMatrix::Entry> entries;
  std::vector<double> right;
  // Rows in the order of the points, those of the ends beside the first and the last: a band.
  const auto add_row = [&](double at, std::size_t derivative, double value) {
    Matrix table(derivative + 1, k + 1);
    const std::size_t first = basis.evaluate(at, table.view());
    double largest = 0;
    for (std::size_t j = 0; j <= k; ++j) {
      largest = std::max(largest, std::abs(table(derivative, j)));
    }
    for (std::size_t j = 0; j <= k; ++j) {
      entries.push_back({right.size(), first + j, table(derivative, j) / largest});
    }
    right.push_back(value / largest);
  };
  const auto add_end = [&](double at, const std::vector<double>& given) {
    for (std::size_t q = 0; q < half; ++q) {
      if (options.ends == SplineEnds::clamped) add_row(at, q + 1, given[q]);
      if (options.ends == SplineEnds::natural) add_row(at, (k + 1) / 2 + q, 0);
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    add_row(x[i], 0, y[i]);
    if (i == 0) add_end(x.front(), options.left);
    if (i + 2 == n) add_end(x.back(), options.right);
  }
  SparseLu factors(SparseMatrix(right.size(), basis.size(), entries));
  if (factors.status() != Factorization::ok) {
    refuse_spline("points lie too close together for a spline");
  }
  factors.solve(right);
  return {std::move(basis), std::move(right)};
}

}  // namespace cauchy
