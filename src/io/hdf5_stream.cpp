#include "io/hdf5_stream.hpp"

#include <fmt/format.h>

#include <utility>

#include "io/child_process.hpp"
#include "io/raw_bytes.hpp"

namespace cauchy::detail {
namespace {

class Hdf5Receiver final {
 public:
  Hdf5Receiver(FunctionRef<bool(void*, std::size_t)> read,
               FunctionRef<bool(void*, std::size_t, std::uint64_t)> stored, std::size_t max_bytes,
               const std::string& place)
      : read_(read), stored_(stored), left_(max_bytes), place_(place) {}

  Hdf5Answer answer() {
    Hdf5Answer answer;
    for (;;) {
      const char letter = number<char>();
      switch (letter) {
        case 'N':
          answer.names.push_back(text());
          break;
        case 'A':
        case 'F': {
          std::string name = text();
          Array array = sized_array();
          if (letter == 'A') {
            take(array.values.data(), array.values.size() * sizeof(double));
          } else {
            take_stored(array, name);
          }
          if (!answer.data.arrays.emplace(std::move(name), std::move(array)).second) fail();
          break;
        }
        case 'T': {
          std::map<std::string, std::string>& object = answer.data.attributes[text()];
          std::string name = text();
          object[std::move(name)] = text();
          break;
        }
        case 'E':
          rethrow();
        case 'D':
          return answer;
        default:
          fail();
      }
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::file, "the file is damaged (the HDF5 library failed)", place_);
  }
  void take(void* to, std::size_t n) {
    if (n == 0) return;
    if (n > left_ || !read_(to, n)) fail();
    left_ -= n;
  }
  template <class T>
  T number() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    constexpr std::size_t overhead = 64;  // of a string in a container
    if (size > left_ || left_ - size < overhead) fail();
    left_ -= overhead;
    std::string result(size, '\0');
    take(result.data(), size);
    return result;
  }
  Array sized_array() {
    const auto rank = number<std::uint32_t>();
    constexpr std::uint32_t most_axes = 32;
    if (rank > most_axes) fail();
    Array result;
    for (std::uint32_t k = 0; k < rank; ++k)
      result.shape.push_back(static_cast<std::size_t>(number<std::uint64_t>()));
    const std::size_t count = shape_size(result.shape, place_);
    if (count > left_ / sizeof(double)) fail();
    result.values.resize(count);
    return result;
  }
  void take_stored(Array& array, const std::string& name) {
    const auto offset = number<std::uint64_t>();
    const std::size_t n = array.values.size() * sizeof(double);
    if (n > left_) fail();
    left_ -= n;
    if (n > 0 && !stored_(array.values.data(), n, offset))
      throw Error(ErrorKind::file, "cannot read the numbers", fmt::format("{}:{}", place_, name),
                  "the file is damaged or was cut off");
  }
  [[noreturn]] void rethrow() {
    const auto kind = number<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(ErrorKind::memory)) fail();
    const std::string message = text(), place = text(), hint = text();
    throw Error(static_cast<ErrorKind>(kind), message, place.empty() ? place_ : place, hint);
  }

  FunctionRef<bool(void*, std::size_t)> read_;
  FunctionRef<bool(void*, std::size_t, std::uint64_t)> stored_;
  std::size_t left_;
  const std::string& place_;
};

}  // namespace

void Hdf5Sender::name(std::string_view name) {
  waiting_ += 'N';
  text(name);
  send(false);
}

void Hdf5Sender::head(char letter, std::string_view name, const std::vector<std::size_t>& shape) {
  waiting_ += letter;
  text(name);
  append_raw(waiting_, static_cast<std::uint32_t>(shape.size()));
  for (const std::size_t n : shape) append_raw(waiting_, static_cast<std::uint64_t>(n));
}

void Hdf5Sender::array(std::string_view name, const std::vector<std::size_t>& shape) {
  head('A', name, shape);
  send(true);
}

void Hdf5Sender::stored_array(std::string_view name, const std::vector<std::size_t>& shape,
                              std::uint64_t offset) {
  head('F', name, shape);
  append_raw(waiting_, offset);
  send(false);
}

void Hdf5Sender::values(std::span<const double> numbers) {
  if (!write_all(descriptor_, numbers.data(), numbers.size_bytes()))
    throw Error(ErrorKind::file, "nobody listens", "[io.hdf5]");
}

void Hdf5Sender::attribute(std::string_view object, std::string_view name, std::string_view value) {
  waiting_ += 'T';
  text(object);
  text(name);
  text(value);
  send(false);
}

void Hdf5Sender::done() {
  waiting_ += 'D';
  send(true);
}

void Hdf5Sender::error(const Error& error) {
  waiting_ += 'E';
  append_raw(waiting_, static_cast<std::uint8_t>(error.kind()));
  text(error.message());
  text(error.place());
  text(error.hint());
  send(true);
}

void Hdf5Sender::text(std::string_view text) {
  append_raw(waiting_, static_cast<std::uint32_t>(text.size()));
  waiting_ += text;
}

void Hdf5Sender::send(bool now) {
  constexpr std::size_t enough = 1 << 16;
  if (!now && waiting_.size() < enough) return;
  if (!write_all(descriptor_, waiting_.data(), waiting_.size()))
    throw Error(ErrorKind::file, "nobody listens", "[io.hdf5]");
  waiting_.clear();
}

Hdf5Answer receive_hdf5(FunctionRef<bool(void*, std::size_t)> read,
                        FunctionRef<bool(void*, std::size_t, std::uint64_t)> stored,
                        std::size_t max_bytes, const std::string& place) {
  return Hdf5Receiver(read, stored, max_bytes, place).answer();
}

}  // namespace cauchy::detail
