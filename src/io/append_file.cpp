#include "io/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <cauchy/base/error.hpp>

#include "io/replacement.hpp"

namespace cauchy::detail {
namespace {
constexpr std::size_t kBuffer = std::size_t{1} << 16;
}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, bool keep) : path_(path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  fd_ = ::open(path.c_str(), flags | (keep ? 0 : O_TRUNC), 0666);
  if (fd_ < 0 && errno == ELOOP)
    throw Error(ErrorKind::file, "cannot write: is a symbolic link", path.string(),
                "remove the link");
  if (fd_ < 0) throw_system_error("write", path, errno);
  struct stat about {};
  had_bytes_ = ::fstat(fd_, &about) == 0 && about.st_size > 0;
}

AppendFile::~AppendFile() {
  try_flush();
  ::close(fd_);
}

void AppendFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

int AppendFile::try_flush() noexcept {
  std::string_view rest = buffer_;
  int code = 0;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      code = errno;
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  buffer_.erase(0, buffer_.size() - rest.size());
  return code;
}

void AppendFile::flush() {
  if (const int code = try_flush(); code != 0) throw_system_error("write", path_, code);
}

}  // namespace cauchy::detail
