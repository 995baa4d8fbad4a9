#include "support/executor_cases.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/network.hpp>

#include "support/engine_cases.hpp"

namespace cauchy::test {
namespace {

const Coordinate x("x"), y("y");
const Field u("u"), v("v");
const Parameter k("k");
const Symbol normal("normal");
const DataFunction a("a");

std::shared_ptr<const Graph> network() {
  Graph g({"x", "y"});
  const int out = add_network(g, Mlp{.width = 7, .depth = 2}, g.coordinates(), 2);
  g.output("u", out, 0);
  g.output("v", out, 1);
  g.constant("k", 0.75);
  return std::make_shared<const Graph>(std::move(g));
}

/// A trial function that is 0 on the boundary of a square, with an expression of the network
/// inside.
std::shared_ptr<const Graph> nested_network() {
  Graph g({"x", "y"});
  const int inner = add_network(g, Mlp{.width = 5, .depth = 1}, g.coordinates(), 1);
  const int outer = add_network(g, Mlp{.width = 6, .depth = 1},
                                g.concatenate(std::vector<int>{inner, g.coordinates()}), 1);
  const int envelope = g.expression({x * (1 - x) * y * (1 - y)});
  g.output("u", g.add(g.expression({sin(x) * exp(k * y)}), g.multiply(envelope, outer)));
  g.output("v", g.divide(inner, g.expression({2 + x * y})));
  g.constant("k", 0.75);
  return std::make_shared<const Graph>(std::move(g));
}

/// n points, row-major.
std::vector<double> rows_of_points(std::size_t n, unsigned seed) {
  const std::vector<double> columns = test_points(2, n, seed);
  std::vector<double> rows(2 * n);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = 0; i < 2; ++i) rows[2 * p + i] = columns[i * n + p];
  }
  return rows;
}

std::vector<double> numbers(std::size_t n, double from, double to, unsigned seed) {
  Dyadic number(seed);
  std::vector<double> out(n);
  for (double& value : out) value = number(from, to);
  return out;
}

/// One group for every `size` points that follow each other: integrals at several times.
Groups slices(std::size_t n, std::size_t size, std::size_t n_residuals) {
  Groups groups{.offsets = {0}, .points = {}, .weights = numbers(n / size * size, 0.25, 1, 21)};
  for (std::size_t p = 0; p < n / size * size; ++p) {
    groups.points.push_back(p);
    if ((p + 1) % size == 0) groups.offsets.push_back(p + 1);
  }
  groups.targets = numbers(groups.size() * n_residuals, -1, 1, 22);
  return groups;
}

/// Test functions that overlap: group g holds points 7 g to 7 g + 20 with factors of both signs;
/// the last points are in no group, one group is empty, one holds a point twice.
Groups overlapping(std::size_t n) {
  Groups groups{.offsets = {0}, .points = {}, .weights = {}};
  for (std::size_t first = 0; first + 30 < n; first += 7) {
    for (std::size_t p = first; p < first + 21; ++p) groups.points.push_back(p);
    if (first == 0) groups.points.push_back(3);
    groups.offsets.push_back(groups.points.size());
    if (first == 7) groups.offsets.push_back(groups.points.size());
  }
  groups.weights = numbers(groups.points.size(), -1, 1, 23);
  return groups;
}

}  // namespace

bool ExecutorProblem::has_rows() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Term& t) { return t.form == TermForm::square; });
}

