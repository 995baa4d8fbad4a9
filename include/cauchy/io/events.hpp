#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace cauchy {

/// Whether an EventWriter gives its files names like this one.
[[nodiscard]] bool is_event_file_name(std::string_view name) noexcept;

/// A log of numbers over training steps that TensorBoard shows as curves.
///   file     FOLDER/events.out.tfevents.SECONDS.PROCESS.NUMBER.cauchy, a new one per writer;
///            TensorBoard joins all files of a folder
///   format   TFRecord frames (length, CRC, data, CRC) of Event messages; values are stored as
///            float32, the format has no more
///   error    throws Error with the path when the file cannot be made or written
class EventWriter final {
 public:
  /// The folder must exist.
  explicit EventWriter(const std::filesystem::path& folder);
  ~EventWriter();
  EventWriter(EventWriter&&) noexcept;
  EventWriter& operator=(EventWriter&&) noexcept;

  /// One point of the curve tag, such as "loss/total". wall_time: seconds since 1970.
  void scalar(std::string_view tag, std::int64_t step, double value, double wall_time);
  /// The same, at the present time.
  void scalar(std::string_view tag, std::int64_t step, double value);
  /// Makes everything visible to readers. Also done by the destructor, which cannot report errors.
  void flush();
  [[nodiscard]] const std::filesystem::path& path() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cauchy
