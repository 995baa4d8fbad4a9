// Any bytes as NPZ, as they are and as the one array of a sound archive: arrays or an Error.
#include <sys/mman.h>
#include <unistd.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/npz.hpp>

#include "fuzz_support.hpp"
#include "support/stored_archive.hpp"

namespace {

/// Archives are read from files only; this one is in memory.
void read_archive(std::string_view bytes) {
  const int file = ::memfd_create("fuzz.npz", MFD_CLOEXEC);
  if (file < 0) return;
  if (::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    try {
      (void)cauchy::read_npz("/proc/self/fd/" + std::to_string(file));
    } catch (const cauchy::Error&) {
    }
  }
  ::close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = bytes_of(data, size);
  read_archive(bytes);
  read_archive(cauchy::stored_archive("u.npy", std::string(bytes)));
  return 0;
}
