#include <cauchy/math/image.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {
namespace {

constexpr const char* image_place = "[math.image]";
constexpr std::size_t outside = std::numeric_limits<std::size_t>::max();

/// The pixel of a line of n that stands at position i + shift; `outside`: zero.
std::size_t padded(std::size_t i, long shift, std::size_t n, Padding padding) {
  const long at = static_cast<long>(i) + shift, last = static_cast<long>(n) - 1;
  if (at >= 0 && at <= last) return static_cast<std::size_t>(at);
  if (padding == Padding::zero) return outside;
  if (padding == Padding::edge) return at < 0 ? 0 : n - 1;
  const long mirrored = at < 0 ? -at : 2 * last - at;
  if (mirrored < 0 || mirrored > last) {
    throw Error("an image is too small for the mirror of a kernel", image_place,
                "use another padding");
  }
  return static_cast<std::size_t>(mirrored);
}

void require_same_shape(MatrixView<const double> a, MatrixView<const double> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    throw Error("two images have different shapes", image_place);
  }
}

/// Calls f(k) for the neighbours of pixel (i, j) in an image of m x n.
template <class F>
void for_neighbours(std::size_t i, std::size_t j, std::size_t m, std::size_t n, F f) {
  if (i > 0) f((i - 1) * n + j);
  if (i + 1 < m) f((i + 1) * n + j);
  if (j > 0) f(i * n + j - 1);
  if (j + 1 < n) f(i * n + j + 1);
}

}  // namespace

Matrix correlate(MatrixView<const double> image, MatrixView<const double> kernel, Padding padding) {
  if (kernel.rows() % 2 == 0 || kernel.cols() % 2 == 0) {
    throw Error("a kernel needs odd sides", image_place, "add a row or a column of zeros");
  }
  const long r = static_cast<long>(kernel.rows() / 2), s = static_cast<long>(kernel.cols() / 2);
  Matrix out(image.rows(), image.cols());
  for (std::size_t i = 0; i < image.rows(); ++i) {
    for (std::size_t j = 0; j < image.cols(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < kernel.rows(); ++k) {
        const std::size_t row = padded(i, static_cast<long>(k) - r, image.rows(), padding);
        if (row == outside) continue;
        for (std::size_t l = 0; l < kernel.cols(); ++l) {
          const std::size_t col = padded(j, static_cast<long>(l) - s, image.cols(), padding);
          if (col != outside) sum += kernel(k, l) * image(row, col);
        }
      }
      out(i, j) = sum;
    }
  }
  return out;
}

Matrix convolve(MatrixView<const double> image, MatrixView<const double> kernel, Padding padding) {
  Matrix turned(kernel.rows(), kernel.cols());
  for (std::size_t k = 0; k < kernel.rows(); ++k) {
    for (std::size_t l = 0; l < kernel.cols(); ++l) {
      turned(k, l) = kernel(kernel.rows() - 1 - k, kernel.cols() - 1 - l);
    }
  }
  return correlate(image, turned, padding);
}

SobelGradient sobel(MatrixView<const double> image, double threshold, Padding padding) {
  const Matrix across{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  SobelGradient g{correlate(image, across, padding), correlate(image, across.transposed(), padding),
                  Matrix(image.rows(), image.cols())};
  for (std::size_t i = 0; i < image.rows(); ++i) {
    for (std::size_t j = 0; j < image.cols(); ++j) {
      const double size = std::hypot(g.x(i, j), g.y(i, j));
      g.magnitude(i, j) = size < threshold ? 0 : size;
    }
  }
  return g;
}

InpaintedImage inpaint(MatrixView<const double> image, MatrixView<const double> known,
                       Inpainting form) {
  require_same_shape(image, known);
  const std::size_t m = image.rows(), n = image.cols();
  InpaintedImage out{Factorization::ok, Matrix(image)};
  const auto is_known = [&](std::size_t k) { return known(k / n, k % n) != 0; };
  // Without any known pixel the matrix is singular, up to rounding.
  std::size_t first_known = 0;
  while (first_known < m * n && !is_known(first_known)) ++first_known;
  if (first_known == m * n) {
    out.status = Factorization::singular;
    return out;
  }
  std::vector<SparseMatrix::Entry> entries;
  std::vector<double> right;
  if (form == Inpainting::indicator) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t row = i * n + j;
        const bool c = is_known(row);
        right.push_back(c ? image(i, j) : 0);
        double diagonal = c ? 1 : 0;
        if (!c) {
          for_neighbours(i, j, m, n, [&](std::size_t k) {
            entries.push_back({row, k, -1});
            diagonal += 1;
          });
        }
        entries.push_back({row, row, diagonal});
      }
    }
    SparseLu solver(SparseMatrix(m * n, m * n, entries));
    out.status = solver.status();
    if (out.status != Factorization::ok) return out;
    solver.solve(right);
    std::copy(right.begin(), right.end(), out.image.data());
    return out;
  }
  std::vector<std::size_t> number(m * n, outside), unknown;
  for (std::size_t k = 0; k < m * n; ++k) {
    if (is_known(k)) continue;
    number[k] = unknown.size();
    unknown.push_back(k);
  }
  if (unknown.empty()) return out;
  right.assign(unknown.size(), 0);
  for (std::size_t row = 0; row < unknown.size(); ++row) {
    double diagonal = 0;
    for_neighbours(unknown[row] / n, unknown[row] % n, m, n, [&](std::size_t k) {
      diagonal += 1;
      if (number[k] == outside) {
        right[row] += image(k / n, k % n);
      } else {
        entries.push_back({row, number[k], -1});
      }
    });
    entries.push_back({row, row, diagonal});
  }
  SparseCholesky solver(SparseMatrix(unknown.size(), unknown.size(), entries));
  out.status = solver.status() == Factorization::ok ? Factorization::ok : Factorization::singular;
  if (out.status != Factorization::ok) return out;
  solver.solve(right);
  for (std::size_t k = 0; k < unknown.size(); ++k) out.image.data()[unknown[k]] = right[k];
  return out;
}

double mean_squared_error(MatrixView<const double> a, MatrixView<const double> b) {
  require_same_shape(a, b);
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      sum += (a(i, j) - b(i, j)) * (a(i, j) - b(i, j));
    }
  }
  return sum / static_cast<double>(a.rows() * a.cols());
}

double psnr(MatrixView<const double> a, MatrixView<const double> b, double peak) {
  return 10 * std::log10(peak * peak / mean_squared_error(a, b));
}

}  // namespace cauchy
