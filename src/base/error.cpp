#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

std::string sentence(std::string_view message, std::string_view place, std::string_view hint) {
  return fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", message,
                     hint.empty() ? "" : "; ", hint);
}

}  // namespace

std::string_view to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::misuse:
      return "misuse";
    case ErrorKind::syntax:
      return "syntax";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::not_found:
      return "not found";
    case ErrorKind::file:
      return "file";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::interrupted:
      return "interrupted";
  }
  return "";
}

Error::Error(ErrorKind kind, std::string_view message, std::string_view place,
             std::string_view hint)
    : std::runtime_error(sentence(message, place, hint)),
      kind_(kind),
      message_(message),
      place_(place),
      hint_(hint) {}

}  // namespace cauchy
