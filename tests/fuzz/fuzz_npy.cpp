// Any bytes as NPY, and what begins like an archive as NPZ too: arrays, which write as bytes that
// read back to the same bytes, or an Error.
#include <sys/mman.h>
#include <unistd.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>

#include "fuzz_support.hpp"

namespace {

void check_round_trip(const cauchy::Array& array) {
  const std::string bytes = to_npy(array);
  if (to_npy(cauchy::parse_npy(bytes, "again")) != bytes) report("round trip", bytes, "");
}

/// Archives are read from files only; this one is in memory.
void read_archive(std::string_view bytes) {
  const int file = ::memfd_create("fuzz.npz", 0);
  if (file < 0) return;
  if (::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    try {
      for (const auto& [name, array] : cauchy::read_npz("/proc/self/fd/" + std::to_string(file))) {
        check_round_trip(array);
      }
    } catch (const cauchy::Error&) {
    }
  }
  ::close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = bytes_of(data, size);
  if (bytes.starts_with("PK")) read_archive(bytes);
  try {
    check_round_trip(cauchy::parse_npy(bytes, "fuzz.npy"));
  } catch (const cauchy::Error&) {
  }
  return 0;
}
