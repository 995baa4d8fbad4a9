#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/exact_solution.hpp>

#include "files/problem_file_reader.hpp"
#include "problem/grid_table.hpp"

namespace cauchy::detail {

void ProblemReader::read_reference(const TomlNode& node) {
  std::vector<std::string> known = {"exact", "parameters", "file", "columns", "interpolation"};
  const auto n_keys = static_cast<std::ptrdiff_t>(known.size());
  const std::vector<std::string> fields = p_.all_fields();
  known.insert(known.end(), fields.begin(), fields.end());
  const TomlSection s(node, "[reference]", known);
  Reference& r = p_.reference;
  s.read("exact", r.exact);
  if (const TomlNode* n = s.find("exact")) {
    at_node(*n, [&] { (void)exact_solution(r.exact); });
  }
  if (const TomlNode* n = s.find("parameters")) {
    if (r.exact.empty()) {
      throw Error("'parameters' has no meaning without 'exact'", n->key.str(), "remove it");
    }
    expect_table(*n, "parameters = { nu = \"2*nu\" }");
    std::vector<std::string> names;
    for (const ExactParameter& p : exact_solution(r.exact).parameters) names.push_back(p.name);
    for (const TomlNode& v : n->items) {
      if (std::find(names.begin(), names.end(), v.name) == names.end()) {
        throw Error(fmt::format("exact solution '{}' has no parameter '{}'", r.exact, v.name),
                    v.key.str(), hint_for(v.name, names, "parameters"));
      }
      const Expr value = expression(v, names_of_problem_);
      const Expr roots[] = {value};
      for (const Expr& e : postorder(roots)) {
        if (!e.is_atom() || e.kind() == Kind::parameter) continue;
        fail_at(v, fmt::format("'{}' depends on '{}'", v.name, e.name()),
                "use numbers, parameters, ranges and unknowns");
      }
      r.parameters.emplace(v.name, value);
    }
  }
  for (const std::string& field : fields) {
    const bool taken =
        std::find(known.begin(), known.begin() + n_keys, field) != known.begin() + n_keys;
    if (const TomlNode* n = s.find(field); n != nullptr && !taken) {
      r.formulas.emplace(field, expression(*n, names_of_problem_));
    }
  }
  for (const char* key : {"columns", "interpolation"}) {
    if (const TomlNode* n = s.find(key); n != nullptr && s.find("file") == nullptr) {
      throw Error(fmt::format("'{}' has no meaning without 'file'", key), n->key.str(),
                  "remove it");
    }
  }
  r.interpolation = interpolation(s);
  if (const TomlNode* n = s.find("file")) {
    File file = read_data(s);
    const std::vector<std::string> axes = p_.coordinates();
    for (const std::string& x : axes) need_column(*n, file.table, x);
    const auto& columns = file.table.columns;
    const bool scattered = at_node(*n, [&] { return is_scattered(file.table, axes); });
    if (const TomlNode* how = s.find("interpolation"); how != nullptr && scattered) {
      throw Error(
          fmt::format("'interpolation' has no meaning: the {} rows are no full grid of ({})",
                      file.table.rows(), fmt::join(axes, ", ")),
          how->key.str(), "remove it: errors are measured at the scattered points");
    }
    bool any = false;
    for (const std::string& field : fields) {
      if (std::find(columns.begin(), columns.end(), field) == columns.end()) continue;
      any = true;
      if (scattered) continue;
      at_node(*n, [&] { (void)GridTable(file.table, axes, field, r.interpolation); });
    }
    if (!any) need_column(*n, file.table, fields[0]);
    r.file = std::move(file.name);
    r.table = std::move(file.table);
  }
  if (r.empty()) {
    fail_at(node, "the reference is empty",
            "give exact = \"name\", a formula per field, or file = \"table.csv\"");
  }
}

}  // namespace cauchy::detail
