#include <cauchy/math/rbf.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::string_view rbf_place = "[math.rbf]";

/// One term of a derivative: factor * prod_j d_j^powers[j] * phi^(m)(s).
struct RadialTerm {
  int m;
  double factor;
  std::vector<int> powers;
};

double factorial_of(int n) { return std::tgamma(n + 1.0); }

/// D^alpha phi(|d|^2). With d -> d + h the argument grows by sum_j 2 d_j h_j + h_j^2; the
/// coefficient of h^alpha in the Taylor series takes k_j factors h_j^2 and alpha_j - 2 k_j others:
///   sum_k prod_j alpha_j! / ((alpha_j - 2 k_j)! k_j!) (2 d_j)^(alpha_j - 2 k_j) phi^(|alpha|-|k|)
std::vector<RadialTerm> radial_terms(std::span<const int> alpha) {
  std::vector<RadialTerm> terms{{0, 1, {}}};
  for (const int a : alpha) {
    std::vector<RadialTerm> next;
    for (const RadialTerm& term : terms) {
      for (int k = 0; 2 * k <= a; ++k) {
        const int p = a - 2 * k;
        RadialTerm t = term;
        t.m += p + k;
        t.factor *= factorial_of(a) / (factorial_of(p) * factorial_of(k)) * std::pow(2.0, p);
        t.powers.push_back(p);
        next.push_back(std::move(t));
      }
    }
    terms = std::move(next);
  }
  return terms;
}

int total(std::span<const int> alpha) {
  int sum = 0;
  for (const int a : alpha) sum += a;
  return sum;
}

/// All exponents of total degree at most `degree`, by ascending degree.
std::vector<std::vector<int>> monomials_up_to(int degree, std::size_t dimension) {
  std::vector<std::vector<int>> all;
  std::vector<int> at(dimension, 0);
  for (int want = 0; want <= degree; ++want) {
    const auto fill = [&](const auto& self, std::size_t j, int left) -> void {
      if (j + 1 == dimension) {
        at[j] = left;
        all.push_back(at);
        return;
      }
      for (int e = left; e >= 0; --e) {
        at[j] = e;
        self(self, j + 1, left - e);
      }
    };
    fill(fill, 0, want);
  }
  return all;
}

/// phi^(m)(s) for n arguments: out[m * n + k].
void radial_rows(RbfKernel kernel, double eps, const double* s, std::size_t n, int order,
                 double* out) {
  // Powers q^p of q = 1 + eps s (or of s): each derivative is the last one times (p - m) eps / q.
  const auto powers = [&](double p, double scale, double offset) {
    for (int m = 1; m <= order; ++m) {
      const double* last = out + static_cast<std::size_t>(m - 1) * n;
      double* row = out + static_cast<std::size_t>(m) * n;
      const double factor = (p - m + 1) * scale;
      for (std::size_t k = 0; k < n; ++k) row[k] = last[k] * factor / (offset + scale * s[k]);
    }
  };
  switch (kernel) {
    case RbfKernel::gaussian:
      for (std::size_t k = 0; k < n; ++k) out[k] = std::exp(-eps * s[k]);
      for (std::size_t k = n; k < (static_cast<std::size_t>(order) + 1) * n; ++k) {
        out[k] = -eps * out[k - n];
      }
      return;
    case RbfKernel::inverse_quadratic:
      for (std::size_t k = 0; k < n; ++k) out[k] = 1 / (1 + eps * s[k]);
      return powers(-1, eps, 1);
    case RbfKernel::multiquadric:
      for (std::size_t k = 0; k < n; ++k) out[k] = std::sqrt(1 + eps * s[k]);
      return powers(0.5, eps, 1);
    case RbfKernel::inverse_multiquadric:
      for (std::size_t k = 0; k < n; ++k) out[k] = 1 / std::sqrt(1 + eps * s[k]);
      return powers(-0.5, eps, 1);
    case RbfKernel::thin_plate:  // s log(s) / 2, (log(s) + 1) / 2, 1 / (2 s), ...
      for (std::size_t k = 0; k < n; ++k) {
        double value = s[k] > 0 ? 0.5 * s[k] * std::log(s[k]) : 0;
        for (int m = 0; m <= order; ++m) {
          out[static_cast<std::size_t>(m) * n + k] = value;
          if (s[k] > 0) {
            value = m == 0   ? 0.5 * (std::log(s[k]) + 1)
                    : m == 1 ? 0.5 / s[k]
                             : value * (1 - m) / s[k];
          }
        }
      }
      return;
    case RbfKernel::cubic:
      for (std::size_t k = 0; k < n; ++k) {
        double value = s[k] * std::sqrt(s[k]);
        for (int m = 0; m <= order; ++m) {
          out[static_cast<std::size_t>(m) * n + k] = value;
          if (s[k] > 0) value *= (1.5 - m) / s[k];
        }
      }
      return;
  }
}

}  // namespace

