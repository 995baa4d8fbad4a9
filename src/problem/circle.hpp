#pragma once

#include <map>
#include <string>
#include <vector>

namespace cauchy::detail {

/// Names, each with those that it uses.
using NameGraph = std::map<std::string, std::vector<std::string>>;

/// Names that lead back to the first of them, which is also the last: {"a", "b", "a"}; empty when
/// there is no circle. Cost O(names + uses).
[[nodiscard]] std::vector<std::string> circle_in(const NameGraph& graph);

}  // namespace cauchy::detail
