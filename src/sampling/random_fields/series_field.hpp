#pragma once

#include <cauchy/math/matrix.hpp>
#include <cauchy/sampling/random_field.hpp>

namespace cauchy::detail {

/// The functions of one axis that a series is made of.
class AxisBasis {
 public:
  virtual ~AxisBasis() = default;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// values[j] = phi_j at t, the place along the axis: 0 at its lower, 1 at its upper end.
  virtual void evaluate(double t, std::span<double> values) const = 0;
};
using AxisBases = std::vector<std::shared_ptr<const AxisBasis>>;

enum class CoefficientLaw : std::uint8_t {
  normal,   ///< standard
  uniform,  ///< in [-1, 1]
};

/// f(x) = offset + sum_k amplitude_k xi_k phi_k1(x1) ... phi_kd(xd).
struct Series {
  AxisBases bases = {};
  std::vector<double> amplitude = {};  ///< row-major over the functions of the axes
  CoefficientLaw law = CoefficientLaw::normal;
  double offset = 0;
};

/// Amplitudes that are products of one number per function of each axis.
///   error    throws Error where they do not fit into memory
[[nodiscard]] std::vector<double> product_amplitudes(
    const std::vector<std::vector<double>>& amplitude_of_axis, std::string_view place);

/// A series with the same functions and amplitudes along d axes, all of it times `size`.
[[nodiscard]] Series equal_series(const std::shared_ptr<const AxisBasis>& basis,
                                  const std::vector<double>& amplitude, double size,
                                  CoefficientLaw law, std::size_t d, std::string_view place);

/// Random functions from a series over the axes, one basis per axis; the place is for messages.
[[nodiscard]] std::unique_ptr<RandomField> make_series_field(
    Series series, const std::vector<RandomFieldAxis>& axes, std::string_view place);

/// Refuses periodic axes for functions that do not know them.
///   error    throws Error (unsupported)
void refuse_periodic(const std::vector<RandomFieldAxis>& axes, std::string_view place);

}  // namespace cauchy::detail
