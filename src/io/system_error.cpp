#include "io/system_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace fs = std::filesystem;

void throw_system_error(std::string_view what, const fs::path& path, int code) {
  std::string_view hint;
  if (code == ENOSPC || code == EDQUOT) hint = "free some space, or write elsewhere";
  if (code == EACCES || code == EPERM || code == EROFS)
    hint = "check the permissions of the file and of its folder";
  throw Error(ErrorKind::file,
              fmt::format("cannot {}: {}", what, std::generic_category().message(code)),
              path.string(), hint);
}

}  // namespace cauchy::detail
