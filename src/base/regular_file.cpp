#include "base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>

namespace cauchy::detail {
namespace {

void require_regular(const struct stat& about, const std::filesystem::path& path) {
  const mode_t mode = about.st_mode;
  if (S_ISREG(mode)) return;
  const char* const kind = S_ISDIR(mode)    ? "folder"
                           : S_ISFIFO(mode) ? "pipe"
                           : S_ISSOCK(mode) ? "socket"
                                            : "device";
  throw Error(ErrorKind::file, fmt::format("this is a {}, not a file", kind), path.string(),
              S_ISDIR(mode) ? "name a file in it" : "name a regular file");
}

}  // namespace

int Descriptor::close() noexcept {
  const int result = fd_ >= 0 ? ::close(fd_) : 0;
  fd_ = -1;
  return result;
}

void throw_system_error(std::string_view what, const std::filesystem::path& path, int code) {
  std::string_view hint;
  if (code == ENOSPC || code == EDQUOT) hint = "free some space, or write elsewhere";
  if (code == EACCES || code == EPERM || code == EROFS)
    hint = "check the permissions of the file and of its folder";
  throw Error(ErrorKind::file,
              fmt::format("cannot {}: {}", what, std::generic_category().message(code)),
              path.string(), hint);
}

std::size_t data_limit() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::size_t{1} << 32;
  return static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(size);
}

std::size_t inflated_limit(std::size_t file_bytes) noexcept {
  constexpr std::size_t free = std::size_t{1} << 28, ratio = 100;
  const std::size_t most = data_limit();
  return std::min(most, free + std::min(file_bytes, most / ratio) * ratio);
}

void require_numbers_fit(std::size_t n_numbers, std::string_view place) {
  const std::size_t most = data_limit();
  if (n_numbers <= most / sizeof(double)) return;
  throw Error(ErrorKind::memory,
              fmt::format("{} numbers take more than half of the memory, {}", n_numbers,
                          bytes_to_string(static_cast<double>(most))),
              place, "give a part of the data");
}

RegularFile open_regular(const std::filesystem::path& path) {
  struct stat about {};
  // Looked at before it is opened, since opening a device may do something.
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT)
      throw Error(ErrorKind::file, "file does not exist", path.string(),
                  "check the name and the folder");
    throw_system_error("read", path, errno);
  }
  require_regular(about, path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) throw_system_error("read", path, errno);
  require_regular(about, path);
  return {std::move(file), static_cast<std::size_t>(std::max<off_t>(about.st_size, 0))};
}

bool read_at(const Descriptor& file, void* to, std::size_t n, std::uint64_t offset) {
  char* bytes = static_cast<char*>(to);
  while (n > 0) {
    // An offset that is no off_t becomes negative, which the system refuses.
    const ssize_t got = ::pread(file.get(), bytes, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    n -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
  return true;
}

std::string read_regular(const std::filesystem::path& path, std::size_t max_bytes) {
  const RegularFile file = open_regular(path);
  const auto too_large = [&](std::string_view hint) {
    return Error(ErrorKind::file,
                 fmt::format("file is larger than the limit of {}",
                             bytes_to_string(static_cast<double>(max_bytes))),
                 path.string(), hint);
  };
  if (file.size > max_bytes) throw too_large("cut it into smaller ones");
  try {
    // The size is only a first guess: files that grow, and those of /proc, have another. One byte
    // more than expected lets an ordinary file end without a second allocation.
    std::string bytes(file.size + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
      if (filled == bytes.size()) bytes.resize(bytes.size() * 2 + 4096);
      const ssize_t got =
          ::read(file.descriptor.get(), bytes.data() + filled, bytes.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_system_error("read", path, errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
      if (filled > max_bytes) throw too_large("it grew while it was read");
    }
    bytes.resize(filled);
    return bytes;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory, "the file does not fit into memory", path.string());
  }
}

}  // namespace cauchy::detail
