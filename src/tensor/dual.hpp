#pragma once

#include <cmath>

namespace cauchy::detail {

/// A number and its derivative in one direction: loops over them compute tangents.
struct Dual {
  double value = 0, slope = 0;

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT: numbers are constants
  Dual(double v, double s) : value(v), slope(s) {}

  Dual& operator+=(const Dual& b) {
    value += b.value;
    slope += b.slope;
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    slope -= b.slope;
    return *this;
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  // Choices look at the value alone.
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }

  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return {e, e * a.slope};
  }
  friend Dual sqrt(const Dual& a) {
    const double r = std::sqrt(a.value);
    return {r, a.slope / (2 * r)};
  }
};

}  // namespace cauchy::detail
