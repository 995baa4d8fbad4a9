#include <cauchy/math/graph_laplacian.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr const char* graph_place = "[math.graph_laplacian]";

double squared_distance(MatrixView<const double> p, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < p.cols(); ++k) sum += (p(i, k) - p(j, k)) * (p(i, k) - p(j, k));
  return sum;
}

Matrix dense_laplacian(const WeightedGraph& g) {
  Matrix l(g.size(), g.size());
  for (const auto& [a, b, w] : g.edges()) {
    l(a, b) -= w;
    l(b, a) -= w;
    l(a, a) += w;
    l(b, b) += w;
  }
  return l;
}

/// U' x.
std::vector<double> transformed(const SymmetricEigen<double>& s, std::span<const double> x) {
  const std::size_t n = s.values.size();
  if (s.vectors.rows() != n || x.size() != n) {
    throw Error("a signal does not fit to the spectrum of a graph", graph_place);
  }
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) y[k] += s.vectors(i, k) * x[i];
  }
  return y;
}

std::vector<double> back(const SymmetricEigen<double>& s, std::span<const double> y) {
  std::vector<double> x(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < y.size(); ++k) x[i] += s.vectors(i, k) * y[k];
  }
  return x;
}

}  // namespace

WeightedGraph::WeightedGraph(std::size_t n, std::vector<Edge> edges) : n_(n) {
  std::map<std::pair<std::size_t, std::size_t>, double> sums;
  for (const auto& [a, b, w] : edges) {
    if (a >= n || b >= n || a == b) {
      throw Error(fmt::format("{} - {} is no edge of a graph of {} vertices", a, b, n), graph_place,
                  "join two different vertices");
    }
    if (!(w > 0) || !std::isfinite(w)) {
      throw Error(fmt::format("the weight of edge {} - {} is {}", a, b, w), graph_place,
                  "weights are positive");
    }
    sums[std::minmax(a, b)] += w;
  }
  for (const auto& [pair, w] : sums) edges_.push_back({pair.first, pair.second, w});
}

WeightedGraph WeightedGraph::path(std::size_t n) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1});
  return {n, std::move(edges)};
}

WeightedGraph WeightedGraph::cycle(std::size_t n) {
  if (n < 3) throw Error("a cycle has at least 3 vertices", graph_place);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < n; ++i) edges.push_back({i, (i + 1) % n});
  return {n, std::move(edges)};
}

WeightedGraph WeightedGraph::complete(std::size_t n) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) edges.push_back({i, j});
  }
  return {n, std::move(edges)};
}

WeightedGraph WeightedGraph::grid(std::size_t rows, std::size_t cols) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (j + 1 < cols) edges.push_back({i * cols + j, i * cols + j + 1});
      if (i + 1 < rows) edges.push_back({i * cols + j, (i + 1) * cols + j});
    }
  }
  return {rows * cols, std::move(edges)};
}

WeightedGraph WeightedGraph::within(MatrixView<const double> p, double radius, double beta) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    for (std::size_t j = i + 1; j < p.rows(); ++j) {
      const double r2 = squared_distance(p, i, j);
      if (r2 < radius * radius) edges.push_back({i, j, std::exp(-beta * r2)});
    }
  }
  return {p.rows(), std::move(edges)};
}

WeightedGraph WeightedGraph::nearest(MatrixView<const double> p, std::size_t k, double beta) {
  const std::size_t n = p.rows();
  if (k == 0 || k >= n) {
    throw Error(fmt::format("{} nearest of {} points", k, n), graph_place, "take 1 to n - 1");
  }
  std::map<std::pair<std::size_t, std::size_t>, double> joined;
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (std::size_t i = 0; i < n; ++i) {
    by_distance.clear();
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) by_distance.emplace_back(squared_distance(p, i, j), j);
    }
    std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<long>(k),
                      by_distance.end());
    for (std::size_t m = 0; m < k; ++m) {
      joined[std::minmax(i, by_distance[m].second)] = std::exp(-beta * by_distance[m].first);
    }
  }
  std::vector<Edge> edges;
  for (const auto& [pair, w] : joined) edges.push_back({pair.first, pair.second, w});
  return {n, std::move(edges)};
}

std::vector<double> WeightedGraph::degrees() const {
  std::vector<double> d(n_);
  for (const auto& [a, b, w] : edges_) {
    d[a] += w;
    d[b] += w;
  }
  return d;
}

