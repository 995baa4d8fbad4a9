#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/dynamics/vector_field.hpp>
#include <cauchy/engine/backend.hpp>
#include <cauchy/expr/program.hpp>

namespace cauchy::detail {

/// A network of the registry as a map of rows over one block of points, with its transpose. The
/// same operations and kernels as in the engine; no points, terms or threads around them.
class BlockNetwork final {
 public:
  /// `graph` has one input and outputs that are rows 0, 1, ... of one value.
  BlockNetwork(std::shared_ptr<const Graph> graph, std::size_t block);

  [[nodiscard]] const Graph& graph() const noexcept { return plan_.graph(); }
  [[nodiscard]] std::size_t n_parameters() const noexcept { return graph().n_parameters(); }
  [[nodiscard]] std::size_t arena_size() const noexcept { return plan_.arena_size(); }
  [[nodiscard]] std::size_t scratch_size() const { return backend_->scratch_size(plan_); }
  void prepare(std::span<const double> theta) {
    backend_->prepare(plan_, theta.data(), shared_.data());
  }
  /// From one row of outputs, or of their adjoints, to the next.
  [[nodiscard]] std::size_t stride() const noexcept { return plan_.row_stride(); }
  /// The rows of the outputs, in the arena.
  const double* forward(const double* in, double* arena, double* scratch) const;
  /// Where they are there.
  [[nodiscard]] std::size_t output_offset() const {
    return static_cast<std::size_t>(plan_.value(output_));
  }
  /// After forward() in the same arena: where the adjoints of the outputs are to be written.
  [[nodiscard]] double* adjoints(double* arena) const { return arena + plan_.adjoint(output_); }
  /// After that: adds to the adjoints of the inputs and to the gradient.
  void backward(const double* in, double* in_adjoints, double* gradient, double* arena,
                double* scratch) const;
  /// The same with a gradient per point: rows[parameter * block + p].
  void backward_per_point(const double* in, double* in_adjoints, double* rows, double* arena,
                          double* scratch) const;

 private:
  [[nodiscard]] Backend<double>::Block block_of(const double* in, double* arena,
                                                double* scratch) const;
  Plan<double> plan_;
  std::unique_ptr<Backend<double>> backend_;
  AlignedVector<double> shared_;
  std::vector<double> time_;  // a coordinate that nothing reads
  int output_;
};

/// Points per block must be a multiple of this.
[[nodiscard]] std::size_t block_granularity();
/// A graph with the input "z" of this many rows, a network on it and its outputs.
[[nodiscard]] std::shared_ptr<const Graph> graph_of(const FieldUnknown& unknown,
                                                    std::size_t n_inputs, std::size_t n_outputs);

/// A vector field over blocks of states: slopes, and products with the transposed Jacobians. Rows
/// are [component * block + point].
///   slots    a slope keeps in its slot what its transpose needs; every slot can hold one
///   sharing  one object for all threads; every thread has its Lane
class BlockField final {
 public:
  BlockField(VectorFieldSpec spec, std::size_t block);

  [[nodiscard]] const VectorFieldSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] std::size_t size() const noexcept { return spec_.states.size(); }
  [[nodiscard]] std::size_t block() const noexcept { return block_; }
  [[nodiscard]] std::size_t n_parameters() const noexcept { return n_parameters_; }
  void prepare(std::span<const double> theta);

  /// The memory of one thread.
  struct Lane {
    std::size_t slots = 0;
    AlignedVector<double> arenas, features, scratch, adjoints, rows, program;
    std::vector<const double*> inputs;
    std::vector<double*> outputs;
    std::vector<double> sums;
  };
  [[nodiscard]] Lane make_lane(std::size_t slots) const;

  void slope(Lane& lane, std::size_t slot, const double* t, const double* y, double* k) const;
  /// After slope() of the same state in this slot, once: adds J' k_bar to y_bar, and the products
  /// with the derivatives by the parameters, summed over the points, to gradient.
  void pull(Lane& lane, std::size_t slot, const double* t, const double* y, const double* k_bar,
            double* y_bar, double* gradient) const;
  /// d slope_i / d y_j at jacobian[(i * n + j) * block + p], and, unless it is null, d slope_i /
  /// d theta_q at by_theta[(i * n_parameters + q) * block + p]. In slot 0.
  void jacobian(Lane& lane, const double* t, const double* y, double* jacobian,
                double* by_theta) const;

 private:
  void connect(Lane& lane, const double* t, const double* y) const;
  void connect_outputs(Lane& lane, std::size_t slot) const;
  void reverse_slopes(Lane& lane, std::size_t slot, const double* t, const double* y,
                      const double* k_bar, double* y_bar) const;
  void pull_features(Lane& lane, const double* t, const double* y, double* y_bar) const;

  VectorFieldSpec spec_;
  std::size_t block_, n_parameters_ = 0, n_weights_ = 0, n_in_ = 0, n_out_ = 0;
  std::unique_ptr<BlockNetwork> network_;
  std::unique_ptr<Program<double>> features_, features_back_, slopes_, slopes_back_;
  std::unique_ptr<Program<double>> slopes_per_point_;  // adjoints of constants as rows
  std::vector<double> constants_;                      // then known parameters
};

}  // namespace cauchy::detail
