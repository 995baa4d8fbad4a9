#include "files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "base/regular_file.hpp"

namespace cauchy::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lock_mark = "cauchy run, ";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown machine";
}

/// The first bytes of an open file, without moving in it.
std::string first_bytes(int fd) {
  std::array<char, 400> bytes{};
  const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), 0);
  return {bytes.data(), static_cast<std::size_t>(n > 0 ? n : 0)};
}

bool has_no_locks(int code) {
  return code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS || code == EINVAL;
}

/// flock, without waiting: 0 or the code of the system error.
int try_lock(int fd) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

FolderLock::FolderLock(fs::path file, int fd, bool made_file, bool locked)
    : file_(std::move(file)), fd_(fd), made_file_(made_file), locked_(locked) {}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)),
      fd_(std::exchange(other.fd_, -1)),
      made_file_(other.made_file_),
      locked_(other.locked_) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  file_ = std::move(other.file_);
  fd_ = std::exchange(other.fd_, -1);
  made_file_ = other.made_file_;
  locked_ = other.locked_;
  return *this;
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() noexcept {
  if (fd_ < 0) return;
  // Removed while it is held: who opens it now finds a file without a name, and tries again.
  ::unlink(file_.c_str());
  ::close(fd_);
  fd_ = -1;
}

std::optional<FolderLock> FolderLock::take(const fs::path& folder) {
  const fs::path file = fs::absolute(folder) / file_name;  // also for a process that moves
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  for (;;) {
    int fd = ::open(file.c_str(), flags | O_CREAT | O_EXCL, 0666);
    const bool made = fd >= 0;
    if (!made && errno == EEXIST) {
      fd = ::open(file.c_str(), flags);
      if (fd < 0 && errno == ENOENT) continue;  // let go of in between
    }
    const auto foreign = [&](std::string_view what) {
      return Error(ErrorKind::file, what, file.string(), "remove it, or choose another folder");
    };
    if (fd < 0 && errno == ELOOP) throw foreign("cannot write: is a symbolic link");
    if (fd < 0) throw_system_error("write", folder, errno);
    FolderLock lock(file, fd, made, false);
    struct stat about {};
    const auto give_up = [&] { ::close(std::exchange(lock.fd_, -1)); };  // the file stays
    const std::string text = first_bytes(fd);
    if (!made && (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
                  (!text.empty() && !text.starts_with(lock_mark)))) {
      give_up();
      throw foreign("is not the lock of a run");
    }
    const int code = try_lock(fd);
    if (code != 0 && !has_no_locks(code)) {
      give_up();
      if (code == EWOULDBLOCK) return std::nullopt;
      throw_system_error("lock", folder, code);
    }
    lock.locked_ = code == 0;
    if (::fstat(fd, &about) == 0 && about.st_nlink == 0) {
      give_up();
      continue;
    }
    const std::string who = fmt::format("{}process {} on {}\n", lock_mark, ::getpid(), host_name());
    // Only for people: a full disk is told by the files that matter.
    if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, who.data(), who.size(), 0);
    return lock;
  }
}

std::string FolderLock::holder(const fs::path& folder) {
  const int fd =
      ::open((folder / file_name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  std::string text = fd < 0 ? std::string() : first_bytes(fd);
  if (fd >= 0) ::close(fd);
  if (!text.starts_with(lock_mark)) return "another process";
  text = text.substr(lock_mark.size());
  return text.substr(0, text.find('\n'));
}

}  // namespace cauchy::detail