SparseMatrix WeightedGraph::adjacency() const {
  std::vector<SparseMatrix::Entry> entries;
  for (const auto& [a, b, w] : edges_) {
    entries.push_back({a, b, w});
    entries.push_back({b, a, w});
  }
  return {n_, n_, entries};
}

SparseMatrix WeightedGraph::laplacian() const {
  std::vector<SparseMatrix::Entry> entries;
  const std::vector<double> d = degrees();
  for (std::size_t i = 0; i < n_; ++i) entries.push_back({i, i, d[i]});
  for (const auto& [a, b, w] : edges_) {
    entries.push_back({a, b, -w});
    entries.push_back({b, a, -w});
  }
  return {n_, n_, entries};
}

std::size_t WeightedGraph::n_components() const {
  std::vector<std::size_t> root(n_);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  std::size_t n = n_;
  for (const Edge& e : edges_) {
    const std::size_t a = find(e.a), b = find(e.b);
    if (a == b) continue;
    root[a] = b;
    --n;
  }
  return n;
}

double WeightedGraph::energy(std::span<const double> u) const {
  if (u.size() != n_) throw Error("a signal does not fit to a graph", graph_place);
  double sum = 0;
  for (const auto& [a, b, w] : edges_) sum += w * (u[a] - u[b]) * (u[a] - u[b]);
  return sum;
}

double WeightedGraph::rayleigh(std::span<const double> u) const {
  return energy(u) / std::inner_product(u.begin(), u.end(), u.begin(), 0.0);
}

SymmetricEigen<double> graph_spectrum(const WeightedGraph& graph) {
  return symmetric_eigen(dense_laplacian(graph));
}

SymmetricEigen<double> random_walk_spectrum(const WeightedGraph& graph) {
  // With w = D^(1/2) v it is the symmetric problem D^(-1/2) L D^(-1/2) w = lambda w.
  std::vector<double> root = graph.degrees();
  for (double& d : root) {
    if (!(d > 0)) throw Error("a vertex of the graph has no edge", graph_place, "join it");
    d = std::sqrt(d);
  }
  Matrix l = dense_laplacian(graph);
  for (std::size_t i = 0; i < l.rows(); ++i) {
    for (std::size_t j = 0; j < l.cols(); ++j) l(i, j) /= root[i] * root[j];
  }
  SymmetricEigen<double> s = symmetric_eigen(l);
  for (std::size_t i = 0; i < l.rows(); ++i) {
    for (std::size_t j = 0; j < l.cols(); ++j) s.vectors(i, j) /= root[i];
  }
  return s;
}

Matrix laplacian_eigenmap(const WeightedGraph& graph, std::size_t k) {
  if (k + 1 > graph.size() || graph.n_components() != 1) {
    throw Error("eigenmaps need a connected graph with more vertices than dimensions", graph_place,
                "join more neighbours");
  }
  const SymmetricEigen<double> s = random_walk_spectrum(graph);
  Matrix places(graph.size(), k);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::size_t j = 0; j < k; ++j) places(i, j) = s.vectors(i, j + 1);
  }
  return places;
}

std::vector<double> graph_filter(const SymmetricEigen<double>& s, std::span<const double> x,
                                 const std::function<double(double)>& g) {
  std::vector<double> y = transformed(s, x);
  for (std::size_t k = 0; k < y.size(); ++k) y[k] *= g(s.values[k]);
  return back(s, y);
}

std::vector<double> graph_convolution(const SymmetricEigen<double>& s, std::span<const double> x,
                                      std::span<const double> y) {
  std::vector<double> a = transformed(s, x);
  const std::vector<double> b = transformed(s, y);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] *= b[k];
  return back(s, a);
}

std::vector<double> chebyshev_filter(const WeightedGraph& graph, std::span<const double> x,
                                     std::span<const double> c, double lambda_max) {
  if (!(lambda_max > 0)) throw Error("the bound of the eigenvalues is not positive", graph_place);
  const std::size_t n = graph.size();
  const SparseMatrix l = graph.laplacian();
  std::vector<double> before, now(x.begin(), x.end()), next(n), sum(n);
  for (std::size_t k = 0; k < c.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += c[k] * now[i];
    if (k + 1 == c.size()) break;
    l.multiply(now, next);
    const double factor = k == 0 ? 1 : 2;  // T_1 = z, T_(k+1) = 2 z T_k - T_(k-1)
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = factor * (2 / lambda_max * next[i] - now[i]) - (k == 0 ? 0 : before[i]);
    }
    before = std::exchange(now, next);
  }
  return sum;
}

}  // namespace cauchy
