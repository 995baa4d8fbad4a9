#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/host_executor.hpp>

namespace cauchy::test {

/// A graph of these coordinates whose value, made by `body(graph)`, has its rows as outputs u0, u1.
template <class Body>
std::shared_ptr<const Graph> graph_of(std::vector<std::string> coordinates, Body body) {
  auto g = std::make_shared<Graph>(std::move(coordinates));
  const int value = body(*g);
  for (int r = 0; r < g->rows(value); ++r) g->output("u" + std::to_string(r), value, r);
  return g;
}

/// All outputs of a graph at points, row-major.
inline std::vector<double> outputs_at(const std::shared_ptr<const Graph>& graph,
                                      std::span<const double> theta,
                                      std::span<const double> points) {
  std::vector<Expr> fields;
  for (const Graph::Output& o : graph->outputs()) fields.push_back(Field(o.field));
  std::vector<double> out(points.size() / graph->coordinate_names().size() * fields.size());
  HostExecutor<double>(graph, {}, {.threads = 1}).predict(fields, theta, points, out);
  return out;
}

/// Reads parameters block after block and does plainly what the layers do.
class OracleLayers final {
 public:
  OracleLayers(const Graph& graph, std::span<const double> theta) : graph_(graph), theta_(theta) {}

  [[nodiscard]] std::span<const double> block() {
    const ParameterBlock& b = graph_.parameters().at(next_++);
    return theta_.subspan(static_cast<std::size_t>(b.offset), static_cast<std::size_t>(b.size()));
  }
  [[nodiscard]] std::vector<double> product(const std::vector<double>& x) {
    const std::span<const double> w = block();
    std::vector<double> z(w.size() / x.size(), 0.0);
    for (std::size_t i = 0; i < w.size(); ++i) z[i / x.size()] += w[i] * x[i % x.size()];
    return z;
  }
  /// W x + b.
  [[nodiscard]] std::vector<double> affine(const std::vector<double>& x) {
    std::vector<double> z = product(x);
    const std::span<const double> b = block();
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += b[i];
    return z;
  }
  [[nodiscard]] bool at_end() const { return next_ == graph_.parameters().size(); }

 private:
  const Graph& graph_;
  std::span<const double> theta_;
  std::size_t next_ = 0;
};

template <class F>
std::vector<double> each(std::vector<double> x, F f) {
  for (double& v : x) v = f(v);
  return x;
}

}  // namespace cauchy::test
