#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/math/bspline.hpp>
#include <cmath>
#include <limits>

namespace cauchy {
namespace {

constexpr const char* bspline_place = "[math.bspline]";

void require_grid(std::size_t n_intervals, std::size_t degree, double a, double b) {
  if (n_intervals == 0)
    throw Error("the number of intervals must be positive, got 0", bspline_place);
  if (degree > BSplineBasis::max_degree)
    throw Error(fmt::format("degree must be at most {}, got {}", BSplineBasis::max_degree, degree),
                bspline_place);
  if (!(a < b) || !std::isfinite(b - a))
    throw Error(fmt::format("[{}, {}] is not a finite interval", a, b), bspline_place);
}

}  // namespace

BSplineBasis::BSplineBasis(std::span<const double> knots, std::size_t degree) : degree_(degree) {
  if (degree > max_degree)
    throw Error(fmt::format("degree must be at most {}, got {}", max_degree, degree),
                bspline_place);
  if (knots.size() < 2 * (degree + 1))
    throw Error(fmt::format("degree {} needs at least {} knots, got {}", degree, 2 * (degree + 1),
                            knots.size()),
                bspline_place);
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (!std::isfinite(knots[i]))
      throw Error(fmt::format("knot {} is not finite", i), bspline_place);
    if (i > 0 && knots[i] < knots[i - 1])
      throw Error(fmt::format("knots must not decrease, but knot {} = {} < knot {} = {}", i,
                              knots[i], i - 1, knots[i - 1]),
                  bspline_place);
  }
  size_ = knots.size() - degree - 1;
  if (!(knots[degree] < knots[size_]))
    throw Error(fmt::format("the domain [{}, {}] is empty", knots[degree], knots[size_]),
                bspline_place);
  padded_.assign(degree, knots.front());
  padded_.insert(padded_.end(), knots.begin(), knots.end());
  padded_.insert(padded_.end(), degree, knots.back());
}

BSplineBasis BSplineBasis::open_uniform(std::size_t n_intervals, std::size_t degree, double a,
                                        double b) {
  require_grid(n_intervals, degree, a, b);
  const double n = static_cast<double>(n_intervals);
  std::vector<double> knots(degree, a);
  for (std::size_t i = 0; i < n_intervals; ++i)
    knots.push_back(a + (b - a) * (static_cast<double>(i) / n));
  knots.insert(knots.end(), degree + 1, b);
  return BSplineBasis(knots, degree);
}

BSplineBasis BSplineBasis::extended_uniform(std::size_t n_intervals, std::size_t degree, double a,
                                            double b) {
  require_grid(n_intervals, degree, a, b);
  const double n = static_cast<double>(n_intervals);
  std::vector<double> knots;
  for (std::size_t i = 0; i < n_intervals + 2 * degree + 1; ++i) {
    const double j = static_cast<double>(i) - static_cast<double>(degree);
    knots.push_back(j == n ? b : a + (b - a) * (j / n));
  }
  return BSplineBasis(knots, degree);
}

std::size_t BSplineBasis::find_span(double x) const {
  if (!(x >= lower() && x <= upper()))
    throw Error(fmt::format("x = {} is outside the domain [{}, {}]", x, lower(), upper()),
                bspline_place);
  const auto t = knots();
  const auto first = t.begin() + static_cast<std::ptrdiff_t>(degree_);
  const auto last = t.begin() + static_cast<std::ptrdiff_t>(size_);
  // First knot beyond x; at the upper end the first knot equal to it, which closes the last
  // interval.
  const auto next =
      x < upper() ? std::upper_bound(first, last, x) : std::lower_bound(first, last, x);
  return static_cast<std::size_t>(next - t.begin()) - 1;
}

void BSplineBasis::local_row(double x, std::size_t s, std::size_t k, double* row) const noexcept {
  const double* t = padded_.data() + s;  // t[0] <= x < t[1]
  const auto knot = [t](std::size_t plus, std::size_t minus) {
    return t[static_cast<std::ptrdiff_t>(plus) - static_cast<std::ptrdiff_t>(minus)];
  };
  std::fill(row, row + degree_ + 1, 0.0);
  if (k > degree_) return;
  // Triangle of Cox and de Boor up to degree - k. Every denominator spans [t[0], t[1]], so is
  // positive.
  row[0] = 1;
  for (std::size_t p = 1; p <= degree_ - k; ++p) {
    double carried = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double right = knot(j + 1, 0), left = knot(j + 1, p);
      const double share = row[j] / (right - left);
      row[j] = carried + (right - x) * share;
      carried = (x - left) * share;
    }
    row[p] = carried;
  }
  // N'_{i,p} = p (N_{i,p-1} / (t_{i+p} - t_i) - N_{i+1,p-1} / (t_{i+p+1} - t_{i+1})), k times.
  for (std::size_t p = degree_ - k + 1; p <= degree_; ++p) {
    double carried = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double slope = static_cast<double>(p) * row[j] / (knot(j + 1, 0) - knot(j + 1, p));
      row[j] = carried - slope;
      carried = slope;
    }
    row[p] = carried;
  }
}

std::size_t BSplineBasis::evaluate(double x, std::span<double> values) const {
  return evaluate(x, MatrixView<double>(values.data(), 1, values.size()));
}

std::size_t BSplineBasis::evaluate(double x, MatrixView<double> out) const {
  if (out.cols() != degree_ + 1)
    throw Error(fmt::format("output needs {} columns, got {}", degree_ + 1, out.cols()),
                bspline_place);
  const std::size_t span = find_span(x);
  for (std::size_t k = 0; k < out.rows(); ++k) local_row(x, span + degree_, k, out.row(k).data());
  return span - degree_;
}

void BSplineBasis::evaluate_all(double x, MatrixView<double> out) const {
  if (out.cols() != size_)
    throw Error(fmt::format("output needs {} columns, got {}", size_, out.cols()), bspline_place);
  const auto t = knots();
  const bool inside = x >= t.front() && x <= t.back();
  std::size_t span = 0;
  if (x >= lower() && x <= upper()) {
    span = find_span(x);
  } else if (inside) {  // in the outer knots, whose last interval is closed as well
    const auto next = x < t.back() ? std::upper_bound(t.begin(), t.end(), x)
                                   : std::lower_bound(t.begin(), t.end(), x);
    span = static_cast<std::size_t>(next - t.begin()) - 1;
  }
  const double outside = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  std::array<double, max_degree + 1> row;
  for (std::size_t k = 0; k < out.rows(); ++k) {
    for (std::size_t i = 0; i < size_; ++i) out(k, i) = outside;
    if (!inside) continue;
    local_row(x, span + degree_, k, row.data());
    for (std::size_t j = 0; j <= degree_; ++j)  // function span - degree + j, if there is one
      if (span + j >= degree_ && span + j - degree_ < size_) out(k, span + j - degree_) = row[j];
  }
}

double BSplineBasis::greville(std::size_t i) const {
  if (degree_ == 0 || i >= size_)
    throw Error(fmt::format("no Greville abscissa {} for degree {} and size {}", i, degree_, size_),
                bspline_place);
  double sum = 0;
  for (std::size_t j = 1; j <= degree_; ++j) sum += knots()[i + j];
  return sum / static_cast<double>(degree_);
}

}  // namespace cauchy
