#include "solvers/time/stability.hpp"

#include <limits>

#include <cauchy/math/eigenvalues.hpp>

namespace cauchy::detail {
namespace {

/// Factors d such that rows and columns of D^-1 L D have similar sizes (Osborne), and the bound on
/// the eigenvalues that the rows give then; L = -J/m without rows of algebraic unknowns.
struct Balance {
  std::vector<double> d;
  double bound = std::numeric_limits<double>::infinity();
};

Balance balance_of(const SparseMatrix& j, const std::vector<double>& mass,
                   const std::vector<char>& differential) {
  const std::size_t n = j.rows();
  Balance out{std::vector<double>(n, 1.0)};
  const auto each = [&](auto&& use) {
    for (std::size_t i = 0; i < n; ++i) {
      if (differential[i] == 0) continue;
      for (auto k = static_cast<std::size_t>(j.begin()[i]);
           k < static_cast<std::size_t>(j.begin()[i + 1]); ++k) {
        const auto column = static_cast<std::size_t>(j.columns()[k]);
        if (differential[column] == 0 || j.values()[k] == 0) continue;
        use(i, column, std::abs(j.values()[k] / mass[i]) * out.d[column] / out.d[i]);
      }
    }
  };
  std::vector<double> rows(n), columns(n);
  for (int sweep = 0; sweep < 8; ++sweep) {
    std::fill(rows.begin(), rows.end(), 0.0);
    std::fill(columns.begin(), columns.end(), 0.0);
    each([&](std::size_t i, std::size_t k, double v) {
      if (i == k) return;
      rows[i] += v;
      columns[k] += v;
    });
    // All at once and therefore half the way.
    for (std::size_t i = 0; i < n; ++i) {
      if (rows[i] > 0 && columns[i] > 0) out.d[i] *= std::pow(rows[i] / columns[i], 0.25);
    }
  }
  std::fill(rows.begin(), rows.end(), 0.0);
  each([&](std::size_t i, std::size_t, double v) { rows[i] += v; });
  out.bound = *std::max_element(rows.begin(), rows.end());
  return out;
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

/// Arnoldi's iteration from noise: eigenvalues of the Hessenberg matrix.
template <class Apply>
std::vector<std::complex<double>> ritz_values(const std::vector<char>& differential, Apply apply) {
  constexpr std::size_t most = 60;
  const std::size_t n = differential.size();
  std::vector<std::vector<double>> q(1, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {  // any start will do that favours no mode
    const double noise = std::sin(static_cast<double>(i + 1) * 12.9898) * 43758.5453;
    q[0][i] = differential[i] != 0 ? noise - std::floor(noise) - 0.5 : 0.0;
  }
  const double length = std::sqrt(dot_of(q[0], q[0]));
  for (double& v : q[0]) v /= length;
  Matrix h(most, most);
  std::size_t m = 0;
  std::vector<double> w(n);
  while (m < most) {
    apply(q[m], w);
    const double size = std::sqrt(dot_of(w, w));
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t k = 0; k <= m; ++k) {
        const double s = dot_of(q[k], w);
        h(k, m) += s;
        for (std::size_t i = 0; i < n; ++i) w[i] -= s * q[k][i];
      }
    }
    ++m;
    const double rest = std::sqrt(dot_of(w, w));
    if (m == most || !(rest > 1e-12 * size)) break;
    h(m, m - 1) = rest;
    for (double& v : w) v /= rest;
    q.push_back(w);
  }
  Matrix small(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) small(i, k) = h(i, k);
  }
  return eigenvalues(small).values;
}

/// Where the amplification first exceeds what it may, along a ray from 0.
double limit_along(const Stepper& stepper, std::complex<double> lambda, double duration) {
  const double size = std::abs(lambda);
  const bool turns = std::abs(lambda.imag()) > std::abs(lambda.real());
  const auto grows = [&](double r) {  // r = step * |lambda|
    const std::complex<double> z = lambda * (r / size);
    const double allowed = turns ? std::log(10.0) * (r / size) / duration : 1e-9;
    return std::log(std::abs(stepper.amplification(z))) > std::max(0.0, z.real()) + allowed;
  };
  constexpr double last = 40, ratio = 1.02;
  double below = 1e-6;
  if (grows(below)) return 0;
  for (double r = below * ratio; r < last; r *= ratio) {
    if (!grows(r)) {
      below = r;
      continue;
    }
    double above = r;
    for (int i = 0; i < 40; ++i) {
      const double middle = (below + above) / 2;
      (grows(middle) ? above : below) = middle;
    }
    return below / size;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<std::complex<double>> outer_spectrum(SemiDiscrete& system, Rates& rates,
                                                 const TimePoint& at) {
  const std::size_t n = system.size();
  const std::vector<char>& differential = system.differential();
  std::vector<double> y = at.y, dy(n);
  if (!rates.project(at.t, y) || !rates.rate(at.t, y, dy)) return {};
  SparseMatrix j;
  system.jacobian(at.t, y, dy, 0, j);
  std::vector<std::size_t> unknowns;
  for (std::size_t i = 0; i < n; ++i) {
    if (differential[i] != 0) unknowns.push_back(i);
  }
  Balance balance{std::vector<double>(n, 1.0)};
  if (rates.diagonal_mass()) balance = balance_of(j, rates.mass(), differential);
  const auto apply = [&](const std::vector<double>& v, std::vector<double>& out) {
    std::vector<double> scaled(n);
    for (std::size_t i = 0; i < n; ++i) scaled[i] = v[i] * balance.d[i];
    rates.linear(j, scaled, out);
    for (std::size_t i = 0; i < n; ++i) out[i] /= balance.d[i];
  };
  if (unknowns.size() > 240) {
    std::vector<std::complex<double>> values = ritz_values(differential, apply);
    double radius = 0;
    for (const auto& v : values) radius = std::max(radius, std::abs(v));
    // Inner approximations: on the safe side with the bound, where it can be trusted.
    if (radius > 0.8 * balance.bound && radius < balance.bound) {
      for (auto& v : values) v *= balance.bound / radius;
    }
    return values;
  }
  Matrix full(unknowns.size(), unknowns.size());
  std::vector<double> unit(n, 0.0), column(n);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    unit[unknowns[k]] = 1;
    apply(unit, column);
    unit[unknowns[k]] = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i) full(i, k) = column[unknowns[i]];
  }
  return eigenvalues(full).values;
}

double stability_limit(const Stepper& stepper, const std::vector<std::complex<double>>& spectrum,
                       double duration) {
  if (!stepper.limited()) return std::numeric_limits<double>::infinity();
  if (spectrum.empty()) return 0;
  double radius = 0;
  for (const auto& v : spectrum) radius = std::max(radius, std::abs(v));
  double limit = std::numeric_limits<double>::infinity();
  for (const auto& v : spectrum) {
    // Rounding of the largest eigenvalue is no mode; conjugate ones have the same limit.
    if (v.imag() < 0 || std::abs(v) < 1e-9 * radius) continue;
    limit = std::min(limit, limit_along(stepper, v, duration));
  }
  return limit;
}

}  // namespace cauchy::detail
