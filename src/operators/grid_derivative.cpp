#include "operators/grid_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/difference.hpp>

namespace cauchy::detail {
namespace {

constexpr const char* derivative_place = "[train.physics]";

/// Of the polynomial that makes a function on an axis periodic: derivatives whose jumps it has,
/// nodes of the differences that find them, and nodes of an axis beyond which those stand apart, so
/// that rounding does not grow without bound.
constexpr int jump_order = 3, jump_nodes = 6, jump_apart = 256;

void require_points(int order, int points) {
  if (order < points) return;
  const bool wider = order < 7;
  throw Error(ErrorKind::unsupported,
              fmt::format("{} points have no derivative of order {}", points, order),
              derivative_place,
              wider ? fmt::format("use derivative = \"difference_{}\"", order < 5 ? 5 : 7)
                    : std::string("use derivative = \"fourier\""));
}

void require_nodes(const FieldGrid::Axis& axis, int least, std::string_view what) {
  if (axis.n >= least) return;
  throw Error(fmt::format("{} nodes along '{}' are too few for {}: it takes {}", axis.n, axis.name,
                          what, least),
              derivative_place, "use a finer grid");
}

PointMatrix empty_matrix(std::size_t columns) {
  return {.columns = columns, .offsets = {0}, .points = {}, .weights = {}};
}

void add_row(PointMatrix& m, std::span<const std::size_t> points, std::span<const double> weights) {
  m.points.insert(m.points.end(), points.begin(), points.end());
  m.weights.insert(m.weights.end(), weights.begin(), weights.end());
  m.offsets.push_back(m.points.size());
}

/// The nodes first ... first + width - 1 of one row, around the circle if so asked.
void add_window(PointMatrix& m, std::ptrdiff_t first, std::span<const double> weights) {
  const auto n = static_cast<std::ptrdiff_t>(m.columns);
  std::vector<std::size_t> points;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    points.push_back(static_cast<std::size_t>((first + static_cast<std::ptrdiff_t>(k) + n) % n));
  }
  add_row(m, points, weights);
}

std::vector<double> stencil(double at, std::span<const double> nodes, int order) {
  const Matrix all = difference_weights(at, nodes, order);
  std::vector<double> w(nodes.size());
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = all(static_cast<std::size_t>(order), j);
  return w;
}

/// Differences on increasing nodes, in units of `unit`.
PointMatrix differences(std::span<const double> nodes, double unit, int order, int points,
                        bool periodic) {
  const auto n = static_cast<std::ptrdiff_t>(nodes.size()), half = std::ptrdiff_t{points / 2};
  // Central differences of an even order are one order better than their number of points says.
  const std::ptrdiff_t wide = std::min<std::ptrdiff_t>(n, order % 2 == 0 ? points + 1 : points);
  const double factor = std::pow(unit, -order);
  PointMatrix m = empty_matrix(nodes.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const bool central = periodic || (i >= half && i + half < n);
    std::ptrdiff_t first =
        central ? i - half : std::clamp<std::ptrdiff_t>(i - wide / 2, 0, n - wide);
    std::vector<double> around;
    for (std::ptrdiff_t k = 0; k < (central ? points : wide); ++k) {
      around.push_back(periodic ? static_cast<double>(k - half)
                                : nodes[static_cast<std::size_t>(first + k)]);
    }
    const double at = periodic ? 0 : nodes[static_cast<std::size_t>(i)];
    std::vector<double> w = stencil(at, around, order);
    for (double& v : w) v *= factor;
    add_window(m, first, w);
  }
  return m;
}

// Sums with large terms that nearly cancel: in long double.
using Real = long double;

/// sum over the frequencies of n nodes of (i w k)^order exp(i w k x), its real part, divided by n:
/// what a node at 0 adds to the derivative at x.
Real series_kernel(int n, Real length, Real x, int order) {
  const Real w = 2 * std::numbers::pi_v<Real> / length;
  // The derivative of order m turns cos by m quarter periods.
  const Real turn = static_cast<Real>(order) * std::numbers::pi_v<Real> / 2;
  Real sum = order == 0 ? 1 : 0;
  for (int k = 1; 2 * k < n; ++k) {
    sum += 2 * std::pow(w * static_cast<Real>(k), order) *
           std::cos(w * static_cast<Real>(k) * x + turn);
  }
  if (n % 2 == 0 && order % 2 == 0) {
    const Real highest = w * static_cast<Real>(n) / 2;
    sum += std::pow(highest, order) * std::cos(highest * x + turn);
  }
  return sum / static_cast<Real>(n);
}

/// The Bernoulli polynomial B_k / k!, whose (k - 1)-th derivative alone jumps, by 1, from the end
/// of [0, 1] to its beginning; 0 for negative k.
Real bernoulli(int k, Real x) {
  switch (k) {
    case 0:
      return 1;
    case 1:
      return x - 0.5L;
    case 2:
      return (x * (x - 1) + 1.0L / 6) / 2;
    case 3:
      return x * (x - 0.5L) * (x - 1) / 6;
    case 4:
      return (x * x * (x - 1) * (x - 1) - 1.0L / 30) / 24;
    default:
      return 0;
  }
}

/// The derivative of order k at the end of n nodes minus that at their beginning, in units of the
/// axis: row-major (jump_order + 1) x n.
std::vector<Real> jumps(int n) {
  const int apart = (n + jump_apart - 1) / jump_apart;
  std::vector<double> nodes;
  for (int j = 0; j < jump_nodes; ++j) nodes.push_back(j);
  const Matrix weights = difference_weights(0, nodes, jump_order);
  const auto columns = static_cast<std::size_t>(n);
  std::vector<Real> rows((jump_order + 1) * columns, 0);
  for (int k = 0; k <= jump_order; ++k) {
    const Real unit = std::pow(static_cast<Real>(n - 1) / static_cast<Real>(apart), k);
    Real* const row = &rows[static_cast<std::size_t>(k) * columns];
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const Real w = unit * static_cast<Real>(weights(static_cast<std::size_t>(k), j));
      const std::size_t at = j * static_cast<std::size_t>(apart);
      // The end is a beginning in the other direction.
      row[columns - 1 - at] += k % 2 == 0 ? w : -w;
      row[at] -= w;
    }
  }
  return rows;
}

