#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <cauchy/io/array.hpp>  // Array

namespace cauchy {

enum class Compression : bool { none, deflate };

/// Reads all arrays of a NumPy archive (.npz), by name without ".npy"; stored or deflated.
///   error    throws Error with the file and the member: not an archive, damaged, and as parse_npy
std::map<std::string, Array> read_npz(const std::filesystem::path& path);

/// Writes arrays as a NumPy archive, atomically. The bytes depend on the arrays only, not on the
/// time.
///   error    throws Error for an empty name or one with '\0', and as AtomicFile
void write_npz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
               Compression compression = Compression::none);

}  // namespace cauchy
