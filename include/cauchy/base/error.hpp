#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cauchy {

/// What a caller may decide by; never decide by the text of a message.
enum class ErrorKind : std::uint8_t {
  misuse,       ///< the caller's mistake: a value out of range, a call out of order
  syntax,       ///< a text that cannot be read: an expression, a problem file
  unsupported,  ///< well formed, but this method or rule cannot treat it; another one may
  not_found,    ///< a name, an entry or a value is not there, a set is empty
  file,         ///< a file that is missing, damaged or cannot be written
  memory,       ///< does not fit into memory
  interrupted,  ///< its limit came first: a wish to stop, seconds, counted work
};

/// Name of a kind: "misuse", "syntax", ...
[[nodiscard]] std::string_view to_string(ErrorKind kind) noexcept;

/// Misuse of the library and what it cannot do: thrown, never printed. what() is one line,
/// "place: message; hint".
///   place    where it happened: "burgers.toml:14:12", "[networks.mlp]" or empty
///   message  what is wrong, one sentence
///   hint     how to mend it, may be empty
class Error final : public std::runtime_error {
 public:
  explicit Error(std::string_view message, std::string_view place = {}, std::string_view hint = {})
      : Error(ErrorKind::misuse, message, place, hint) {}
  Error(ErrorKind kind, std::string_view message, std::string_view place = {},
        std::string_view hint = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& place() const noexcept { return place_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

  /// The same error at a place that the caller knows better.
  [[nodiscard]] Error at(std::string_view place) const { return {kind_, message_, place, hint_}; }

 private:
  ErrorKind kind_;
  std::string message_, place_, hint_;
};

}  // namespace cauchy
