#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "files/problem_file_method.hpp"
#include "files/problem_file_reader.hpp"
#include "files/surface_files.hpp"

namespace cauchy {
namespace detail {

std::string toml_texts(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& t : texts) out += (out.empty() ? "" : ", ") + toml_text(t);
  return "[" + out + "]";
}

std::string toml_expr(const Expr& e, const Context* context) {
  return e.is_constant() ? toml_number(e.value()) : toml_text(written_to_string(e, context));
}

namespace {

/// The arguments of "name(...)" when the whole text is that call, one per comma outside brackets.
std::optional<std::vector<std::string>> call_arguments(std::string_view text,
                                                       std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('(')) return std::nullopt;
  std::vector<std::string> arguments(1);
  int level = 0;
  for (std::size_t i = name.size(); i < text.size(); ++i) {
    const char c = text[i];
    if (c == ')' && --level == 0) {
      if (i + 1 != text.size()) return std::nullopt;
      return arguments;
    }
    if (c == ',' && level == 1) {
      arguments.emplace_back();
    } else if (level > 0) {
      arguments.back() += c;
    }
    if (c == '(') ++level;
  }
  return std::nullopt;
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "(a, b)" as its parts, or one part without brackets.
std::vector<std::string> point_parts(const std::string& text) {
  const std::string point = "p" + std::string(without_blanks(text));
  if (point.starts_with("p(")) {
    if (const auto parts = call_arguments(point, "p")) return *parts;
  }
  return {std::string(without_blanks(text))};
}

/// `space = { x = [0, 1], y = [0, 2] }` for an interval, rectangle or box; none for anything else.
std::optional<std::string> box_text(const Region& region) {
  std::string text = region.str();
  const std::string names = fmt::format(".in({})", fmt::join(region.coordinates(), ", "));
  if (text.ends_with(names)) text.resize(text.size() - names.size());
  for (const char* primitive : {"interval", "rectangle", "box"}) {
    const auto arguments = call_arguments(text, primitive);
    if (!arguments || arguments->size() != 2) continue;
    const auto lower = point_parts((*arguments)[0]), upper = point_parts((*arguments)[1]);
    const std::size_t d = region.dimension();
    // The table of d coordinates is read as this very primitive.
    const std::string_view same = d == 1 ? "interval" : d == 2 ? "rectangle" : "box";
    if (same != primitive || lower.size() != d || upper.size() != d) return std::nullopt;
    std::string out;
    const auto number = [](const std::string& part) {
      const std::string_view p = without_blanks(part);
      const bool is_number = p.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
                             p.find_first_of("0123456789") < 2 && p.size() <= 15;
      return is_number ? std::string(p) : toml_text(std::string(p));
    };
    for (std::size_t i = 0; i < d; ++i) {
      out += fmt::format("{}{} = [{}, {}]", out.empty() ? "" : ", ", region.coordinates()[i],
                         number(lower[i]), number(upper[i]));
    }
    return fmt::format("space = {{ {} }}\n", out);
  }
  return std::nullopt;
}

class Writer final {
 public:
  Writer(const Problem& p, const std::map<std::string, std::string>& surfaces,
         const std::vector<std::string>& inputs)
      : p_(p), surfaces_(surfaces), context_(p.context()) {
    for (const TabulatedFunction& f : p.functions) {
      if (std::find(inputs.begin(), inputs.end(), f.name) == inputs.end()) functions_.push_back(&f);
    }
  }

  std::string write() {
    header();
    if (p_.domain) domain();
    table("parameters", p_.parameters, [&](const auto& x) { return expr(x.value); });
    table("unknown", p_.unknowns, [](const Unknown& u) { return unknown(u); });
    functions();
    table("definitions", p_.definitions, [&](const auto& x) { return expr(x.value); });
    for (const ProblemEquation& e : p_.equation) equation(e);
    for (const Condition& c : p_.condition) condition(c);
    for (const Observation& o : p_.observation) observation(o);
    reference();
    return std::move(out_);
  }

 private:
  std::string expr(const Expr& e) const { return toml_expr(e, &context_); }
  void line(std::string_view key, const std::string& value) {
    out_ += fmt::format("{} = {}\n", key, value);
  }
  void text(std::string_view key, const std::string& value) {
    if (!value.empty()) line(key, toml_text(value));
  }
  void weight(const Expr& value) {
    if (!value.is_constant(1)) line("weight", expr(value));
  }

  /// A comment of one line.
  static std::string in_memory(std::string what) {
    for (char& c : what) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return fmt::format("# {}: its table is in memory and not written\n", what);
  }

  void header() {
    line("name", toml_text(p_.name));
    text("title", p_.title);
    text("source", p_.source);
    text("notes", p_.notes);
    line("fields", toml_texts(p_.fields));
    std::string list;
    for (const Coefficient& c : p_.coefficients) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", c.name, toml_texts(c.coordinates));
    }
    if (!list.empty()) line("coefficients", "{ " + list + " }");
    std::string sizes;
    for (const auto& [name, size] : p_.sizes) {
      sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, toml_number(size));
    }
    if (!sizes.empty()) line("sizes", "{ " + sizes + " }");
    if (p_.tolerance) line("tolerance", toml_number(*p_.tolerance));
    line("loss", p_.convention == LossConvention::risk ? "\"risk\"" : "\"integral\"");
  }

