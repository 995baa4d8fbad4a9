#include "io/temporary_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

namespace cauchy::detail {
namespace {

/// Removes ".123" from the end; false when that is not there.
bool cut_number(std::string_view& name) noexcept {
  const std::size_t dot = name.find_last_not_of("0123456789");
  if (dot == std::string_view::npos || name[dot] != '.' || dot + 1 == name.size()) return false;
  name = name.substr(0, dot);
  return true;
}

}  // namespace

std::string temporary_name(std::string_view file) {
  static std::atomic<unsigned> counter{0};
  return fmt::format(".{}.{}.{}.tmp", file, ::getpid(), counter.fetch_add(1));
}

std::string_view target_of_temporary(std::string_view name) noexcept {
  constexpr std::string_view end = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(end)) return {};
  name = name.substr(1, name.size() - 1 - end.size());
  return cut_number(name) && cut_number(name) ? name : std::string_view{};
}

}  // namespace cauchy::detail
