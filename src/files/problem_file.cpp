#include <cauchy/files/problem_file.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/place.hpp>

#include "files/file_rules.hpp"
#include "files/problem_file_method.hpp"
#include "files/problem_file_reader.hpp"

namespace cauchy {
namespace detail {

ProblemFile ProblemReader::read() {
  std::vector<std::string> keys = {
      "include",   "name",      "title",     "source",      "notes",      "fields",  "coefficients",
      "sizes",     "tolerance", "loss",      "domain",      "parameters", "unknown", "definitions",
      "functions", "equation",  "condition", "observation", "reference",  "method"};
  const TomlNode* const table = root_.find("operator");
  if (operator_ != nullptr) {
    keys.insert(keys.end(), {"operator", "train"});
  } else if (table != nullptr) {
    throw Error(ErrorKind::syntax, "a problem with [operator] has no single answer",
                table->key.str(), "use cauchy data and cauchy train, or remove the table");
  }
  const TomlSection root(root_, "", keys);
  if (operator_ != nullptr) {
    expect_table(root.need("operator", "[operator] with inputs, grid and samples"));
  }
  // The settings of a method need nothing of the problem; a slip there shows at once.
  const TomlNode* const method = root.find("method");
  const bool by_default = method == nullptr || changes_default(*method);
  if (!by_default) {
    file_.method =
        operator_ != nullptr ? read_method(*method, AutoClassical{}) : read_method(*method);
  }
  read_header(root);
  const TomlNode& domain = root.need("domain", "[domain] with space, time or both");
  expect_table(domain);
  read_parameters(root.find("parameters"));
  read_domain(domain);
  read_sizes(root.find("sizes"));
  if (const TomlNode* n = root.find("tolerance")) {
    p_.tolerance = number(*n);
    if (!(*p_.tolerance > 0)) {
      fail_at(*n, fmt::format("'tolerance' must be positive, got {}", *p_.tolerance));
    }
  }
  read_unknowns(root.find("unknown"));
  read_functions(root.find("functions"));
  read_inputs();
  const TomlNode* fields = root.find("fields");
  for (const TomlNode& f : fields->items) declare(f.text, f);
  if (const TomlNode* n = root.find("coefficients")) {
    for (const TomlNode& c : n->items) {
      declare(c.name, c);
      const std::vector<std::string> known = p_.coordinates();
      for (const TomlNode& x : c.items) {
        if (std::find(known.begin(), known.end(), x.text) == known.end()) {
          fail_at(x, fmt::format("unknown coordinate '{}'", x.text),
                  hint_for(x.text, known, "coordinates"));
        }
      }
    }
  }
  (void)context();  // names that occur twice
  read_definitions(root.find("definitions"));
  names_of_problem_ = context();

  equations_ = as_tables(root.find("equation"));
  conditions_ = as_tables(root.find("condition"));
  observations_ = as_tables(root.find("observation"));
  for (const TomlNode* n : equations_) read_equation(*n);
  for (const TomlNode* n : conditions_) read_condition(*n);
  for (const TomlNode* n : observations_) read_observation(*n);
  if (const TomlNode* n = root.find("reference")) read_reference(*n);
  expect_used();
  file_.places = places();
  try {
    check(p_);
  } catch (const Error& e) {
    throw placed(e, file_.places);
  }
  place_method(method);
  if (by_default) file_.method = default_of(method);
  read_operator(file_.method);
  return std::move(file_);
}

Method ProblemReader::default_of(const TomlNode* changes) const {
  if (operator_ != nullptr) {
    return changes != nullptr ? read_method(*changes, AutoClassical{}) : AutoClassical{};
  }
  return changes != nullptr ? changed_default(*changes, p_) : default_method(p_);
}

namespace {

/// Whether a name stands as a word of its own in a text below a node, apart from `but`.
bool is_used(const TomlNode& node, std::string_view name, const TomlNode& but) {
  if (&node == &but) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = node.text.find(name); at != std::string::npos;
       at = node.text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_letter(node.text[at - 1]);
    if (begins && (end == node.text.size() || !is_letter(node.text[end]))) return true;
  }
  return std::any_of(node.items.begin(), node.items.end(),
                     [&](const TomlNode& item) { return is_used(item, name, but); });
}

}  // namespace

void ProblemReader::expect_used() const {
  const TomlNode* const domain = root_.find("domain");
  std::vector<std::string> of_exact;
  if (!p_.reference.exact.empty()) {
    for (const auto& q : exact_solution(p_.reference.exact).parameters) of_exact.push_back(q.name);
  }
  for (const TomlNode* table : {root_.find("parameters"), root_.find("unknown"),
                                root_.find("definitions"), domain->find("ranges")}) {
    if (table == nullptr) continue;
    std::vector<std::string> known;
    for (const TomlNode& n : table->items) {
      if (!n.is_new) known.push_back(n.name);
    }
    for (const TomlNode& n : table->items) {
      const bool exact = std::find(of_exact.begin(), of_exact.end(), n.name) != of_exact.end();
      if (!n.is_new || exact || is_used(root_, n.name, n)) continue;
      fail_at(n, fmt::format("nothing in the problem uses '{}'", n.name),
              hint_for(n.name, known, table->name == "ranges" ? "ranges" : "names there"));
    }
  }
}

}  // namespace detail

std::unique_ptr<PreparedMethod> prepare(const ProblemFile& file, int threads) {
  try {
    return prepare(file.problem, file.method, threads);
  } catch (const Error& e) {
    throw in_file(e, file);
  }
}

Error in_file(const Error& error, const ProblemFile& file) {
  return detail::placed(error, file.places);
}

ProblemFile read_problem_file(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides) {
  const std::string text = read_file(file, detail::max_toml_bytes);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const detail::TomlNode root = detail::load_toml(text, file.string(), folder, file, overrides);
  return detail::reading_tree(root, [&] { return detail::ProblemReader(root).read(); });
}

ProblemFile parse_problem_file(std::string_view text, const std::string& name,
                               const std::filesystem::path& folder,
                               const std::vector<std::string>& overrides) {
  const detail::TomlNode root = detail::load_toml(text, name, folder, {}, overrides);
  return detail::reading_tree(root, [&] { return detail::ProblemReader(root).read(); });
}

}  // namespace cauchy
