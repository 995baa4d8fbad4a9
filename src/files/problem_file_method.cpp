#include "files/problem_file_method.hpp"

#include <cauchy/files/problem_file.hpp>

#include "files/option_reader.hpp"

namespace cauchy {
namespace detail {

Method read_method(const TomlNode& node) {
  Method method;
  read_options(node, "[method]", method);
  // Files that a text names lie beside it; on the command line, where the user is.
  if (Pinn* pinn = std::get_if<Pinn>(&method); pinn != nullptr && !pinn->start.empty()) {
    const TomlSource& source = *node.find("start")->place.source;
    if (!source.is_override)
      pinn->start = (source.folder / pinn->start).lexically_normal().string();
  }
  return method;
}

}  // namespace detail

std::string method_text(const Method& method) {
  return "[method]\n" + option_text("method", method);
}

}  // namespace cauchy
