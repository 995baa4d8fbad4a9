#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/hdf5.hpp>

#include "io/hdf5_handles.hpp"

namespace cauchy {
namespace detail {
namespace {

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

// "a/b" is a name; "", "/a", "a//b", "a/" and "." parts are not.
bool is_name(std::string_view name) {
  for (;;) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (part.find('\0') != std::string_view::npos) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(hdf5_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path)
    : replacement_(path),
      file_(H5Fcreate(replacement_.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
            H5Fclose) {
  if (!file_.valid()) throw Error(ErrorKind::file, "cannot write the HDF5 file", path.string());
}

void Hdf5Writer::fail(std::string_view what, const std::string& name) const {
  throw Error(ErrorKind::file, fmt::format("cannot write {} '{}'", what, name),
              replacement_.target().string(), "is there space left, and is the name free?");
}

void Hdf5Writer::write_dataset(const std::string& name, const std::vector<std::size_t>& shape,
                               const void* values, hid_t file_type, hid_t memory_type) {
  if (!is_name(name))
    throw Error(fmt::format("'{}' is not a name of an array", name), replacement_.target().string(),
                "write names such as 'u' or 'group/u'");
  const std::vector<hsize_t> dims(shape.begin(), shape.end());
  const Hdf5Handle space(
      dims.empty() ? H5Screate(H5S_SCALAR)
                   : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
      H5Sclose);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!space.valid() || H5Pset_create_intermediate_group(links.get(), 1) < 0 ||
      H5Pset_char_encoding(links.get(), H5T_CSET_UTF8) < 0 ||
      H5Pset_obj_track_times(creation.get(), 0) < 0)
    fail("array", name);
  Hdf5Handle dataset(H5Dcreate2(file_.get(), name.c_str(), file_type, space.get(), links.get(),
                                creation.get(), H5P_DEFAULT),
                     H5Dclose);
  if (!dataset.valid()) fail("array", name);
  const bool has_data = shape_size(shape) > 0;
  if (has_data && H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    fail("array", name);
  if (dataset.reset() < 0) fail("array", name);
}

void Hdf5Writer::write(const std::string& name, const std::vector<std::size_t>& shape,
                       std::span<const double> values) {
  write_dataset(name, shape, values.data(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}

void Hdf5Writer::write(const std::string& name, const std::vector<std::size_t>& shape,
                       std::span<const std::int64_t> values) {
  write_dataset(name, shape, values.data(), H5T_STD_I64LE, H5T_NATIVE_INT64);
}

void Hdf5Writer::write_attribute(const std::string& object, const std::string& name,
                                 const std::string& text) {
  if (name.empty() || text.find('\0') != std::string::npos || name.find('\0') != std::string::npos)
    fail("attribute", name);
  const Hdf5Handle owner(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!owner.valid())
    throw Error(fmt::format("attribute '{}' belongs to '{}', which is not written", name, object),
                replacement_.target().string());
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (H5Tset_size(type.get(), H5T_VARIABLE) < 0 || H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0)
    fail("attribute", name);
  const Hdf5Handle attribute(
      H5Acreate2(owner.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* const data = text.c_str();
  if (!attribute.valid() || H5Awrite(attribute.get(), type.get(), &data) < 0)
    fail("attribute", name);
}

void Hdf5Writer::commit() {
  if (file_.reset() < 0)
    throw Error(ErrorKind::file, "cannot write the HDF5 file", replacement_.target().string(),
                "is there space left?");
  replacement_.commit();
}

}  // namespace detail

void write_hdf5(const std::filesystem::path& path, const Hdf5Data& data) {
  for (const auto& [name, array] : data.arrays)
    check_array(array, fmt::format("{}:{}", path.string(), name));
  detail::Hdf5Writer writer(path);
  for (const auto& [name, array] : data.arrays) writer.write(name, array.shape, array.values);
  for (const auto& [object, texts] : data.attributes)
    for (const auto& [name, text] : texts) writer.write_attribute(object, name, text);
  writer.commit();
}

}  // namespace cauchy
