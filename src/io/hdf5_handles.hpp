#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/io/array.hpp>

#include "io/replacement.hpp"

namespace cauchy::detail {

/// An HDF5 identifier that closes itself. Negative: failed.
class Hdf5Handle final {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) noexcept : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;

  [[nodiscard]] hid_t get() const noexcept { return id_; }
  [[nodiscard]] bool valid() const noexcept { return id_ >= 0; }
  /// Closes now; the result tells whether buffered data could be written.
  herr_t reset() noexcept {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id >= 0 ? close_(id) : 0;
  }

 private:
  hid_t id_;
  Close close_;
};

/// For the time of its life: the only user of the HDF5 library among our threads, and the library
/// prints no errors of its own. Whatever printing a program has set up comes back afterwards.
class Hdf5Session final {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Writes one file: datasets and attributes, then commit(). Throws Error with file and name.
class Hdf5Writer final {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path);
  void write(const std::string& name, const std::vector<std::size_t>& shape,
             std::span<const double> values);
  void write(const std::string& name, const std::vector<std::size_t>& shape,
             std::span<const std::int64_t> values);
  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  void commit();

 private:
  void write_dataset(const std::string& name, const std::vector<std::size_t>& shape,
                     const void* values, hid_t file_type, hid_t memory_type);
  [[noreturn]] void fail(std::string_view what, const std::string& name) const;

  Hdf5Session session_;
  FileReplacement replacement_;
  Hdf5Handle file_;
};

}  // namespace cauchy::detail
