#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/engine/backend.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/plan.hpp>

#include "support/symbolic_graph.hpp"

namespace cauchy::test {

template <class T>
struct NamedBackend {
  std::string name;
  std::shared_ptr<const Backend<T>> backend;
};

/// Every backend that the conformance tests run. A new backend is one line here.
template <class T>
std::vector<NamedBackend<T>> backends() {
  return {
      {"reference", make_reference_backend<T>()},
      {"cpu", make_cpu_backend<T>()},
  };
}

/// Numbers k/64 from a seed: exact in both precisions, the same on every machine.
class Dyadic final {
 public:
  explicit Dyadic(unsigned seed) : generator_(seed) {}
  double operator()(double from, double to) {
    const auto steps = static_cast<unsigned>((to - from) * 64) + 1;
    return from + static_cast<double>(generator_() % steps) / 64;
  }

 private:
  std::mt19937 generator_;
};

/// A graph to be tested and, for graphs with a basis, the meaning of the basis.
struct EngineCase {
  std::string name;
  std::function<std::shared_ptr<Graph>(int n_coordinates)> build;
  BasisExpressions basis = {};
  int max_order = 12;  ///< symbolic derivatives beyond this order grow too large to be exact
};

/// A set of derivatives to be tested.
struct JetCase {
  std::string name;
  JetSpec jets;
};

/// Parameters of a graph: weights in [-1, 1], scales and constants in [1/2, 5/4].
inline std::vector<double> test_parameters(const Graph& graph, unsigned seed = 1) {
  Dyadic number(seed);
  std::vector<double> theta(graph.n_parameters());
  for (const ParameterBlock& block : graph.parameters()) {
    const bool positive =
        block.role == ParameterBlock::Role::scale || block.role == ParameterBlock::Role::constant;
    for (int i = 0; i < block.rows * block.cols; ++i) {
      theta[static_cast<std::size_t>(block.offset + i)] =
          positive ? number(0.5, 1.25) : number(-1, 1);
    }
  }
  return theta;
}

/// n points in [1/4, 5/4]^d; coordinate i of point p at [i * n + p]. More points leave the first
/// ones where they are.
inline std::vector<double> test_points(int n_coordinates, std::size_t n, unsigned seed = 7) {
  Dyadic number(seed);
  std::vector<double> points(static_cast<std::size_t>(n_coordinates) * n);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_coordinates); ++i) {
      points[i * n + p] = number(0.25, 1.25);
    }
  }
  return points;
}

/// Rows of all inputs of a graph for n points: row r of point p at [r * n + p], in [-1, 1].
inline std::vector<double> test_inputs(const Graph& graph, std::size_t n, unsigned seed = 11) {
  Dyadic number(seed);
  std::vector<double> rows(static_cast<std::size_t>(graph.n_input_rows()) * n);
  for (double& x : rows) x = number(-1, 1);
  return rows;
}

