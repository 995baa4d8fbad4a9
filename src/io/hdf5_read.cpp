#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>

#include <cauchy/base/error.hpp>
#include <cauchy/io/hdf5.hpp>

#include "base/regular_file.hpp"
#include "io/child_process.hpp"
#include "io/hdf5_handles.hpp"
#include "io/hdf5_stream.hpp"
#include "io/nearest_name.hpp"

// Damaged files make the library crash, hang and ask for all memory, so what calls it here runs in
// a child process; see docs/design/files.md.

namespace cauchy {
namespace {

using detail::Hdf5Handle;
using detail::Hdf5Sender;
using detail::Hdf5Session;

// By its descriptor: the file that was found to be a regular one, whatever its name means by now.
Hdf5Handle open_file(int descriptor, const std::filesystem::path& path) {
  // Arrays of other files are not followed: a file of data names no files of its reader.
  H5Lunregister(H5L_TYPE_EXTERNAL);
  std::string name = fmt::format("/dev/fd/{}", descriptor);
  if (::access(name.c_str(), R_OK) != 0) name = path.string();
  Hdf5Handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) throw Error(ErrorKind::file, "not a readable HDF5 file", path.string());
  return file;
}

struct LinkNames {
  std::vector<std::string> names;
  bool failed = false;
};

// The library is C: exceptions must not pass through it.
herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* data) noexcept {
  auto& links = *static_cast<LinkNames*>(data);
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

// The objects directly in an open group, or all below it, as names seen from it.
std::vector<std::string> links_below(hid_t group, const std::filesystem::path& path,
                                     Hdf5Depth depth = Hdf5Depth::all) {
  LinkNames links;
  const herr_t status =
      depth == Hdf5Depth::all
          ? H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, collect_link, &links)
          : H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &links);
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

std::vector<std::string> numeric_datasets(hid_t group, const std::filesystem::path& path,
                                          Hdf5Depth depth = Hdf5Depth::all) {
  std::vector<std::string> names;
  for (std::string& link : links_below(group, path, depth)) {
    const Hdf5Handle object(H5Oopen(group, link.c_str(), H5P_DEFAULT), H5Oclose);
    if (object.valid() && H5Iget_type(object.get()) == H5I_DATASET && is_numeric(object.get()))
      names.push_back(std::move(link));
  }
  return names;
}

// The rows of the first axis that are read at once: a few megabytes, and whole chunks, which would
// be inflated again for each piece.
hsize_t rows_at_once(hid_t layout, const std::vector<hsize_t>& dims, std::size_t count) {
  constexpr std::size_t piece = std::size_t{1} << 19;  // numbers
  const std::size_t per_row = std::max<std::size_t>(count / dims[0], 1);
  hsize_t rows = std::max<hsize_t>(piece / per_row, 1);
  if (H5Pget_layout(layout) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(dims.size());
    if (H5Pget_chunk(layout, static_cast<int>(chunk.size()), chunk.data()) > 0 && chunk[0] > 0)
      rows = std::max<hsize_t>(rows / chunk[0], 1) * chunk[0];
  }
  return std::min(rows, dims[0]);
}

// Whether the file holds the doubles one after the other, from `offset` on.
bool is_stored_as_it_is(hid_t dataset, hid_t layout, std::size_t count, haddr_t& offset) {
  if (H5Pget_layout(layout) != H5D_CONTIGUOUS) return false;
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  offset = H5Dget_offset(dataset);
  return H5Tequal(type.get(), H5T_IEEE_F64LE) > 0 && offset != HADDR_UNDEF && count > 0 &&
         H5Dget_storage_size(dataset) == count * sizeof(double);
}

// Sends the numbers piece by piece; the head of the array goes before the first one.
void send_values(Hdf5Sender& to, hid_t dataset, hid_t space, hid_t layout,
                 const std::vector<hsize_t>& dims, const std::string& name,
                 const std::string& place) {
  const std::vector<std::size_t> shape(dims.begin(), dims.end());
  const std::size_t count = shape_size(shape, place);
  if (haddr_t offset = 0; is_stored_as_it_is(dataset, layout, count, offset))
    return to.stored_array(name, shape, offset);
  const hsize_t n_rows = dims.empty() ? 1 : dims[0];
  const hsize_t step = dims.empty() || count == 0 ? n_rows : rows_at_once(layout, dims, count);
  std::vector<double> values;
  for (hsize_t row = 0; row < n_rows && count > 0; row += step) {
    std::vector<hsize_t> piece = dims, begin(dims.size(), 0);
    if (!dims.empty()) {
      begin[0] = row;
      piece[0] = std::min(step, n_rows - row);
    }
    values.resize(count / n_rows * (dims.empty() ? 1 : piece[0]));
    const int rank = static_cast<int>(dims.size());
    const Hdf5Handle memory(
        dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, piece.data(), nullptr),
        H5Sclose);
    if (!dims.empty())
      H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, piece.data(), nullptr);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory.get(), space, H5P_DEFAULT, values.data()) < 0)
      throw Error(ErrorKind::file, "cannot read the numbers", place,
                  "the file is damaged or was cut off");
    if (row == 0) to.array(name, shape);
    to.values(values);
  }
  if (count == 0) to.array(name, shape);
}

