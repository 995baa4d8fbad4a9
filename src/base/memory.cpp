#include <cauchy/base/memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cauchy/base/error.hpp>

#include "base/memory_sources.hpp"

namespace cauchy {
namespace detail {
namespace {

namespace fs = std::filesystem;

ProcessMemory least_of(const ProcessMemory& a, const ProcessMemory& b) {
  return {std::min(a.total, b.total), std::min(a.free, b.free)};
}

/// The number behind a word at the start of a line, or the first one where the word is empty.
std::optional<double> number_in(const fs::path& file, std::string_view word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(word)) continue;
    std::istringstream rest(line.substr(word.size()));
    if (double value = 0; rest >> value) return value;
    return std::nullopt;  // "max"
  }
  return std::nullopt;
}

/// The names that a version of control groups gives its files.
struct GroupFiles {
  std::string_view limit, used, cache;  ///< cache: a word of memory.stat, space that can be freed
};
constexpr GroupFiles first_version{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_inactive_file "};
constexpr GroupFiles second_version{"memory.max", "memory.current", "inactive_file "};

/// What a group and those around it allow and leave.
ProcessMemory memory_of_group(const fs::path& root, fs::path group, const GroupFiles& files) {
  ProcessMemory least;
  group = group.relative_path();
  while (true) {
    const fs::path folder = root / group;
    const auto limit = number_in(folder / files.limit, "");
    const auto used = number_in(folder / files.used, "");
    if (limit && used) {
      const double cache = number_in(folder / "memory.stat", files.cache).value_or(0);
      least = least_of(least, {*limit, std::max(0.0, *limit - *used + cache)});
    }
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

}  // namespace

ProcessMemory machine_memory(const MemorySources& sources) {
  const fs::path file = sources.proc / "meminfo";
  const auto total = number_in(file, "MemTotal:"), available = number_in(file, "MemAvailable:");
  if (total && available) return {1024 * *total, 1024 * *available};
  // No Linux: better all that is built in than nothing.
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return {};
  const double bytes = static_cast<double>(pages) * static_cast<double>(size);
  return {bytes, bytes};
}

ProcessMemory group_memory(const MemorySources& sources) {
  // Lines "4:memory:/group" of version 1, "0::/group" of version 2.
  ProcessMemory least;
  std::ifstream in(sources.proc / "self" / "cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers =
        fmt::format(",{},", std::string_view(line).substr(first + 1, second - first - 1));
    const fs::path group = line.substr(second + 1), root = sources.control_groups;
    if (controllers == ",,") least = least_of(least, memory_of_group(root, group, second_version));
    if (controllers.find(",memory,") != std::string::npos) {
      least = least_of(least, memory_of_group(root / "memory", group, first_version));
    }
  }
  return least;
}

ProcessMemory address_space(double limit, const MemorySources& sources) {
  const double pages = number_in(sources.proc / "self" / "statm", "").value_or(0);
  return {limit, std::max(0.0, limit - pages * static_cast<double>(sysconf(_SC_PAGESIZE)))};
}

}  // namespace detail

ProcessMemory process_memory() {
  const detail::MemorySources sources;
  ProcessMemory least =
      detail::least_of(detail::machine_memory(sources), detail::group_memory(sources));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const auto bytes = static_cast<double>(limit.rlim_cur);
    least = detail::least_of(least, detail::address_space(bytes, sources));
  }
  return least;
}

std::string bytes_to_string(double bytes) {
  constexpr std::array<std::string_view, 7> units{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(bytes) >= 999.5) {
    bytes /= 1000;
    ++unit;
  }
  // Whole numbers from 10 on, two digits below.
  return std::abs(bytes) >= 9.95 || unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit])
                                              : fmt::format("{:.2g} {}", bytes, units[unit]);
}

void require_memory(double bytes, std::string_view what, std::string_view hint,
                    std::string_view place) {
  if (bytes < 64e6) return;
  const double free = process_memory().free;
  if (bytes <= free && std::isfinite(bytes)) return;
  throw Error(ErrorKind::memory,
              fmt::format("{} would take {} of memory, {} are free", what, bytes_to_string(bytes),
                          bytes_to_string(free)),
              place, hint);
}

}  // namespace cauchy
