#pragma once

#include <filesystem>

#include <cauchy/base/memory.hpp>

namespace cauchy::detail {

/// Where the system tells about memory; a test puts files of its own there.
struct MemorySources {
  std::filesystem::path proc = "/proc";
  std::filesystem::path control_groups = "/sys/fs/cgroup";
};

/// Of the machine, by meminfo.
[[nodiscard]] ProcessMemory machine_memory(const MemorySources& sources);
/// Of the control groups of this process, all levels.
[[nodiscard]] ProcessMemory group_memory(const MemorySources& sources);
/// Of an address space that is limited to so many bytes.
[[nodiscard]] ProcessMemory address_space(double limit, const MemorySources& sources);

}  // namespace cauchy::detail