  void domain() {
    out_ += "\n[domain]\n";
    const auto ends = [](const auto& axis) {
      return fmt::format("{} = [{}, {}]", axis.name, toml_number(axis.lower),
                         toml_number(axis.upper));
    };
    if (const Time* t = p_.domain->time()) line("time", fmt::format("{{ {} }}", ends(*t)));
    if (const Region* space = p_.domain->space()) {
      if (const auto box = box_text(*space)) {
        out_ += *box;
      } else {
        line("region", toml_text(with_surface_files(space->str(), [&](const std::string& file) {
               const auto it = surfaces_.find(file);
               return it == surfaces_.end() ? file : it->second;
             })));
      }
    }
    std::string ranges;
    for (const Range& r : p_.domain->ranges()) ranges += (ranges.empty() ? "" : ", ") + ends(r);
    if (!ranges.empty()) line("ranges", "{ " + ranges + " }");
  }

  template <class Items, class Value>
  void table(std::string_view title, const Items& items, Value value) {
    if (items.empty()) return;
    out_ += fmt::format("\n[{}]\n", title);
    for (const auto& item : items) line(item.name, value(item));
  }

  void functions() {
    if (functions_.empty()) return;
    out_ += "\n[functions]\n";
    for (const TabulatedFunction* f : functions_) {
      if (f->file.empty()) {
        out_ += in_memory(fmt::format("function '{}'", f->name));
        continue;
      }
      line(f->name, fmt::format("{{ {}, arguments = {}, column = {}{} }}",
                                data(f->file, f->table, ", "), toml_texts(f->arguments),
                                toml_text(f->column), interpolation(f->interpolation, ", ", "")));
    }
  }

  static std::string unknown(const Unknown& u) {
    std::string v = "{ initial = " + toml_number(u.initial);
    if (u.lower) v += ", lower = " + toml_number(*u.lower);
    if (u.upper) v += ", upper = " + toml_number(*u.upper);
    if (u.truth) v += ", truth = " + toml_number(*u.truth);
    return v + " }";
  }

  /// The file, with names for the columns where it may have none of its own.
  static std::string data(const std::string& file, const Table& table, std::string_view between) {
    std::string v = "file = " + toml_text(file);
    const bool has_names = file.ends_with(".npz") || file.find(".h5") != std::string::npos ||
                           file.find(".hdf5") != std::string::npos;
    if (!has_names) v += fmt::format("{}columns = {}", between, toml_texts(table.columns));
    return v;
  }

  /// Nothing for the default.
  static std::string interpolation(TableInterpolation value, std::string_view before,
                                   std::string_view behind) {
    if (value == TableInterpolation::cubic) return {};
    return fmt::format("{}interpolation = \"{}\"{}", before, word_of(value, interpolation_words()),
                       behind);
  }

  void equation(const ProblemEquation& e) {
    out_ += "\n[[equation]]\n";
    text("name", e.name);
    line("form", toml_text(to_string(e.form, &context_)));
    text("where", e.where);
    weight(e.weight);
  }

  void condition(const Condition& c) {
    out_ += "\n[[condition]]\n";
    text("name", c.name);
    switch (c.kind) {
      case Condition::Kind::general:
      case Condition::Kind::interface:
        line("where", toml_text(c.where));
        break;
      case Condition::Kind::periodic:
        line("periodic", toml_text(c.coordinate));
        line("order", std::to_string(c.order));
        break;
      case Condition::Kind::point: {
        std::string list;
        for (const auto& [name, value] : c.point) {
          list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, toml_number(value));
        }
        line("point", "{ " + list + " }");
        break;
      }
      case Condition::Kind::integral:
        line("integral", toml_text(c.where));
        break;
    }
    if (c.kind != Condition::Kind::periodic) line("form", toml_text(to_string(c.form, &context_)));
    weight(c.weight);
    if (c.hard) line("hard", "true");
  }

  void observation(const Observation& o) {
    if (o.file.empty()) {
      out_ += "\n" + in_memory(fmt::format("observation '{}'", o.name));
      return;
    }
    out_ += "\n[[observation]]\n";
    text("name", o.name);
    line("of", toml_text(to_string(o.quantity, &context_)));
    line("column", toml_text(o.column));
    out_ += data(o.file, o.table, "\n") + "\n";
    weight(o.weight);
    if (o.sigma) line("sigma", toml_number(*o.sigma));
    if (!o.sigma_column.empty()) line("sigma", toml_text(o.sigma_column));
  }

  void reference() {
    const Reference& r = p_.reference;
    if (r.exact.empty() && r.formulas.empty() && r.file.empty()) {
      if (!r.empty()) out_ += "\n" + in_memory("reference");
      return;
    }
    out_ += "\n[reference]\n";
    text("exact", r.exact);
    std::string list;
    for (const auto& [name, value] : r.parameters) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, expr(value));
    }
    if (!list.empty()) line("parameters", "{ " + list + " }");
    for (const auto& [field, formula] : r.formulas) line(field, expr(formula));
    if (r.file.empty()) return;
    out_ += data(r.file, r.table, "\n") + "\n";
    out_ += interpolation(r.interpolation, "", "\n");
  }

  const Problem& p_;
  const std::map<std::string, std::string>& surfaces_;
  Context context_;
  std::vector<const TabulatedFunction*> functions_;  // that are written
  std::string out_;
};

}  // namespace

std::string problem_text(const Problem& problem, const std::map<std::string, std::string>& surfaces,
                         const std::vector<std::string>& inputs) {
  return Writer(problem, surfaces, inputs).write();
}

}  // namespace detail

std::string to_toml(const ProblemFile& file, const std::map<std::string, std::string>& surfaces) {
  return detail::problem_text(file.problem, surfaces) + "\n" + method_text(file.method);
}

}  // namespace cauchy
