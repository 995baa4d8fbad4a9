#pragma once

#include <span>
#include <vector>

#include <cauchy/expr/program.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Expressions of the fields of an answer, compiled once for many calls: fields and derivatives
/// come from a model, tables from the problem. Thread-safe.
class AnswerProgram final {
 public:
  /// expressions: lowered (problem/lowering.hpp), without normals
  AnswerProgram(const Problem& problem, std::vector<Expr> expressions);

  /// rows: row-major n x coordinates; out: row-major n x expressions.
  void run(const FieldModel& model, const Problem& problem, std::span<const double> rows,
           std::span<double> out) const;

 private:
  std::vector<Expr> fields_, data_;
  Program<double> program_;
};

}  // namespace cauchy::detail
