#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/networks/spherical_layers.hpp>

namespace cauchy {
namespace {

constexpr const char* disco_place = "[networks.disco]";

void check_disco(const DiscoKernel& kernel, const SphereGrid& from) {
  if (!(kernel.radius > 0 && kernel.radius <= std::numbers::pi / 2)) {
    throw Error(fmt::format("a radius of {} is not in (0, pi/2]", kernel.radius), disco_place);
  }
  if (kernel.rings < 1 || kernel.rings > 100 || kernel.harmonics < 0 || kernel.harmonics > 100) {
    throw Error("kernels have 1 to 100 rings and 0 to 100 harmonics", disco_place);
  }
  double widest = 0;
  for (std::size_t i = 1; i < from.n_latitudes; ++i) {
    widest = std::max(widest, from.latitude(i - 1) - from.latitude(i));
  }
  if (kernel.radius / kernel.rings < widest) {
    throw Error(fmt::format("rings of {:.3g} are narrower than the distance of latitudes, {:.3g}",
                            kernel.radius / kernel.rings, widest),
                disco_place, "take a larger radius, fewer rings or a finer grid");
  }
}

/// Values of all kernels at a distance r in the direction (east, north), a unit vector.
void kernel_values(const DiscoKernel& kernel, double r, double east, double north,
                   std::vector<double>& values) {
  values.clear();
  const double d = kernel.radius / kernel.rings;
  for (int k = 0; k < kernel.rings; ++k) {
    const double hat = std::max(0.0, 1 - std::abs(r / d - k));
    values.push_back(hat);
    if (k == 0) continue;
    double c = 1, s = 0;  // cos and sin of m alpha
    for (int m = 1; m <= kernel.harmonics; ++m) {
      const double next = c * east - s * north;
      s = s * east + c * north;
      c = next;
      values.push_back(hat * c);
      values.push_back(hat * s);
    }
  }
}

}  // namespace

// One row per kernel and point of `to`, the point fastest.
std::shared_ptr<const PointMatrix> disco_matrix(const SphereGrid& from, const SphereGrid& to,
                                                const DiscoKernel& kernel, bool south) {
  check_disco(kernel, from);
  const std::size_t nf = from.n_longitudes, nt = to.n_longitudes, both = std::lcm(nf, nt);
  // Differences of longitudes are whole multiples of one angle: equal ones give equal bits.
  std::vector<double> cosine(both), sine(both);
  for (std::size_t q = 0; q < both; ++q) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(q) / static_cast<double>(both);
    cosine[q] = std::cos(angle);
    sine[q] = std::sin(angle);
  }
  const double cap = 2 * std::numbers::pi * (1 - std::cos(kernel.radius));
  const auto size = static_cast<std::size_t>(kernel.size());
  const auto row_of = [&](std::size_t i, const SphereGrid& g) {
    return south ? g.n_latitudes - 1 - i : i;
  };
  std::vector<double> values;
  LoopLimit limit("the kernels on the sphere");
  // use(row, column, weight) for every entry; those of a row always in the same order.
  const auto for_entries = [&](auto use) {
    for (std::size_t i = 0; i < to.n_latitudes; ++i) {
      const double z = to.x[i], rho = std::sqrt((1 - z) * (1 + z));
      for (std::size_t p = 0; p < from.n_latitudes; ++p) {
        if (std::abs(from.latitude(p) - to.latitude(i)) >= kernel.radius) continue;
        limit.next(2 * static_cast<double>(both));
        const double w = from.x[p], sigma = std::sqrt((1 - w) * (1 + w));
        for (std::size_t q = 0; q < both; ++q) {
          // The other point in the frame of this one: up, east, north.
          const double up = z * w + rho * sigma * cosine[q];
          const double east = sigma * sine[q], north = rho * w - z * sigma * cosine[q];
          const double flat = std::hypot(east, north), r = std::atan2(flat, up);
          if (!(r < kernel.radius)) continue;
          const bool here = !(flat > 0);
          kernel_values(kernel, r, here ? 1 : east / flat, here ? 0 : north / flat, values);
          for (std::size_t j = 0; j < nt; ++j) {
            // Longitudes k / nf - j / nt = q / both.
            const std::size_t at = (q + j * (both / nt)) % both;
            if (at % (both / nf) != 0) continue;
            const std::size_t point = row_of(p, from) * nf + at / (both / nf);
            for (std::size_t b = 0; b < size; ++b) {
              if (values[b] == 0) continue;
              use((b * to.n_latitudes + row_of(i, to)) * nt + j, point,
                  from.area(p) / cap * values[b]);
            }
          }
        }
      }
    }
  };
  // Counted first: a list for every row would take several times the memory.
  PointMatrix matrix;
  matrix.columns = from.size();
  matrix.offsets.assign(size * to.size() + 1, 0);
  for_entries([&](std::size_t row, std::size_t, double) { ++matrix.offsets[row + 1]; });
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  std::vector<std::size_t> next(matrix.offsets.begin(), matrix.offsets.end() - 1);
  matrix.points.resize(matrix.offsets.back());
  matrix.weights.resize(matrix.offsets.back());
  for_entries([&](std::size_t row, std::size_t column, double weight) {
    matrix.points[next[row]] = column;
    matrix.weights[next[row]++] = weight;
  });
  return std::make_shared<const PointMatrix>(std::move(matrix));
}

int add_disco(TensorGraph& g, int x, std::shared_ptr<const PointMatrix> matrix,
              const SphereGrid& to) {
  const auto rows = static_cast<int>(to.n_latitudes), columns = static_cast<int>(to.n_longitudes);
  return g.sparse(x, std::move(matrix), {rows, columns});
}

int add_disco(TensorGraph& g, int x, const SphereGrid& from, const SphereGrid& to,
              const DiscoKernel& kernel, bool south) {
  const std::vector<int> sizes = {static_cast<int>(from.n_latitudes),
                                  static_cast<int>(from.n_longitudes)};
  if (g.shape(x).grid != sizes) {
    throw Error(fmt::format("a value of {} points does not lie on the grid of {} x {}",
                            g.shape(x).points(), from.n_latitudes, from.n_longitudes),
                disco_place);
  }
  return add_disco(g, x, disco_matrix(from, to, kernel, south), to);
}

int add_local_convolution(TensorGraph& g, int x, const SphereGrid& from, const SphereGrid& to,
                          const DiscoKernel& kernel, int channels, Activation activation, int plus,
                          std::string_view name, bool south) {
  const int features = add_disco(g, x, from, to, kernel, south);
  return g.linear(features, channels, activation, true, name, plus);
}

}  // namespace cauchy
