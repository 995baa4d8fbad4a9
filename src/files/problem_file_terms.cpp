#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "files/problem_file_reader.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {
namespace {

Equation equation_of(const TomlNode& node, const Context& context) {
  const std::string& text = as_text(node);
  return at_node(node, [&] { return parse_equation(text, context, node.text_start()); });
}

/// A condition on points may use coordinates and numbers, nothing that is to be found.
void expect_of_points(const TomlNode& node, const Expr& where) {
  const Expr roots[] = {where};
  for (const Expr& e : postorder(roots)) {
    if (e.kind() != Kind::field && e.kind() != Kind::symbol) continue;
    fail_at(node, fmt::format("'{}' depends on '{}'", node.name, e.name()),
            "use coordinates and parameters");
  }
}

}  // namespace

void ProblemReader::read_equation(const TomlNode& node) {
  const TomlSection s(node, "[[equation]]", {"form", "name", "where", "weight"});
  ProblemEquation e;
  e.form = equation_of(s.need("form", "form = \"u_t = u_xx\""), names_of_problem_);
  s.read("name", e.name);
  s.read("where", e.where);
  weight(s, e.weight);
  if (const TomlNode* n = s.find("where")) {
    const Expr where = at_node(
        *n, [&] { return parse_condition(n->text, names_of_problem_, 1e-9, n->text_start()); });
    expect_of_points(*n, where);
  }
  p_.equation.push_back(std::move(e));
}

void ProblemReader::read_condition(const TomlNode& node) {
  const TomlSection s(
      node, "[[condition]]",
      {"where", "periodic", "point", "integral", "form", "order", "weight", "hard", "name"});
  std::vector<std::string> given;
  for (const char* key : {"where", "periodic", "point", "integral"}) {
    if (s.find(key) != nullptr) given.emplace_back(key);
  }
  if (given.empty()) {
    fail_at(node, "the condition does not say where it holds",
            "give one of where, periodic, point, integral");
  }
  if (given.size() > 1) {
    throw Error(fmt::format("a condition has one of where, periodic, point, integral; got {}",
                            fmt::join(given, " and ")),
                s.find(given[1])->key.str());
  }
  Condition c;
  s.read("name", c.name);
  s.read("hard", c.hard);
  weight(s, c.weight);
  const TomlNode& place = *s.find(given[0]);
  const auto refuse = [&](std::string_view key, std::string_view why) {
    if (const TomlNode* n = s.find(key)) {
      throw Error(fmt::format("'{}' has no meaning {}", key, why), n->key.str(), "remove it");
    }
  };
  if (given[0] == "periodic") {
    refuse("form", "in a periodic condition");
    c.kind = Condition::Kind::periodic;
    c.coordinate = as_text(place);
    s.count("order", c.order, 0, 64);
  } else {
    refuse("order", "in a condition that is not periodic");
    c.form = equation_of(s.need("form", "form = \"u = 0\""), names_of_problem_);
  }
  if (holds_jump(c.form.residual())) {
    if (given[0] != "where") refuse("form", "with jump(...) here: a jump belongs to a surface");
    c.kind = Condition::Kind::interface;
  }
  if (given[0] == "where" || given[0] == "integral") c.where = as_text(place);
  if (given[0] == "integral") c.kind = Condition::Kind::integral;
  if (given[0] == "point") {
    c.kind = Condition::Kind::point;
    expect_table(place, "point = { x = 0.5, y = 0 }");
    const std::vector<std::string> known = p_.coordinates();
    for (const TomlNode& n : place.items) {
      if (std::find(known.begin(), known.end(), n.name) == known.end()) {
        throw Error(fmt::format("unknown coordinate '{}'", n.name), n.key.str(),
                    hint_for(n.name, known, "coordinates"));
      }
      c.point.emplace_back(n.name, number(n));
    }
  }
  const bool everywhere = given[0] == "integral" && c.where == "domain";
  if (given[0] == "where" || (given[0] == "integral" && !everywhere)) read_where(place, c);
  p_.condition.push_back(std::move(c));
}

void ProblemReader::read_where(const TomlNode& node, const Condition& condition) const {
  try {
    if (condition.kind == Condition::Kind::interface) {
      (void)condition_points(p_, condition, 8);
      return;
    }
    const ConditionPlace place = place_of(p_, condition);
    // Read once more with its place in the file, for mistakes in it.
    if (place.kind == ConditionPlace::Kind::boundary) {
      expect_ends(Boundary(p_.domain->with(values_), node.text, node.text_start()));
    }
    (void)condition_points(p_, condition, 8);
  } catch (const Error& e) {
    const TomlSource& source = *node.place.source;
    std::string at = node.place.str();
    constexpr std::string_view inside = "where:1:";  // a column of the text itself
    if (e.place().starts_with(source.name + ":") && !source.is_override) {
      at = e.place();
    } else if (e.place().starts_with(inside) && !source.is_override) {
      TomlPlace exact = node.text_place;
      exact.column += std::atoi(e.place().c_str() + inside.size()) - 1;
      at = exact.str();
    }
    std::string message = e.message();
    if (message.starts_with("it ")) message = "the condition" + message.substr(2);
    throw Error(e.kind(), message, at, e.hint());
  }
}

