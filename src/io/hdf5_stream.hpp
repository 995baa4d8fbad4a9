#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/io/hdf5.hpp>

namespace cauchy::detail {

/// What one process says to another about an HDF5 file, as records that begin with a letter:
///   N name; A name, u32 number of axes, u64 size of each, the numbers; T object, name, text;
///   E u8 kind of Error, message, place, hint; D done. A text is its u32 length and its bytes.
class Hdf5Sender final {
 public:
  explicit Hdf5Sender(int descriptor) : descriptor_(descriptor) {}

  void name(std::string_view name);
  /// The head of an array; its numbers follow by values(), in one or more pieces.
  void array(std::string_view name, const std::vector<std::size_t>& shape);
  void values(std::span<const double> numbers);
  void attribute(std::string_view object, std::string_view name, std::string_view text);
  /// The last word: the answer is complete, or is an Error.
  void done();
  void error(const Error& error);

 private:
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
///   error    throws the Error that was sent, at `place` when it has none; Error at `place` when
///   the
///            records break off, make no sense, or take more than max_bytes
[[nodiscard]] Hdf5Answer receive_hdf5(FunctionRef<bool(void*, std::size_t)> read,
                                      std::size_t max_bytes, const std::string& place);

}  // namespace cauchy::detail