std::vector<ExecutorProblem> executor_problems() {
  const Expr laplacian = d(u, x, x) + d(u, y, y);
  const Expr energy = (d(u, x) * d(u, x) + d(u, y) * d(u, y)) / 2 - (x + y) * u;
  const std::vector<Expr> wanted{u, d(v, x, y), u * d(u, x) + k * y};
  const auto make = [&](std::string name, std::shared_ptr<const Graph> graph,
                        std::vector<Term> terms, std::vector<TermInput> inputs) {
    std::vector<double> theta = test_parameters(*graph, 5);
    return ExecutorProblem{std::move(name),   std::move(graph), std::move(terms),
                           std::move(inputs), std::move(theta), wanted};
  };
  const TermInput many{rows_of_points(131, 3)}, few{rows_of_points(9, 4)};
  const TermInput weighted{rows_of_points(77, 6), {}, numbers(77, 0, 2, 8)};
  const TermInput data{rows_of_points(77, 6), numbers(2 * 77, -1, 1, 9), numbers(77, 0, 2, 8)};
  const std::size_t n = 100;
  TermInput times{rows_of_points(n, 10), {}, {}, slices(n, 20, 1)};
  TermInput tests{rows_of_points(n, 11), {}, {}, overlapping(n)};
  tests.weights = numbers(tests.groups->size(), 0, 2, 12);
  TermInput volume{rows_of_points(n, 13), {}, {}, slices(n, n, 1)};
  return {
      make("collocation", network(),
           {{"equation", {laplacian + u * u, d(u, x) - d(v, y)}, 0.5}, {"values", {u - v}, 4}},
           {many, few}),
      make("point_data", network(),
           {{"wall", {normal * d(u, x) + a(x, y) * u}, 1.5, {normal, a(x, y)}}, {"values", {u}, 2}},
           {data, weighted}),
      make("unknown_constants", network(),
           {{"equation", {d(u, x) - k * d(u, y, y), k * k * v - u}}, {"values", {u - k}, 0.25}},
           {weighted, few}),
      make("grouped_squares", network(),
           {{"integral", {u * u + k * x}, 3},
            {"equation", {laplacian + 1}},
            {"weak", {d(u, x) * d(v, y) + k * u, v - x * u}, 0.5}},
           {times, many, tests}),
      make("energies", network(),
           {{"values", {u - x}, 2},
            {"energy", {energy}, 1.5, {}, TermForm::identity},
            {"weak energy", {u * v - k, d(u, x)}, 0.5, {}, TermForm::identity},
            {"mean energy", {energy + k * v * v}, 0.25, {}, TermForm::identity}},
           {few, volume, tests, weighted}),
      make("nested_expressions", nested_network(),
           {{"equation", {exp(sin(u * d(v, x))) - d(u, x, x, y) / (2 + v * v)}},
            {"weak", {tanh(u + d(v, y)) * cos(d(u, x) * x)}, 2}},
           {weighted, tests}),
  };
}

std::unique_ptr<Executor> make_executor(const ExecutorProblem& problem,
                                        const ExecutorOptions& options) {
  auto executor = cauchy::make_executor(problem.graph, problem.terms, options);
  for (std::size_t t = 0; t < problem.inputs.size(); ++t) {
    const TermInput& in = problem.inputs[t];
    executor->set_points(t, {in.points, in.data, in.weights, in.groups ? &*in.groups : nullptr});
  }
  return executor;
}

std::vector<double> product_direction(std::size_t n) { return numbers(n, -1, 1, 31); }

Products products_of(Executor& e, const ExecutorProblem& problem) {
  const std::vector<double>& theta = problem.theta;
  const std::size_t P = e.n_parameters(), N = e.n_residuals();
  Products out;
  out.gradient.resize(P);
  out.term_gradients.resize(e.n_terms() * P);
  out.residuals.resize(N);
  out.loss =
      e.gradient(theta, out.gradient, {.terms = out.term_gradients, .residuals = out.residuals});
  out.terms.assign(e.last_terms().begin(), e.last_terms().end());
  const std::vector<double> direction = product_direction(P), w = product_direction(N);
  out.norms.resize(N);
  out.jv.resize(N);
  out.jacobian.resize(N * P);
  out.jtw.resize(e.n_terms() * P);
  for (std::size_t t = 0, at = 0; t < e.n_terms(); at += e.n_residuals(t), ++t) {
    const std::size_t n = e.n_residuals(t);
    e.gradient_norms(t, theta, std::span(out.norms).subspan(at, n));
    e.jacobian(t, theta, std::span(out.jacobian).subspan(at * P, n * P));
    e.jacobian_times(t, theta, direction, std::span(out.jv).subspan(at, n));
    e.jacobian_transposed_times(t, theta, std::span(w).subspan(at, n),
                                std::span(out.jtw).subspan(t * P, P));
  }
  if (problem.has_rows()) {
    const std::size_t M = e.n_rows();
    out.rows.resize(M);
    out.rows_jacobian.resize(M * P);
    out.rows_jv.resize(M);
    out.rows_jtw.resize(P);
    e.rows(theta, out.rows);
    e.rows_jacobian(theta, out.rows_jacobian);
    e.rows_jacobian_times(theta, direction, out.rows_jv);
    e.rows_jacobian_transposed_times(theta, product_direction(M), out.rows_jtw);
  }
  const std::vector<double>& points = problem.inputs[0].points;
  out.predicted.resize(points.size() / 2 * problem.predicted.size());
  e.predict(problem.predicted, theta, points, out.predicted);
  return out;
}

