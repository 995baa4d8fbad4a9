#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

#include "base/regular_file.hpp"
#include "io/replacement.hpp"

namespace cauchy {
std::string read_file(const std::filesystem::path& path) {
  return detail::read_regular(path, detail::data_limit());
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  return detail::read_regular(path, max_bytes);
}

struct AtomicFile::State {
  State(const std::filesystem::path& path, Links links)
      : replacement(path, links),
        file(::open(replacement.temporary().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)) {
    if (file.get() < 0) detail::throw_system_error("write", path, errno);
  }
  detail::FileReplacement replacement;
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