const std::vector<RbfKernelEntry>& all_rbf_kernels() {
  constexpr int smooth = RbfKernelEntry::any_order;
  static const std::vector<RbfKernelEntry> all = {
      {"gaussian", "exp(-eps*r^2)", RbfKernel::gaussian, smooth, -1},
      {"inverse_quadratic", "1/(1 + eps*r^2)", RbfKernel::inverse_quadratic, smooth, -1},
      {"multiquadric", "sqrt(1 + eps*r^2)", RbfKernel::multiquadric, smooth, -1},
      {"inverse_multiquadric", "1/sqrt(1 + eps*r^2)", RbfKernel::inverse_multiquadric, smooth, -1},
      {"thin_plate", "r^2*log(r)", RbfKernel::thin_plate, 1, 1},
      {"cubic", "r^3", RbfKernel::cubic, 2, 1},
  };
  return all;
}

const RbfKernelEntry& entry_of(RbfKernel kernel) {
  return all_rbf_kernels()[static_cast<std::size_t>(kernel)];
}

void rbf_radial_derivatives(RbfKernel kernel, double eps, double s, std::span<double> out) {
  if (out.empty()) return;
  radial_rows(kernel, eps, &s, 1, static_cast<int>(out.size()) - 1, out.data());
}

RbfBasis::RbfBasis(RbfKernel kernel, double eps, std::vector<double> centres, std::size_t dimension,
                   int tail)
    : kernel_(kernel),
      eps_(eps),
      dimension_(dimension),
      tail_(tail),
      centres_(std::move(centres)),
      by_axis_(centres_.size()),
      middle_(dimension, 0),
      width_(dimension, 1) {
  const bool finite =
      std::all_of(centres_.begin(), centres_.end(), [](double c) { return std::isfinite(c); });
  if (dimension == 0 || centres_.empty() || centres_.size() % dimension != 0 || !finite) {
    throw Error("centres must be whole rows of finite numbers", rbf_place);
  }
  if (!(eps > 0) || !std::isfinite(eps)) {
    throw Error(fmt::format("the shape eps must be positive, got {}", eps), rbf_place);
  }
  if (tail < -1 || tail > 20) {
    throw Error(fmt::format("the degree of the tail must be -1 to 20, got {}", tail), rbf_place);
  }
  const std::size_t n = n_centres();
  for (std::size_t j = 0; j < dimension; ++j) {
    double* column = by_axis_.data() + j * n;
    for (std::size_t k = 0; k < n; ++k) column[k] = centres_[k * dimension + j];
    const auto [lower, upper] = std::minmax_element(column, column + n);
    middle_[j] = (*lower + *upper) / 2;
    if (*upper > *lower) width_[j] = (*upper - *lower) / 2;
  }
  monomials_ = monomials_up_to(tail, dimension);
}

