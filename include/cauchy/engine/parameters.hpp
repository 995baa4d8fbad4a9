#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
  double initial = 0;      ///< of scales, shifts and constants
  double spread = 0;       ///< standard deviation of the first values around it
  /// The weight (number of its block) whose rows start divided by exp of these numbers; -1: none.
  int divides = -1;
  /// The weight (number of its block) whose rows have these norms at the start; -1: none.
  int norms = -1;

  // Where a weight stands; a bias belongs to the weight before it.
  bool first_layer = false;  ///< no other weight comes before it
  bool activated = false;    ///< an activation follows, perhaps behind a trainable scale or shift
  Activation after = Activation::identity;  ///< that activation

  [[nodiscard]] std::ptrdiff_t size() const noexcept {
    return static_cast<std::ptrdiff_t>(rows) * cols;
  }
};

}  // namespace cauchy
