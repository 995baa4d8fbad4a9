#include "files/problem_file_method.hpp"

#include <cauchy/files/problem_file.hpp>

#include <algorithm>

#include "files/option_reader.hpp"

namespace cauchy {
namespace detail {
namespace {

Method read_method_onto(const TomlNode& node, Method method) {
  read_options(node, "[method]", method);
  // Files that a text names lie beside it; on the command line, where the user is.
  if (Pinn* pinn = std::get_if<Pinn>(&method); pinn != nullptr && !pinn->start.empty()) {
    const TomlSource& source = *node.find("start")->place.source;
    if (!source.is_override)
      pinn->start = (source.folder / pinn->start).lexically_normal().string();
  }
  return method;
}

}  // namespace

Method read_method(const TomlNode& node) { return read_method_onto(node, {}); }

bool changes_default(const TomlNode& node) {
  return node.is_new && node.kind == TomlNode::Kind::table && node.find("kind") == nullptr;
}

Method changed_default(const TomlNode& node, const Problem& problem) {
  Method method = default_method(problem);
  const std::vector<std::string> keys = option_keys(method);
  const bool of_recipe =
      std::all_of(node.items.begin(), node.items.end(), [&](const TomlNode& item) {
        return std::find(keys.begin(), keys.end(), item.name) != keys.end();
      });
  if (!of_recipe) {
    if (const auto expanded = expand(method, problem)) method = expanded->pinn;
  }
  return read_method_onto(node, std::move(method));
}

}  // namespace detail

std::string method_text(const Method& method) {
  return "[method]\n" + option_text("method", method);
}

}  // namespace cauchy
