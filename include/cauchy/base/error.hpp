#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cauchy {

/// Misuse of the library: thrown, never printed. what() is one line, "place: message; hint".
///   place    where it happened: "burgers.toml:14:12", "[networks.mlp]" or empty
///   message  what is wrong, one sentence
///   hint     how to mend it, may be empty
class Error final : public std::runtime_error {
 public:
  explicit Error(std::string_view message, std::string_view place = {}, std::string_view hint = {});

  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& place() const noexcept { return place_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string message_, place_, hint_;
};

}  // namespace cauchy
