#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/io/hdf5.hpp>

#include "io/hdf5_handles.hpp"
#include "io/nearest_name.hpp"

namespace cauchy {
namespace {

using detail::Hdf5Handle;
using detail::Hdf5Session;

Hdf5Handle open_file(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    throw Error(ErrorKind::file, "file does not exist", path.string(),
                "check the name and the folder");
  if (std::filesystem::is_directory(path, ec))
    throw Error(ErrorKind::file, "cannot read: is a directory", path.string());
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) throw Error(ErrorKind::file, "not a readable HDF5 file", path.string());
  return file;
}

struct Links {
  std::vector<std::string> names;
  bool failed = false;
};

// The library is C: exceptions must not pass through it.
herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* data) noexcept {
  auto& links = *static_cast<Links*>(data);
  try {
    links.names.emplace_back(name);
  } catch (...) {
    links.failed = true;
    return -1;
  }
  return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* data) noexcept {
  return collect_link(H5I_INVALID_HID, name, nullptr, data);
}

// All objects below an open group, as names seen from it.
std::vector<std::string> links_below(hid_t group, const std::filesystem::path& path) {
  Links links;
  const herr_t status = H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, collect_link, &links);
  if (status < 0 || links.failed)
    throw Error(ErrorKind::file, "cannot list the HDF5 file", path.string());
  std::sort(links.names.begin(), links.names.end());
  return links.names;
}

H5I_type_t kind_of(hid_t group, const std::string& name) {
  const Hdf5Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
  return object.valid() ? H5Iget_type(object.get()) : H5I_BADID;
}

Hdf5Handle open_group(hid_t file, std::string_view name, const std::filesystem::path& path) {
  const std::string text(name.empty() ? "/" : name);
  Hdf5Handle group(H5Gopen2(file, text.c_str(), H5P_DEFAULT), H5Gclose);
  if (group.valid()) return group;
  std::vector<std::string> groups;
  for (const std::string& link : links_below(file, path))
    if (kind_of(file, link) == H5I_GROUP) groups.push_back(link);
  throw Error(ErrorKind::not_found, fmt::format("there is no group '{}'", name), path.string(),
              detail::nearest_name_hint(name, groups, "groups"));
}

bool is_numeric(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) &&
         H5Sget_simple_extent_type(space.get()) != H5S_NULL;
}

std::vector<std::string> numeric_datasets(hid_t group, const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (std::string& link : links_below(group, path)) {
    const Hdf5Handle object(H5Oopen(group, link.c_str(), H5P_DEFAULT), H5Oclose);
    if (object.valid() && H5Iget_type(object.get()) == H5I_DATASET && is_numeric(object.get()))
      names.push_back(std::move(link));
  }
  return names;
}

Array read_dataset(hid_t group, const std::string& name, const std::filesystem::path& path) {
  const std::string place = fmt::format("{}:{}", path.string(), name);
  const Hdf5Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid())
    throw Error(ErrorKind::not_found, fmt::format("there is no array '{}'", name), path.string(),
                detail::nearest_name_hint(name, numeric_datasets(group, path), "arrays"));
  if (!is_numeric(dataset.get()))
    throw Error(ErrorKind::file, "the dataset does not hold numbers", place);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) throw Error(ErrorKind::file, "cannot read the shape", place);
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr) < 0)
    throw Error(ErrorKind::file, "cannot read the shape", place);

  Array array{{dims.begin(), dims.end()}, {}};
  const std::size_t count = shape_size(array.shape, place);
  // Chunks may be compressed or not written at all, so the stored size may be smaller than the
  // data, but no compression reaches more than about 1000 to 1.
  const hsize_t stored = H5Dget_storage_size(dataset.get());
  constexpr std::size_t kFree = std::size_t{1} << 23, kRatio = 1100;
  const std::size_t per_byte = stored > std::numeric_limits<std::size_t>::max() / (2 * kRatio)
                                   ? std::numeric_limits<std::size_t>::max() / 2
                                   : kRatio * static_cast<std::size_t>(stored);
  if (count > kFree + per_byte)
    throw Error(ErrorKind::file,
                fmt::format("shape ({}) is far larger than the {} bytes stored",
                            fmt::join(array.shape, ", "), stored),
                place, "the file is damaged");
  array.values.resize(count);
  if (count > 0 && H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                           array.values.data()) < 0)
    throw Error(ErrorKind::file, "cannot read the numbers", place,
                "the file is damaged or was cut off");
  return array;
}

// The text of an attribute when it is a single string.
bool read_text(hid_t attribute, std::string& text) {
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1)
    return false;
  if (H5Tis_variable_str(type.get()) > 0) {
    // The library insists on the same character set on both sides.
    const Hdf5Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
    char* data = nullptr;
    if (H5Aread(attribute, memory.get(), &data) < 0) return false;
    if (data != nullptr) text = data;
    H5free_memory(data);
    return true;
  }
  const std::size_t size = H5Tget_size(type.get());
  text.assign(size, '\0');
  if (size == 0 || H5Aread(attribute, type.get(), text.data()) < 0) return false;
  text.resize(std::min(text.find('\0'), size));
  return true;
}

void read_attributes(hid_t group, const std::string& object_name, const std::string& key,
                     Hdf5Data& data) {
  const Hdf5Handle object(H5Oopen(group, object_name.c_str(), H5P_DEFAULT), H5Oclose);
  Links attributes;
  hsize_t index = 0;
  if (!object.valid() || H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, &index,
                                     collect_attribute, &attributes) < 0)
    return;
  for (const std::string& name : attributes.names) {
    const Hdf5Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    std::string text;
    if (attribute.valid() && read_text(attribute.get(), text))
      data.attributes[key][name] = std::move(text);
  }
}

}  // namespace

std::vector<std::string> list_hdf5(const std::filesystem::path& path, std::string_view group) {
  const Hdf5Session session;
  const Hdf5Handle file = open_file(path);
  return numeric_datasets(open_group(file.get(), group, path).get(), path);
}

Array read_hdf5_array(const std::filesystem::path& path, std::string_view name) {
  const Hdf5Session session;
  const Hdf5Handle file = open_file(path);
  return read_dataset(file.get(), std::string(name), path);
}

Hdf5Data read_hdf5(const std::filesystem::path& path, std::string_view group) {
  const Hdf5Session session;
  const Hdf5Handle file = open_file(path);
  const Hdf5Handle root = open_group(file.get(), group, path);
  Hdf5Data data;
  for (const std::string& name : numeric_datasets(root.get(), path))
    data.arrays.emplace(name, read_dataset(root.get(), name, path));
  read_attributes(root.get(), ".", "/", data);
  for (const std::string& name : links_below(root.get(), path))
    read_attributes(root.get(), name, name, data);
  return data;
}

}  // namespace cauchy
