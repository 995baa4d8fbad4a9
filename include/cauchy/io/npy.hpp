#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <cauchy/io/array.hpp>  // Array

namespace cauchy {

/// Reads an array in NumPy's NPY format, versions 1 to 3.
///   types    float32, float64, signed and unsigned integers of 1 to 8 bytes, bool, of either byte
///            order; integers beyond 2^53 are rounded to doubles
///   order    Fortran order is turned into C order
///   name     of the bytes, for messages
///   error    throws Error: not NPY, malformed header, another type, a shape that the data does not
///            fill exactly (checked before anything is allocated)
Array parse_npy(std::string_view bytes, std::string_view name);

/// parse_npy of a file.
Array read_npy(const std::filesystem::path& path);

/// The array as NPY version 1: float64, little endian, C order.
std::string to_npy(const Array& array);

/// to_npy into a file, atomically.
void write_npy(const std::filesystem::path& path, const Array& array);

}  // namespace cauchy