void RbfBasis::derivatives(std::span<const double> points, std::span<const std::vector<int>> orders,
                           std::span<const MatrixView<double>> out) const {
  const std::size_t d = dimension_, N = n_centres(), n = points.size() / d;
  const auto misfit = [&](std::string_view what) { throw Error(what, rbf_place); };
  if (points.size() % d != 0 || orders.size() != out.size()) misfit("points are not whole rows");
  int highest = 0, power = 0;
  std::vector<std::vector<RadialTerm>> terms;
  for (std::size_t a = 0; a < orders.size(); ++a) {
    if (orders[a].size() != d) misfit("a derivative needs one order per coordinate");
    if (out[a].rows() != n || out[a].cols() != size()) misfit("results do not have their shape");
    terms.push_back(radial_terms(orders[a]));
    highest = std::max(highest, total(orders[a]));
    for (const int o : orders[a]) power = std::max(power, o);
  }
  // powers[(j * (power + 1) + p) * N + k] = d_j^p of centre k.
  const std::size_t stride = static_cast<std::size_t>(power) + 1;
  std::vector<double> powers(d * stride * N), s(N);
  std::vector<double> radial((static_cast<std::size_t>(highest) + 1) * N);
  const int smooth = entry_of(kernel_).smoothness;
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(s.begin(), s.end(), 0.0);
    for (std::size_t j = 0; j < d; ++j) {
      const double x = points[i * d + j];
      double* first = powers.data() + j * stride * N;
      std::fill(first, first + N, 1.0);
      const double* c = by_axis_.data() + j * N;
      for (std::size_t k = 0; k < N; ++k) s[k] += (x - c[k]) * (x - c[k]);
      for (std::size_t p = 1; p < stride; ++p) {
        for (std::size_t k = 0; k < N; ++k) first[p * N + k] = first[(p - 1) * N + k] * (x - c[k]);
      }
    }
    radial_rows(kernel_, eps_, s.data(), N, highest, radial.data());
    for (std::size_t a = 0; a < orders.size(); ++a) {
      double* row = &out[a](i, 0);
      std::fill(row, row + N, 0.0);
      for (const RadialTerm& term : terms[a]) {
        const double* phi = radial.data() + static_cast<std::size_t>(term.m) * N;
        const double* factors[2] = {nullptr, nullptr};
        std::size_t used = 0;
        std::vector<const double*> more;
        for (std::size_t j = 0; j < d; ++j) {
          if (term.powers[j] == 0) continue;
          const double* f =
              powers.data() + (j * stride + static_cast<std::size_t>(term.powers[j])) * N;
          used < 2 ? void(factors[used] = f) : more.push_back(f);
          ++used;
        }
        const double c = term.factor;
        if (used == 0) {
          for (std::size_t k = 0; k < N; ++k) row[k] += c * phi[k];
        } else if (used == 1) {
          for (std::size_t k = 0; k < N; ++k) row[k] += c * phi[k] * factors[0][k];
        } else {
          for (std::size_t k = 0; k < N; ++k) {
            double value = c * phi[k] * factors[0][k] * factors[1][k];
            for (const double* f : more) value *= f[k];
            row[k] += value;
          }
        }
      }
      if (total(orders[a]) > smooth) {
        for (std::size_t k = 0; k < N; ++k) {
          if (s[k] == 0) row[k] = std::numeric_limits<double>::quiet_NaN();
        }
      }
      for (std::size_t q = 0; q < monomials_.size(); ++q) {
        double value = 1;
        for (std::size_t j = 0; j < d; ++j) {
          const int e = monomials_[q][j], o = orders[a][j];
          if (o > e) value = 0;
          if (value == 0) break;
          value *= factorial_of(e) / factorial_of(e - o) / std::pow(width_[j], o) *
                   std::pow((points[i * d + j] - middle_[j]) / width_[j], e - o);
        }
        row[N + q] = value;
      }
    }
  }
}