void send_dataset(Hdf5Sender& to, hid_t group, const std::string& name,
                  const std::filesystem::path& path, std::size_t& bytes_left) {
  const std::string place = fmt::format("{}:{}", path.string(), name);
  const Hdf5Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) {
    H5L_info_t link{};
    if (H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) >= 0 && link.type > H5L_TYPE_SOFT)
      throw Error(ErrorKind::unsupported, "the array lies in another file (external link)", place,
                  "copy it into this one");
    throw Error(ErrorKind::not_found, fmt::format("there is no array '{}'", name), path.string(),
                detail::nearest_name_hint(name, numeric_datasets(group, path), "arrays"));
  }
  if (!is_numeric(dataset.get()))
    throw Error(ErrorKind::file, "the dataset does not hold numbers", place);
  const Hdf5Handle layout(H5Dget_create_plist(dataset.get()), H5Pclose);
  if (H5Pget_layout(layout.get()) == H5D_VIRTUAL || H5Pget_external_count(layout.get()) > 0)
    throw Error(ErrorKind::unsupported, "the numbers of the array lie in other files", place,
                "copy them into this one");
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) throw Error(ErrorKind::file, "cannot read the shape", place);
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr) < 0)
    throw Error(ErrorKind::file, "cannot read the shape", place);
  // Chunks may be compressed or not written at all, so the stored size may be smaller than the
  // data.
  const std::size_t count = shape_size({dims.begin(), dims.end()}, place);
  if (count > bytes_left / sizeof(double))
    throw Error(ErrorKind::file,
                fmt::format("shape ({}) is far larger than the {} bytes stored",
                            fmt::join(dims, ", "), H5Dget_storage_size(dataset.get())),
                place, "the file is damaged");
  bytes_left -= count * sizeof(double);
  send_values(to, dataset.get(), space.get(), layout.get(), dims, name, place);
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
  constexpr std::size_t longest = std::size_t{1} << 24;
  if (size > longest) return false;
  text.assign(size, '\0');
  if (size == 0 || H5Aread(attribute, type.get(), text.data()) < 0) return false;
  text.resize(std::min(text.find('\0'), size));
  return true;
}

void send_attributes(Hdf5Sender& to, hid_t group, const std::string& object_name,
                     const std::string& key) {
  const Hdf5Handle object(H5Oopen(group, object_name.c_str(), H5P_DEFAULT), H5Oclose);
  LinkNames attributes;
  hsize_t index = 0;
  if (!object.valid() || H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, &index,
                                     collect_attribute, &attributes) < 0)
    return;
  for (const std::string& name : attributes.names) {
    const Hdf5Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    std::string text;
    if (attribute.valid() && read_text(attribute.get(), text)) to.attribute(key, name, text);
  }
}

// Opens the file in a child process, asks it by `ask(sender, file, bytes for numbers)`.
template <class Ask>
detail::Hdf5Answer answer_of(const std::filesystem::path& path, const Ask& ask) {
  const detail::RegularFile file = detail::open_regular(path);
  const std::size_t most = detail::inflated_limit(file.size);
  const auto work = [&](int descriptor) {
    Hdf5Sender to(descriptor);
    try {
      const Hdf5Handle opened = open_file(file.descriptor.get(), path);
      ask(to, opened.get(), most);
      to.done();
    } catch (const Error& e) {
      to.error(e);
    } catch (const std::bad_alloc&) {
      to.error(Error(ErrorKind::memory, "the file does not fit into memory", path.string()));
    }
  };
  // A megabyte is read in milliseconds, and a machine may be a thousand times slower: only code
  // that hangs gets there.
  constexpr std::size_t workspace = std::size_t{1} << 29, megabyte = 1'000'000, seconds = 30;
  detail::ChildLimits limits{workspace + most, seconds + 10 * (file.size / megabyte)};
  std::optional<detail::ChildProcess> child;
  try {
    const Hdf5Session session;  // held in the child as well
    child.emplace(limits, work);
  } catch (const Error& e) {
    throw e.at(path.string());
  }
  const auto read = [&](void* to, std::size_t n) { return child->read(to, n); };
  const auto read_stored = [&](void* to, std::size_t n, std::uint64_t offset) {
    return detail::read_at(file.descriptor, to, n, offset);
  };
  return detail::receive_hdf5(read, read_stored, workspace + most, path.string());
}

}  // namespace

std::vector<std::string> list_hdf5(const std::filesystem::path& path, std::string_view group) {
  return answer_of(path,
                   [&](Hdf5Sender& to, hid_t file, std::size_t) {
                     const Hdf5Handle root = open_group(file, group, path);
                     for (const std::string& name : numeric_datasets(root.get(), path))
                       to.name(name);
                   })
      .names;
}

Array read_hdf5_array(const std::filesystem::path& path, std::string_view name) {
  auto arrays = answer_of(path, [&](Hdf5Sender& to, hid_t file, std::size_t most) {
                  send_dataset(to, file, std::string(name), path, most);
                }).data.arrays;
  if (arrays.size() != 1) throw Error(ErrorKind::file, "the file is damaged", path.string());
  return std::move(arrays.begin()->second);
}

Hdf5Data read_hdf5(const std::filesystem::path& path, std::string_view group, Hdf5Depth depth) {
  return answer_of(path,
                   [&](Hdf5Sender& to, hid_t file, std::size_t most) {
                     const Hdf5Handle root = open_group(file, group, path);
                     for (const std::string& name : numeric_datasets(root.get(), path, depth))
                       send_dataset(to, root.get(), name, path, most);
                     send_attributes(to, root.get(), ".", "/");
                     for (const std::string& name : links_below(root.get(), path, depth))
                       send_attributes(to, root.get(), name, name);
                   })
      .data;
}

}  // namespace cauchy
