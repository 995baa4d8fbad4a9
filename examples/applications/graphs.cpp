// Runs:    graphs [PICTURE.svg]
// Expects: the heat equation u' = -L u on a grid with a wall keeps its heat; the eigenvectors of a
//          rolled-up sheet unroll it; exit code 0.
#include <fmt/format.h>

#include <cauchy/math/graph_laplacian.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <numbers>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 20;
  const WeightedGraph grid = WeightedGraph::grid(n, n);
  std::vector<WeightedGraph::Edge> edges;
  for (const auto& e : grid.edges()) {
    const bool wall = e.b - e.a == 1 && e.a % n == 9 && e.a / n != 10;  // one gap in row 10
    if (!wall) edges.push_back(e);
  }
  const WeightedGraph room(n * n, edges);
  const SymmetricEigen<double> spectrum = graph_spectrum(room);
  std::vector<double> heat(n * n);
  heat[10 * n + 2] = 1;
  const auto later = graph_filter(spectrum, heat, [](double l) { return std::exp(-30 * l); });
  double total = 0, right = 0;
  for (std::size_t k = 0; k < n * n; ++k) {
    total += later[k];
    right += k % n > 9 ? later[k] : 0;
  }
  fmt::print("heat {:.12f}, behind the wall {:.3f}; slowest decay {:.5f}\n", total, right,
             spectrum.values[1]);
  bool good = std::abs(total - 1) < 1e-12 && right > 0 && right < 0.2;

  // A sheet rolled up in space; only near points are joined.
  Matrix points(80 * 6, 3);
  std::vector<double> angle;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    angle.push_back(1.5 * std::numbers::pi * (1 + 2 * static_cast<double>(i / 6) / 80));
    points(i, 0) = angle[i] * std::cos(angle[i]);
    points(i, 1) = static_cast<double>(i % 6);
    points(i, 2) = angle[i] * std::sin(angle[i]);
  }
  const Matrix place = laplacian_eigenmap(WeightedGraph::nearest(points, 6, 0.1), 2);
  const auto column = [](const Matrix& m, std::size_t k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < m.rows(); ++i) values.push_back(m(i, k));
    return values;
  };
  double last = place(2, 0) < place(points.rows() - 4, 0) ? -1e9 : 1e9;
  const double up = last < 0 ? 1 : -1;
  for (std::size_t i = 2; i < points.rows(); i += 6) {  // monotone along the sheet
    good = good && up * (place(i, 0) - last) > 0;
    last = place(i, 0);
  }
  Plot heat_plot({.title = "heat behind a wall", .equal_aspect = true});
  heat_plot.heat_map(MatrixView<const double>(later.data(), n, n), {0, n}, {0, n});
  Plot rolled({.title = "rolled up", .equal_aspect = true}), unrolled({.title = "eigenmap"});
  rolled.scatter_by_value(column(points, 0), column(points, 2), angle, 2.5);
  unrolled.scatter_by_value(column(place, 0), column(place, 1), angle, 2.5);
  if (argc > 1) save_picture(argv[1], draw_figure({&heat_plot, &rolled, &unrolled}, {380, 340, 3}));
  return good ? 0 : 1;
}
