#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cauchy {

/// The point sets of the unit cube; docs/sampling.md shows each. i = 0, 1, ... counts the points.
///   limits   dimension and number of points; beyond them there is an Error, never a repetition
enum class SamplerKind : std::uint8_t {
  uniform,          ///< independent random points; 2^64 / d
  grid,             ///< centres of a tensor grid of cells, n of them; 2^48 - 1
  lattice,          ///< rank-1 (Korobov) lattice, i (1, a, a^2, ...) / n mod 1; 2^32 - 1
  halton,           ///< radical inverses of i + 1 in the first d primes; d <= 2048, 2^48 - 1
  sobol,            ///< Joe-Kuo direction numbers, Gray-code order, from 0 on; d <= 2048, 2^52
  hammersley,       ///< i / n and the radical inverses of i in d - 1 primes; d <= 2049, 2^48
  faure,            ///< powers of the Pascal matrix in the smallest prime base b >= d, from 0 on;
                    ///< d <= 2039, at least 2^53 / b
  r_sequence,       ///< 1/2 + (i + 1) phi_d^{-k} mod 1, phi_d the generalised golden ratio; d <=
                    ///< 10000, 2^63
  latin_hypercube,  ///< one point in each of n strata of each axis; 2^32 - 1, 4 n d bytes
};

/// How a seed changes a deterministic point set. Random sets (uniform, latin_hypercube) always use
/// the seed; a shift leaves them as they are.
enum class Randomize : std::uint8_t {
  none,
  shift,     ///< one random shift modulo 1 of all points (Cranley-Patterson)
  scramble,  ///< random digit scrambling that keeps the net. sobol, faure: random linear matrix
             ///< scrambling and digital shift (Matousek); halton, hammersley: random affine maps of
             ///< the digits. Each point is then uniform (hammersley: each mean unbiased)
};

struct SamplerOptions {
  SamplerKind kind = SamplerKind::sobol;
  Randomize randomize = Randomize::none;
  std::uint64_t seed = 0;
  std::uint64_t skip = 0;  ///< leave out the first points of a sequence; sequences only
};

/// A point set in [0, 1)^d. Point i is a pure function of i: safe to share between threads.
class Sampler {
 public:
  virtual ~Sampler() = default;
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// Number of points of a finite set; 0 for a sequence that never ends.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Points first, ..., first + n - 1 as rows; out holds n x dimension doubles.
  ///   error    throws Error when a finite set has fewer points
  virtual void fill(std::uint64_t first, std::size_t n, double* out) const = 0;

 protected:
  Sampler(std::size_t dimension, std::uint64_t size) : dimension_(dimension), size_(size) {}
  std::size_t dimension_;
  std::uint64_t size_;
};

/// A sampler of the unit cube. n is the number of points of the finite sets (grid, lattice,
/// hammersley, latin_hypercube) and has no meaning for the sequences.
///   error    throws Error naming the sampler: dimension 0 or more than it can do, n = 0, scramble
///            or skip where there is none
[[nodiscard]] std::unique_ptr<Sampler> make_sampler(const SamplerOptions& options,
                                                    std::size_t dimension, std::uint64_t n);

/// Exactly n points of the unit cube, row-major n x dimension.
[[nodiscard]] std::vector<double> unit_points(const SamplerOptions& options, std::size_t dimension,
                                              std::size_t n);

/// Names in text: "sobol", "r_sequence", ...; throws Error with the nearest name.
[[nodiscard]] std::string_view sampler_name(SamplerKind kind) noexcept;
[[nodiscard]] SamplerKind sampler_kind(std::string_view name);
[[nodiscard]] std::vector<std::string> sampler_names();

}  // namespace cauchy
