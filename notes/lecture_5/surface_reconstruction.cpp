#include <cmath>
#include <complex>
#include <vector>

#include <cauchy/math/fft.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

constexpr std::size_t psr_n = 48;  // cells along each axis of [-1, 1]^3

/// Laplacian phi = div V by Fourier series, V the inward normals of a sphere spread to the nodes
/// around each point and smoothed by a Gaussian of s cells. phi is 1 inside, 0 outside.
std::vector<double> reconstructed_sphere(std::size_t n_points, double radius, double s) {
  constexpr std::size_t n = psr_n, cells = n * n * n;
  const double h = 2.0 / n, golden = pi * (3 - std::sqrt(5.0));
  std::vector<std::vector<double>> v(3, std::vector<double>(cells, 0.0));
  for (std::size_t i = 0; i < n_points; ++i) {
    const double z = 1 - (2 * double(i) + 1) / double(n_points), a = golden * double(i);
    const double normal[] = {std::sqrt(1 - z * z) * std::cos(a), std::sqrt(1 - z * z) * std::sin(a),
                             z};
    const double share =
        4 * pi * radius * radius / double(n_points) / (h * h * h);  // area / volume
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = (radius * normal[k] + 1) / h;
    for (int corner = 0; corner < 8; ++corner) {  // trilinear
      double weight = share;
      std::size_t index = 0;
      for (int k = 0; k < 3; ++k) {
        const double floor = std::floor(at[k]), part = at[k] - floor;
        const int bit = (corner >> k) & 1;
        weight *= bit != 0 ? part : 1 - part;
        index = index * n + std::size_t(floor + bit) % n;
      }
      for (std::size_t k = 0; k < 3; ++k) v[k][index] -= weight * normal[k];
    }
  }
  const RealFft<double> fft({n, n, n});
  std::vector<std::complex<double>> spectrum(fft.complex_size()), sum(fft.complex_size());
  for (std::size_t k = 0; k < 3; ++k) {
    fft.forward(v[k], spectrum);
    for (std::size_t m = 0; m < sum.size(); ++m) {
      const std::size_t half = n / 2 + 1, i[] = {m / (n * half), m / half % n, m % half};
      double w[3], square = 0;
      for (int a = 0; a < 3; ++a) {
        const double f = i[a] < n / 2 ? double(i[a]) : i[a] == n / 2 ? 0 : double(i[a]) - double(n);
        w[a] = pi * f;  // the period is 2
        square += w[a] * w[a];
      }
      if (square == 0) continue;  // the mean is free
      sum[m] += std::complex<double>(0, w[k]) * spectrum[m] *
                std::exp(-square * s * s * h * h / 2) / -square;
    }
  }
  std::vector<double> phi(cells);
  fft.inverse(sum, phi);
  const double outside = phi[0];
  for (double& e : phi) e -= outside;
  return phi;
}

}  // namespace

void make_surface_reconstruction(Output& out) {
  constexpr std::size_t n = psr_n;
  const double radius = 0.6, volume = 4.0 / 3 * pi * radius * radius * radius;
  std::vector<Plot> plots;
  std::vector<std::vector<std::string>> rows = {
      {"points", "value at the centre", "volume inside / exact"}};
  for (const std::size_t points : {100, 500, 3000}) {
    const std::vector<double> phi = reconstructed_sphere(points, radius, 1.2);
    double inside = 0;
    for (const double e : phi) inside += e > 0.5 ? 8.0 / double(n * n * n) : 0;
    const double centre = phi[((n / 2) * n + n / 2) * n + n / 2];
    rows.push_back({std::to_string(points), fmt::format("{:.3f}", centre),
                    fmt::format("{:.3f}", inside / volume)});
    if (points == 3000) {
      out.check("3,000 points: indicator at the centre", centre, 1, 0.03);
      out.check("3,000 points: volume where it exceeds 1/2, over the exact one", inside / volume, 1,
                0.03);
    }
    Matrix slice(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) slice(i, j) = phi[(i * n + j) * n + n / 2];
    }
    plots.emplace_back(PlotOptions{.title = fmt::format("{} points", points),
                                   .color = {.limits = Limits{-0.2, 1.2}},
                                   .equal_aspect = true,
                                   .grid = false});
    plots.back().heat_map(slice, {-1, 1}, {-1, 1});
    std::vector<double> x, y;
    for (int a = 0; a <= 90; ++a) {
      x.push_back(radius * std::cos(pi * a / 45)), y.push_back(radius * std::sin(pi * a / 45));
    }
    plots.back().line(x, y, {.color = Color{230, 60, 40}});
  }
  out.table("quality", rows);
  out.picture("slices", draw_figure({&plots[0], &plots[1], &plots[2]}, {330, 300, 3}),
              "The indicator of a sphere (red) from oriented points, in the plane z = 0.");
}

Artefact surface_reconstruction_entry() {
  return {
      .id = "surface-reconstruction",
      .kind = Kind::figure,
      .lecture = 5,
      .lines = "8107-8117",
      .title = "A solid from points of its surface",
      .formula = "\\Delta \\phi = \\nabla \\cdot V, \\quad V = \\sum_i n_i \\delta(x - x_i)",
      .says =
          "Shapes rebuilt from several numbers of points by a network that replaces the solution "
          "of a Poisson equation. Reduced: the classical solution by Fourier series, for a sphere; "
          "no network.",
      .truth =
          "The notes name div V and V as the input, and distances and occupancies as the label.",
      .page = "applications.md",
      .seconds = 0.1,
      .file = "lecture_5/surface_reconstruction.cpp",
      .make = make_surface_reconstruction};
}

}  // namespace cauchy::notes
