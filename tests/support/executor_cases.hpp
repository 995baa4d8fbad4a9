#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/engine/executor.hpp>

namespace cauchy::test {

/// Everything that a term of a problem is set up with.
struct TermInput {
  std::vector<double> points, data = {}, weights = {};
  std::optional<Groups> groups = {};
};

/// A loss with numbers that are exact in both precisions.
struct ExecutorProblem {
  std::string name;
  std::shared_ptr<const Graph> graph;
  std::vector<Term> terms;
  std::vector<TermInput> inputs;
  std::vector<double> theta;
  std::vector<Expr> predicted;
  [[nodiscard]] bool has_rows() const;
};

/// Collocation, point data, unknown constants, grouped squares, energies, nested expressions.
[[nodiscard]] std::vector<ExecutorProblem> executor_problems();

/// An implementation of Executor, and the rounding error of its arithmetic.
struct NamedExecutor {
  std::string name;
  ExecutorOptions options;
  double epsilon;
};

/// Every implementation that the conformance tests run. A new device is one line here.
inline std::vector<NamedExecutor> executors() {
  const auto host = [](BackendKind backend, Precision precision) {
    return ExecutorOptions{.threads = 2, .block = 32, .backend = backend, .precision = precision};
  };
  return {
      {"host_f64_reference", host(BackendKind::reference, Precision::f64), 0x1p-52},
      {"host_f64_cpu", host(BackendKind::cpu, Precision::f64), 0x1p-52},
      {"host_f32_reference", host(BackendKind::reference, Precision::f32), 0x1p-23},
      {"host_f32_cpu", host(BackendKind::cpu, Precision::f32), 0x1p-23},
  };
}

/// Makes an executor for a problem and sets all of its points.
[[nodiscard]] std::unique_ptr<Executor> make_executor(const ExecutorProblem& problem,
                                                      const ExecutorOptions& options);

/// Everything that an executor computes, for one theta. Raw products are those of all terms, one
/// after the other; products of rows are empty where a problem has none.
struct Products {
  double loss = 0;
  std::vector<double> terms, gradient, term_gradients;
  std::vector<double> residuals, norms, jacobian, jv, jtw;
  std::vector<double> rows, rows_jacobian, rows_jv, rows_jtw;
  std::vector<double> predicted;
};

/// Directions v and w of the products J v and J' w: exact in both precisions.
[[nodiscard]] std::vector<double> product_direction(std::size_t n);

[[nodiscard]] Products products_of(Executor& executor, const ExecutorProblem& problem);

/// The same from residuals and their dense Jacobian alone, written down as Term defines them: the
/// groups as a full matrix, the executor's weights as they are now.
[[nodiscard]] Products defined_products(Executor& executor, const ExecutorProblem& problem);

}  // namespace cauchy::test
