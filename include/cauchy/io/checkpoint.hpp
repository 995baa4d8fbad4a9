#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <cauchy/io/array.hpp>  // Array

namespace cauchy {

/// Everything needed to continue a run: named arrays, whole numbers and texts.
struct Checkpoint {
  std::map<std::string, Array> arrays = {};
  std::map<std::string, std::uint64_t> numbers = {};
  std::map<std::string, std::string> texts = {};

  /// The entry of a name; an unknown name is an Error with the nearest one.
  [[nodiscard]] const Array& array(std::string_view name) const;
  [[nodiscard]] std::uint64_t number(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

  [[nodiscard]] bool operator==(const Checkpoint&) const = default;
};

/// The checkpoint as bytes. All numbers are little endian; a CRC is the CRC-32C of what is named.
///   head     "CAUCHYCP", u32 version (1), u32 number of blocks, u64 size of the whole in bytes,
///            u32 CRC of the head so far
///   block    u32 kind (1 array, 2 number, 3 text), u32 length of the name, u32 number of axes,
///            u64 length of the content in bytes, the sizes of the axes (u64 each), the name,
///            u32 CRC of the block so far, the content, u32 CRC of the content
/// Blocks come sorted by kind and name, so equal checkpoints have equal bytes. Numbers keep all
/// their bits, NaNs included.
std::string checkpoint_bytes(const Checkpoint& checkpoint);

/// Inverse of checkpoint_bytes. name: of the bytes, for messages.
///   error    throws Error: not a checkpoint, another version, cut off, damaged (every bit counts)
Checkpoint parse_checkpoint(std::string_view bytes, std::string_view name);

/// checkpoint_bytes into a file: atomically, and safe against a loss of power. A symbolic link in
/// its place is refused.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// parse_checkpoint of a file.
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace cauchy