void RbfBasis::derivatives_of_sums(std::span<const std::span<const double>> coefficients,
                                   std::span<const double> points,
                                   std::span<const std::vector<int>> orders,
                                   MatrixView<double> out) const {
  const std::size_t n = points.size() / dimension_, K = orders.size();
  const bool fits = std::all_of(coefficients.begin(), coefficients.end(),
                                [&](const auto& c) { return c.size() == size(); });
  if (!fits || coefficients.size() != K || out.rows() != n || out.cols() != K) {
    throw Error("coefficients or results do not have their shape", rbf_place);
  }
  constexpr std::size_t block = 16;  // points together, so that the functions stay in the cache
  std::vector<Matrix> part;
  std::vector<MatrixView<double>> views;
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t count = std::min(block, n - first);
    if (part.empty() || part[0].rows() != count) {
      part.assign(K, Matrix(count, size()));
      views.clear();
      for (Matrix& p : part) views.push_back(p.view());
    }
    derivatives(points.subspan(first * dimension_, count * dimension_), orders, views);
    for (std::size_t a = 0; a < K; ++a) {
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < size(); ++k) sum += coefficients[a][k] * part[a](i, k);
        out(first + i, a) = sum;
      }
    }
  }
}

double mean_spacing(std::span<const double> points, std::size_t dimension) {
  const std::size_t n = points.size() / dimension;
  if (n < 2) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      double s = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        const double difference = points[i * dimension + j] - points[k * dimension + j];
        s += difference * difference;
      }
      least = std::min(least, s);
    }
    sum += std::sqrt(least);
  }
  return sum / static_cast<double>(n);
}

double RbfInterpolant::derivative(std::span<const double> x, const std::vector<int>& orders) const {
  Matrix out(1, 1);
  const std::span<const double> one(coefficients);
  basis.derivatives_of_sums(std::span(&one, 1), x, std::span(&orders, 1), out.view());
  return out(0, 0);
}

double RbfInterpolant::operator()(std::span<const double> x) const {
  return derivative(x, std::vector<int>(basis.dimension(), 0));
}

RbfInterpolant interpolate_rbf(std::span<const double> points, std::size_t dimension,
                               std::span<const double> values, const RbfOptions& options) {
  if (dimension == 0 || values.empty() || points.size() != values.size() * dimension) {
    throw Error("there must be one value per point", rbf_place);
  }
  const double spacing = 0.815 * mean_spacing(points, dimension);
  const double eps = options.eps > 0 ? options.eps : spacing > 0 ? 1 / (spacing * spacing) : 1;
  const int tail = options.tail == -2 ? entry_of(options.kernel).least_tail : options.tail;
  RbfInterpolant result{
      RbfBasis(options.kernel, eps, {points.begin(), points.end()}, dimension, tail), {}};
  const std::size_t n = values.size(), all = result.basis.size();
  Matrix rows(n, all), system(all, all), right(all, 1);
  const MatrixView<double> view = rows.view();
  const std::vector<std::vector<int>> value_order{std::vector<int>(dimension, 0)};
  result.basis.derivatives(points, value_order, std::span(&view, 1));
  for (std::size_t i = 0; i < n; ++i) {
    right(i, 0) = values[i];
    for (std::size_t k = 0; k < all; ++k) {
      system(i, k) = rows(i, k);
      if (k >= n) system(k, i) = rows(i, k);
    }
  }
  const LeastSquaresSolution<double> solved = least_squares(system.view(), right.view());
  result.status = solved.status;
  if (solved.status != Factorization::ok) return result;
  result.rank = solved.rank;
  result.coefficients.assign(solved.x.data(), solved.x.data() + all);
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double v : symmetric_eigenvalues(system.view()).values) {
    least = std::min(least, std::abs(v));
    largest = std::max(largest, std::abs(v));
  }
  result.condition = least > 0 ? largest / least : std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace cauchy
