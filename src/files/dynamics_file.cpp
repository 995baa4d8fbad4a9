#include <cauchy/files/dynamics_file.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/files.hpp>

#include "files/file_rules.hpp"
#include "files/option_reader.hpp"
#include "files/problem_file_method.hpp"
#include "files/problem_file_reader.hpp"  // placed
#include "files/toml_section.hpp"

namespace cauchy {
namespace detail {
namespace {

/// Builds a problem with [dynamics] from the tree of its file.
class DynamicsReader final {
 public:
  explicit DynamicsReader(const TomlNode& root) : root_(root), p_(file_.problem) {}

  DynamicsFile read() {
    const TomlSection root(root_, "",
                           {"include", "name", "title", "source", "notes", "fields", "tolerance",
                            "parameters", "unknown", "equation", "dynamics", "train"});
    const TomlNode* const train = root.find("train");
    if (train != nullptr) read_options(*train, "[train]", file_.method);
    read_header(root);
    const TomlNode& dynamics = root.need("dynamics", "[dynamics] with data = \"file.csv\"");
    expect_table(dynamics);
    const TomlSection s(dynamics, "[dynamics]",
                        {"data", "reference", "trajectory", "time", "hidden", "train_until", "test",
                         "network", "event"});
    s.read("time", p_.field.time);
    read_numbers(root.find("parameters"));
    read_unknowns(root.find("unknown"));
    declare_states(root, s);
    read_network(s);
    for (const TomlNode* n : as_tables(root.find("equation"))) read_equation(*n);
    place_slopes(root);
    for (const TomlNode* n : as_tables(s.find("event"))) read_event(*n);
    read_data(s);
    if (const TomlNode* n = s.find("train_until")) p_.train_until = number(*n);
    s.count("test", p_.test, 0, 1'000'000'000);
    if (const TomlNode* n = root.find("tolerance")) {
      p_.tolerance = number(*n);
      if (!(*p_.tolerance > 0)) {
        fail_at(*n, fmt::format("'tolerance' must be positive, got {}", *p_.tolerance));
      }
    }
    file_.places["[dynamics]"] = dynamics.place.str();
    if (train != nullptr) file_.places["[train]"] = train->place.str();
    try {
      check(p_);
      check_options(file_.method);
    } catch (const Error& e) {
      throw in_file(e, file_);
    }
    return std::move(file_);
  }

 private:
  void read_header(const TomlSection& root) {
    const std::string stem = std::filesystem::path(root.node().place.source->name).stem().string();
    if (!stem.empty()) p_.name = stem;
    root.read("name", p_.name);
    root.read("title", p_.title);
    root.read("source", p_.source);
    root.read("notes", p_.notes);
  }

  [[nodiscard]] double number(const TomlNode& node) const {
    if (node.kind != TomlNode::Kind::string) return as_number(node);
    Values values;
    for (const auto& [name, value] : p_.field.known) values.set(Parameter(name), value);
    return at_node(node,
                   [&] { return evaluate(parse(node.text, numbers_, node.text_start()), values); });
  }

  template <class Declare>
  void declare(const TomlNode& node, Declare add) {
    try {
      add();
    } catch (const Error& e) {
      throw Error(ErrorKind::syntax, fmt::format("the name is {}", e.message()), node.key.str(),
                  e.hint());
    }
  }

  void read_numbers(const TomlNode* node) {
    if (node == nullptr) return;
    expect_table(*node);
    for (const TomlNode& n : node->items) {
      const double value = number(n);
      if (!std::isfinite(value)) fail_at(n, fmt::format("'{}' must be finite", n.name));
      declare(n, [&] {
        numbers_.add_parameter(n.name);
        names_.add_parameter(n.name);
      });
      p_.field.known[n.name] = value;
    }
  }

  void read_unknowns(const TomlNode* node) {
    if (node == nullptr) return;
    expect_table(*node);
    for (const TomlNode& n : node->items) {
      FieldConstant c{n.name, 1};
      if (n.kind == TomlNode::Kind::table) {
        const TomlSection s(n, fmt::format("unknown '{}'", n.name), {"initial", "truth"});
        c.initial = number(s.need("initial", "the value to start from"));
        if (const TomlNode* t = s.find("truth")) p_.truths[n.name] = number(*t);
      } else {
        c.initial = number(n);
      }
      declare(n, [&] { names_.add_parameter(n.name); });
      p_.field.constants.push_back(std::move(c));
    }
  }

  void declare_states(const TomlSection& root, const TomlSection& s) {
    const TomlNode& fields = root.need("fields", "fields = [\"x\", \"y\"]");
    seen_ = as_texts(fields);
    if (seen_.empty()) fail_at(fields, "the problem has no fields", "fields = [\"x\"]");
    p_.field.states = seen_;
    if (const TomlNode* n = s.find("hidden")) {
      for (const std::string& name : as_texts(*n)) p_.field.states.push_back(name);
    }
    declare(fields, [&] {
      names_.add_time(p_.field.time);
      for (const std::string& name : p_.field.states) names_.add_field(name);
    });
    inputs_ = names_;
  }

  void read_network(const TomlSection& s) {
    const TomlNode* node = s.find("network");
    const bool equations = root_.find("equation") != nullptr;
    if (node == nullptr) {
      if (!equations) p_.field.unknown = FieldUnknown{};
      return;
    }
    expect_table(*node, "network = { inputs = [\"x\"], outputs = [\"n\"] }");
    const TomlSection n(*node, "[dynamics.network]", {"inputs", "outputs"});
    p_.field.unknown = FieldUnknown{};
    if (const TomlNode* in = n.find("inputs")) {
      (void)as_texts(*in);
      for (const TomlNode& e : in->items) {
        p_.field.unknown->inputs.push_back(
            at_node(e, [&] { return parse(e.text, inputs_, e.text_start()); }));
        no_derivatives(e, p_.field.unknown->inputs.back());
      }
      if (in->items.empty()) fail_at(*in, "the network has no inputs", "leave the key out");
    }
    if (const TomlNode* out = n.find("outputs")) {
      p_.field.unknown->outputs = as_texts(*out);
      for (const TomlNode& e : out->items) {
        declare(e, [&] { names_.add_definition(e.text, Symbol(e.text)); });
      }
    }
  }

  void no_derivatives(const TomlNode& node, const Expr& e) const {
    if (order(e) == 0) return;
    fail_at(node, "derivatives have no place here", "use the fields themselves");
  }

  void read_equation(const TomlNode& node) {
    const TomlSection s(node, "[[equation]]", {"form"});
    const TomlNode& form = s.need("form", "form = \"x_t = a*x\"");
    const Equation e =
        at_node(form, [&] { return parse_equation(as_text(form), names_, form.text_start()); });
    const std::vector<std::string>& states = p_.field.states;
    for (const std::string& name : states) {
      if (!same(e.left, d(Field(name), Coordinate(p_.field.time)))) continue;
      no_derivatives(form, e.right);
      if (!slopes_.emplace(name, e.right).second) {
        fail_at(form, fmt::format("'{}' has two equations", name));
      }
      return;
    }
    fail_at(form, "the left side is not the derivative of a field by time",
            fmt::format("write {}_{} = ...", states.front(), p_.field.time));
  }

  /// An expression of states, time and constants.
  [[nodiscard]] Expr state_expression(const TomlNode& node) const {
    const Expr e = at_node(node, [&] { return parse(as_text(node), inputs_, node.text_start()); });
    no_derivatives(node, e);
    return e;
  }

  void read_event(const TomlNode& node) {
    const TomlSection s(node, "[[dynamics.event]]", {"when", "direction", "set"});
    FieldEvent event;
    event.when = state_expression(s.need("when", "when = \"x\", which becomes zero"));
    if (const TomlNode* n = s.find("direction")) {
      const std::string& word = as_text(*n);
      if (word != "falling" && word != "rising" && word != "both") {
        fail_at(*n, fmt::format("unknown direction '{}'", word),
                "directions are: falling, rising, both");
      }
      event.direction = word == "falling" ? -1 : word == "rising" ? 1 : 0;
    }
    if (const TomlNode* set = s.find("set")) {
      expect_table(*set, "set = { v = \"-0.9*v\" }");
      for (const TomlNode& n : set->items) {
        const std::vector<std::string>& states = p_.field.states;
        if (std::find(states.begin(), states.end(), n.name) == states.end()) {
          fail_at(n, fmt::format("'{}' is no field", n.name),
                  fmt::format("fields are: {}", fmt::join(states, ", ")));
        }
        event.then[n.name] = state_expression(n);
      }
    }
    p_.field.events.push_back(std::move(event));
  }

  void place_slopes(const TomlSection& root) {
    if (slopes_.empty()) return;
    for (const std::string& name : p_.field.states) {
      const auto at = slopes_.find(name);
      if (at == slopes_.end()) {
        fail_at(root.need("equation"), fmt::format("field '{}' has no equation", name),
                fmt::format("add {}_{} = ...", name, p_.field.time));
      }
      p_.field.slopes.push_back(at->second);
    }
  }

  [[nodiscard]] TrajectoryData table(const TomlNode& node, const TomlSection& s,
                                     std::string& kept) const {
    const TomlSource& source = *node.place.source;
    const std::string& name = as_text(node);
    kept = (source.relative / name).lexically_normal().generic_string();
    const std::filesystem::path path = named_file(node, name);
    std::error_code failure;
    if (!std::filesystem::exists(path, failure)) {
      fail_at(node, fmt::format("file '{}' not found", name),
              fmt::format("it is looked for in {}", source.folder.string()));
    }
    Table t = reading(node, path, [&] { return read_table(path, {.allow_nonfinite = true}); });
    t.source = path.string();
    const auto need = [&](const TomlNode& at, const std::string& column) {
      if (std::find(t.columns.begin(), t.columns.end(), column) != t.columns.end()) return;
      fail_at(at, fmt::format("there is no column '{}' in '{}'", column, name),
              fmt::format("columns are: {}", fmt::join(t.columns, ", ")));
    };
    const TomlNode* const id = s.find("trajectory");
    if (id != nullptr) need(*id, file_.id);
    need(s.find("time") != nullptr ? *s.find("time") : node, p_.field.time);
    for (const TomlNode& f : root_.find("fields")->items) need(f, f.text);
    return trajectories_of(t, file_.id, p_.field.time, seen_);
  }

  void read_data(const TomlSection& s) {
    s.read("trajectory", file_.id);
    p_.data = table(s.need("data", "data = \"file.csv\""), s, file_.file);
    if (const TomlNode* n = s.find("reference")) {
      p_.reference = table(*n, s, file_.reference_file);
    }
  }

  const TomlNode& root_;
  DynamicsFile file_;
  DynamicsProblem& p_;
  Context numbers_, names_, inputs_;
  std::vector<std::string> seen_;
  std::map<std::string, Expr> slopes_;
};

}  // namespace
}  // namespace detail

bool has_dynamics(const std::filesystem::path& file) { return detail::has_table(file, "dynamics"); }

DynamicsFile read_dynamics_file(const std::filesystem::path& file,
                                const std::vector<std::string>& overrides) {
  const std::string text = read_file(file, detail::max_toml_bytes);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const detail::TomlNode root = detail::load_toml(text, file.string(), folder, file, overrides);
  return detail::reading_tree(root, [&] { return detail::DynamicsReader(root).read(); });
}

DynamicsFile parse_dynamics_file(std::string_view text, const std::string& name,
                                 const std::filesystem::path& folder,
                                 const std::vector<std::string>& overrides) {
  const detail::TomlNode root = detail::load_toml(text, name, folder, {}, overrides);
  return detail::reading_tree(root, [&] { return detail::DynamicsReader(root).read(); });
}

Error in_file(const Error& error, const DynamicsFile& file) {
  return detail::placed(error, file.places);
}

std::string to_toml(const DynamicsFile& file) {
  const DynamicsProblem& p = file.problem;
  std::string out;
  const auto line = [&](std::string_view key, const std::string& value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) line(key, toml_text(value));
  };
  text("name", p.name);
  text("title", p.title);
  text("source", p.source);
  text("notes", p.notes);
  line("fields", detail::toml_texts(p.data.columns));
  if (p.tolerance) line("tolerance", toml_number(*p.tolerance));
  if (!p.field.known.empty()) out += "\n[parameters]\n";
  for (const auto& [name, value] : p.field.known) line(name, toml_number(value));
  for (const FieldConstant& c : p.field.constants) {
    out += fmt::format("\n[unknown.{}]\n", c.name);
    line("initial", toml_number(c.initial));
    const auto truth = p.truths.find(c.name);
    if (truth != p.truths.end()) line("truth", toml_number(truth->second));
  }
  out += "\n[dynamics]\n";
  text("data", file.file);
  text("reference", file.reference_file);
  text("trajectory", file.id);
  text("time", p.field.time);
  const std::vector<std::string> hidden(
      p.field.states.begin() + static_cast<std::ptrdiff_t>(p.data.columns.size()),
      p.field.states.end());
  if (!hidden.empty()) line("hidden", detail::toml_texts(hidden));
  if (std::isfinite(p.train_until)) line("train_until", toml_number(p.train_until));
  line("test", fmt::format("{}", p.test));
  if (p.field.unknown) {
    const FieldUnknown& u = *p.field.unknown;
    std::vector<std::string> inputs;
    for (const Expr& e : u.inputs) inputs.push_back(to_string(e));
    out += "\n[dynamics.network]\n";
    if (!inputs.empty()) line("inputs", detail::toml_texts(inputs));
    if (!u.outputs.empty()) line("outputs", detail::toml_texts(u.outputs));
  }
  for (const FieldEvent& event : p.field.events) {
    out += "\n[[dynamics.event]]\n";
    text("when", to_string(event.when));
    text("direction", event.direction < 0 ? "falling" : event.direction > 0 ? "rising" : "both");
    std::vector<std::string> set;
    for (const auto& [name, value] : event.then) {
      set.push_back(fmt::format("{} = {}", name, toml_text(to_string(value))));
    }
    if (!set.empty()) line("set", fmt::format("{{ {} }}", fmt::join(set, ", ")));
  }
  for (std::size_t i = 0; i < p.field.slopes.size(); ++i) {
    out += "\n[[equation]]\n";
    text("form",
         fmt::format("{}_{} = {}", p.field.states[i], p.field.time, to_string(p.field.slopes[i])));
  }
  return out + "\n[train]\n" + option_text("train", file.method);
}

}  // namespace cauchy
