// Any bytes, as they are and with the checksums mended: a checkpoint, which writes as bytes that
// read back to the same bytes, or an Error.
#include <cstring>

#include <cauchy/base/error.hpp>
#include <cauchy/io/checkpoint.hpp>

#include "fuzz_support.hpp"
#include "io/crc32c.hpp"

namespace {

void check(std::string_view bytes) {
  cauchy::Checkpoint checkpoint;
  try {
    checkpoint = cauchy::parse_checkpoint(bytes, "fuzz");
  } catch (const cauchy::Error&) {
    return;
  }
  const std::string written = checkpoint_bytes(checkpoint);
  const std::string again = checkpoint_bytes(cauchy::parse_checkpoint(written, "again"));
  if (again != written) report("round trip", written, again);
}

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof(T)) {
    std::memcpy(&value, &bytes[at], sizeof(T));
  }
  return value;
}

/// Puts the checksum of [begin, end) behind it; false when there is no room.
bool mend_sum(std::string& bytes, std::size_t begin, std::uint64_t end) {
  if (end > bytes.size() || bytes.size() - end < 4) return false;
  const std::uint32_t sum =
      cauchy::detail::crc32c(std::string_view(bytes).substr(begin, end - begin));
  std::memcpy(&bytes[end], &sum, 4);
  return true;
}

/// Head and blocks as checkpoint.hpp describes them, with the size and the sums that they need.
std::string mended(std::string_view input) {
  std::string bytes(input);
  if (bytes.size() < 28) return bytes;
  const std::uint64_t size = bytes.size();
  std::memcpy(bytes.data(), "CAUCHYCP\1\0\0\0", 12);
  std::memcpy(&bytes[16], &size, 8);
  mend_sum(bytes, 0, 24);
  std::size_t begin = 28;
  for (std::uint32_t block = number_at<std::uint32_t>(bytes, 12); block > 0; --block) {
    const std::uint64_t name = number_at<std::uint32_t>(bytes, begin + 4),
                        axes = number_at<std::uint32_t>(bytes, begin + 8),
                        content = number_at<std::uint64_t>(bytes, begin + 12),
                        names_end = begin + 20 + 8 * axes + name;
    if (!mend_sum(bytes, begin, names_end) || content > size) break;
    const std::uint64_t end = names_end + 4 + content;
    if (!mend_sum(bytes, static_cast<std::size_t>(names_end) + 4, end)) break;
    begin = static_cast<std::size_t>(end) + 4;
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(bytes_of(data, size));
  check(mended(bytes_of(data, size)));
  return 0;
}
