#include "geometry/meshes/predicates.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::detail {
namespace {

/// A sum of doubles that do not overlap, in ascending size: an exact number.
using ExactSum = std::vector<double>;

void exact_two_sum(double a, double b, double& sum, double& rest) {
  sum = a + b;
  const double bb = sum - a;
  rest = (a - (sum - bb)) + (b - bb);
}

/// e + b, exactly; zeros are left out.
void exact_grow(ExactSum& e, double b) {
  double q = b;
  std::size_t n = 0;
  for (const double c : e) {
    double sum, rest;
    exact_two_sum(q, c, sum, rest);
    if (rest != 0) e[n++] = rest;
    q = sum;
  }
  e.resize(n);
  if (q != 0) e.push_back(q);
}

ExactSum exact_difference(double a, double b) {
  ExactSum e;
  exact_grow(e, a);
  exact_grow(e, -b);
  return e;
}

ExactSum exact_product(const ExactSum& a, const ExactSum& b) {
  ExactSum e;
  for (const double x : a) {
    for (const double y : b) {
      const double p = x * y;
      exact_grow(e, std::fma(x, y, -p));
      exact_grow(e, p);
    }
  }
  return e;
}

void exact_add(ExactSum& to, const ExactSum& b, double sign) {
  for (const double x : b) exact_grow(to, sign * x);
}

double exact_sign(const ExactSum& e) { return e.empty() ? 0 : e.back(); }

constexpr double exact_eps = std::numeric_limits<double>::epsilon() / 2;

}  // namespace

double exact_turn(const double* a, const double* b, const double* c) {
  const double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
  const double det = left - right;
  if (std::abs(det) > (3 + 16 * exact_eps) * exact_eps * (std::abs(left) + std::abs(right))) {
    return det;
  }
  ExactSum sum = exact_product(exact_difference(a[0], c[0]), exact_difference(b[1], c[1]));
  exact_add(sum, exact_product(exact_difference(a[1], c[1]), exact_difference(b[0], c[0])), -1);
  return exact_sign(sum);
}

double exact_in_circle(const double* a, const double* b, const double* c, const double* p) {
  const double* at[3] = {a, b, c};
  double x[3], y[3], lift[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = at[i][0] - p[0];
    y[i] = at[i][1] - p[1];
    lift[i] = x[i] * x[i] + y[i] * y[i];
  }
  double det = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double one = x[j] * y[k], two = x[k] * y[j];
    det += lift[i] * (one - two);
    size += lift[i] * (std::abs(one) + std::abs(two));
  }
  if (std::abs(det) > (10 + 96 * exact_eps) * exact_eps * size) return det;
  ExactSum ex[3], ey[3], total;
  for (int i = 0; i < 3; ++i) {
    ex[i] = exact_difference(at[i][0], p[0]);
    ey[i] = exact_difference(at[i][1], p[1]);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    ExactSum minor = exact_product(ex[j], ey[k]);
    exact_add(minor, exact_product(ex[k], ey[j]), -1);
    ExactSum lifted = exact_product(ex[i], ex[i]);
    exact_add(lifted, exact_product(ey[i], ey[i]), 1);
    exact_add(total, exact_product(lifted, minor), 1);
  }
  return exact_sign(total);
}

}  // namespace cauchy::detail
