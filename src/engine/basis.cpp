#include <cauchy/engine/basis.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/bspline.hpp>
#include <cauchy/math/polynomials.hpp>

#include "engine/basis_code.hpp"
#include "engine/basis_kernels.hpp"

namespace cauchy {
namespace {

constexpr int max_derivative = detail::max_basis_derivative;  ///< keeps work memory on the stack

[[noreturn]] void refuse(const std::string& message) { throw Error(message, "[engine.basis]"); }

/// One argument: in double, rounded once. Many arguments: kernels in their own precision, with the
/// numbers of the family in both.
template <class Derived>
class BasisOf : public Basis {
 public:
  [[nodiscard]] int size() const noexcept final { return static_cast<const Derived*>(this)->n(); }
  void derivatives(double x, int order, double* out) const final { checked(x, order, out); }
  void derivatives(float x, int order, float* out) const final { checked(x, order, out); }
  void derivatives(const double* x, std::size_t n, int order, double* out,
                   std::size_t stride) const final {
    checked_block<double>({x, n, order, out, stride});
  }
  void derivatives(const float* x, std::size_t n, int order, float* out,
                   std::size_t stride) const final {
    checked_block<float>({x, n, order, out, stride});
  }

 private:
  void check_order(int order) const {
    if (order < 0 || order > max_derivative) {
      refuse(fmt::format("{}: derivative order must be 0 to {}, got {}", name(), max_derivative,
                         order));
    }
  }
  template <class T>
  void checked(T x, int order, T* out) const {
    check_order(order);
    static_cast<const Derived*>(this)->fill(static_cast<double>(x), order, out);
  }
  template <class T>
  void checked_block(const detail::BasisBlock<T>& block) const {
    check_order(block.order);
    if (block.stride < block.n) {
      refuse(fmt::format("{}: a stride of {} is too short for {} arguments", name(), block.stride,
                         block.n));
    }
    static_cast<const Derived*>(this)->fill_block(block);
  }
};

/// The numbers of a family in both precisions.
template <template <class> class Family>
struct BothPrecisions {
  Family<float> single;
  Family<double> twice;
  template <class T>
  [[nodiscard]] const Family<T>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return single;
    } else {
      return twice;
    }
  }
};

class PolynomialBasis final : public BasisOf<PolynomialBasis> {
 public:
  PolynomialBasis(std::string name, OrthogonalPolynomials family, int degree)
      : name_(std::move(name)), family_(family), degree_(degree) {
    if (degree < 0 || degree > 10'000) {
      refuse(fmt::format("{}: degree must be 0 to 10000, got {}", name_, degree));
    }
    for (int i = 0; i < degree; ++i) {
      const auto [a, b, c] = family_.step(static_cast<std::size_t>(i));
      steps_.twice.steps.push_back({a, b, c});
      steps_.single.steps.push_back(
          {static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)});
    }
  }
  template <class T>
  void fill_block(const detail::BasisBlock<T>& block) const {
    detail::basis_kernels<T>().polynomials(steps_.of<T>(), block);
  }
  [[nodiscard]] int n() const noexcept { return degree_ + 1; }
  [[nodiscard]] std::string name() const override { return fmt::format("{}({})", name_, degree_); }
  [[nodiscard]] std::string cpp() const override {
    std::vector<std::array<double, 3>> steps;
    for (const auto& [a, b, c] : steps_.twice.steps) steps.push_back({a, b, c});
    return detail::polynomials_code(steps);
  }

  /// The recurrence p_{i+1} = (a x + b) p_i - c p_{i-1}, differentiated k times:
  ///   p_{i+1}^(k) = (a x + b) p_i^(k) + k a p_i^(k-1) - c p_{i-1}^(k)
  template <class T>
  void fill(double x, int order, T* out) const {
    using Column = std::array<double, max_derivative + 1>;
    Column before{}, now{};
    now[0] = 1;
    for (int i = 0; i <= degree_; ++i) {
      for (int k = 0; k <= order; ++k) {
        out[k * n() + i] = static_cast<T>(now[static_cast<std::size_t>(k)]);
      }
      const auto [a, b, c] = family_.step(static_cast<std::size_t>(i));
      Column next{};
      for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
        next[k] = (a * x + b) * now[k] - c * before[k];
        if (k > 0) next[k] += static_cast<double>(k) * a * now[k - 1];
      }
      before = now;
      now = next;
    }
  }

 private:
  std::string name_;
  OrthogonalPolynomials family_;
  int degree_;
  BothPrecisions<detail::Recurrence> steps_;
};

