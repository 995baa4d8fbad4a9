#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "files/toml_node.hpp"

namespace cauchy::detail {
namespace {

/// How deep tables and arrays lie in each other, by a look at the characters: parts of dotted keys,
/// brackets, and both of them in one another. Strings and comments are passed over; what is not
/// TOML is left to the parser.
class DepthScan final {
 public:
  DepthScan(std::string_view text, const TomlSourcePtr& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      look(c);
      if (header_ + depth_ + dots_ > max_toml_depth) fail_here();
      ++at_;
    }
  }

 private:
  void look(char c) {
    switch (c) {
      case '\n':
        if (open_.empty()) {
          if (in_header_) header_ += dots_;
          in_header_ = false;
          dots_ = 0;
          fresh_ = true;
        }
        return;
      case '[':
      case '{':
        if (c == '[' && open_.empty() && (fresh_ || in_header_)) {  // [a.b] or [[a.b]]
          if (fresh_) header_ = dots_ = 0;
          in_header_ = true;
          fresh_ = false;
          ++header_;
          return;
        }
        open_.push_back(dots_);
        depth_ += dots_ + 1;
        dots_ = 0;
        return;
      case ']':
      case '}':
        if (!open_.empty()) {
          depth_ -= open_.back() + 1;
          open_.pop_back();
        }
        if (!in_header_) dots_ = 0;
        return;
      case ',':
        dots_ = 0;
        return;
      case '=':  // the dots of a key count for its value, where a number adds one more
        return;
      case '.':
        ++dots_;
        break;
      default:
        break;
    }
    if (c != ' ' && c != '\t' && c != '\r') fresh_ = false;
  }

  void skip_string(char quote) {
    fresh_ = false;
    const std::string three(3, quote);
    const bool long_string = text_.substr(at_).starts_with(three);
    at_ += long_string ? 3 : 1;
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        at_ += 2;
      } else if (long_string && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        return;
      } else if (!long_string && (text_[at_] == quote || text_[at_] == '\n')) {
        at_ += text_[at_] == quote ? 1 : 0;
        return;
      } else {
        ++at_;
      }
    }
  }

  [[noreturn]] void fail_here() const {
    const auto before = text_.substr(0, at_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto start = before.rfind('\n') + 1;  // 0 when there is none
    const TomlPlace place{source_, static_cast<int>(line), static_cast<int>(at_ - start) + 1};
    throw Error(ErrorKind::syntax,
                fmt::format("keys and brackets are nested deeper than {} levels", max_toml_depth),
                place.str(), "no table of a problem needs more than 6");
  }

  std::string_view text_;
  const TomlSourcePtr& source_;
  std::size_t at_ = 0;
  std::size_t header_ = 0;         // parts of the key of the table that lines belong to
  std::size_t dots_ = 0;           // of the key before the next value
  std::size_t depth_ = 0;          // of the brackets that are open, with the keys before them
  std::vector<std::size_t> open_;  // dots before each open bracket
  bool in_header_ = false;
  bool fresh_ = true;  // nothing but spaces on the line so far
};

}  // namespace

void check_depth(std::string_view text, const TomlSourcePtr& source) {
  DepthScan(text, source).run();
}

}  // namespace cauchy::detail
