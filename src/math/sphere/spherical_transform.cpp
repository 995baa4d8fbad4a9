#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_tables.hpp"

namespace cauchy {
namespace {

using detail::LegendreTables;
using Complex = std::complex<double>;

constexpr const char* transform_place = "[math.spherical_harmonics]";
constexpr std::size_t circles_per_chunk = 8;

void require_degree(const SphereGrid& grid, std::size_t degree) {
  if (degree <= grid.max_degree()) return;
  const bool gauss = grid.latitudes == Latitudes::gauss_legendre;
  throw Error(fmt::format("degree {} does not fit the grid of {} x {} points ({})", degree,
                          grid.n_latitudes, grid.n_longitudes, to_string(grid.latitudes)),
              transform_place,
              fmt::format("give at least {} latitudes and {} longitudes, or degree {} at most",
                          gauss ? degree + 1 : 2 * degree + 1, 2 * degree + 1, grid.max_degree()));
}

/// How the circles and the orders of a direction are weighted.
struct Measure {
  std::span<const double> circles;  // a factor per circle, empty: 1
  double zero = 1, others = 1;      // factors of m = 0 and m > 0
};

}  // namespace

struct SphericalTransform::Impl {
  Impl(SphereGrid g, std::size_t L, bool vectors)
      : grid(std::move(g)),
        degree(L),
        tables(grid, L, vectors),
        fft({grid.n_longitudes}),
        n_lat(grid.n_latitudes) {
    for (std::size_t i = 0; i < n_lat; ++i) areas.push_back(grid.area(i));
  }

  // Both halves of a transform meet in Fourier coefficients, component by component:
  // waves[((m * components + c) * 2 + part) * n_lat + j], part: real, imaginary.
  [[nodiscard]] std::vector<double> make_waves(std::size_t components) const {
    return std::vector<double>((degree + 1) * components * 2 * n_lat);
  }
  [[nodiscard]] std::size_t row(std::size_t components, std::size_t m, std::size_t c) const {
    return (m * components + c) * 2 * n_lat;
  }

  /// Runs body(chunk, scratch) over the circles of all components.
  template <class Body>
  void over_circles(std::size_t n_components, Threads* threads, Body body) const {
    const std::size_t n = n_components * n_lat, chunks = chunk_count(n, circles_per_chunk);
    const auto run = [&](std::size_t k, int) {
      std::vector<Complex> half(grid.n_longitudes / 2 + 1);
      std::vector<double> work(fft.work_size());
      const IndexRange range = chunk_range(n, chunks, k);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        body(i / n_lat, i % n_lat, std::span(half), std::span(work));
      }
    };
    if (threads != nullptr) return threads->run(chunks, run);
    for (std::size_t k = 0; k < chunks; ++k) run(k, 0);
  }
  template <class Body>
  void over_orders(Threads* threads, Body body) const {
    // Low orders have the most work and are begun first.
    if (threads != nullptr) {
      return threads->run(degree + 1, [&](std::size_t m, int) { body(m); });
    }
    for (std::size_t m = 0; m <= degree; ++m) body(m);
  }

  /// Component c of the waves to circles of values: f = F_0 + 2 Re sum F_m exp(i m lambda).
  void to_circles(const std::vector<double>& waves, std::span<const std::span<double>> fields,
                  const Measure& measure, Threads* threads) const {
    const std::size_t n_lon = grid.n_longitudes, n = fields.size();
    over_circles(n, threads, [&](std::size_t c, std::size_t j, auto half, auto work) {
      std::fill(half.begin(), half.end(), Complex());
      const double weight =
          static_cast<double>(n_lon) * (measure.circles.empty() ? 1 : measure.circles[j]);
      for (std::size_t m = 0; m <= degree; ++m) {
        const double* const at = waves.data() + row(n, m, c) + j;
        const double factor = weight * (m == 0 ? measure.zero : measure.others);
        half[m] = {factor * at[0], m == 0 ? 0 : factor * at[n_lat]};
      }
      fft.inverse(half, fields[c].subspan(j * n_lon, n_lon), work);
    });
  }
  void from_circles(std::span<const std::span<const double>> fields, std::vector<double>& waves,
                    const Measure& measure, Threads* threads) const {
    const std::size_t n_lon = grid.n_longitudes, n = fields.size();
    over_circles(n, threads, [&](std::size_t c, std::size_t j, auto half, auto work) {
      fft.forward(fields[c].subspan(j * n_lon, n_lon), half, work);
      const double weight = measure.circles.empty() ? 1 : measure.circles[j];
      for (std::size_t m = 0; m <= degree; ++m) {
        double* const at = waves.data() + row(n, m, c) + j;
        const double factor = weight * (m == 0 ? measure.zero : measure.others);
        at[0] = factor * half[m].real();
        at[n_lat] = m == 0 ? 0 : factor * half[m].imag();
      }
    });
  }

