#include <cauchy/io/option_text.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>

namespace cauchy {
namespace {

class OptionWriter final : public OptionVisitor {
 public:
  OptionWriter(std::string path, std::string_view separator)
      : path_(std::move(path)), separator_(separator) {}

  void number(std::string_view key, double& value, NumberRange) override {
    line(key, toml_number(value));
  }
  void flag(std::string_view key, bool& value) override { line(key, value ? "true" : "false"); }
  void numbers(std::string_view key, std::vector<double>& values, NumberRange) override {
    std::string list;
    for (const double v : values) list += (list.empty() ? "" : ", ") + toml_number(v);
    line(key, fmt::format("[{}]", list));
  }
  void text(std::string_view key, std::string& value) override { line(key, toml_text(value)); }
  void equations(std::string_view key, std::vector<std::string>& values) override {
    std::string list;
    for (const std::string& v : values) list += (list.empty() ? "" : ", ") + toml_text(v);
    line(key, fmt::format("[{}]", list));
  }
  void seed(std::string_view key, std::uint64_t& value) override {
    // Seeds above the whole numbers of TOML stand in quotes.
    const bool large = value > static_cast<std::uint64_t>(INT64_MAX);
    line(key, fmt::format(fmt::runtime(large ? "\"{}\"" : "{}"), value));
  }
  void custom(std::string_view key, std::string_view description) override {
    // Read back, it is refused as an unknown name instead of taken for another plug-in.
    line(key, toml_text(fmt::format("custom: {}", description)));
  }
  /// Lines come before tables: what stands behind the head of a table belongs to it.
  [[nodiscard]] std::string text() const { return text_ + tables_; }

 protected:
  void whole(std::string_view key, std::uint64_t& value, std::uint64_t, std::uint64_t) override {
    line(key, std::to_string(value));
  }
  std::optional<std::size_t> choose(std::string_view key, const Choice& choice) override {
    line(key, fmt::format("\"{}\"", choice.names[choice.now]));
    return std::nullopt;
  }
  void visit_section(std::string_view key, const Part& part, SectionStyle style) override {
    if (style == SectionStyle::line) {
      OptionWriter table({}, ", ");
      part.visit(table);
      line(key, fmt::format("{{ {} }}", table.text_.substr(0, table.text_.size() - 2)));
      return;
    }
    const std::string path = fmt::format("{}.{}", path_, key);
    OptionWriter table(path, separator_);
    part.visit(table);
    tables_ += fmt::format("\n[{}]\n{}", path, table.text());
  }
  void visit_list(std::string_view key, std::size_t size, Resize, Item item) override {
    const std::string path = fmt::format("{}.{}", path_, key);
    for (std::size_t i = 0; i < size; ++i) {
      OptionWriter table(path, separator_);
      item(i, [&](const Part& part) { part.visit(table); });
      tables_ += fmt::format("\n[[{}]]\n{}", path, table.text());
    }
  }

 private:
  void line(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}{}", key, value, separator_);
  }
  std::string path_, text_, tables_;
  std::string_view separator_;
};

}  // namespace

std::string toml_number(double value) {
  std::string text = number_to_string(value);
  // "-0" and digits alone would be whole numbers, which have no sign of zero and end at 2^63.
  const bool digits = text.find_first_of(".eEn") == std::string::npos;
  if (digits && (text.size() > 15 || (value == 0 && std::signbit(value)))) text += ".0";
  return text;
}

std::string toml_text(const std::string& text) {
  const bool lines = text.find('\n') != std::string::npos;
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20) || c == '\'' || c == 0x7f;
  });
  const bool awkward = text.find_first_of("\"\\") != std::string::npos;
  if (awkward && plain) return "'" + text + "'";
  std::string out = lines ? "\"\"\"\n" : "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' && lines) {
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + (lines ? "\"\"\"" : "\"");
}

std::string option_text(std::string_view path, const OptionVisitor::Part& part) {
  OptionWriter writer(std::string(path), "\n");
  part.visit(writer);
  return writer.text();
}

}  // namespace cauchy
