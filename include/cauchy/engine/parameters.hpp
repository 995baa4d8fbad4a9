#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>

namespace cauchy {

/// A stretch of a flat parameter vector and what it is, for initialisation and for people. The
/// blocks of a network follow one another without gaps; they know nothing of the network itself.
struct ParameterBlock {
  enum class Role : std::uint8_t { weight, bias, scale, shift, constant };
  std::string name;
  Role role;
  std::ptrdiff_t offset = 0;
  int rows = 1, cols = 1;  ///< a weight maps cols inputs to rows outputs
  int groups = 1;          ///< that many matrices, rows / groups x cols, one below the other
  double initial = 0;      ///< of scales, shifts and constants
  /// Standard deviation of the first values around it; of a weight: 0: as the initialisation says.
  double spread = 0;
  /// The weight (number of its block) whose rows start divided by exp of these numbers; -1: none.
  int divides = -1;
  /// The weight (number of its block) whose rows have these norms at the start; -1: none.
  int norms = -1;
  double bound =
      0;  ///< the network asks for first values uniform in [-bound, bound]; 0: it does not
  std::vector<double> first = {};  ///< these are the first values, whatever is asked; empty: drawn

  // Where a weight stands; a bias belongs to the weight before it.
  bool first_layer = false;  ///< no other weight comes before it
  bool activated = false;    ///< an activation follows, perhaps behind a trainable scale or shift
  Activation after = Activation::identity;  ///< that activation

  [[nodiscard]] std::ptrdiff_t size() const noexcept {
    return static_cast<std::ptrdiff_t>(rows) * cols;
  }
};

}  // namespace cauchy
