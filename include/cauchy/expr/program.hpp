#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// What a program computes, and from what.
///   inputs      per-point atoms (coordinates, fields, symbols, data function calls): one row each;
///               nothing below an input is looked at (the arguments of a data function)
///   parameters  scalars, the same for all points; usually parameters, also a fixed time
///   outputs     one row each
///   sums        one number each: the sum of the expression over the points
struct ProgramSpec {
  std::vector<Expr> outputs;
  std::vector<Expr> inputs;
  std::vector<Expr> parameters;
  std::vector<Expr> sums;
};

/// Expressions compiled to instructions that run over arrays of points in SIMD, with common
/// subexpressions computed once. T is float or double. Immutable and thread-safe: every thread
/// brings its own workspace. Results do not depend on the position of a point in its array, nor on
/// how a set of points is cut into calls, except for the payload of NaN. Sums are accumulated in
/// double, in an order that depends on n only. Infinite and NaN inputs follow evaluate().
///   error    the constructor throws Error when an expression has an atom that is not listed, or an
///            atom is listed twice
///   cost     proportional to instructions x points; nothing is allocated in run()
template <class T>
class Program final {
 public:
  explicit Program(ProgramSpec spec);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  /// Elements of scratch memory that run() needs; any alignment.
  [[nodiscard]] std::size_t workspace_size() const noexcept;

  /// inputs[i] and outputs[k] point to n values; parameters to one value per parameter; sums (may
  /// be null when there are none) to one double per sum, overwritten. An output row may not overlap
  /// an input row. Rows of inputs that no expression contains may be null. n = 0 is allowed.
  /// Rows may have any alignment; with 64 bytes they are up to twice as fast in the cache.
  void run(std::size_t n, const T* const* inputs, const T* parameters, T* const* outputs,
           double* sums, T* workspace) const;

  [[nodiscard]] const ProgramSpec& spec() const noexcept;
  [[nodiscard]] std::size_t n_instructions() const noexcept;
  /// Additions, multiplications and function calls per point.
  [[nodiscard]] std::size_t operations_per_point() const noexcept;
  /// One instruction per line, for people.
  [[nodiscard]] std::string listing() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

extern template class Program<float>;
extern template class Program<double>;

/// The reverse program of a forward one: inputs are the forward inputs followed by one seed row per
/// forward output; outputs are the adjoints of the forward inputs, in order; sums are the adjoints
/// of the parameters. A forward program with sums adds one parameter per sum, its seed, behind the
/// forward parameters. Forward values are recomputed inside.
///   input_bar_i = sum_k seed_k * d(output_k)/d(input_i)
[[nodiscard]] ProgramSpec reverse_spec(const ProgramSpec& forward);

}  // namespace cauchy
