#pragma once

#include <cstddef>
#include <string>

namespace cauchy::detail {

/// Longest text that an expression may be printed as.
inline constexpr std::size_t max_printed_text = 16u << 20;

/// How tightly the outermost operation of a text binds.
enum class Binding { comparison, sum, product, power, atom };

/// A printed part of an expression.
struct TextPiece {
  std::string text;
  Binding binding;
  bool negative = false;  // starts with a minus sign
};

}  // namespace cauchy::detail
