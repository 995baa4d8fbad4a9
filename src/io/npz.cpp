#include <fmt/format.h>
#include <zip.h>

#include <memory>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>

#include "io/replacement.hpp"

namespace cauchy {
namespace {

// A few megabytes can inflate to a thousand times as much; beyond this it is no data set.
constexpr std::size_t kLargest = std::size_t{1} << 34;

struct CloseFile {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
struct Discard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

std::string error_text(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

std::string read_member(zip_t* archive, zip_uint64_t index, const std::string& place) {
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive, index, 0));
  if (!file)
    throw Error(ErrorKind::file, fmt::format("cannot read: {}", zip_strerror(archive)), place);
  // Grows with what is really there: the size that the archive claims may be wrong.
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 18);
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), piece.data(), piece.size());
    if (got < 0)
      throw Error(ErrorKind::file, fmt::format("cannot read: {}", zip_file_strerror(file.get())),
                  place, "the file is damaged");
    if (got == 0) return bytes;
    if (bytes.size() > kLargest)
      throw Error(ErrorKind::memory, "array is larger than 16 GiB", place);
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::map<std::string, Array> read_npz(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    throw Error(ErrorKind::file, "file does not exist", path.string(),
                "check the name and the folder");
  if (std::filesystem::is_directory(path, ec))
    throw Error(ErrorKind::file, "cannot read: is a directory", path.string());
  int code = 0;
  const Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!archive)
    throw Error(ErrorKind::file, fmt::format("not an NPZ file: {}", error_text(code)),
                path.string());

  std::map<std::string, Array> arrays;
  const auto n = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  for (zip_uint64_t i = 0; i < n; ++i) {
    const char* const member = zip_get_name(archive.get(), i, ZIP_FL_ENC_GUESS);
    if (member == nullptr)
      throw Error(ErrorKind::file, fmt::format("cannot read: {}", zip_strerror(archive.get())),
                  path.string());
    std::string name = member;
    const std::string place = fmt::format("{}:{}", path.string(), name);
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    Array array = parse_npy(read_member(archive.get(), i, place), place);
    if (!arrays.emplace(std::move(name), std::move(array)).second)
      throw Error(ErrorKind::file, "array occurs twice", place);
  }
  return arrays;
}

void write_npz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
               Compression compression) {
  std::vector<std::string> names, contents;  // must outlive zip_close
  for (const auto& [name, array] : arrays) {
    if (name.empty() || name.find('\0') != std::string::npos)
      throw Error("array name must not be empty or contain a zero byte", path.string());
    names.push_back(name + ".npy");
    contents.push_back(to_npy(array));
  }
  if (arrays.empty()) {
    // libzip makes no archive without members; this is the end record of one.
    write_file_atomically(path, std::string("PK\x05\x06", 4) + std::string(18, '\0'));
    return;
  }
  detail::Replacement replacement(path);
  int code = 0;
  Archive archive(zip_open(replacement.temporary().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive)
    throw Error(ErrorKind::file, fmt::format("cannot write: {}", error_text(code)), path.string());
  const auto fail = [&] {
    throw Error(ErrorKind::file, fmt::format("cannot write: {}", zip_strerror(archive.get())),
                path.string());
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    zip_source_t* const source =
        zip_source_buffer(archive.get(), contents[i].data(), contents[i].size(), 0);
    if (source == nullptr) fail();
    const zip_int64_t index =
        zip_file_add(archive.get(), names[i].c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail();
    }
    const auto at = static_cast<zip_uint64_t>(index);
    const auto method = compression == Compression::none ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    constexpr zip_uint16_t kFirstOfJanuary1980 = 0x21;
    if (zip_set_file_compression(archive.get(), at, method, 0) != 0 ||
        zip_file_set_dostime(archive.get(), at, 0, kFirstOfJanuary1980, 0) != 0)
      fail();
  }
  if (zip_close(archive.get()) != 0) fail();
  static_cast<void>(archive.release());
  replacement.commit();
}

}  // namespace cauchy