  // --- one order ---

  /// Rows of even and odd parts about the equator on the northern half from circle `first` on.
  struct Halves {
    Matrix part[2];
  };
  [[nodiscard]] Halves folded(const double* waves, std::size_t n_rows, std::size_t m) const {
    const std::size_t first = tables.first(m), half = tables.half();
    Halves h{{Matrix(n_rows, half - first), Matrix(n_rows, half - first)}};
    for (std::size_t r = 0; r < n_rows; ++r) {
      const double* const w = waves + r * n_lat;
      for (std::size_t j = first; j < half; ++j) {
        const bool equator = 2 * j + 1 == n_lat;
        const double north = w[j], south = equator ? 0 : w[n_lat - 1 - j];
        h.part[0](r, j - first) = north + south;
        h.part[1](r, j - first) = equator ? 0 : north - south;
      }
    }
    return h;
  }
  void unfold(const Halves& h, double* waves, std::size_t n_rows, std::size_t m) const {
    const std::size_t first = tables.first(m), half = tables.half();
    for (std::size_t r = 0; r < n_rows; ++r) {
      double* const w = waves + r * n_lat;
      for (std::size_t j = 0; j < first; ++j) w[j] = w[n_lat - 1 - j] = 0;
      for (std::size_t j = first; j < half; ++j) {
        const double even = h.part[0](r, j - first), odd = h.part[1](r, j - first);
        w[n_lat - 1 - j] = even - odd;
        w[j] = 2 * j + 1 == n_lat ? even : even + odd;
      }
    }
  }
  /// Coefficients of one order and parity as rows: real and imaginary part of every spectrum.
  [[nodiscard]] Matrix gathered(std::span<const std::span<const Complex>> spectra, std::size_t m,
                                std::size_t parity) const {
    const std::size_t n = tables.rows(m, parity), begin = spectrum_index(degree, m, m) + parity;
    Matrix a(2 * spectra.size(), n);
    for (std::size_t c = 0; c < spectra.size(); ++c) {
      for (std::size_t k = 0; k < n; ++k) {
        const Complex z = spectra[c][begin + 2 * k];
        a(2 * c, k) = z.real();
        a(2 * c + 1, k) = m == 0 ? 0 : z.imag();
      }
    }
    return a;
  }
  void scatter(const Matrix& a, std::span<const std::span<Complex>> spectra, std::size_t m,
               std::size_t parity) const {
    const std::size_t n = tables.rows(m, parity), begin = spectrum_index(degree, m, m) + parity;
    for (std::size_t c = 0; c < spectra.size(); ++c) {
      for (std::size_t k = 0; k < n; ++k) {
        spectra[c][begin + 2 * k] = {a(2 * c, k), m == 0 ? 0 : a(2 * c + 1, k)};
      }
    }
  }

  /// out += a P, and out += h P'.
  void to_half(const Matrix& a, LegendreTables::Kind kind, std::size_t m, std::size_t parity,
               Matrix& out) const {
    const auto p = tables.table(kind, m, parity);
    if (p.empty() || a.empty()) return;
    gemm(Transpose::no, Transpose::no, 1, a, p, 1, out);
  }
  void from_half(const Matrix& h, LegendreTables::Kind kind, std::size_t m, std::size_t parity,
                 Matrix& out) const {
    const auto p = tables.table(kind, m, parity);
    if (p.empty() || h.empty()) return;
    gemm(Transpose::no, Transpose::yes, 1, h, p, 1, out);
  }