/// D (u - P u) + P^(order) u, D that of a period without its last node, P u the polynomial with the
/// jumps of u.
PointMatrix unfolded_matrix(const FieldGrid::Axis& axis, int order) {
  const auto n = static_cast<std::size_t>(axis.n);
  const std::vector<Real> jump = jumps(axis.n);
  std::vector<Real> d(n * n, 0);  // on [0, 1]
  const Real h = 1 / static_cast<Real>(n - 1);
  std::vector<Real> kernel(n - 1);  // by the distance in nodes, around the circle
  for (std::size_t q = 0; q + 1 < n; ++q) {
    kernel[q] = series_kernel(axis.n - 1, 1, static_cast<Real>(q) * h, order);
  }
  for (std::size_t i = 0; i < n; ++i) {
    Real* const row = &d[i * n];
    const auto from = [&](std::size_t q) { return kernel[(i + n - 1 - q) % (n - 1)]; };
    for (std::size_t q = 0; q + 1 < n; ++q) row[q] += from(q);
    for (int k = 0; k <= jump_order; ++k) {
      Real c = bernoulli(k + 1 - order, static_cast<Real>(i) * h);
      for (std::size_t q = 0; q + 1 < n; ++q) {
        c -= from(q) * bernoulli(k + 1, static_cast<Real>(q) * h);
      }
      for (std::size_t j = 0; j < n; ++j) row[j] += c * jump[static_cast<std::size_t>(k) * n + j];
    }
  }
  const Real unit = std::pow(static_cast<Real>(axis.upper - axis.lower), -order);
  PointMatrix m = empty_matrix(n);
  std::vector<std::size_t> all(n);
  std::vector<double> row(n);
  for (std::size_t j = 0; j < n; ++j) all[j] = j;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) row[j] = static_cast<double>(unit * d[i * n + j]);
    add_row(m, all, row);
  }
  return m;
}

}  // namespace