/// Memory aligned like a cache line, filled with NaN: reading what nobody wrote shows.
template <class T>
class PoisonedBuffer final {
 public:
  explicit PoisonedBuffer(std::size_t n)
      : data_(static_cast<T*>(::operator new(n * sizeof(T) + 64, alignment))) {
    std::fill_n(data_.get(), n, std::numeric_limits<T>::quiet_NaN());
  }
  [[nodiscard]] T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Delete {
    void operator()(T* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Delete> data_;
};

/// One block of points through one plan on one backend.
template <class T>
class Evaluation final {
 public:
  Evaluation(std::shared_ptr<const Backend<T>> backend, std::shared_ptr<const Graph> graph,
             JetSpec jets, std::span<const double> points, std::size_t n_points,
             typename Plan<T>::Mode mode = Plan<T>::Mode::backward)
      : backend_(std::move(backend)),
        plan_(std::move(graph), std::move(jets), n_points, mode),
        points_(points.begin(), points.end()),
        input_adjoints_(static_cast<std::size_t>(plan_.graph().n_input_rows()) * n_points),
        shared_(backend_->shared_size(plan_)),
        direction_(backend_->shared_size(plan_)),
        arena_(plan_.arena_size()),
        scratch_(backend_->scratch_size(plan_)) {
    backend_->prepare_fixed(plan_, shared_.data());
    set_inputs(test_inputs(plan_.graph(), n_points));
  }

  /// Other rows of the inputs than test_inputs().
  void set_inputs(std::span<const double> rows) { inputs_.assign(rows.begin(), rows.end()); }
  /// Adjoints of the inputs of the last sweep, same shape.
  [[nodiscard]] const std::vector<T>& input_adjoints() const { return input_adjoints_; }

  [[nodiscard]] const Plan<T>& plan() const { return plan_; }

  void forward(std::span<const double> theta) {
    backend_->prepare(plan_, theta.data(), shared_.data());
    backend_->forward(plan_, block());
  }

  /// Component c of output k at point p.
  [[nodiscard]] T& value(std::size_t k, int c, std::size_t p) const {
    const auto& output = plan_.graph().outputs()[k];
    return at(plan_.value(output.value), output.row, c, p);
  }

  /// Adjoints of all outputs: seeds[(k * components + c) * points + p].
  void seed(std::span<const double> seeds) const {
    const auto& outputs = plan_.graph().outputs();
    for (const auto& output : outputs) {
      if (plan_.adjoint(output.value) < 0) continue;
      std::fill_n(arena_.data() + plan_.adjoint(output.value), plan_.extent(output.value), T(0));
    }
    std::size_t i = 0;
    for (const auto& output : outputs) {
      for (int c = 0; c < plan_.jets().size(); ++c) {
        for (std::size_t p = 0; p < plan_.block(); ++p, ++i) {
          if (plan_.adjoint(output.value) < 0) continue;
          at(plan_.adjoint(output.value), output.row, c, p) = static_cast<T>(seeds[i]);
        }
      }
    }
  }

  /// forward() and seed() come before each of these.
  [[nodiscard]] std::vector<T> gradient() {
    clear_input_adjoints();
    std::vector<T> result(plan_.graph().n_parameters(), T(0));
    backend_->backward(plan_, block(), result.data());
    return result;
  }
  [[nodiscard]] std::vector<T> gradient_per_point() {
    clear_input_adjoints();
    std::vector<T> result(plan_.graph().n_parameters() * plan_.block(), T(0));
    backend_->backward_per_point(plan_, block(), result.data());
    return result;
  }
  [[nodiscard]] std::vector<T> directional(std::span<const double> direction) {
    clear_input_adjoints();
    backend_->prepare(plan_, direction.data(), direction_.data());
    std::vector<T> result(plan_.block(), T(0));
    backend_->backward_directional(plan_, block(), direction_.data(), result.data());
    return result;
  }

 private:
  [[nodiscard]] typename Backend<T>::Block block() {
    return {shared_.data(),  points_.data(), plan_.block(),         arena_.data(),
            scratch_.data(), inputs_.data(), input_adjoints_.data()};
  }
  void clear_input_adjoints() { std::fill(input_adjoints_.begin(), input_adjoints_.end(), T(0)); }
  [[nodiscard]] T& at(std::ptrdiff_t offset, int row, int c, std::size_t p) const {
    return arena_.data()[static_cast<std::size_t>(offset) +
                         static_cast<std::size_t>(row) * plan_.row_stride() +
                         static_cast<std::size_t>(c) * plan_.block() + p];
  }

  std::shared_ptr<const Backend<T>> backend_;
  Plan<T> plan_;
  std::vector<T> points_, inputs_, input_adjoints_;
  PoisonedBuffer<T> shared_, direction_, arena_, scratch_;
};

/// Points per block for a backend: at least n, a multiple of its granularity.
template <class T>
std::size_t block_size(const Backend<T>& backend, std::size_t n) {
  const std::size_t g = backend.granularity();
  return (n + g - 1) / g * g;
}

/// Every operation, every activation, and networks made of them.
std::vector<EngineCase> operation_cases();
std::vector<EngineCase> activation_cases();
std::vector<EngineCase> network_cases();
/// Values only, high order in one variable, mixed derivatives, collapsed combinations.
std::vector<JetCase> jet_cases();

}  // namespace cauchy::test
