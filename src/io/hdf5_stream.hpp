#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/io/hdf5.hpp>

namespace cauchy::detail {

/// What one process says to another about an HDF5 file, as records that begin with a letter:
///   N name; A name, shape, the numbers; F name, shape, u64 place of the numbers in the file;
///   T object, name, text; E u8 kind of Error, message, place, hint; D done. A text is its u32
///   length and its bytes, a shape the u32 number of axes and the u64 size of each.
class Hdf5Sender final {
 public:
  explicit Hdf5Sender(int descriptor) : descriptor_(descriptor) {}

  void name(std::string_view name);
  /// The head of an array; its numbers follow by values(), in one or more pieces.
  void array(std::string_view name, const std::vector<std::size_t>& shape);
  void values(std::span<const double> numbers);
  /// An array whose numbers are in the file as they are.
  void stored_array(std::string_view name, const std::vector<std::size_t>& shape,
                    std::uint64_t offset);
  void attribute(std::string_view object, std::string_view name, std::string_view text);
  /// The last word: the answer is complete, or is an Error.
  void done();
  void error(const Error& error);

 private:
  void head(char letter, std::string_view name, const std::vector<std::size_t>& shape);
  void text(std::string_view text);
  void send(bool now);

  int descriptor_;
  std::string waiting_;
};

struct Hdf5Answer {
  std::vector<std::string> names = {};
  Hdf5Data data = {};
};

/// Puts the answer together. The sender may be out of its mind: everything is checked.
///   read     fills n bytes, or says that there are no more
///   stored   likewise from a place in the file
///   error    throws the Error that was sent, at `place` when it has none; Error at `place` when
///   the
///            records break off, make no sense, or take more than max_bytes
[[nodiscard]] Hdf5Answer receive_hdf5(FunctionRef<bool(void*, std::size_t)> read,
                                      FunctionRef<bool(void*, std::size_t, std::uint64_t)> stored,
                                      std::size_t max_bytes, const std::string& place);

}  // namespace cauchy::detail
