#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <cauchy/sampling/random_field.hpp>

namespace cauchy::detail {

/// A covariance function of variance 1 that depends on the scaled distance r = |(x - y) / length|.
struct StationaryKernel {
  /// 1 at r = 0, decreasing.
  std::function<double(double r)> correlation;
  /// Its spectral density in d dimensions for unit lengths as a function of q = |omega|^2:
  ///   correlation(|x|) = integral of density(|omega|^2) exp(i omega x) d omega / (2 pi)^d.
  std::function<double(double q)> density;
};
[[nodiscard]] StationaryKernel gaussian_kernel(std::size_t d);
[[nodiscard]] StationaryKernel exponential_kernel(std::size_t d);
[[nodiscard]] StationaryKernel matern_kernel(double nu, std::size_t d);
/// Smoothest Matern kernel that is known; smoother ones are Gaussian for all purposes.
inline constexpr double largest_nu = 30;
/// Throws Error unless 0 < nu <= largest_nu.
void check_nu(double nu, std::string_view place);

/// Scaled distance beyond which the correlation is below 1e-6.
[[nodiscard]] double reach_of(const StationaryKernel& kernel);
/// sqrt(q) beyond which modes have less than 1e-4 of the deviation of that at `first`.
[[nodiscard]] double cutoff_of(const StationaryKernel& kernel, double first);

/// Functions per axis that are taken without being asked for.
[[nodiscard]] std::size_t most_functions(std::size_t d) noexcept;
/// One length per axis from one for all, or one for each.
///   error    throws Error for another number of them
[[nodiscard]] std::vector<double> lengths_of(const std::vector<double>& length, std::size_t d,
                                             std::string_view place);
/// Throws Error where less than 90 % of the variance are kept; `key` names what to raise.
void require_variance(double kept, std::string_view key, std::string_view place);

/// Amplitude sigma, scaled lengths and kernel on the eigenfunctions of the Laplacian.
///   periodic   the covariance summed over all shifts by the periods
///   neumann    and over the mirror images; dirichlet: these with a minus sign
///   free       the covariance itself to 1e-6: periodic on a box larger by its reach
[[nodiscard]] std::unique_ptr<RandomField> make_spectral_field(
    const StationaryKernel& kernel, double sigma, const std::vector<double>& length,
    const FieldModes& options, std::vector<RandomFieldAxis> axes, std::string_view place);

/// boundary, modes, zero_mean.
void visit_options(FieldModes& options, OptionVisitor& visitor);

}  // namespace cauchy::detail
