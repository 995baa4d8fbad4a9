#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/mesh_io.hpp"

namespace cauchy::detail::mesh_io {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

std::string shown(std::string_view word) {
  std::string result;
  for (const char c : word.substr(0, 32)) result += c > ' ' && c < 127 ? c : '?';
  return word.size() > 32 ? result + "..." : result;
}

bool is_keyword(std::string_view word, std::string_view keyword) {
  if (word.size() != keyword.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i] >= 'A' && word[i] <= 'Z' ? static_cast<char>(word[i] + 32) : word[i];
    if (c != keyword[i]) return false;
  }
  return true;
}

std::uint32_t GroupIndex::number(std::string_view name) {
  std::string joined;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_blank(name[i])) {
      joined += name[i];
    } else if (!joined.empty() && !is_blank(name[i - 1])) {
      joined += '_';
    }
  }
  if (joined.empty()) joined = "surface";
  const auto [found, is_new] = numbers_.emplace(joined, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.push_back(std::move(joined));
  return found->second;
}

void WordScanner::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
      continue;
    }
    if (text_[at_] != '\\') return;
    std::size_t next = at_ + 1;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next == text_.size() || text_[next] != '\n') return;
    at_ = next + 1;
  }
}

std::string_view WordScanner::word() {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
  std::string_view result = text_.substr(begin, at_ - begin);
  // "1\" at the end of a line: the backslash is not part of the word.
  if (result.size() > 1 && result.back() == '\\' && (at_ == text_.size() || text_[at_] != ' ')) {
    result.remove_suffix(1);
    --at_;
  }
  return result;
}

std::string_view WordScanner::rest() {
  skip_blanks();
  const std::size_t begin = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::string_view result = text_.substr(begin, at_ - begin);
  while (!result.empty() && is_blank(result.back())) result.remove_suffix(1);
  return result;
}

bool WordScanner::next_line() {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) {
    at_ = text_.size();
    return false;
  }
  at_ = end + 1;
  return true;
}

std::string_view WordScanner::word_anywhere() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty() || !next_line()) return found;
  }
}

std::string WordScanner::place(std::string_view word) const {
  // Only messages need lines, hence they are counted here and not along the way.
  const std::string_view before =
      text_.substr(0, static_cast<std::size_t>(word.data() - text_.data()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return fmt::format("{}:{}:{}", file_, line, column);
}

double WordScanner::number(std::string_view word) const {
  if (word.empty()) throw Error("a number is missing", place(word));
  const char* begin = word.data();
  const char* const end = begin + word.size();
  if (*begin == '+') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    // Too small for a double is as good as 0; too large is not.
    const std::size_t exponent = word.find_first_of("eE");
    const bool is_small = exponent != std::string_view::npos
                              ? word.substr(exponent).find('-') != std::string_view::npos
                              : word.find('.') <= 1 + static_cast<std::size_t>(begin - word.data());
    if (is_small) return 0;
    throw Error(fmt::format("the coordinate {} is too large", shown(word)), place(word));
  }
  if (error != std::errc() || stop != end) {
    throw Error(fmt::format("'{}' is not a number", shown(word)), place(word));
  }
  if (!std::isfinite(value)) {
    throw Error(fmt::format("the coordinate {} is not finite", shown(word)), place(word));
  }
  return value;
}

}  // namespace cauchy::detail::mesh_io
