#pragma once

#include <string>
#include <string_view>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy::detail {

/// A mesh in an XDMF text; its numbers may lie in HDF5 files beside it.
[[nodiscard]] Mesh parse_xdmf(std::string_view text, const std::string& name);

}  // namespace cauchy::detail