Products defined_products(Executor& e, const ExecutorProblem& problem) {
  const std::vector<double>& theta = problem.theta;
  const std::size_t P = e.n_parameters();
  const std::vector<double> direction = product_direction(P);
  Products out;
  out.gradient.assign(P, 0.0);
  out.rows_jtw.assign(P, 0.0);
  for (std::size_t t = 0; t < e.n_terms(); ++t) {
    const std::size_t N = e.n_residuals(t), K = e.term(t).residuals.size(), n = e.n_points(t);
    std::vector<double> r(N), J(N * P), Q(e.n_groups(t) * n, 0.0), slope(P, 0.0);
    e.residuals(t, theta, r);
    e.jacobian(t, theta, J);
    const Groups* groups = e.groups(t);
    for (std::size_t g = 0; g < e.n_groups(t); ++g) {
      if (groups == nullptr) {
        Q[g * n + g] = 1;
        continue;
      }
      for (std::size_t i = groups->offsets[g]; i < groups->offsets[g + 1]; ++i) {
        Q[g * n + groups->points[i]] += groups->weights[i];
      }
    }
    double loss = 0;
    for (std::size_t g = 0; g < e.n_groups(t); ++g) {
      for (std::size_t i = 0; i < K; ++i) {
        double S = groups == nullptr || groups->targets.empty() ? 0 : -groups->targets[g * K + i];
        std::vector<double> dS(P, 0.0);
        for (std::size_t p = 0; p < n; ++p) {
          S += Q[g * n + p] * r[p * K + i];
          for (std::size_t j = 0; j < P; ++j) dS[j] += Q[g * n + p] * J[(p * K + i) * P + j];
        }
        const double c = e.weight(t) * e.weights(t)[g] / static_cast<double>(e.n_groups(t));
        const bool square = e.term(t).form == TermForm::square;
        loss += square ? c * S * S : c * S;
        double moved = 0;
        for (std::size_t j = 0; j < P; ++j) {
          slope[j] += square ? 2 * c * S * dS[j] : c * dS[j];
          out.rows_jacobian.push_back(std::sqrt(c) * dS[j]);
          moved += dS[j] * direction[j];
        }
        out.rows.push_back(std::sqrt(c) * S);
        out.rows_jv.push_back(std::sqrt(c) * moved);
      }
    }
    out.loss += loss;
    out.terms.push_back(loss);
    for (std::size_t j = 0; j < P; ++j) out.gradient[j] += slope[j];
    out.term_gradients.insert(out.term_gradients.end(), slope.begin(), slope.end());
  }
  const std::vector<double> w = product_direction(out.rows.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < P; ++j) out.rows_jtw[j] += w[i] * out.rows_jacobian[i * P + j];
  }
  if (!problem.has_rows()) {
    for (auto* v : {&out.rows, &out.rows_jacobian, &out.rows_jv, &out.rows_jtw}) v->clear();
  }
  return out;
}

}  // namespace cauchy::test