/// Knots with `degree` more copies of the first and last: the domain of the splines over them is
/// the whole range of the given knots, and the given functions follow `degree` others.
std::vector<double> padded(const std::vector<double>& knots, int degree) {
  if (degree < 0 || degree > static_cast<int>(BSplineBasis::max_degree)) {
    refuse(
        fmt::format("bspline: degree must be 0 to {}, got {}", BSplineBasis::max_degree, degree));
  }
  if (knots.size() < static_cast<std::size_t>(degree) + 2) {
    refuse(fmt::format("bspline: degree {} needs at least {} knots, got {}", degree, degree + 2,
                       knots.size()));
  }
  std::vector<double> result(static_cast<std::size_t>(degree), knots.front());
  result.insert(result.end(), knots.begin(), knots.end());
  result.insert(result.end(), static_cast<std::size_t>(degree), knots.back());
  return result;
}

template <class T>
detail::Splines<T> splines_of(const std::vector<double>& knots, int degree) {
  const std::vector<double> all = padded(knots, degree);
  detail::Splines<T> result{degree, static_cast<int>(knots.size()), 0, {all.begin(), all.end()}, 0};
  const auto n = static_cast<std::ptrdiff_t>(knots.size());
  // In T, where neighbours may coincide.
  const T* t = result.knots();
  while (result.last_span + 1 < n && t[result.last_span] < t[n - 1]) ++result.last_span;
  --result.last_span;
  if (result.last_span < 0) {
    refuse(fmt::format("bspline: the knots from {} to {} are one number in single precision",
                       knots.front(), knots.back()));
  }
  const double width = (knots.back() - knots.front()) / static_cast<double>(n - 1);
  const double largest = std::max(std::abs(knots.front()), std::abs(knots.back()));
  bool equal = true;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double place = knots.front() + static_cast<double>(i) * width;
    // What rounding of i * width and of the sum may do, twice: ours and that of the caller.
    equal = equal && std::abs(knots[static_cast<std::size_t>(i)] - place) <=
                         8 * std::numeric_limits<double>::epsilon() * largest;
  }
  if (equal) result.inverse_width = static_cast<T>(1 / width);
  return result;
}

class SplineBasis final : public BasisOf<SplineBasis> {
 public:
  SplineBasis(const std::vector<double>& knots, int degree)
      : splines_(padded(knots, degree), static_cast<std::size_t>(degree)),
        degree_(degree),
        kernels_{splines_of<float>(knots, degree), splines_of<double>(knots, degree)} {}
  template <class T>
  void fill_block(const detail::BasisBlock<T>& block) const {
    detail::basis_kernels<T>().splines(kernels_.of<T>(), block);
  }
  [[nodiscard]] int n() const noexcept { return static_cast<int>(splines_.size()) - 2 * degree_; }
  [[nodiscard]] std::string name() const override {
    return fmt::format("bspline(degree {}, {} functions)", degree_, n());
  }
  [[nodiscard]] int useful_order() const noexcept override { return degree_; }
  [[nodiscard]] std::string cpp() const override {
    return detail::splines_code(
        {kernels_.twice.knots(), static_cast<std::size_t>(n() + degree_ + 1)}, degree_);
  }

