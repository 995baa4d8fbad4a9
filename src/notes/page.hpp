#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cauchy::notes {

/// A link in the head of a page: where it leads and what it says.
using NavigationLink = std::pair<std::string, std::string>;

/// A whole page that works from a file: one style for light and dark screens, wide and narrow ones;
/// no script but `script`.
///   content  HTML; headings of sections are <h2>, cards <section class="card">
[[nodiscard]] std::string page(std::string_view title, const std::vector<NavigationLink>& links,
                               std::string_view content, std::string_view script = {});

}  // namespace cauchy::notes
