#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/geometry/domain.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// An unknown of the equations in wave numbers: a field, or a derivative of it in time that is not
/// the highest one.
struct FourierColumn {
  std::string field;
  int time_order = 0;
};

/// coefficient * d^orders (column), or of its rate of change.
struct FourierTerm {
  std::size_t row = 0, column = 0;
  double coefficient = 0;
  std::vector<int> orders;  ///< per direction
  bool rate = false;
};

/// The mean, or the value at a point, of a field that the equations leave open.
struct FourierGauge {
  std::string field;
  double mean = 0;
  std::vector<double> point = {};  ///< empty: the mean is given
  double value = 0;                ///< at the point
};

/// A problem on a periodic box as rows
///   sum of terms + rest + constant = 0
/// with all that is linear and has constant coefficients in the terms; of a known coefficient that
/// varies the middle of its values, the rest of it is in the rest. Fields with derivatives in
/// time come first among the columns; the others are tied to them by rows without rates.
struct SpectralForm {
  std::vector<std::string> space;
  std::vector<double> lower, length;
  std::optional<Time> time;
  std::vector<FourierColumn> columns;
  std::size_t n_evolved = 0;
  std::vector<std::string> row_names;
  std::vector<FourierTerm> terms;
  std::vector<Expr> rest;         ///< per row; the number 0: none
  std::vector<double> constants;  ///< per row
  std::vector<Expr> initial;      ///< per evolved column, free of fields
  std::vector<FourierGauge> gauges;
  int degree = 1;  ///< of the rest in the fields and known functions; 1: no products
  std::vector<std::string> remarks;

  [[nodiscard]] std::size_t n_rows() const noexcept { return rest.size(); }
  /// Where a derivative of a field in space and time is found.
  [[nodiscard]] std::size_t column_of(const std::string& field, int time_order) const;
  /// Orders of an atom per direction of space.
  [[nodiscard]] std::vector<int> space_orders(const Expr& atom) const;
  [[nodiscard]] int time_order(const Expr& atom) const;
};

/// Whether every direction of space is periodic by a condition.
[[nodiscard]] bool is_periodic(const Problem& problem);

/// Reads the form from a problem whose space is periodic in every direction.
///   error    throws Error (unsupported) with the reason and a method that fits: other conditions
///            than initial ones, products of time derivatives, equations on a part of space, more
///            or fewer equations than fields, missing initial values
[[nodiscard]] SpectralForm fourier_form(const Problem& problem);

}  // namespace cauchy::detail
