#include "files/problem_file_method.hpp"

#include <cauchy/files/problem_file.hpp>

#include <algorithm>

#include "files/file_rules.hpp"
#include "files/option_reader.hpp"

namespace cauchy {
namespace detail {

Method read_method(const TomlNode& node, Method method) {
  read_options(node, "[method]", method);
  // Files that a text names lie beside it; on the command line, where the user is.
  if (Pinn* pinn = trial_of(method); pinn != nullptr && !pinn->start.empty()) {
    const TomlNode& start = *node.find("start");
    if (!start.place.source->is_override)
      pinn->start = named_file(start, pinn->start).lexically_normal().string();
  }
  return method;
}

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
  if (of_recipe) return read_method(node, std::move(method));
  const Method recipe = method;
  if (const auto expanded = expand(method, problem)) method = expanded->pinn;
  method = read_method(node, std::move(method));
  // Who changes the network or its training wants to see it.
  if (Pinn* pinn = std::get_if<Pinn>(&method); pinn != nullptr && !node.find("features")) {
    pinn->features = {};
  }
  // Another kind of network wants other optimisers.
  const TomlNode* network = node.find("network");
  const bool other_kind = network != nullptr && network->kind == TomlNode::Kind::table &&
                          network->find("kind") != nullptr;
  const bool own_stages = node.find("stage") != nullptr || node.find("stages") != nullptr;
  if (Pinn* pinn = std::get_if<Pinn>(&method); pinn != nullptr && other_kind && !own_stages) {
    pinn->stages = stages_of(std::get<Auto>(recipe), problem, *pinn);
  }
  return method;
}

}  // namespace detail

std::string method_text(const Method& method) {
  return "[method]\n" + option_text("method", method);
}

}  // namespace cauchy
