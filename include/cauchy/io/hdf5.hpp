#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/io/array.hpp>  // Array

namespace cauchy {

/// Arrays and words of an HDF5 file. A name such as "run/loss" is the array "loss" in group "run";
/// it has no slash in front. All functions here may be called from several threads; they take
/// turns.
///   files    the library that reads them does not survive every damaged file, so it reads in a
///            child process, which costs about a millisecond; a file on which it fails is an Error
///   limits   the numbers of a file may take 256 MiB and a hundred times its size, at most half of
///            the memory; links to other files, and numbers kept in them, are not followed
struct Hdf5Data {
  std::map<std::string, Array> arrays = {};
  /// Text by name, of an array or a group; the file itself is "/".
  std::map<std::string, std::map<std::string, std::string>> attributes = {};
};

/// The names of all arrays of numbers (integers or floating point) below a group, sorted, seen from
/// the group. Other datasets are left out.
///   error    throws Error with the file: missing, not HDF5, no such group (with the nearest name)
std::vector<std::string> list_hdf5(const std::filesystem::path& path, std::string_view group = "/");

/// One array. Numbers of any type become doubles; integers beyond 2^53 are rounded.
///   error    throws Error with file and dataset: as list_hdf5, no such array (with the nearest
///            name), not numbers, damaged, or a shape that the file is far too small for
Array read_hdf5_array(const std::filesystem::path& path, std::string_view name);

/// How far read_hdf5 goes: to everything below a group, or to what lies directly in it.
enum class Hdf5Depth : bool { all, direct };

/// All arrays that list_hdf5 names, and all attributes that are single strings.
///   error    as list_hdf5 and read_hdf5_array
Hdf5Data read_hdf5(const std::filesystem::path& path, std::string_view group = "/",
                   Hdf5Depth depth = Hdf5Depth::all);

/// Writes an HDF5 file atomically: float64, little endian, contiguous, without times, so the bytes
/// depend on the data only. Groups are made as names need them.
///   error    throws Error: a name that is empty, has an empty part or is both array and group,
///            attributes of an object that is not there, and as AtomicFile
void write_hdf5(const std::filesystem::path& path, const Hdf5Data& data);

}  // namespace cauchy
