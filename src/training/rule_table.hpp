#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "base/option_ranges.hpp"  // check_ranges

namespace cauchy::detail {

/// `kind` of a rule and its options. The last alternative of every family comes from outside of the
/// library; the others stand in the table under their own index, and those that have options have
/// a visit_options beside them.
template <class Options, class Entry>
void visit_rule(Options& options, OptionVisitor& v, std::string_view what,
                const std::vector<Entry>& all) {
  constexpr std::size_t last = std::variant_size_v<typename Options::variant> - 1;
  if (options.index() == last) return v.custom("kind", std::get<last>(options).name);
  for (const Entry& entry : all) {
    if (entry.options.index() != options.index()) continue;
    v.alternative("kind", what, options, all, entry);
    break;
  }
  std::visit(
      [&](auto& rule) {
        if constexpr (requires { visit_options(rule, v); }) visit_options(rule, v);
      },
      options);
}

/// The name of a rule in files, or that of one from outside of the library.
template <class Options, class Entry>
std::string rule_name(const Options& options, const std::vector<Entry>& all) {
  constexpr std::size_t last = std::variant_size_v<typename Options::variant> - 1;
  if (options.index() == last) return std::get<last>(options).name;
  for (const Entry& entry : all) {
    if (entry.options.index() == options.index()) return std::string(entry.name);
  }
  return {};
}

/// What a rule from outside makes.
template <class Custom>
auto make_custom(const Custom& custom, const char* what) {
  auto made = custom.make ? custom.make() : nullptr;
  if (!made) throw Error("the plug-in makes nothing", what, "let `make` return an object");
  return made;
}

}  // namespace cauchy::detail
