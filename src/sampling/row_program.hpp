#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/expr/program.hpp>
#include "sampling/frame.hpp"

namespace cauchy::detail {

/// An expression of the columns of a frame, for rows of points: time and space are coordinates,
/// ranges are parameters.
///   error    the constructor throws Error naming an atom that is no column
class RowProgram final {
 public:
  RowProgram(const Expr& e, const Frame& frame);
  /// out[i] = value at row i of n.
  void run(const double* rows, std::size_t n, double* out);

 private:
  std::size_t width_;
  Program<double> program_;
  std::vector<double> columns_, workspace_;
  std::vector<const double*> inputs_;
};

}  // namespace cauchy::detail
