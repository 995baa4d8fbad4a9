#pragma once

#include <functional>
#include <string>

namespace cauchy::detail {

/// The text of a region in which every file of surface("file") and mesh("file") has become
/// name("file").
[[nodiscard]] std::string with_surface_files(
    const std::string& region, const std::function<std::string(const std::string&)>& name);

}  // namespace cauchy::detail