void ProblemReader::expect_ends(const Boundary& boundary) const {
  if (boundary.region().dimension() != 1 || p_.domain->shape_varies()) return;
  for (const std::string& name : p_.domain->columns()) {
    if (name != boundary.region().coordinates()[0] && boundary.depends_on(name)) return;
  }
  const ShapePtr shape = p_.domain->with(values_).shape();
  Values values;
  for (const auto& [name, value] : values_) values.set(Parameter(name), value);
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < shape->pieces().size(); ++i) {
    const double u = 0.5;
    double x = 0, normal = 0;
    if (!shape->boundary_point(i, &u, &x, &normal)) return;
    values.set(Coordinate(boundary.region().coordinates()[0]), x);
    if (evaluate(boundary.condition(shape->pieces()[i]), values) != 0) return;
    pieces.push_back(shape->pieces()[i].name);
  }
  throw Error(fmt::format("'{}' selects no part of the boundary", boundary.text()), "",
              fmt::format("the pieces are {}", fmt::join(pieces, ", ")));
}

void ProblemReader::read_sigma(const TomlNode& node, const Table& table, Observation& o) const {
  if (node.kind == TomlNode::Kind::string) {
    o.sigma_column = node.text;
    return need_column(node, table, node.text);
  }
  o.sigma = number(node);
  if (!(*o.sigma > 0)) {
    fail_at(node, fmt::format("'sigma' must be positive, got {}", *o.sigma),
            "leave it out where the noise is not known");
  }
}

void ProblemReader::read_observation(const TomlNode& node) {
  const TomlSection s(node, "[[observation]]",
                      {"file", "of", "column", "columns", "weight", "sigma", "name"});
  Observation o;
  const TomlNode* of = s.find("of");
  std::string quantity = p_.fields[0];
  if (of != nullptr) {
    o.quantity = expression(*of, names_of_problem_);
    quantity = of->text;
  } else if (p_.fields.size() == 1) {
    o.quantity = Field(quantity);
  } else {
    (void)s.need("of", "of = \"u\": a field or an expression");
  }
  File file = read_data(s);
  const TomlNode& name = *s.find("file");
  for (const std::string& x : p_.coordinates()) need_column(name, file.table, x);
  const TomlNode* column = s.find("column");
  o.column = column != nullptr ? as_text(*column) : quantity;
  need_column(column != nullptr ? *column : of != nullptr ? *of : name, file.table, o.column);
  o.name = fmt::format("{} in {}", quantity, file.name);
  s.read("name", o.name);
  weight(s, o.weight);
  if (const TomlNode* sigma = s.find("sigma")) read_sigma(*sigma, file.table, o);
  o.file = std::move(file.name);
  o.table = std::move(file.table);
  p_.observation.push_back(std::move(o));
}

// --- places ---

std::map<std::string, std::string> ProblemReader::places() const {
  std::map<std::string, std::string> places{{"file", root_.place.str()}};
  const auto add = [&](const std::string& name, const TomlNode* node) {
    if (node != nullptr) places.emplace(name, node->place.str());
  };
  const auto add_term = [&](const std::string& name, const TomlNode& node) {
    add(name, &node);
    add("form of " + name, node.find("form"));
    add("where of " + name, node.find("where"));
    add("weight of " + name, node.find("weight"));
    add("hard " + name, node.find("hard"));
  };
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    add_term(fmt::format("equation '{}'", name_of(p_.equation[i])), *equations_[i]);
  }
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    add_term(fmt::format("condition '{}'", name_of(p_.condition[i])), *conditions_[i]);
  }
  for (std::size_t i = 0; i < observations_.size(); ++i) {
    add(fmt::format("observation '{}'", p_.observation[i].name), observations_[i]);
  }
  for (const Unknown& u : p_.unknowns) {
    add(fmt::format("unknown '{}'", u.name), root_.find("unknown")->find(u.name));
  }
  add("domain", root_.find("domain"));
  add("fields", root_.find("fields"));
  if (const TomlNode* reference = root_.find("reference")) {
    add("reference", reference);
    for (const TomlNode& n : reference->items) add(fmt::format("reference '{}'", n.name), &n);
  }
  return places;
}

void ProblemReader::place_method(const TomlNode* node) {
  if (node == nullptr) return;
  file_.places["method"] = node->place.str();
  for (const char* key : {"network", "points", "stage", "stages", "balancer", "point_weights",
                          "point_scheme", "curriculum"}) {
    const TomlNode* part = node->find(key);
    if (part == nullptr) continue;
    const std::string name =
        fmt::format("method.{}", key == std::string_view("stages") ? "stage" : key);
    file_.places[name] = part->place.str();
  }
}

Error placed(const Error& e, const std::map<std::string, std::string>& places) {
  // What is deeper than the words of a problem is about one of its parts.
  constexpr std::pair<std::string_view, std::string_view> layers[] = {
      {"[sampling", "method.points"},
      {"[networks", "method.network"},
      {"[method.network", "method.network"},
      {"[optimizers", "method.stage"},
      {"[training.balancer", "method.balancer"},
      {"[training.point_weights", "method.point_weights"},
      {"[training.point_scheme", "method.point_scheme"},
      {"[training.curriculum", "method.curriculum"},
      {"[training", "method.stage"},
      {"[sampling", "domain"},
      {"[geometry", "domain"},
      {"[problem", "fields"},
      {"[", "method"},
      {"[", "file"}};
  auto at = places.find(e.place());
  for (const auto& [prefix, name] : layers) {
    if (at == places.end() && e.place().starts_with(prefix)) at = places.find(std::string(name));
  }
  if (at == places.end()) return e;
  // "it contradicts ...": say who, now that the place is a line.
  std::string message = e.message();
  if (message.starts_with("it ")) message = e.place() + message.substr(2);
  return {e.kind(), message, at->second, e.hint()};
}

}  // namespace cauchy::detail
