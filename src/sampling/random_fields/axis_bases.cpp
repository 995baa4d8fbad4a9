#include "sampling/random_fields/axis_bases.hpp"

#include <cmath>
#include <numbers>

namespace cauchy::detail {
namespace {

class CosineBasis final : public AxisBasis {
 public:
  explicit CosineBasis(std::size_t modes) : modes_(modes) {}
  [[nodiscard]] std::size_t size() const noexcept override { return modes_ + 1; }
  void evaluate(double t, std::span<double> values) const override {
    for (std::size_t k = 0; k <= modes_; ++k) values[k] = cos_pi(static_cast<double>(k) * t);
  }

 private:
  std::size_t modes_;
};

class SineBasis final : public AxisBasis {
 public:
  explicit SineBasis(std::size_t modes) : modes_(modes) {}
  [[nodiscard]] std::size_t size() const noexcept override { return modes_; }
  void evaluate(double t, std::span<double> values) const override {
    for (std::size_t k = 1; k <= modes_; ++k) values[k - 1] = sin_pi(static_cast<double>(k) * t);
  }

 private:
  std::size_t modes_;
};

class FourierBasis final : public AxisBasis {
 public:
  FourierBasis(std::size_t modes, double period) : modes_(modes), period_(period) {}
  [[nodiscard]] std::size_t size() const noexcept override { return 2 * modes_ + 1; }
  void evaluate(double t, std::span<double> values) const override {
    values[0] = 1;
    for (std::size_t k = 1; k <= modes_; ++k) {
      const double y = 2 * static_cast<double>(k) * (t / period_);
      values[2 * k - 1] = cos_pi(y);
      values[2 * k] = sin_pi(y);
    }
  }

 private:
  std::size_t modes_;
  double period_;
};

}  // namespace

double sin_pi(double y) noexcept {
  double r = std::remainder(y, 2.0);  // [-1, 1], exact
  if (r > 0.5) r = 1 - r;
  if (r < -0.5) r = -1 - r;
  return std::sin(std::numbers::pi * r);
}

double cos_pi(double y) noexcept {
  const double r = std::abs(std::remainder(y, 2.0));  // [0, 1]
  // The sine where the cosine is small: its argument 1/2 - r is then exact.
  return r > 0.25 && r < 0.75 ? std::sin(std::numbers::pi * (0.5 - r))
                              : std::cos(std::numbers::pi * r);
}

std::shared_ptr<const AxisBasis> cosine_basis(std::size_t modes) {
  return std::make_shared<CosineBasis>(modes);
}
std::shared_ptr<const AxisBasis> sine_basis(std::size_t modes) {
  return std::make_shared<SineBasis>(modes);
}
std::shared_ptr<const AxisBasis> fourier_basis(std::size_t modes, double period) {
  return std::make_shared<FourierBasis>(modes, period);
}

}  // namespace cauchy::detail