  // --- whole maps: fields of all components one behind the other ---

  void to_fields(std::span<const std::span<const Complex>> spectra,
                 std::span<const std::span<double>> fields, const Measure& measure,
                 Threads* threads) const {
    const std::size_t n = spectra.size();
    std::vector<double> waves = make_waves(n);
    over_orders(threads, [&](std::size_t m) {
      const std::size_t cols = tables.half() - tables.first(m);
      Halves h{{Matrix(2 * n, cols), Matrix(2 * n, cols)}};
      for (const std::size_t parity : {0u, 1u}) {
        to_half(gathered(spectra, m, parity), LegendreTables::value, m, parity, h.part[parity]);
      }
      unfold(h, waves.data() + row(n, m, 0), 2 * n, m);
    });
    to_circles(waves, fields, measure, threads);
  }
  void from_fields(std::span<const std::span<const double>> fields,
                   std::span<const std::span<Complex>> spectra, const Measure& measure,
                   Threads* threads) const {
    const std::size_t n = spectra.size();
    std::vector<double> waves = make_waves(n);
    from_circles(fields, waves, measure, threads);
    over_orders(threads, [&](std::size_t m) {
      const Halves h = folded(waves.data() + row(n, m, 0), 2 * n, m);
      for (const std::size_t parity : {0u, 1u}) {
        Matrix a(2 * n, tables.rows(m, parity));
        from_half(h.part[parity], LegendreTables::value, m, parity, a);
        scatter(a, spectra, m, parity);
      }
    });
  }

  /// Vectors: components s_1, t_1, s_2, t_2, ... and u_1, v_1, u_2, v_2, ...
  ///   u = i B s + A t,  v = -A s + i B t,  A: slope, B: turn
  void to_winds(std::span<const std::span<const Complex>> spectra,
                std::span<const std::span<double>> fields, const Measure& measure,
                Threads* threads) const {
    const std::size_t n = spectra.size();
    std::vector<double> waves = make_waves(n);
    over_orders(threads, [&](std::size_t m) {
      const std::size_t cols = tables.half() - tables.first(m);
      Halves a{{Matrix(2 * n, cols), Matrix(2 * n, cols)}};
      Halves b{{Matrix(2 * n, cols), Matrix(2 * n, cols)}};
      for (const std::size_t parity : {0u, 1u}) {
        const Matrix x = gathered(spectra, m, parity);
        to_half(x, LegendreTables::slope, m, parity, a.part[1 - parity]);
        if (m > 0) to_half(x, LegendreTables::turn, m, parity, b.part[parity]);
      }
      Halves h{{Matrix(2 * n, cols), Matrix(2 * n, cols)}};
      for (const std::size_t p : {0u, 1u}) {
        for (std::size_t c = 0; c < n; c += 2) {
          const std::size_t sr = 2 * c, si = sr + 1, tr = sr + 2, ti = sr + 3;
          for (std::size_t j = 0; j < cols; ++j) {
            h.part[p](sr, j) = a.part[p](tr, j) - b.part[p](si, j);
            h.part[p](si, j) = a.part[p](ti, j) + b.part[p](sr, j);
            h.part[p](tr, j) = -a.part[p](sr, j) - b.part[p](ti, j);
            h.part[p](ti, j) = -a.part[p](si, j) + b.part[p](tr, j);
          }
        }
      }
      unfold(h, waves.data() + row(n, m, 0), 2 * n, m);
    });
    to_circles(waves, fields, measure, threads);
  }
  void from_winds(std::span<const std::span<const double>> fields,
                  std::span<const std::span<Complex>> spectra, const Measure& measure,
                  Threads* threads) const {
    const std::size_t n = spectra.size();
    std::vector<double> waves = make_waves(n);
    from_circles(fields, waves, measure, threads);
    over_orders(threads, [&](std::size_t m) {
      const Halves h = folded(waves.data() + row(n, m, 0), 2 * n, m);
      for (const std::size_t parity : {0u, 1u}) {
        const std::size_t rows = tables.rows(m, parity);
        Matrix a(2 * n, rows), b(2 * n, rows), x(2 * n, rows);
        from_half(h.part[1 - parity], LegendreTables::slope, m, parity, a);
        if (m > 0) from_half(h.part[parity], LegendreTables::turn, m, parity, b);
        for (std::size_t c = 0; c < n; c += 2) {
          const std::size_t ur = 2 * c, ui = ur + 1, vr = ur + 2, vi = ur + 3;
          for (std::size_t k = 0; k < rows; ++k) {
            x(ur, k) = b(ui, k) - a(vr, k);
            x(ui, k) = -b(ur, k) - a(vi, k);
            x(vr, k) = a(ur, k) + b(vi, k);
            x(vi, k) = a(ui, k) - b(vr, k);
          }
        }
        scatter(x, spectra, m, parity);
      }
    });
  }

