#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/rng.hpp>

namespace cauchy {

class OptionVisitor;
struct TextPlace;

/// What a random function is at the ends of an axis.
///   periodic   the same, with all derivatives
///   dirichlet  zero
///   neumann    of slope zero
///   free       nothing: the box is cut out of a function on the whole space
enum class FieldBoundary : std::uint8_t { periodic, dirichlet, neumann, free };

/// An axis of a box over which a random function is drawn. The boundary is what the covariances
/// take unless their options say otherwise; functions that cannot be periodic refuse such an axis.
struct RandomFieldAxis {
  double lower = 0, upper = 1;
  FieldBoundary boundary = FieldBoundary::neumann;
};

/// Random functions on fixed points, for many draws: tables of the points are made once.
/// Safe to share between threads.
class FieldSampler {
 public:
  virtual ~FieldSampler() = default;
  /// Number of points.
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// The function with this number: a pure function of the seed and stream of rng and of `number`.
  ///   error    throws Error unless out has size() entries
  virtual void sample(const Rng& rng, std::uint64_t number, std::span<double> out) const = 0;
};

/// A random function over a box of 1 to 3 axes: a series with random coefficients,
///   f(x) = sum_k s_k xi_k phi_k(x),   xi_k drawn from (seed, stream, number, k) alone.
/// The number of terms belongs to the field and not to a grid. A draw is therefore one function:
/// its values on all grids and points agree to rounding.
class RandomField {
 public:
  /// Coordinates of the nodes of each axis.
  using Nodes = std::vector<std::vector<double>>;

  virtual ~RandomField() = default;
  [[nodiscard]] virtual std::size_t dimension() const noexcept = 0;
  /// On the nodes of a tensor grid, row-major, the last axis contiguous.
  ///   cost     of a sample: a matrix product per axis, and 20 ns per coefficient
  ///   error    throws Error for another number of axes, no nodes, and nodes outside of the box
  [[nodiscard]] virtual std::unique_ptr<FieldSampler> on_grid(const Nodes& nodes) const = 0;
  /// At any points, row-major n x dimension.
  [[nodiscard]] virtual std::unique_ptr<FieldSampler> on_points(
      std::span<const double> points) const = 0;

  /// The function with this number on a grid. To draw many of them, keep on_grid(nodes).
  [[nodiscard]] std::vector<double> sample(const Rng& rng, std::uint64_t number,
                                           const Nodes& nodes) const;
};

// --- families: options under the names that texts use; docs/random_fields.md has the formulas ---

/// How a covariance is put on the eigenfunctions of the Laplacian of the box.
struct FieldModes {
  std::optional<FieldBoundary> boundary = {};  ///< of all axes; empty: as the axes have it
  /// Highest wave number per axis. 0: all modes whose deviation is 1e-4 of the largest or more, at
  /// most 512, 128 and 48 functions per axis in one, two and three dimensions (twice as many where
  /// a boundary is free).
  std::size_t modes = 0;
  bool zero_mean = false;  ///< without the constant function
};

/// sigma^2 (-Laplace + tau^2)^(-alpha), alpha > d/2, as the data of the Fourier neural operator.
struct GrfField {
  double alpha = 2, tau = 3;
  double sigma = 0;  ///< 0: tau^(alpha - d/2)
  FieldModes basis = {.zero_mean = true};
};
/// Matern covariance of smoothness nu, sigma^2 at a point far from the boundary.
struct MaternField {
  double nu = 1.5;
  std::vector<double> length = {0.2};  ///< one, or one per axis
  double sigma = 1;
  FieldModes basis = {};
};
/// sigma^2 exp(-r^2 / 2), r = |(x - y) / length|.
struct GaussianField {
  std::vector<double> length = {0.2};
  double sigma = 1;
  FieldModes basis = {};
};
/// sigma^2 exp(-r): Matern of smoothness 1/2, continuous and nowhere differentiable.
struct ExponentialField {
  std::vector<double> length = {0.2};
  double sigma = 1;
  FieldModes basis = {};
};

enum class FieldKernel : std::uint8_t { gaussian, exponential, matern };
/// Karhunen-Loeve series of a covariance on the intervals of the axes: exact up to the ends, no
/// boundary condition. In several dimensions the covariance is the product over the axes.
struct KarhunenLoeveField {
  FieldKernel kernel = FieldKernel::exponential;
  double nu = 1.5;  ///< of the Matern kernel
  std::vector<double> length = {0.2};
  double sigma = 1;
  std::size_t terms = 0;  ///< per axis; 0: as FieldModes::modes, at most 128, 64, 32
};
/// Gaussian process with covariance sigma^2 exp(-r^2 / 2), by its Karhunen-Loeve series.
struct GaussianProcessField {
  std::vector<double> length = {0.2};
  double sigma = 1;
};

/// sum_{i<n} a_i T_i(t), t in [-1, 1] along the axis, a_i uniform in [-size, size].
struct ChebyshevField {
  std::size_t n = 20;
  double size = 1;
};
/// sum_{i<n} a_i t^i, t in [0, 1] along the axis, a_i uniform in [-size, size].
struct PolynomialField {
  std::size_t n = 5;
  double size = 1;
};
/// sum_{k=1}^n a_k k^(-decay) sin(k pi t), t in [0, 1] along the axis, a_k normal of deviation
/// size.
struct SineField {
  std::size_t n = 10;
  double size = 1, decay = 1;
};
/// One number, uniform between two.
struct ConstantField {
  double lower = -1, upper = 1;
};

using RandomFieldOptions =
    std::variant<GrfField, MaternField, GaussianField, ExponentialField, KarhunenLoeveField,
                 GaussianProcessField, ChebyshevField, PolynomialField, SineField, ConstantField>;

/// A name that users write, and what stands behind it.
struct RandomFieldEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  RandomFieldOptions options;    ///< the defaults
};
[[nodiscard]] const std::vector<RandomFieldEntry>& all_random_fields();
/// The options of the field under the names that texts use.
void visit_options(RandomFieldOptions& options, OptionVisitor& visitor);

/// The field over a box of 1 to 3 axes.
///   error    throws Error for options outside their ranges, axes that the field cannot have, and
///            covariances that the default number of modes holds less than 90 % of
[[nodiscard]] std::unique_ptr<RandomField> make_random_field(
    const RandomFieldOptions& options, const std::vector<RandomFieldAxis>& axes);
/// From text, as files write it: "grf(alpha = 2, tau = 3)", "matern(nu = 1.5, length = 0.2)",
/// "gaussian(length = [0.1, 0.5], boundary = periodic)". Numbers may be expressions: 7^1.5.
///   error    throws Error with the place and the nearest name
[[nodiscard]] RandomFieldOptions parse_random_field(std::string_view text);
[[nodiscard]] RandomFieldOptions parse_random_field(std::string_view text, const TextPlace& place);
[[nodiscard]] std::unique_ptr<RandomField> make_random_field(
    std::string_view text, const std::vector<RandomFieldAxis>& axes);
[[nodiscard]] std::unique_ptr<RandomField> make_random_field(
    std::string_view text, const std::vector<RandomFieldAxis>& axes, const TextPlace& place);

}  // namespace cauchy
