#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

std::string sentence(std::string_view message, std::string_view place, std::string_view hint) {
  return fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", message,
                     hint.empty() ? "" : "; ", hint);
}

}  // namespace

Error::Error(std::string_view message, std::string_view place, std::string_view hint)
    : std::runtime_error(sentence(message, place, hint)),
      message_(message),
      place_(place),
      hint_(hint) {}

}  // namespace cauchy