PointMatrix difference_matrix(const FieldGrid::Axis& axis, int order, int points) {
  require_points(order, points);
  require_nodes(axis, axis.periodic ? points : points + (order % 2 == 0 ? 1 : 0),
                fmt::format("differences of {} points", points));
  std::vector<double> nodes(static_cast<std::size_t>(axis.n));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<double>(i);
  return differences(nodes, axis.spacing(), order, points, axis.periodic);
}

PointMatrix difference_matrix(std::span<const double> nodes, int order, int points) {
  require_points(order, points);
  if (static_cast<std::size_t>(order) >= nodes.size()) {
    throw Error(fmt::format("{} times have no derivative of order {}", nodes.size(), order),
                derivative_place, "give more `times` in [operator]");
  }
  return differences(nodes, 1, order, points, false);
}

PointMatrix series_matrix(const FieldGrid::Axis& axis, std::span<const double> places, int order) {
  const auto n = static_cast<std::size_t>(axis.n);
  const double length = axis.upper - axis.lower;
  PointMatrix m = empty_matrix(n);
  std::vector<std::size_t> all(n);
  for (std::size_t j = 0; j < n; ++j) all[j] = j;
  std::vector<double> row(n);
  for (const double x : places) {
    for (std::size_t j = 0; j < n; ++j) {
      const Real distance =
          static_cast<Real>(x) - static_cast<Real>(axis.node(static_cast<int>(j)));
      row[j] = static_cast<double>(series_kernel(axis.n, length, distance, order));
    }
    add_row(m, all, row);
  }
  return m;
}

PointMatrix fourier_matrix(const FieldGrid::Axis& axis, int order) {
  std::vector<double> nodes(static_cast<std::size_t>(axis.n));
  for (int i = 0; i < axis.n; ++i) nodes[static_cast<std::size_t>(i)] = axis.node(i);
  if (axis.periodic) return series_matrix(axis, nodes, order);
  require_nodes(axis, jump_nodes, "the Fourier series of what is not periodic");
  return unfolded_matrix(axis, order);
}

int add_along(TensorGraph& graph, int value, std::size_t axis, const PointMatrix& m) {
  const TensorShape& shape = graph.shape(value);
  const std::size_t rows = m.rows();
  // A dense product runs several times faster than a gather with as many entries.
  constexpr std::size_t faster = 8;
  if (m.points.size() * faster >= rows * m.columns) {
    std::vector<double> dense(rows * m.columns, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
        dense[i * m.columns + m.points[k]] += m.weights[k];
      }
    }
    return graph.along(value, static_cast<int>(axis), static_cast<int>(rows), std::move(dense));
  }
  std::vector<int> sizes = shape.grid;
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < sizes.size(); ++a) inner *= static_cast<std::size_t>(sizes[a]);
  const std::size_t outer = shape.points() / (inner * m.columns);
  auto all = std::make_shared<PointMatrix>();
  all->columns = shape.points();
  all->offsets.push_back(0);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t p = 0; p < inner; ++p) {
        for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
          all->points.push_back((o * m.columns + m.points[k]) * inner + p);
          all->weights.push_back(m.weights[k]);
        }
        all->offsets.push_back(all->points.size());
      }
    }
  }
  sizes[axis] = static_cast<int>(rows);
  return graph.sparse(value, std::move(all), std::move(sizes));
}

int difference_points(GridDerivative derivative) {
  switch (derivative) {
    case GridDerivative::difference_3:
      return 3;
    case GridDerivative::difference_7:
      return 7;
    default:
      return 5;
  }
}

PointMatrix derivative_matrix(const FieldGrid::Axis& axis, int order, GridDerivative derivative) {
  const bool fourier = derivative == GridDerivative::fourier || derivative == GridDerivative::exact;
  return fourier ? fourier_matrix(axis, order)
                 : difference_matrix(axis, order, difference_points(derivative));
}

}  // namespace cauchy::detail
