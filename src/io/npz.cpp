#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>

#include "base/regular_file.hpp"
#include "io/npy_header.hpp"
#include "io/replacement.hpp"

namespace cauchy {
namespace {

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

[[noreturn]] void throw_bomb(const std::string& place) {
  throw Error(ErrorKind::memory, "the arrays take far more memory than the file has bytes", place,
              "save them without compression, or mend the file");
}

// bytes_left: what the rest of the archive may take.
std::string read_member(zip_t* archive, zip_uint64_t index, const std::string& place,
                        std::size_t bytes_left) {
  const auto fail = [&](std::string_view what, std::string_view hint = {}) {
    throw Error(ErrorKind::file, fmt::format("cannot read: {}", what), place, hint);
  };
  zip_stat_t about;
  zip_stat_init(&about);
  if (zip_stat_index(archive, index, 0, &about) != 0) fail(zip_strerror(archive));
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((about.valid & needed) != needed) fail("its size is not told", "the file is damaged");
  if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
    fail("only stored and deflated arrays are known", "save it with numpy.savez");
  if (about.size > bytes_left) throw_bomb(place);
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive, index, 0));
  if (!file) fail(zip_strerror(archive));
  // Grows with what is really there: the size that the archive claims may be wrong.
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 18);
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), piece.data(), piece.size());
    if (got < 0) fail(zip_file_strerror(file.get()), "the file is damaged");
    if (got == 0) return bytes;
    if (static_cast<zip_uint64_t>(got) > about.size - bytes.size())
      fail("it is longer than it says", "the file is damaged");
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::map<std::string, Array> read_npz(const std::filesystem::path& path) {
  detail::RegularFile file = detail::open_regular(path);
  std::size_t bytes_left = detail::inflated_limit(file.size);
  int code = 0;
  const Archive archive(zip_fdopen(file.descriptor.get(), ZIP_CHECKCONS, &code));
  if (!archive)
    throw Error(ErrorKind::file, fmt::format("not an NPZ file: {}", error_text(code)),
                path.string());
  static_cast<void>(file.descriptor.release());  // the archive has closed it

  std::map<std::string, Array> arrays;
  const auto n_members = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  for (zip_uint64_t i = 0; i < n_members; ++i) {
    const char* const member = zip_get_name(archive.get(), i, ZIP_FL_ENC_GUESS);
    if (member == nullptr)
      throw Error(ErrorKind::file, fmt::format("cannot read: {}", zip_strerror(archive.get())),
                  path.string());
    std::string name = member;
    const std::string place = fmt::format("{}:{}", path.string(), name);
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    const std::string bytes = read_member(archive.get(), i, place, bytes_left);
    const std::size_t n = shape_size(detail::parse_npy_header(bytes, place).shape, place);
    if (n > bytes_left / sizeof(double)) throw_bomb(place);
    bytes_left -= n * sizeof(double);
    Array array = parse_npy(bytes, place);
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
  detail::FileReplacement replacement(path);
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
