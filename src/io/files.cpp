#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

#include "io/replacement.hpp"

namespace cauchy {
namespace detail {

/// A file descriptor that closes itself.
class Descriptor final {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  int close() noexcept {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

}  // namespace detail

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const detail::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT)
      throw Error(ErrorKind::file, "file does not exist", path.string(),
                  "check the name and the folder");
    detail::throw_system_error("read", path, errno);
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) detail::throw_system_error("read", path, errno);
  if (S_ISDIR(about.st_mode))
    throw Error(ErrorKind::file, "cannot read: is a directory", path.string());

  const auto too_large = [&] {
    return Error(ErrorKind::file,
                 fmt::format("file is larger than the limit of {} bytes", max_bytes),
                 path.string());
  };
  const auto expected = static_cast<std::size_t>(std::max<off_t>(about.st_size, 0));
  if (expected > max_bytes) throw too_large();
  // The size is only a first guess: pipes and files that grow have another. One byte more than
  // expected lets an ordinary file end without a second allocation.
  std::string bytes(expected + 1, '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() * 2 + 4096);
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) detail::throw_system_error("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) throw too_large();
  }
  bytes.resize(filled);
  return bytes;
}

struct AtomicFile::State {
  State(const std::filesystem::path& path, Links links)
      : replacement(path, links),
        file(::open(replacement.temporary().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)) {
    if (file.get() < 0) detail::throw_system_error("write", path, errno);
  }
  detail::Replacement replacement;
  detail::Descriptor file;
};

AtomicFile::AtomicFile(const std::filesystem::path& path, Links links)
    : state_(std::make_unique<State>(path, links)) {}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

void AtomicFile::write(std::string_view bytes) {
  if (!state_) throw Error("file was committed before this write", "[io.AtomicFile]");
  while (!bytes.empty()) {
    const ssize_t put = ::write(state_->file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) detail::throw_system_error("write", state_->replacement.target(), errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void AtomicFile::commit(Durable durable) {
  if (!state_) throw Error("file was committed twice", "[io.AtomicFile]");
  const auto& target = state_->replacement.target();
  if (durable == Durable::yes && ::fsync(state_->file.get()) != 0)
    detail::throw_system_error("write", target, errno);
  // Network file systems report a full disk only here.
  if (state_->file.close() != 0) detail::throw_system_error("write", target, errno);
  state_->replacement.commit();
  state_.reset();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           Durable durable, Links links) {
  AtomicFile file(path, links);
  file.write(bytes);
  file.commit(durable);
}

}  // namespace cauchy
