#pragma once

#include <string_view>

#include <cauchy/base/options.hpp>
#include <cauchy/expr/parse.hpp>

#include "expr/lexer.hpp"

namespace cauchy::detail {

/// A text of the form name(key = value, ...), or the name alone. Values are numbers and expressions
/// of numbers, words, true and false, and lists of numbers in square brackets.
///   error    throws Error with line and column
class CallText final {
 public:
  /// One key and its value; the text must outlive it.
  struct Argument {
    std::string_view key, value;
    Position key_at, value_at;
  };

  CallText(std::string_view text, const TextPlace& place);

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// "file:line:column" of the name.
  [[nodiscard]] std::string place() const { return place_of(name_at_); }
  [[nodiscard]] std::string place_of(Position at) const;
  [[nodiscard]] const std::vector<Argument>& arguments() const noexcept { return arguments_; }
  [[nodiscard]] TextPlace place_in_text(Position at) const;

  /// Reads the arguments into an aggregate.
  ///   error    also for keys that it does not have, with the nearest one, and values out of range
  void read(const OptionVisitor::Part& options) const;

 private:
  std::string source_;
  std::string_view name_;
  Position name_at_;
  std::vector<Argument> arguments_;
};

}  // namespace cauchy::detail
