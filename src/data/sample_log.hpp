#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/io/checkpoint.hpp>

namespace cauchy::detail {

/// Samples that are done, in a file that grows: each is safe as soon as it is appended, in any
/// order. A last record that was cut off is dropped.
///   head     "CAUCHYDP", u64 length and the bytes of a Checkpoint that says what the samples are
///   record   u64 number of the sample, its numbers (f64), u32 CRC-32C of what is before
/// All little endian.
class SampleLog final {
 public:
  /// Opens the file, or makes it with this head.
  ///   size     numbers of a record
  ///   error    throws Error when the file is something else, or belongs to another head
  SampleLog(const std::filesystem::path& file, const Checkpoint& head, std::size_t size);
  ~SampleLog();
  SampleLog(const SampleLog&) = delete;
  SampleLog& operator=(const SampleLog&) = delete;

  /// The head of a file; none when there is no file.
  ///   error    throws Error when it is something else
  [[nodiscard]] static std::optional<Checkpoint> head_of(const std::filesystem::path& file);
  /// Every sample that is there, once; a number that comes twice is the later one.
  void read(FunctionRef<void(std::uint64_t number, std::span<const double> values)> use);
  /// One thread at a time.
  void append(std::uint64_t number, std::span<const double> values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cauchy::detail
