#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/base/function_ref.hpp>

namespace cauchy {

/// What a number must be.
enum class NumberRange : std::uint8_t {
  any,
  positive,
  not_negative,
  below_one,   ///< [0, 1)
  up_to_one,   ///< (0, 1]
  inside_one,  ///< (0, 1)
};
[[nodiscard]] bool in_range(double value, NumberRange range) noexcept;
/// "positive", "in [0, 1)": what a message says.
[[nodiscard]] std::string_view described(NumberRange range) noexcept;

/// Whether a user means this name: '-' and '_' are the same.
[[nodiscard]] bool same_name(std::string_view name, std::string_view written) noexcept;

/// Words that users write, and what they mean.
template <class T>
using Words = std::vector<std::pair<std::string_view, T>>;

/// How a table of options inside another one is written: [method.network], or { a = 1, b = 2 }.
enum class SectionStyle : std::uint8_t { block, line };

/// Meets every option of an aggregate under the name that users write, once, for reading, writing
/// and listing. An aggregate takes part by one function beside it:
///   void visit_options(AdamOptions& o, OptionVisitor& v) {
///     v.number("learning_rate", o.learning_rate, NumberRange::positive);
///   }
/// Visitors that read assign to the references; others leave them as they are.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  virtual void number(std::string_view key, double& value, NumberRange range) = 0;
  virtual void flag(std::string_view key, bool& value) = 0;
  /// A list of numbers, each in the range.
  virtual void numbers(std::string_view key, std::vector<double>& values, NumberRange range) = 0;
  /// Free text: the name of a parameter, a file.
  virtual void text(std::string_view key, std::string& value) = 0;
  /// The largest number that fits into T and into text.
  template <class T>
  static constexpr std::uint64_t most_of() {
    return std::min<std::uint64_t>(INT64_MAX, std::numeric_limits<T>::max());
  }
  /// Any whole number of 64 bits.
  virtual void seed(std::string_view key, std::uint64_t& value) = 0;
  /// A whole number of at least `least` and at most `most`.
  template <class T>
  void count(std::string_view key, T& value, std::uint64_t least,
             std::uint64_t most = most_of<T>()) {
    auto n = static_cast<std::uint64_t>(value);
    whole(key, n, least, most);
    value = static_cast<T>(n);
  }
  template <class T>
  void word(std::string_view key, T& value, const Words<T>& words, std::string_view what = {}) {
    std::vector<std::string_view> names;
    std::size_t now = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      names.push_back(words[i].first);
      if (words[i].second == value) now = i;
    }
    if (const auto i = choose(key, {what.empty() ? key : what, names, now}))
      value = words[*i].second;
  }
  /// One entry of a table of plug-ins, by name: entries have `name` and `options`. The choice of
  /// another entry replaces the value by its defaults. The options themselves are visited next, by
  /// the caller.
  ///   what    "optimizer", "network": what an entry is called in messages
  ///   needed  a text that is read must give the key
  template <class T, class Entry>
  void alternative(std::string_view key, std::string_view what, T& value,
                   const std::vector<Entry>& entries, const Entry& now, bool needed = false) {
    std::vector<std::string_view> names;
    for (const Entry& e : entries) names.push_back(e.name);
    const auto at = static_cast<std::size_t>(&now - entries.data());
    if (const auto i = choose(key, {what, names, at, true, needed})) value = entries[*i].options;
  }
  /// Options that stand in a table of their own below `key`.
  template <class T>
  void section(std::string_view key, T& options, SectionStyle style = SectionStyle::block) {
    visit_section(key, Part(options), style);
  }
  /// A list of tables, [[method.stage]]; the singular and the plural are both read.
  template <class T>
  void list(std::string_view key, std::vector<T>& items) {
    visit_list(
        key, items.size(), [&](std::size_t n) { items.assign(n, T{}); },
        [&](std::size_t i, FunctionRef<void(const Part&)> use) { use(Part(items[i])); });
  }
  /// A plug-in from outside of the library, which no text can name.
  virtual void custom(std::string_view /*key*/, std::string_view /*description*/) {}
  /// Rules that tie several options together; `body` throws Error. Only visitors that read ask.
  virtual void check(FunctionRef<void()> /*body*/) {}
  /// Whether the text that is being read gives this key.
  [[nodiscard]] virtual bool gives(std::string_view /*key*/) const { return false; }

  /// An aggregate without its type.
  class Part final {
   public:
    template <class T>
    explicit Part(T& options)
        : object_(&options),
          visit_([](void* o, OptionVisitor& v) { visit_options(*static_cast<T*>(o), v); }),
          copy_([](const void* o) -> std::shared_ptr<void> {
            return std::make_shared<T>(*static_cast<const T*>(o));
          }) {}
    void visit(OptionVisitor& v) const { visit_(object_, v); }
    /// The same for a copy, which is thrown away: to look at keys without a change.
    void visit_copy(OptionVisitor& v) const { visit_(copy_(object_).get(), v); }

   private:
    void* object_;
    void (*visit_)(void*, OptionVisitor&);
    std::shared_ptr<void> (*copy_)(const void*);
  };

 protected:
  struct Choice {
    std::string_view what;
    std::span<const std::string_view> names;
    std::size_t now = 0;
    bool plugin = false;  ///< other options depend on it
    bool needed = false;
  };
  using Resize = FunctionRef<void(std::size_t)>;
  using Item = FunctionRef<void(std::size_t, FunctionRef<void(const Part&)>)>;

  virtual void whole(std::string_view key, std::uint64_t& value, std::uint64_t least,
                     std::uint64_t most) = 0;
  /// The number of the name that is wanted; none: what there is stays.
  virtual std::optional<std::size_t> choose(std::string_view key, const Choice& choice) = 0;
  virtual void visit_section(std::string_view key, const Part& part, SectionStyle style) = 0;
  virtual void visit_list(std::string_view key, std::size_t size, Resize resize, Item item) = 0;

 public:
  /// A list of equations, "x = 0.5"; files may also give one of them, or { x = [0.25, 0.5] }.
  virtual void equations(std::string_view key, std::vector<std::string>& values) = 0;
};

}  // namespace cauchy
