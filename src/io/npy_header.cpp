#include "io/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

// The header is one Python literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser final {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  void parse(NpyHeader& header) {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      bool& seen = key == "descr"           ? has_descr
                   : key == "fortran_order" ? has_order
                   : key == "shape"         ? has_shape
                                            : unknown(key);
      if (seen) fail(fmt::format("key '{}' occurs twice", key));
      seen = true;
      if (key == "descr") read_type(header);
      if (key == "fortran_order") header.fortran_order = boolean();
      if (key == "shape") header.shape = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (position_ != text_.size()) fail("text after the closing brace");
    if (!has_descr || !has_order || !has_shape)
      fail("one of the keys 'descr', 'fortran_order', 'shape' is missing");
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorKind::file, fmt::format("malformed NPY header: {}", what), name_);
  }
  [[noreturn]] bool& unknown(std::string_view key) const {
    fail(fmt::format("unknown key '{}'", key));
  }
  void skip_blanks() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
      ++position_;
  }
  bool accept(char c) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}' at byte {}", c, position_));
  }
  std::string_view quoted() {
    skip_blanks();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') fail(fmt::format("expected a string at byte {}", position_));
    const std::size_t first = position_ + 1, last = text_.find(quote, first);
    if (last == std::string_view::npos) fail("string is not closed");
    position_ = last + 1;
    return text_.substr(first, last - first);
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail("'fortran_order' must be True or False");
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t n = 0;
      const char* const begin = text_.data() + position_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), n);
      if (error != std::errc{}) fail("'shape' must be a tuple of sizes");
      position_ += static_cast<std::size_t>(stop - begin);
      shape.push_back(n);
      if (shape.size() > 32) fail("'shape' has more than 32 axes");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  void read_type(NpyHeader& header) {
    skip_blanks();
    if (position_ < text_.size() && text_[position_] == '[')
      throw Error(ErrorKind::unsupported, "the array has records, not numbers", name_,
                  "save each field as an array");
    const std::string_view type = quoted();
    const auto is = [&](std::string_view kinds, std::string_view sizes) {
      return type.size() == 3 && kinds.find(type[1]) != std::string_view::npos &&
             sizes.find(type[2]) != std::string_view::npos;
    };
    const bool known = (is("f", "48") || is("iu", "1248") || is("b", "1")) &&
                       std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    if (!known)
      throw Error(ErrorKind::unsupported, fmt::format("element type '{}' is not supported", type),
                  name_, "save as float64, float32, integers or bool");
    header.kind = type[1];
    header.item_size = static_cast<std::size_t>(type[2] - '0');
    header.big_endian = type[0] == '>';
  }

  std::string_view text_, name_;
  std::size_t position_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with("\x93NUMPY")) throw Error(ErrorKind::file, "not an NPY file", name);
  const auto byte = [&](std::size_t i) -> std::size_t {
    if (i >= bytes.size()) throw Error(ErrorKind::file, "NPY header is cut off", name);
    return static_cast<unsigned char>(bytes[i]);
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw Error(ErrorKind::unsupported,
                fmt::format("NPY version {}.{} is not supported", version, byte(7)), name);
  std::size_t length = byte(8) | byte(9) << 8, offset = 10;
  if (version >= 2) {
    length |= byte(10) << 16 | byte(11) << 24;
    offset = 12;
  }
  if (length > bytes.size() - offset) throw Error(ErrorKind::file, "NPY header is cut off", name);
  NpyHeader header;
  HeaderParser(bytes.substr(offset, length), name).parse(header);
  header.data_offset = offset + length;
  return header;
}

}  // namespace cauchy::detail
