// What makes an operator one of functions, not of numbers on a grid: three definitions, measured.
//
// Runs:    refinements
// Expects: refinement: the first L points of a sequence are nested and cover a disk with balls
// whose
//          radius falls by more than 4 from 16 to 1,024 points. Invariance: a two-layer operator
//          with networks as kernels, by means over the first L points, tends to its integrals,
//          uniformly over 20 functions, by more than a factor of 20. Clipping: coefficients that
//          pass through relu(c + M) - relu(c - M) - M are what they were where the operator is
//          bounded by M, and bounded by M where it runs away; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cmath>

using namespace cauchy;

/// A network of two inputs with eight tanh features, drawn at random.
struct Kernel {
  explicit Kernel(std::uint64_t seed) {
    Rng rng(seed);
    for (double& w : weights) w = rng.normal();
  }
  double operator()(double x, double y) const {
    double sum = 0;
    for (const double* w = weights; w != weights + 32; w += 4) {
      sum += w[0] * std::tanh(2 * w[1] * x + 2 * w[2] * y + w[3]);
    }
    return sum;
  }
  double weights[32];
};

/// int k1(0.3, y) tanh(a(y) + int k0(y, z) a(z) dz) dy, both integrals as means over n nested
/// nodes; a: five random cosines with falling amplitudes.
double two_layers(std::size_t n, std::uint64_t draw) {
  static const Kernel k0(1), k1(2);
  const std::vector<double> nodes =
      interior_points(Interval(0, 1), n, {.kind = SamplerKind::r_sequence}).values;
  std::vector<double> a(n, 0.0);
  Rng rng(100 + draw);
  for (int k = 1; k <= 5; ++k) {
    const double amplitude = rng.normal() / k, phase = 2 * pi * rng.uniform();
    for (std::size_t i = 0; i < n; ++i) a[i] += amplitude * std::cos(k * pi * nodes[i] + phase);
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double inner = 0;
    for (std::size_t j = 0; j < n; ++j) inner += k0(nodes[i], nodes[j]) * a[j];
    sum += k1(0.3, nodes[i]) * std::tanh(a[i] + inner / static_cast<double>(n));
  }
  return sum / static_cast<double>(n);
}

int main() {
  const SamplerOptions sequence{.kind = SamplerKind::r_sequence};
  const Domain disk = Disk({0, 0}, 1);
  const Points all = interior_points(disk, 1024, sequence), fine = grid_points(disk, {61, 61});
  std::vector<double> radii, risks;
  bool nested = true;
  for (const std::size_t n : {16, 128, 1024}) {
    const Points first = interior_points(disk, n, sequence);
    nested = nested && std::equal(first.values.begin(), first.values.end(), all.values.begin());
    double radius = 0, risk = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      double nearest = INFINITY;
      for (std::size_t j = 0; j < n; ++j) {
        nearest = std::min(
            nearest, std::hypot(fine.row(i)[0] - all.row(j)[0], fine.row(i)[1] - all.row(j)[1]));
      }
      radius = std::max(radius, nearest);
    }
    radii.push_back(radius);
    const std::size_t nodes = n / 8;  // 2, 16, 128 of the line, against 512
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      risk = std::max(risk, std::abs(two_layers(nodes, draw) - two_layers(512, draw)));
    }
    risks.push_back(risk);
    fmt::print("{:4} points cover with radius {:.3f}; {:3} nodes: risk {:.1e}\n", n, radius, nodes,
               risk);
  }
  const auto relu = [](double c) { return std::max(c, 0.0); };
  const auto clip = [&](double c) { return relu(c + 1) - relu(c - 1) - 1; };  // M = 1
  double off = 0, largest = 0;
  for (int i = -1000; i <= 1000; ++i) {
    off = std::max(off, std::abs(clip(1e-3 * i) - 1e-3 * i));
    largest = std::max(largest, std::abs(clip(1e3 * i)));
  }
  fmt::print("clipped: {:.1e} from the identity on [-1, 1], at most {} elsewhere\n", off, largest);
  return nested && radii[2] < radii[0] / 4 && risks[2] < risks[0] / 20 && off < 1e-15 * 8 &&
                 largest <= 1
             ? 0
             : 1;
}
