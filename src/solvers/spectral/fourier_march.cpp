#include "solvers/spectral/fourier_march.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <cauchy/math/difference.hpp>

#include "solvers/spectral/etdrk4.hpp"

namespace cauchy::detail {
namespace {

using Complex = std::complex<double>;

bool all_modes_finite(const Modes& y) {
  return std::all_of(y.begin(), y.end(), [](const Complex& c) {
    return std::isfinite(c.real()) && std::isfinite(c.imag());
  });
}

}  // namespace

FourierHistory fourier_march(FourierFlow& flow, Modes y, double begin, double end,
                             std::size_t steps, std::size_t stored,
                             FunctionRef<bool(std::size_t)> stop) {
  FourierHistory h{begin, end, steps};
  h.reached = begin;
  const double dt = (end - begin) / static_cast<double>(steps);
  Etdrk4 scheme(flow.system().L, dt);
  const bool linear = flow.is_linear();
  const std::size_t every = steps / stored;
  h.at.push_back(y);
  for (std::size_t i = 0; i < steps; ++i) {
    const double t = begin + static_cast<double>(i) * dt;
    if (linear) {
      scheme.advance(y);
    } else {
      scheme.advance(t, y,
                     [&](double s, const Modes& state, Modes& out) { flow.rest(s, state, out); });
    }
    // One value at a point that is not finite has made all modes so.
    const bool keep = (i + 1) % every == 0;
    if ((!y.empty() && !std::isfinite(y[0].real())) || (keep && !all_modes_finite(y))) {
      h.finite = false;
      return h;
    }
    h.reached = begin + static_cast<double>(i + 1) * dt;
    if (keep) h.at.push_back(y);
    if (stop(i + 1)) {
      h.stopped = i + 1 < steps;
      return h;
    }
  }
  return h;
}

/// square(state, column) summed over states, relative.
template <class Square>
double FourierMeasure::relative(const FourierHistory& h, const Square& square) const {
  const std::size_t n = grid_.n_modes();
  std::vector<double> size(n_columns_), part(n_columns_);
  for (std::size_t l = 0; l < h.at.size(); ++l) {
    for (std::size_t c = 0; c < n_columns_; ++c) {
      size[c] += grid_.mean_square(std::span(h.at[l]).subspan(c * n, n));
      part[c] += square(l, c);
    }
  }
  const double floor = n_columns_ == 0 ? 0 : 1e-12 * *std::max_element(size.begin(), size.end());
  double worst = 0;
  for (std::size_t c = 0; c < n_columns_; ++c) {
    const double unit = std::max(size[c], floor);
    const double r = std::sqrt(part[c] / (unit > 0 ? unit : 1));
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

double FourierMeasure::difference(const FourierHistory& a, const FourierHistory& b) const {
  const std::size_t n = grid_.n_modes();
  const std::size_t every = a.at.size() < 2 ? 1 : (b.at.size() - 1) / (a.at.size() - 1);
  return relative(a, [&](std::size_t l, std::size_t c) {
    const Complex *p = a.at[l].data() + c * n, *q = b.at[l * every].data() + c * n;
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += grid_.weight(k) * std::norm(p[k] - q[k]);
    return sum;
  });
}

double FourierMeasure::between(const FourierHistory& h, double lower, double upper) const {
  const std::size_t n = grid_.n_modes();
  std::vector<char> inside(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    double share = 0;
    for (std::size_t d = 0; d < grid_.n().size(); ++d) {
      share = std::max(share, static_cast<double>(std::abs(grid_.index(k, d))) /
                                  static_cast<double>(grid_.highest()[d]));
    }
    inside[k] = share > lower && share <= upper ? 1 : 0;
  }
  return relative(h, [&](std::size_t l, std::size_t c) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (inside[k] != 0) sum += grid_.weight(k) * std::norm(h.at[l][c * n + k]);
    }
    return sum;
  });
}

double FourierMeasure::beyond(const FourierHistory& h) const {
  const double last = tail(h), before = between(h, 0.5, 0.75);
  const double q = before > 0 ? std::min(last / before, 0.95) : 0.95;
  return last * q / (1 - q);
}

double FourierMeasure::time_gap(const FourierHistory& h, std::size_t width) const {
  const std::size_t n = grid_.n_modes(), coarse = (h.at.size() + 1) / 2;
  width = std::min(width, coarse);
  return relative(h, [&](std::size_t l, std::size_t c) {
    if (l % 2 == 0) return 0.0;
    const std::size_t half = std::min(l / 2 + 1, width / 2);
    const std::size_t first = std::min(l / 2 + 1 - half, coarse - width);
    std::vector<double> nodes(width);
    for (std::size_t j = 0; j < width; ++j) nodes[j] = 2 * static_cast<double>(first + j);
    const Matrix w = difference_weights(static_cast<double>(l), nodes, 0);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      Complex e = h.at[l][c * n + k];
      for (std::size_t j = 0; j < width; ++j) e -= w(0, j) * h.at[2 * (first + j)][c * n + k];
      sum += grid_.weight(k) * std::norm(e);
    }
    return sum / 256;
  });
}

double FourierMeasure::space_gap(const FourierHistory& h, const std::vector<std::size_t>& n_points,
                                 std::size_t width) const {
  const std::size_t n = grid_.n_modes();
  // Halfway between points, exp(i k x) is interpolated to itself times a factor.
  std::vector<double> nodes(width);
  for (std::size_t j = 0; j < width; ++j) nodes[j] = static_cast<double>(j);
  const double middle = static_cast<double>(width - 1) / 2;
  const Matrix w = difference_weights(middle, nodes, 0);
  std::vector<double> square(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t d = 0; d < n_points.size(); ++d) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(grid_.index(k, d)) /
                           static_cast<double>(n_points[d]);
      double factor = 0;
      for (std::size_t j = 0; j < width; ++j)
        factor += w(0, j) * std::cos(angle * (nodes[j] - middle));
      square[k] += (1 - factor) * (1 - factor);
    }
  }
  return relative(h, [&](std::size_t l, std::size_t c) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      sum += grid_.weight(k) * square[k] * std::norm(h.at[l][c * n + k]);
    }
    return sum;
  });
}

}  // namespace cauchy::detail
