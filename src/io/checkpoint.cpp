#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/files.hpp>

#include "io/crc32c.hpp"
#include "io/nearest_name.hpp"
#include "io/raw_bytes.hpp"

namespace cauchy {
namespace {

constexpr std::string_view kMagic = "CAUCHYCP";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kArray = 1, kNumber = 2, kText = 3;
constexpr std::size_t kSizeOffset = 16, kHeadSize = 28;
constexpr std::uint32_t kMaxAxes = 32;

void append_block(std::string& out, std::uint32_t kind, const std::string& name,
                  const std::vector<std::size_t>& shape, std::string_view content) {
  if (name.size() > std::numeric_limits<std::uint32_t>::max() || shape.size() > kMaxAxes)
    throw Error(fmt::format("name or shape of '{:.40}' is too long", name), "[io.checkpoint]");
  const std::size_t begin = out.size();
  detail::append_raw(out, kind);
  detail::append_raw(out, static_cast<std::uint32_t>(name.size()));
  detail::append_raw(out, static_cast<std::uint32_t>(shape.size()));
  detail::append_raw(out, static_cast<std::uint64_t>(content.size()));
  for (const std::size_t n : shape) detail::append_raw(out, static_cast<std::uint64_t>(n));
  out += name;
  detail::append_raw(out, detail::crc32c(std::string_view(out).substr(begin)));
  out += content;
  detail::append_raw(out, detail::crc32c(content));
}

std::string_view raw_bytes(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

// Takes pieces from the front of the bytes; a piece that is not there is an Error.
class Cursor final {
 public:
  Cursor(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void fail(std::string_view message) const {
    throw Error(ErrorKind::file, message, name_, "use an older checkpoint");
  }
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - position_) fail("checkpoint is damaged: a block is cut off");
    const std::string_view piece = bytes_.substr(position_, static_cast<std::size_t>(size));
    position_ += piece.size();
    return piece;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  void check_crc(std::size_t begin, std::string_view what) {
    const std::string_view covered = bytes_.substr(begin, position_ - begin);
    if (number<std::uint32_t>() != detail::crc32c(covered))
      fail(fmt::format("checkpoint is damaged: wrong checksum of {}", what));
  }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }

 private:
  std::string_view bytes_, name_;
  std::size_t position_ = 0;
};

void read_block(Cursor& cursor, Checkpoint& checkpoint) {
  const std::size_t begin = cursor.position();
  const auto kind = cursor.number<std::uint32_t>();
  const auto name_size = cursor.number<std::uint32_t>();
  const auto rank = cursor.number<std::uint32_t>();
  const auto content_size = cursor.number<std::uint64_t>();
  const std::string_view sizes = cursor.take(std::uint64_t{rank} * 8);
  const std::string name(cursor.take(name_size));
  cursor.check_crc(begin, "a name");
  const std::size_t content_begin = cursor.position();
  const std::string_view content = cursor.take(content_size);
  cursor.check_crc(content_begin, fmt::format("'{}'", name));

  bool is_new = false, is_sound = rank == 0;
  if (kind == kArray && rank <= kMaxAxes) {
    Array array;
    for (std::size_t k = 0; k < rank; ++k) {
      std::uint64_t n = 0;
      std::memcpy(&n, sizes.data() + 8 * k, 8);
      array.shape.push_back(static_cast<std::size_t>(n));
    }
    is_sound = content.size() % sizeof(double) == 0 &&
               shape_size(array.shape, name) == content.size() / sizeof(double);
    if (is_sound && !content.empty()) {
      array.values.resize(content.size() / sizeof(double));
      std::memcpy(array.values.data(), content.data(), content.size());
    }
    is_new = checkpoint.arrays.emplace(name, std::move(array)).second;
  } else if (kind == kNumber && content.size() == sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, content.data(), sizeof value);
    is_new = checkpoint.numbers.emplace(name, value).second;
  } else if (kind == kText) {
    is_new = checkpoint.texts.emplace(name, content).second;
  }
  if (!is_new || !is_sound)
    cursor.fail(fmt::format("checkpoint is malformed: block '{}' makes no sense", name));
}

template <class Map>
const auto& entry(const Map& map, std::string_view name, std::string_view what) {
  const auto found = map.find(std::string(name));
  if (found != map.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, value] : map) known.push_back(key);
  throw Error(ErrorKind::not_found, fmt::format("there is no entry '{}' among the {}", name, what),
              "[io.checkpoint]", detail::nearest_name_hint(name, known, what));
}

}  // namespace

const Array& Checkpoint::array(std::string_view name) const {
  return entry(arrays, name, "arrays");
}
std::uint64_t Checkpoint::number(std::string_view name) const {
  return entry(numbers, name, "numbers");
}
const std::string& Checkpoint::text(std::string_view name) const {
  return entry(texts, name, "texts");
}

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  const std::size_t n_blocks =
      checkpoint.arrays.size() + checkpoint.numbers.size() + checkpoint.texts.size();
  std::string out(kMagic);
  detail::append_raw(out, kVersion);
  detail::append_raw(out, static_cast<std::uint32_t>(n_blocks));
  out.resize(kHeadSize);  // the size and the checksum come last
  for (const auto& [name, array] : checkpoint.arrays) {
    check_array(array, "[io.checkpoint]");
    append_block(out, kArray, name, array.shape,
                 raw_bytes(array.values.data(), array.values.size() * sizeof(double)));
  }
  for (const auto& [name, value] : checkpoint.numbers)
    append_block(out, kNumber, name, {}, raw_bytes(&value, sizeof value));
  for (const auto& [name, text] : checkpoint.texts) append_block(out, kText, name, {}, text);

  const std::uint64_t size = out.size();
  std::memcpy(out.data() + kSizeOffset, &size, sizeof size);
  const std::uint32_t crc = detail::crc32c(std::string_view(out).substr(0, kHeadSize - 4));
  std::memcpy(out.data() + kHeadSize - 4, &crc, sizeof crc);
  return out;
}

Checkpoint parse_checkpoint(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with(kMagic)) throw Error(ErrorKind::file, "not a checkpoint", name);
  Cursor cursor(bytes, name);
  if (bytes.size() < kHeadSize) cursor.fail("checkpoint is cut off");
  cursor.take(kMagic.size());
  const auto version = cursor.number<std::uint32_t>();
  const auto n_blocks = cursor.number<std::uint32_t>();
  const auto size = cursor.number<std::uint64_t>();
  cursor.check_crc(0, "the head");
  if (version != kVersion)
    throw Error(
        ErrorKind::unsupported,
        fmt::format("checkpoint has version {}, this program reads version {}", version, kVersion),
        name);
  if (size > bytes.size())
    cursor.fail(fmt::format("checkpoint is cut off: {} of {} bytes", bytes.size(), size));
  if (size < bytes.size()) cursor.fail("checkpoint is damaged: it is longer than it says");
  Checkpoint checkpoint;
  for (std::uint32_t i = 0; i < n_blocks; ++i) read_block(cursor, checkpoint);
  if (!cursor.at_end()) cursor.fail("checkpoint is malformed: bytes after the last block");
  return checkpoint;
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  write_file_atomically(path, checkpoint_bytes(checkpoint), Durable::yes, Links::refuse);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  return parse_checkpoint(read_file(path), path.string());
}

}  // namespace cauchy
