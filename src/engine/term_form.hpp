#pragma once

#include <cmath>

#include <cauchy/engine/executor.hpp>

namespace cauchy::detail {

/// Below this |S| the powers of a term are constant: their slopes would grow beyond all numbers.
inline constexpr double least_sum = 1e-12;

/// phi(S) of a term of squares or powers, and its derivative.
inline double form_value(const Term& term, double s) {
  if (term.form == TermForm::square) return s * s;
  return std::pow(std::abs(s) >= least_sum ? std::abs(s) : least_sum, term.power);
}
inline double form_slope(const Term& term, double s) {
  if (term.form == TermForm::square) return 2 * s;
  return std::abs(s) >= least_sum ? term.power * form_value(term, s) / s : 0;
}

/// The number whose square is phi(S), and its derivative: a row of the sum of squares.
inline double row_value(const Term& term, double s) {
  return term.form == TermForm::square ? s : std::sqrt(form_value(term, s));
}
inline double row_slope(const Term& term, double s) {
  return term.form == TermForm::square ? 1 : form_slope(term, s) / (2 * row_value(term, s));
}

}  // namespace cauchy::detail
