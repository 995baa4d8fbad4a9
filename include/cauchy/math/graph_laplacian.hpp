#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {

/// Undirected graph with weighted edges, without loops.
class WeightedGraph final {
 public:
  struct Edge {
    std::size_t a = 0, b = 0;
    double weight = 1;
  };
  /// Edges of the same pair are added.
  ///   error    throws Error for a loop, a vertex that is none, a weight that is not positive
  WeightedGraph(std::size_t n, std::vector<Edge> edges);

  static WeightedGraph path(std::size_t n);
  static WeightedGraph cycle(std::size_t n);  ///< n >= 3
  static WeightedGraph complete(std::size_t n);
  /// Vertices (i, j) of a grid, row by row, joined with their neighbours.
  static WeightedGraph grid(std::size_t rows, std::size_t cols);
  /// Rows of `points` as vertices, joined when they are closer than the radius, or when one is
  /// among the k nearest of the other; weights are exp(-beta |x_i - x_j|^2). O(n^2 d).
  static WeightedGraph within(MatrixView<const double> points, double radius, double beta = 0);
  static WeightedGraph nearest(MatrixView<const double> points, std::size_t k, double beta = 0);

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] const std::vector<Edge>& edges() const noexcept { return edges_; }
  [[nodiscard]] std::vector<double> degrees() const;
  [[nodiscard]] SparseMatrix adjacency() const;
  /// L = D - W.
  [[nodiscard]] SparseMatrix laplacian() const;
  [[nodiscard]] std::size_t n_components() const;
  /// u' L u = sum over the edges of w_ij (u_i - u_j)^2, every edge once.
  [[nodiscard]] double energy(std::span<const double> u) const;
  /// u' L u / u' u.
  [[nodiscard]] double rayleigh(std::span<const double> u) const;

 private:
  std::size_t n_;
  std::vector<Edge> edges_;
};

/// L v = lambda v: eigenvalues ascending, 0 as often as there are components. O(n^3).
[[nodiscard]] SymmetricEigen<double> graph_spectrum(const WeightedGraph& graph);
/// L v = lambda D v with V' D V = I: the eigenvalues of I - D^-1 W.
///   error    throws Error for a vertex without an edge
[[nodiscard]] SymmetricEigen<double> random_walk_spectrum(const WeightedGraph& graph);

/// Laplacian eigenmaps: row i holds the place of vertex i in R^k, from the eigenvectors 2 to k + 1
/// of L v = lambda D v.
///   error    throws Error when the graph is not connected, or has no more than k vertices
[[nodiscard]] Matrix laplacian_eigenmap(const WeightedGraph& graph, std::size_t k);

/// U g(Lambda) U' x: what a function of the eigenvalues makes of a signal. exp(-alpha lambda t) is
/// the heat equation u' = -alpha L u.
[[nodiscard]] std::vector<double> graph_filter(const SymmetricEigen<double>& spectrum,
                                               std::span<const double> x,
                                               const std::function<double(double)>& g);
/// x * y = U [(U' x) (U' y)], entry by entry: on a cycle, up to the choice of a basis in the
/// eigenspaces, the circular convolution.
[[nodiscard]] std::vector<double> graph_convolution(const SymmetricEigen<double>& spectrum,
                                                    std::span<const double> x,
                                                    std::span<const double> y);
/// sum_k c_k T_k(2 L / lambda_max - I) x without eigenvectors: a filter that reaches as many
/// edges as it has coefficients less one. O(coefficients x edges).
///   lambda_max  an upper bound of the eigenvalues; twice the largest degree is one
[[nodiscard]] std::vector<double> chebyshev_filter(const WeightedGraph& graph,
                                                   std::span<const double> x,
                                                   std::span<const double> coefficients,
                                                   double lambda_max);

}  // namespace cauchy
