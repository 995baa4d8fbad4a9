#pragma once

#include <cmath>

#include <cauchy/engine/backend.hpp>

#include "engine/backend/jet_tables.hpp"

namespace cauchy::detail {

/// What backward does with the parameters of an operation.
enum class Sink { gradient, per_point, directional };

/// The fast kernels of the host behind the interface of a backend.
/// `shared` is laid out as
///   [0, P)            all parameters
///   [P, 2P)           weights packed for Z = W X, at P + op.weights
///   [2P, 3P)          weights packed for X~ = W' Z~, at 2P + op.weights
///   [3P, 3P + S)      layers on coordinates: the constant components of each row
///   [3P + S, ...)     fixed layers: weights packed both ways (on coordinates: plain), biases
/// with P parameters and S = plan.n_seeds().
template <class T>
class CpuBackend final : public Backend<T> {
 public:
  using Block = typename Backend<T>::Block;
  using Step = typename Plan<T>::Step;

  [[nodiscard]] std::string_view name() const noexcept override { return "cpu"; }
  [[nodiscard]] std::size_t granularity() const noexcept override { return 64 / sizeof(T); }

  [[nodiscard]] std::size_t shared_size(const Plan<T>& plan) const override;
  [[nodiscard]] std::size_t scratch_size(const Plan<T>& plan) const override;
  void prepare_fixed(const Plan<T>& plan, T* shared) const override;
  void prepare(const Plan<T>& plan, const double* theta, T* shared) const override;
  void forward(const Plan<T>& plan, const Block& block) const override;
  void backward(const Plan<T>& plan, const Block& block, T* gradient) const override;
  void backward_per_point(const Plan<T>& plan, const Block& block, T* rows) const override;
  void backward_directional(const Plan<T>& plan, const Block& block, const T* direction,
                            T* out) const override;

 private:
  // Names of the formulas: B points per block, C components, N = B C columns, ld row stride.

  /// An affine operation, trained or fixed: `groups` matrices of rows x cols, and where their
  /// numbers begin in `shared`; bias -1: none.
  struct Matrices {
    std::size_t groups, rows, cols;
    std::ptrdiff_t plain, packed, transposed, bias, seeds;
    [[nodiscard]] std::size_t size() const { return rows * cols; }
  };
  static Matrices matrices(const Plan<T>& plan, const Step& s);
  /// Writes the packed matrices, or the constant components of a layer on coordinates.
  static void pack(const Plan<T>& plan, const Step& s, const double* weights, T* shared);

  static const JetTables<T>& tables(const Plan<T>& plan) { return plan.tables(); }

  /// Points of a basis operation that are treated together: their derivatives stay in the
  /// first-level cache.
  static constexpr std::size_t basis_points = 128 / sizeof(T);

  static std::size_t basis_scratch(const Plan<T>& plan, const Operation& op) {
    const auto derivatives = static_cast<std::size_t>(plan.jets().order() + 2) *
                             static_cast<std::size_t>(op.basis->size()) * basis_points;
    return derivatives + static_cast<std::size_t>(plan.tables().groups_begin.back()) * basis_points;
  }

  /// The row of its input that row r of a repeat operation copies.
  static std::size_t source_row(const Plan<T>& plan, const Operation& op, std::size_t r) {
    return r / static_cast<std::size_t>(op.group) %
           static_cast<std::size_t>(plan.graph().rows(op.inputs[0]));
  }

  /// |v_r| for row r of the weights of a unit_rows operation.
  static T row_norm(const Block& block, const Operation& op, std::size_t r) {
    const std::size_t cols = static_cast<std::size_t>(op.n_weights / op.rows);
    const T* v = block.shared + op.weights + r * cols;
    T sum = 0;
    for (std::size_t i = 0; i < cols; ++i) sum += v[i] * v[i];
    return std::sqrt(sum);
  }

  // cpu_forward.cpp
  void affine_forward(const Plan<T>& plan, const Block& block, const Step& s) const;
  void forward_step(const Plan<T>& plan, const Block& block, const Step& s) const;
  /// Forward of a basis operation, or (with `bar`) its adjoint into `target`.
  void basis_sweep(const Plan<T>& plan, const Block& block, const Operation& op, const T* z,
                   const T* bar, T* target, bool accumulate) const;
  void run_expression(const Plan<T>& plan, const Block& block, const Step& s, T* out) const;

  // cpu_backward.cpp
  template <Sink sink>
  void sweep(const Plan<T>& plan, const Block& block, const T* direction, T* target) const;
  template <Sink sink>
  void backward_step(const Plan<T>& plan, const Block& block, const Step& s, const T* direction,
                     T* target) const;

  // parameter_sinks.hpp
  /// Adds x y (null: x), n_chunks times B numbers, to the place of one parameter.
  template <Sink sink>
  void deposit(const Plan<T>& plan, std::ptrdiff_t parameter, const T* direction, const T* x,
               const T* y, std::size_t n_chunks, T* target) const;
  template <Sink sink>
  void affine_parameters(const Plan<T>& plan, const Block& block, const Step& s, const T* direction,
                         T* target) const;
  template <Sink sink>
  void norm_parameters(const Plan<T>& plan, const Block& block, const Step& s, const T* direction,
                       T* target) const;
  template <Sink sink>
  void expression_parameters(const Plan<T>& plan, const Block& block, const Step& s,
                             const T* direction, T* target) const;
};

}  // namespace cauchy::detail
