#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/program.hpp>

namespace cauchy {
namespace detail {
class DerivativeTable;
}

template <class T>
struct JetTables;

/// How a graph runs over one block of points: which buffers, where they lie, what is computed.
/// Made once per (graph, jets, block); replayed for every block by any backend. T: float, double.
///
/// A value is stored as rows; row r, component c, point p of a value at `base` is
///   base[r * row_stride + c * block + p]
/// so that one component of one row is contiguous over the points, and one row holds all
/// components. Adjoints have the same shape. Buffers whose life does not overlap share memory.
template <class T>
class Plan final {
 public:
  enum class Mode : std::uint8_t { forward, backward };

  /// `known` gives numbers for parameters that are not unknown constants of the graph; `outputs`
  /// are the numbers of those that are wanted, sorted (empty: all): what only others need is left
  /// out; `like` is a plan of the same graph, mode and known numbers: the derivatives of formulas
  /// are shared with it, and with the same jets their programs, too; not for use by several
  /// threads.
  ///   error    throws Error when an expression has a parameter without a number
  Plan(std::shared_ptr<const Graph> graph, JetSpec jets, std::size_t block, Mode mode,
       const std::map<std::string, double>& known = {}, std::vector<int> outputs = {},
       const Plan* like = nullptr);

  [[nodiscard]] const Graph& graph() const noexcept { return *graph_; }
  [[nodiscard]] const JetSpec& jets() const noexcept { return jets_; }
  [[nodiscard]] std::size_t block() const noexcept { return block_; }
  [[nodiscard]] std::size_t row_stride() const noexcept { return row_stride_; }
  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  /// Numbers of the outputs of the graph that it computes.
  [[nodiscard]] const std::vector<int>& outputs() const noexcept { return outputs_; }
  /// Elements of the arena that every thread brings.
  [[nodiscard]] std::size_t arena_size() const noexcept { return arena_size_; }

  struct Step {
    int op = 0;                 ///< number of the operation and of its value
    std::ptrdiff_t value = -1;  ///< offset of the value
    /// Offset of its adjoint; -1: no parameter below.
    std::ptrdiff_t adjoint = -1;
    /// Affine on coordinates: offset of its constant components, see n_seeds().
    std::ptrdiff_t seeds = -1;
    /// Fixed affine: offset of its numbers, see n_fixed().
    std::ptrdiff_t fixed = -1;
    /// For each input: whether backward adds to its adjoint (a later user wrote it) or writes.
    std::vector<bool> accumulate = {};
  };
  /// The operations that the outputs need, in forward order.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Step of an operation; it must be one of steps().
  [[nodiscard]] const Step& step(int op) const {
    return steps_[position_[static_cast<std::size_t>(op)]];
  }
  [[nodiscard]] const Operation& op(const Step& s) const {
    return graph_->ops()[static_cast<std::size_t>(s.op)];
  }
  [[nodiscard]] std::ptrdiff_t value(int op) const { return step(op).value; }
  [[nodiscard]] std::ptrdiff_t adjoint(int op) const { return step(op).adjoint; }
  /// An affine operation (in one block, trained or fixed) directly on the coordinates: its input is
  /// never stored.
  [[nodiscard]] bool on_coordinates(const Operation& op) const;
  /// Numbers of all constant components of affine operations on coordinates: rows x components
  /// each.
  [[nodiscard]] std::size_t n_seeds() const noexcept { return n_seeds_; }
  /// Numbers of all fixed affine operations: for each twice its weights and once its bias, so that
  /// a backend may keep them packed in two ways.
  [[nodiscard]] std::size_t n_fixed() const noexcept { return n_fixed_; }
  /// The coordinates whose jets are not zero in a component, with the value there.
  [[nodiscard]] std::span<const std::pair<int, double>> seeds(int component) const {
    return seeds_[static_cast<std::size_t>(component)];
  }
  /// The rules of the jets as flat arrays, for backends.
  [[nodiscard]] const JetTables<T>& tables() const noexcept { return *tables_; }
  /// Elements of one value or adjoint.
  [[nodiscard]] std::size_t extent(int op) const;

  /// Programs of an expression operation. values: inputs are all coordinates, outputs are rows x
  /// components (row-major), parameters are constants(). gradients (null in forward mode and when
  /// the expressions hold no unknown constant): inputs are the coordinates and one seed row per
  /// output, sums are the adjoints of constants().
  struct ExpressionPrograms {
    std::unique_ptr<Program<T>> values, gradients;
  };
  [[nodiscard]] const ExpressionPrograms& expression(int op) const;
  /// Offsets of all unknown constants in the parameter vector, in the order of program parameters.
  [[nodiscard]] const std::vector<std::ptrdiff_t>& constants() const noexcept { return constants_; }
  /// Names of the unknown constants as expressions, same order.
  [[nodiscard]] const std::vector<Expr>& constant_atoms() const noexcept { return constant_atoms_; }
  /// Elements of program scratch needed by any expression operation.
  [[nodiscard]] std::size_t program_workspace() const noexcept { return program_workspace_; }

  /// Operations of the matrix products of one block: forward, and (backward mode) both sweeps.
  [[nodiscard]] double flops() const noexcept { return flops_; }
  /// What one sweep over a block takes, for counting work (base/work.hpp): its products, and flops
  /// for what is done with every number of the values between them.
  [[nodiscard]] double forward_work() const noexcept { return forward_work_; }
  [[nodiscard]] double backward_work() const noexcept { return backward_work_; }
  /// Operations, shapes, buffers, flops and bytes, one line each.
  [[nodiscard]] std::string describe() const;

 private:
  void select_steps();
  void place_buffers();
  void compile_expressions(const std::map<std::string, double>& known, const Plan* like);
  void count_flops();

  std::shared_ptr<const Graph> graph_;
  JetSpec jets_;
  std::size_t block_, row_stride_;
  Mode mode_;
  std::vector<int> outputs_;
  std::size_t arena_size_ = 0, program_workspace_ = 0, n_seeds_ = 0, n_fixed_ = 0;
  std::shared_ptr<const JetTables<T>> tables_;
  std::vector<std::vector<std::pair<int, double>>> seeds_;
  double flops_ = 0, forward_work_ = 0, backward_work_ = 0;
  std::vector<Step> steps_;
  std::vector<std::size_t> position_;
  std::map<int, std::shared_ptr<const ExpressionPrograms>> expressions_;
  std::map<int, std::shared_ptr<std::vector<detail::DerivativeTable>>> derivatives_;
  std::vector<std::ptrdiff_t> constants_;
  std::vector<Expr> constant_atoms_;
};

extern template class Plan<float>;
extern template class Plan<double>;

}  // namespace cauchy