  template <class T>
  void fill(double x, int order, T* out) const {
    const int n_out = (order + 1) * n();
    if (std::isnan(x)) {
      std::fill_n(out, n_out, std::numeric_limits<T>::quiet_NaN());
      return;
    }
    std::fill_n(out, n_out, T(0));
    if (x < splines_.lower() || x > splines_.upper()) return;
    const int rows = std::min(order, degree_) + 1, cols = degree_ + 1;
    std::array<double, (BSplineBasis::max_degree + 1) * (BSplineBasis::max_degree + 1)> local;
    const MatrixView<double> view(local.data(), static_cast<std::size_t>(rows),
                                  static_cast<std::size_t>(cols));
    const int first = static_cast<int>(splines_.evaluate(x, view)) - degree_;
    for (int k = 0; k < rows; ++k) {
      for (int j = std::max(0, -first); j < cols && first + j < n(); ++j) {
        out[k * n() + first + j] =
            static_cast<T>(view(static_cast<std::size_t>(k), static_cast<std::size_t>(j)));
      }
    }
  }

 private:
  BSplineBasis splines_;
  int degree_;
  BothPrecisions<detail::Splines> kernels_;
};

class GaussianBasis final : public BasisOf<GaussianBasis> {
 public:
  GaussianBasis(std::vector<double> centres, double width)
      : centres_(std::move(centres)), width_(width) {
    if (centres_.empty()) refuse("gaussian: needs at least one centre");
    if (!std::all_of(centres_.begin(), centres_.end(), [](double c) { return std::isfinite(c); })) {
      refuse("gaussian: centres must be finite");
    }
    if (!(width > 0) || !std::isfinite(width)) {
      refuse(fmt::format("gaussian: width must be positive, got {}", width));
    }
    kernels_.twice = {centres_, 1 / width};
    kernels_.single = {{centres_.begin(), centres_.end()}, static_cast<float>(1 / width)};
  }
  template <class T>
  void fill_block(const detail::BasisBlock<T>& block) const {
    detail::basis_kernels<T>().gaussians(kernels_.of<T>(), block);
  }
  [[nodiscard]] int n() const noexcept { return static_cast<int>(centres_.size()); }
  [[nodiscard]] std::string name() const override {
    return fmt::format("gaussian({} centres, width {})", n(), width_);
  }
  [[nodiscard]] std::string cpp() const override {
    return detail::gaussians_code(centres_, width_);
  }

  /// f' = -2 z / w f with z = (x - c) / w, differentiated k times:
  ///   f^(k+1) = -2 / w (z f^(k) + k / w f^(k-1))
  template <class T>
  void fill(double x, int order, T* out) const {
    constexpr double far = 1e100;  // all is 0 there; infinity times 0 would be NaN
    for (int j = 0; j < n(); ++j) {
      const double z = std::clamp((x - centres_[static_cast<std::size_t>(j)]) / width_, -far, far);
      double before = 0, now = std::exp(-z * z);
      for (int k = 0; k <= order; ++k) {
        out[k * n() + j] = static_cast<T>(now);
        const double next = -2 / width_ * (z * now + k / width_ * before);
        before = now;
        now = next;
      }
    }
  }

 private:
  std::vector<double> centres_;
  double width_;
  BothPrecisions<detail::Gaussians> kernels_;
};

}  // namespace

std::shared_ptr<const Basis> chebyshev_basis(int degree) {
  return std::make_shared<PolynomialBasis>("chebyshev", OrthogonalPolynomials::chebyshev_t(),
                                           degree);
}

std::shared_ptr<const Basis> jacobi_basis(int degree, double a, double b) {
  return std::make_shared<PolynomialBasis>(fmt::format("jacobi({}, {})", a, b),
                                           OrthogonalPolynomials::jacobi(a, b), degree);
}

std::shared_ptr<const Basis> bspline_basis(std::vector<double> knots, int degree) {
  return std::make_shared<SplineBasis>(knots, degree);
}

std::shared_ptr<const Basis> gaussian_basis(std::vector<double> centres, double width) {
  return std::make_shared<GaussianBasis>(std::move(centres), width);
}

}  // namespace cauchy
