#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>

#include "base/memory_sources.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_memory {
namespace {

namespace fs = std::filesystem;

/// Folders like /proc and /sys/fs/cgroup.
struct System {
  TemporaryFolder folder;
  detail::MemorySources sources{folder / "proc", folder / "groups"};
  System() {
    fs::create_directories(sources.proc / "self");
    fs::create_directories(sources.control_groups);
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder / file).parent_path());
    folder.write(file, text);
  }
};

TEST(Memory, OfTheMachineIsThatOfMeminfo) {
  const System system;
  system.write("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable:   400 kB\n");
  const ProcessMemory memory = detail::machine_memory(system.sources);
  EXPECT_EQ(memory.total, 1024000);
  EXPECT_EQ(memory.free, 409600);
}

TEST(Memory, OfNestedGroupsOfVersionTwoIsTheLeastWithCachesCountedAsFree) {
  const System system;
  system.write("proc/self/cgroup", "0::/a/b\n");
  system.write("groups/a/memory.max", "5000\n");
  system.write("groups/a/memory.current", "4000\n");
  system.write("groups/a/memory.stat", "anon 1\ninactive_file 300\n");
  system.write("groups/a/b/memory.max", "max\n");
  system.write("groups/a/b/memory.current", "7\n");
  const ProcessMemory memory = detail::group_memory(system.sources);
  EXPECT_EQ(memory.total, 5000);
  EXPECT_EQ(memory.free, 1300);
}

TEST(Memory, OfAGroupOfVersionOneIsThatOfItsController) {
  const System system;
  system.write("proc/self/cgroup", "5:cpu,memory:/job\n4:cpuset:/\n");
  system.write("groups/memory/job/memory.limit_in_bytes", "900\n");
  system.write("groups/memory/job/memory.usage_in_bytes", "1000\n");
  const ProcessMemory memory = detail::group_memory(system.sources);
  EXPECT_EQ(memory.total, 900);
  EXPECT_EQ(memory.free, 0);  // never negative
}

TEST(Memory, WithoutGroupsIsNotLimitedByThem) {
  const System system;
  EXPECT_TRUE(std::isinf(detail::group_memory(system.sources).free));
}

TEST(Memory, OfALimitedAddressSpaceIsWhatIsNotTaken) {
  const System system;
  system.write("proc/self/statm", "1 1 1 1 1 1 1\n");
  const ProcessMemory memory = detail::address_space(1e9, system.sources);
  EXPECT_EQ(memory.total, 1e9);
  EXPECT_LT(memory.free, 1e9);
  EXPECT_GE(memory.free, 1e9 - 65536);
  EXPECT_EQ(detail::address_space(10, system.sources).free, 0);
}

TEST(Memory, OfThisProcessIsFiniteAndOrdered) {
  const ProcessMemory memory = process_memory();
  EXPECT_GT(memory.total, 1e6);
  EXPECT_TRUE(std::isfinite(memory.total));
  EXPECT_LE(memory.free, memory.total);
}

TEST(Memory, IsPrintedWithTwoDigitsOrMore) {
  EXPECT_EQ(bytes_to_string(0), "0 bytes");
  EXPECT_EQ(bytes_to_string(999), "999 bytes");
  EXPECT_EQ(bytes_to_string(1200), "1.2 kB");
  EXPECT_EQ(bytes_to_string(21.4e9), "21 GB");
  EXPECT_EQ(bytes_to_string(999.7e9), "1 TB");
  EXPECT_EQ(bytes_to_string(9.99e12), "10 TB");
  EXPECT_EQ(bytes_to_string(1.6e22), "16000 EB");
}

TEST(Memory, ThatIsNotThereIsRefusedWithAHint) {
  EXPECT_NO_THROW(require_memory(63e6, "the table", "use fewer rows"));
  for (const double bytes :
       {1e18, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(require_memory(bytes, "the table", "use fewer rows"), Error) << bytes;
  }
  const std::string message = message_of([] {
    require_memory(1e18, "the table", "use fewer rows", "[here]");
    return 0;
  });
  EXPECT_NE(message.find("[here]: the table would take 1 EB of memory, "), std::string::npos)
      << message;
  EXPECT_NE(message.find(" are free; use fewer rows"), std::string::npos) << message;
}

}  // namespace
}  // namespace cauchy::test_memory
