#include "data/sample_log.hpp"

#include <bit>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "base/regular_file.hpp"
#include "io/append_file.hpp"
#include "io/crc32c.hpp"

namespace cauchy::detail {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view log_magic = "CAUCHYDP";
constexpr std::uint64_t most_head = std::uint64_t{1} << 26;

struct LogHead {
  Checkpoint head;
  std::uint64_t end = 0;  // where the records begin
};

std::optional<LogHead> read_head(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::nullopt;
  const RegularFile file = open_regular(path);
  if (file.size == 0) return std::nullopt;
  char magic[8];
  std::uint64_t length = 0;
  const auto fail = [&] {
    throw Error(ErrorKind::file, "not the parts of a data set", path.string(),
                "remove it, or name another file");
  };
  if (!read_at(file.descriptor, magic, 8, 0) || std::string_view(magic, 8) != log_magic ||
      !read_at(file.descriptor, &length, 8, 8) || length > most_head) {
    fail();
  }
  std::string bytes(length, '\0');
  if (!read_at(file.descriptor, bytes.data(), length, 16)) fail();
  return LogHead{parse_checkpoint(bytes, path.string()), 16 + length};
}

}  // namespace

struct SampleLog::State {
  std::filesystem::path path;
  std::size_t size = 0;
  std::uint64_t begin = 0;  // of the records
  std::optional<AppendFile> file;
  std::string buffer;

  [[nodiscard]] std::size_t record_bytes() const { return 8 + 8 * size + 4; }
};

std::optional<Checkpoint> SampleLog::head_of(const std::filesystem::path& file) {
  if (auto head = read_head(file)) return std::move(head->head);
  return std::nullopt;
}

SampleLog::SampleLog(const std::filesystem::path& file, const Checkpoint& head, std::size_t size)
    : state_(std::make_unique<State>()) {
  state_->path = file;
  state_->size = size;
  if (const auto there = read_head(file)) {
    if (!(there->head == head)) {
      throw Error("the parts that are done belong to another problem or other settings",
                  file.string(), "remove the file to begin anew");
    }
    state_->begin = there->end;
    // What was cut off is written again.
    const std::uint64_t length = std::filesystem::file_size(file) - there->end;
    const std::uint64_t whole = length / state_->record_bytes() * state_->record_bytes();
    if (whole != length) std::filesystem::resize_file(file, there->end + whole);
    state_->file.emplace(file, true);
    return;
  }
  const std::string bytes = checkpoint_bytes(head);
  const std::uint64_t length = bytes.size();
  state_->begin = 16 + length;
  state_->file.emplace(file, false);
  state_->file->write(log_magic);
  state_->file->write({reinterpret_cast<const char*>(&length), 8});
  state_->file->write(bytes);
  state_->file->flush();
}

SampleLog::~SampleLog() = default;

void SampleLog::read(FunctionRef<void(std::uint64_t, std::span<const double>)> use) {
  const RegularFile file = open_regular(state_->path);
  const std::size_t bytes = state_->record_bytes();
  std::string record(bytes, '\0');
  std::vector<double> values(state_->size);
  for (std::uint64_t at = state_->begin; at + bytes <= file.size; at += bytes) {
    if (!read_at(file.descriptor, record.data(), bytes, at)) return;
    std::uint32_t crc = 0;
    std::memcpy(&crc, record.data() + bytes - 4, 4);
    if (crc != crc32c(std::string_view(record).substr(0, bytes - 4))) continue;  // done again
    std::uint64_t number = 0;
    std::memcpy(&number, record.data(), 8);
    std::memcpy(values.data(), record.data() + 8, 8 * state_->size);
    use(number, values);
  }
}

void SampleLog::append(std::uint64_t number, std::span<const double> values) {
  std::string& record = state_->buffer;
  record.assign(reinterpret_cast<const char*>(&number), 8);
  record.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  const std::uint32_t crc = crc32c(record);
  record.append(reinterpret_cast<const char*>(&crc), 4);
  state_->file->write(record);
  state_->file->flush();
}

}  // namespace cauchy::detail
