#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace cauchy {

/// What this process may take: the least of what the machine, its control groups (version 1 or 2)
/// and its limit of address space allow; infinite where nothing is known.
struct ProcessMemory {
  double total = std::numeric_limits<double>::infinity();  ///< bytes, with what is taken already
  double free = std::numeric_limits<double>::infinity();   ///< bytes that are left now
};
/// Reads a few small files of the system: some 50 us.
[[nodiscard]] ProcessMemory process_memory();

/// "21 GB", "1.2 TB", "512 MB": powers of 1000, two digits or more.
[[nodiscard]] std::string bytes_to_string(double bytes);

/// To be called before a large allocation, with a size that cannot overflow.
///   bytes    less than 64 MB are never refused; infinite and NaN always are
///   what     the subject of the sentence: "the run", "the table of points"
///   hint     how to need less
///   error    throws Error (ErrorKind::memory): "the run would take 1.2 TB of memory, 21 GB
///            are free"
void require_memory(double bytes, std::string_view what, std::string_view hint,
                    std::string_view place = {});

}  // namespace cauchy
