#include "files/surface_files.hpp"

#include <algorithm>

#include <cauchy/files/problem_file.hpp>

namespace cauchy {
namespace detail {

std::string with_surface_files(const std::string& region,
                               const std::function<std::string(const std::string&)>& name) {
  std::string result;
  std::size_t done = 0, from = 0;
  while (true) {
    const auto surface = region.find("surface", from), mesh = region.find("mesh", from);
    const auto call = std::min(surface, mesh);
    if (call == std::string::npos) break;
    from = call + (surface < mesh ? 7 : 4);
    // Blanks may stand before and behind the bracket.
    const auto bracket = region.find_first_not_of(" \t\r\n", from);
    if (bracket == std::string::npos || region[bracket] != '(') continue;
    const auto open = region.find_first_not_of(" \t\r\n", bracket + 1);
    if (open == std::string::npos || (region[open] != '"' && region[open] != '\'')) continue;
    const auto close = region.find(region[open], open + 1);
    if (close == std::string::npos) break;
    result += region.substr(done, open + 1 - done);
    result += name(region.substr(open + 1, close - open - 1));
    done = close;
    from = close + 1;
  }
  return result + region.substr(done);
}

}  // namespace detail

std::vector<std::string> surface_files(const Problem& problem) {
  std::vector<std::string> files;
  if (!problem.domain || problem.domain->space() == nullptr) return files;
  (void)detail::with_surface_files(problem.domain->space()->str(), [&](const std::string& file) {
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    return file;
  });
  return files;
}

}  // namespace cauchy
