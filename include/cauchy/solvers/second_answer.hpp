#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/solvers/method.hpp>

namespace cauchy {

/// An independent second answer of a method that trains, and how far it is from the first: an
/// estimate of the error where no classical method can make one. It sees errors of training, of
/// points and of the random start; not those that both answers share, as a wrong equation or a
/// feature that no network of this kind follows.
struct SecondAnswer {
  /// Of every field: the disagreement times `factor`, an estimate of the first answer's error.
  std::vector<FieldError> fields;
  double relative_l2 = std::numeric_limits<double>::quiet_NaN();  ///< of the worst field
  /// Of every unknown constant: |first - second| / |first| times `factor`.
  std::map<std::string, double> unknowns_disagreement;
  /// From disagreement to error of the first answer: 1 / (1 + q^2 - q)^(1/2) with the ratio q of
  /// the residuals of the second answer to those of the first, on fresh points and between 1/2 and
  /// 2. It is |e1| / |e1 - e2| for errors |e2| = q |e1| with the correlation 1/2, about that of
  /// trainings of one problem (docs/trust/bounds.md); without any it would be (1 + q^2)^(-1/2).
  double factor = 1, ratio = 1;
  std::string how;  ///< one sentence: what was changed, and the numbers
  bool interrupted =
      false;  ///< the second training did not reach its end: the estimate is too large
};

/// Trains again with another seed, another width (a quarter more), and other points, and compares
/// the answers at about 2,000 uniform points of the domain.
///   options  as those of the first run; a checkpoint and a target are left out
///   share    of the steps, and of max_seconds, of the first training
///   returns  none for a method that does not train, and for an answer that is not finite
///   error    as prepare(); throws Error unless 0 < share <= 1
///   cost     share times that of the first answer
[[nodiscard]] std::optional<SecondAnswer> second_answer(const Solution& solution,
                                                        const Method& method,
                                                        const RunOptions& options,
                                                        double share = 1.0);

/// The method of the second answer: what second_answer() trains.
///   changes  gets one phrase for every change
[[nodiscard]] std::optional<Method> second_method(const Problem& problem, const Method& method,
                                                  double share, std::vector<std::string>* changes);

/// Compares two answers to the same problem; second_answer() without the training.
[[nodiscard]] SecondAnswer compare_answers(const Solution& first, const Solution& second);

}  // namespace cauchy
