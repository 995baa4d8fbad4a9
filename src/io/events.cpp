#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/io/events.hpp>

#include "io/append_file.hpp"
#include "io/crc32c.hpp"
#include "io/raw_bytes.hpp"

namespace cauchy {
namespace {

// Protocol buffers: a field is its key (number * 8 + wire type), then the value.
enum WireType : unsigned { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void append_key(std::string& out, unsigned field, WireType type) {
  append_varint(out, field << 3 | type);
}

void append_bytes(std::string& out, unsigned field, std::string_view value) {
  append_key(out, field, WireType::bytes);
  append_varint(out, value.size());
  out += value;
}

std::string event(double wall_time) {
  std::string out;
  append_key(out, 1, fixed64);
  detail::append_raw(out, wall_time);
  return out;
}

std::string scalar_event(std::string_view tag, std::int64_t step, double value, double wall_time) {
  std::string point;
  append_bytes(point, 1, tag);
  append_key(point, 2, fixed32);
  detail::append_raw(point, static_cast<float>(value));
  std::string summary;
  append_bytes(summary, 1, point);
  std::string out = event(wall_time);
  append_key(out, 2, varint);
  append_varint(out, static_cast<std::uint64_t>(step));
  append_bytes(out, 5, summary);
  return out;
}

std::string record(std::string_view data) {
  std::string out;
  detail::append_raw(out, static_cast<std::uint64_t>(data.size()));
  detail::append_raw(out, detail::masked(detail::crc32c(out)));
  out += data;
  detail::append_raw(out, detail::masked(detail::crc32c(data)));
  return out;
}

std::filesystem::path new_file(const std::filesystem::path& folder, double time) {
  std::error_code ec;
  if (!std::filesystem::is_directory(folder, ec))
    throw Error("folder does not exist", folder.string(), "create it first");
  static std::atomic<unsigned> counter{0};
  return folder / fmt::format("events.out.tfevents.{:010}.{}.{}.cauchy",
                              static_cast<std::int64_t>(time), ::getpid(), counter.fetch_add(1));
}

}  // namespace

bool is_event_file_name(std::string_view name) noexcept {
  constexpr std::string_view begin = "events.out.tfevents.", end = ".cauchy";
  if (name.size() < begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end))
    return false;
  // Three numbers with points between them.
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  return name.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(name, '.') == 2 && name.find("..") == std::string_view::npos &&
         !name.starts_with('.') && !name.ends_with('.');
}

struct EventWriter::State {
  State(const std::filesystem::path& folder, double time)
      : path(new_file(folder, time)), file(path, false) {}
  std::filesystem::path path;
  detail::AppendFile file;
};

EventWriter::EventWriter(const std::filesystem::path& folder) {
  const double time = wall_seconds();
  state_ = std::make_unique<State>(folder, time);
  std::string first = event(time);
  append_bytes(first, 3, "brain.Event:2");
  state_->file.write(record(first));
  flush();
}

EventWriter::~EventWriter() = default;
EventWriter::EventWriter(EventWriter&&) noexcept = default;
EventWriter& EventWriter::operator=(EventWriter&&) noexcept = default;

void EventWriter::scalar(std::string_view tag, std::int64_t step, double value, double wall_time) {
  state_->file.write(record(scalar_event(tag, step, value, wall_time)));
}

void EventWriter::scalar(std::string_view tag, std::int64_t step, double value) {
  scalar(tag, step, value, wall_seconds());
}

void EventWriter::flush() { state_->file.flush(); }

const std::filesystem::path& EventWriter::path() const noexcept { return state_->path; }

}  // namespace cauchy
