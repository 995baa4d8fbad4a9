// Any bytes as the answer of the process that reads HDF5 files: names, arrays and words, or an
// Error. The library in that process is not ours to fuzz: what it does to itself ends there.
#include <cstring>

#include <cauchy/base/error.hpp>

#include "fuzz_support.hpp"
#include "io/hdf5_stream.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = bytes_of(data, size);
  const auto read = [&](void* to, std::size_t n) {
    if (n > bytes.size()) return false;
    std::memcpy(to, bytes.data(), n);
    bytes.remove_prefix(n);
    return true;
  };
  // The file is one of 100 bytes.
  const auto stored = [](void* to, std::size_t n, std::uint64_t offset) {
    if (offset > 100 || n > 100 - offset) return false;
    std::memset(to, 0, n);
    return true;
  };
  constexpr std::size_t most = std::size_t{1} << 20;
  try {
    const cauchy::detail::Hdf5Answer answer =
        cauchy::detail::receive_hdf5(read, stored, most, "fuzz.h5");
    for (const auto& [name, array] : answer.data.arrays) check_array(array, name);
  } catch (const cauchy::Error&) {
  }
  return 0;
}
