#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace cauchy::detail {

/// A file descriptor that closes itself.
class Descriptor final {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  /// The descriptor, no longer ours to close.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  int close() noexcept;

 private:
  int fd_;
};

/// Throws Error("cannot <what>: <text of the system error>", path) with a hint where there is one.
[[noreturn]] void throw_system_error(std::string_view what, const std::filesystem::path& path,
                                     int code);

/// The most bytes that data of one file may take in memory: half of the machine's.
[[nodiscard]] std::size_t data_limit() noexcept;

/// The most bytes that the numbers of a compressed file may take: 256 MiB and a hundred times the
/// file, within data_limit(). What claims more is damaged or a bomb.
[[nodiscard]] std::size_t inflated_limit(std::size_t file_bytes) noexcept;

/// Throws Error at place when numbers do not fit into data_limit().
void require_numbers_fit(std::size_t n_numbers, std::string_view place);

struct RegularFile {
  Descriptor descriptor;
  std::size_t size;  ///< when it was opened
};

/// Opens a regular file for reading, and never waits.
///   error    throws Error with the path: missing, unreadable, a folder, a device, a pipe or a
///            socket (also behind a link; decided on what was opened, so nobody can change it)
[[nodiscard]] RegularFile open_regular(const std::filesystem::path& path);

/// Fills n bytes from a place of a file; false when there are not so many, or it cannot be read.
[[nodiscard]] bool read_at(const Descriptor& file, void* to, std::size_t n, std::uint64_t offset);

/// The bytes of a regular file, to its end should it grow meanwhile.
///   error    as open_regular, and more than max_bytes: before reading where the size says so
[[nodiscard]] std::string read_regular(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace cauchy::detail
