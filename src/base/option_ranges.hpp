#pragma once

#include <string_view>

#include <cauchy/base/options.hpp>

namespace cauchy::detail {

/// Throws Error for numbers outside the ranges that visit_options names: options of a program are
/// held to what files are held to.
void check_ranges(const OptionVisitor::Part& options, std::string_view place);
template <class Options>
void check_ranges(Options options, std::string_view place) {
  check_ranges(OptionVisitor::Part(options), place);
}

}  // namespace cauchy::detail