  // --- arguments ---

  [[nodiscard]] std::size_t batch_of(std::size_t coefficients, std::size_t points) const {
    const std::size_t batch = points / grid.size();
    if (points == batch * grid.size() && coefficients == batch * spectrum_size(degree)) {
      return batch;
    }
    throw Error(fmt::format("{} coefficients and {} values do not fit the transform of {} and {}",
                            coefficients, points, spectrum_size(degree), grid.size()),
                transform_place, "give whole fields, as many on both sides");
  }
  std::size_t batch_of(std::size_t s, std::size_t t, std::size_t u, std::size_t v) const {
    if (!tables.has_vectors()) {
      throw Error("this transform was made for scalars", transform_place,
                  "make it with vectors = true");
    }
    const std::size_t batch = batch_of(s, u);
    if (batch_of(t, v) == batch) return batch;
    throw Error("the components of a vector field have different sizes", transform_place);
  }
  template <class T>
  static std::vector<std::span<T>> pieces(std::span<T> all, std::size_t n) {
    std::vector<std::span<T>> parts;
    for (std::size_t k = 0; k < n; ++k) {
      parts.push_back(all.subspan(k * (all.size() / n), all.size() / n));
    }
    return parts;
  }
  template <class T>
  static std::vector<std::span<T>> pieces(std::span<T> a, std::span<T> b, std::size_t n) {
    std::vector<std::span<T>> parts;
    for (std::size_t k = 0; k < n; ++k) {
      parts.push_back(a.subspan(k * (a.size() / n), a.size() / n));
      parts.push_back(b.subspan(k * (b.size() / n), b.size() / n));
    }
    return parts;
  }

  /// The rule of the grid; analysis is what integrates by it.
  [[nodiscard]] Measure rule() const { return {.circles = areas}; }
  /// Its adjoint: every m > 0 stands for two exponentials, of which a field takes 1/2 each.
  [[nodiscard]] Measure rule_adjoint() const { return {areas, 1, 0.5}; }

  SphereGrid grid;
  std::size_t degree;
  LegendreTables tables;
  RealFft<double> fft;
  std::size_t n_lat;
  std::vector<double> areas;
};

SphericalTransform::SphericalTransform(SphereGrid grid, std::size_t degree, bool vectors) {
  require_degree(grid, degree);
  impl_ = std::make_shared<const Impl>(std::move(grid), degree, vectors);
}

const SphereGrid& SphericalTransform::grid() const noexcept { return impl_->grid; }
std::size_t SphericalTransform::degree() const noexcept { return impl_->degree; }
std::size_t SphericalTransform::n_coefficients() const noexcept {
  return spectrum_size(impl_->degree);
}
std::size_t SphericalTransform::n_points() const noexcept { return impl_->grid.size(); }

