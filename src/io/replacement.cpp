#include "io/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include <cauchy/base/error.hpp>

#include "io/temporary_name.hpp"

namespace cauchy::detail {
namespace fs = std::filesystem;

FileReplacement::FileReplacement(const fs::path& target, Links links)
    : target_(target), resolved_(target) {
  if (target.empty()) throw Error("cannot write: the file name is empty", "[io]");
  std::error_code ec;
  if (fs::is_symlink(target, ec)) {
    if (links == Links::refuse)
      throw Error(ErrorKind::file, "cannot write: is a symbolic link", target.string(),
                  "remove the link");
    const fs::path followed = fs::weakly_canonical(target, ec);
    if (!ec) resolved_ = followed;
  }
  const fs::file_status status = fs::status(resolved_, ec);
  if (fs::is_directory(status) || !resolved_.has_filename())
    throw Error("cannot write: is a directory", target.string(), "name a file in it");
  // Renaming over a device such as /dev/null would remove it.
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error("cannot write: is not a regular file", target.string());

  fs::path folder = resolved_.parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::exists(folder, ec))
    throw Error(fmt::format("cannot write: folder '{}' does not exist", folder.string()),
                target.string(), "create it, or name another");
  if (!fs::is_directory(folder, ec))
    throw Error(fmt::format("cannot write: '{}' is not a folder", folder.string()),
                target.string());

  for (;;) {
    temporary_ = folder / temporary_name(resolved_.filename().string());
    const int fd = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) {
      ::close(fd);
      return;
    }
    if (errno != EEXIST) throw_system_error("write", target, errno);
  }
}

FileReplacement::~FileReplacement() {
  if (!done_) ::unlink(temporary_.c_str());
}

void FileReplacement::commit() {
  if (::rename(temporary_.c_str(), resolved_.c_str()) != 0)
    throw_system_error("write", target_, errno);
  done_ = true;
}

}  // namespace cauchy::detail
