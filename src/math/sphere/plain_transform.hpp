#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include <cauchy/math/sphere_grid.hpp>

// The transforms of SphericalTransform as sums over all points and harmonics, without Fourier
// transforms, parities or tables; slopes by the neighbouring orders. The oracle of the tests.

namespace cauchy::detail {

void plain_synthesis(const SphereGrid& grid, std::size_t degree,
                     std::span<const std::complex<double>> a, std::span<double> f);
void plain_analysis(const SphereGrid& grid, std::size_t degree, std::span<const double> f,
                    std::span<std::complex<double>> a);
void plain_vector_synthesis(const SphereGrid& grid, std::size_t degree,
                            std::span<const std::complex<double>> s,
                            std::span<const std::complex<double>> t, std::span<double> u,
                            std::span<double> v);
void plain_vector_analysis(const SphereGrid& grid, std::size_t degree, std::span<const double> u,
                           std::span<const double> v, std::span<std::complex<double>> s,
                           std::span<std::complex<double>> t);

}  // namespace cauchy::detail
