#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <cauchy/sampling/sampler.hpp>

namespace cauchy::detail {

// One maker per file of this folder. `scramble` and `seed` only where there is a scrambling.
std::unique_ptr<Sampler> make_uniform(std::size_t dimension, std::uint64_t seed);
std::unique_ptr<Sampler> make_grid(std::size_t dimension, std::uint64_t n);
std::unique_ptr<Sampler> make_lattice(std::size_t dimension, std::uint64_t n);
std::unique_ptr<Sampler> make_halton(std::size_t dimension, bool scramble, std::uint64_t seed);
std::unique_ptr<Sampler> make_sobol(std::size_t dimension, bool scramble, std::uint64_t seed);
std::unique_ptr<Sampler> make_hammersley(std::size_t dimension, std::uint64_t n, bool scramble,
                                         std::uint64_t seed);
std::unique_ptr<Sampler> make_faure(std::size_t dimension, bool scramble, std::uint64_t seed);
std::unique_ptr<Sampler> make_r_sequence(std::size_t dimension);
std::unique_ptr<Sampler> make_latin_hypercube(std::size_t dimension, std::uint64_t n,
                                              std::uint64_t seed);

/// All points of `inner`, moved by one random vector modulo 1 (Cranley-Patterson rotation).
///   shift    multiples of 2^-52, so that points on that grid are moved exactly
std::unique_ptr<Sampler> make_shifted(std::unique_ptr<Sampler> inner, std::uint64_t seed);

/// The sequence `inner` without its first `skip` points.
std::unique_ptr<Sampler> make_skipped(std::unique_ptr<Sampler> inner, std::uint64_t skip);

/// Throws Error unless first + n <= limit, in arithmetic that does not wrap.
void check_range(std::string_view place, std::uint64_t first, std::size_t n, std::uint64_t limit);

/// Throws Error unless dimension <= limit.
void check_dimension(std::string_view place, std::size_t dimension, std::size_t limit);

/// The largest double below 1. Quotients of large integers can round to 1; the cube has no such
/// point.
inline constexpr double kBelowOne = 1 - 0x1p-53;

/// Streams of the seed: each use of random numbers has its own.
enum class SeedUse : std::uint64_t { uniform = 1, shift, sobol, halton, hammersley, faure, latin };

}  // namespace cauchy::detail
