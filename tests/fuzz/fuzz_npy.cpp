// Any bytes as NPY: an array, which writes as bytes that read back to the same bytes, or an Error.
#include <cauchy/base/error.hpp>
#include <cauchy/io/npy.hpp>

#include "fuzz_support.hpp"

namespace {

void check_round_trip(const cauchy::Array& array) {
  const std::string bytes = to_npy(array);
  if (to_npy(cauchy::parse_npy(bytes, "again")) != bytes) report("round trip", bytes, "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = bytes_of(data, size);
  try {
    check_round_trip(cauchy::parse_npy(bytes, "fuzz.npy"));
  } catch (const cauchy::Error&) {
  }
  return 0;
}