void SphericalTransform::synthesize(std::span<const Complex> a, std::span<double> f,
                                    Threads* threads) const {
  const std::size_t n = impl_->batch_of(a.size(), f.size());
  impl_->to_fields(Impl::pieces(a, n), Impl::pieces(f, n), {}, threads);
}
void SphericalTransform::analyze(std::span<const double> f, std::span<Complex> a,
                                 Threads* threads) const {
  const std::size_t n = impl_->batch_of(a.size(), f.size());
  impl_->from_fields(Impl::pieces(f, n), Impl::pieces(a, n), impl_->rule(), threads);
}
void SphericalTransform::synthesize_adjoint(std::span<const double> f, std::span<Complex> a,
                                            Threads* threads) const {
  const std::size_t n = impl_->batch_of(a.size(), f.size());
  impl_->from_fields(Impl::pieces(f, n), Impl::pieces(a, n), {{}, 1, 2}, threads);
}
void SphericalTransform::analyze_adjoint(std::span<const Complex> a, std::span<double> f,
                                         Threads* threads) const {
  const std::size_t n = impl_->batch_of(a.size(), f.size());
  impl_->to_fields(Impl::pieces(a, n), Impl::pieces(f, n), impl_->rule_adjoint(), threads);
}

void SphericalTransform::synthesize_vector(std::span<const Complex> s, std::span<const Complex> t,
                                           std::span<double> u, std::span<double> v,
                                           Threads* threads) const {
  const std::size_t n = impl_->batch_of(s.size(), t.size(), u.size(), v.size());
  impl_->to_winds(Impl::pieces(s, t, n), Impl::pieces(u, v, n), {}, threads);
}
void SphericalTransform::analyze_vector(std::span<const double> u, std::span<const double> v,
                                        std::span<Complex> s, std::span<Complex> t,
                                        Threads* threads) const {
  const std::size_t n = impl_->batch_of(s.size(), t.size(), u.size(), v.size());
  impl_->from_winds(Impl::pieces(u, v, n), Impl::pieces(s, t, n), impl_->rule(), threads);
}
void SphericalTransform::synthesize_vector_adjoint(std::span<const double> u,
                                                   std::span<const double> v, std::span<Complex> s,
                                                   std::span<Complex> t, Threads* threads) const {
  const std::size_t n = impl_->batch_of(s.size(), t.size(), u.size(), v.size());
  impl_->from_winds(Impl::pieces(u, v, n), Impl::pieces(s, t, n), {{}, 1, 2}, threads);
}
void SphericalTransform::analyze_vector_adjoint(std::span<const Complex> s,
                                                std::span<const Complex> t, std::span<double> u,
                                                std::span<double> v, Threads* threads) const {
  const std::size_t n = impl_->batch_of(s.size(), t.size(), u.size(), v.size());
  impl_->to_winds(Impl::pieces(s, t, n), Impl::pieces(u, v, n), impl_->rule_adjoint(), threads);
}

void SphericalTransform::synthesize_wind(std::span<const Complex> vorticity,
                                         std::span<const Complex> divergence, double radius,
                                         std::span<double> u, std::span<double> v,
                                         Threads* threads) const {
  const std::size_t n = impl_->batch_of(divergence.size(), vorticity.size(), u.size(), v.size());
  SphereSpectrum s(divergence.begin(), divergence.end()), t(vorticity.begin(), vorticity.end());
  const std::size_t L = impl_->degree, size = spectrum_size(L);
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) {
      const auto k = static_cast<double>(l);
      const double factor = l == 0 ? 0 : -radius / std::sqrt(k * (k + 1));
      for (std::size_t b = 0; b < n; ++b) {
        s[b * size + spectrum_index(L, l, m)] *= factor;
        t[b * size + spectrum_index(L, l, m)] *= factor;
      }
    }
  }
  synthesize_vector(s, t, u, v, threads);
}

void SphericalTransform::analyze_wind(std::span<const double> u, std::span<const double> v,
                                      double radius, std::span<Complex> vorticity,
                                      std::span<Complex> divergence, Threads* threads) const {
  analyze_vector(u, v, divergence, vorticity, threads);
  const std::size_t L = impl_->degree, size = spectrum_size(L), n = u.size() / impl_->grid.size();
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) {
      const auto k = static_cast<double>(l);
      const double factor = -std::sqrt(k * (k + 1)) / radius;
      for (std::size_t b = 0; b < n; ++b) {
        divergence[b * size + spectrum_index(L, l, m)] *= factor;
        vorticity[b * size + spectrum_index(L, l, m)] *= factor;
      }
    }
  }
}

}  // namespace cauchy
