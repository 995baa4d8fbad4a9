#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cauchy {

/// The bytes of a regular file; never waits.
///   error    throws Error with the path: missing, unreadable, a folder, a device, a pipe or a
///            socket (also behind a link), or more than max_bytes (half of the machine's memory)
std::string read_file(const std::filesystem::path& path);
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Whether a file that was written must survive a loss of power (fsync before the renaming), or
/// only the end of the program.
enum class Durable : bool { no, yes };

/// Whether a symbolic link at the end of a path is followed, so that the file it names is replaced,
/// or refused.
enum class Links : bool { follow, refuse };

/// A file that appears under its name complete or not at all: the bytes go to a temporary file in
/// the same folder, and commit() renames it. A file that stood there before stays until then.
///   error    throws Error with the path and the reason: folder missing, no permission, is a
///            directory, a device or (with Links::refuse) a symbolic link, no space left
class AtomicFile final {
 public:
  explicit AtomicFile(const std::filesystem::path& path, Links links = Links::follow);
  /// Without commit(), the temporary file is removed.
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  /// Appends bytes, unbuffered: pass large pieces.
  void write(std::string_view bytes);
  /// Puts the file under its name. The last call on this object.
  void commit(Durable durable = Durable::no);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// AtomicFile for bytes that are there at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           Durable durable = Durable::no, Links links = Links::follow);

}  // namespace cauchy
