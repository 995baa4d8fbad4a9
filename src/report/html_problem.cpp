#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/report/mathml.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

std::string operator_sign(std::string_view sign) { return fmt::format("<mo>{}</mo>", sign); }

std::string equals(std::string_view left, std::string_view right) {
  return fmt::format("{}<mo>=</mo>{}", left, right);
}

std::string bracketed(std::string_view content) {
  return fmt::format("<mrow><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo></mrow>",
                     content);
}

/// name(t, x): a field with what it depends on.
std::string applied(std::string_view name, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return name_to_mathml(name);
  std::string list;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    list += (i > 0 ? operator_sign(",") : "") + name_to_mathml(arguments[i]);
  }
  return name_to_mathml(name) + "<mo>&#x2061;</mo>" + bracketed(list);
}

/// Six digits are enough for people: 2 pi is 6.28319.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::string between(std::string_view name, double lower, double upper) {
  return fmt::format(
      "{}<mo>&#x2208;</mo><mrow><mo stretchy=\"false\">[</mo>{}<mo>,</mo>{}<mo "
      "stretchy=\"false\">]</mo></mrow>",
      name_to_mathml(name), to_mathml(rounded(lower)), to_mathml(rounded(upper)));
}

std::string item(const std::string& content) { return fmt::format("<li>{}</li>\n", content); }

std::string tags(const Expr& weight, bool hard = false) {
  std::string out;
  if (hard) out += "<span class=\"tag\">built in exactly</span>";
  if (weight.is_constant(1)) return out;
  out +=
      fmt::format("<span class=\"tag\">weight {}</span>",
                  weight.is_constant() ? html_number(weight.value()) : in_math(to_mathml(weight)));
  return out;
}

/// A formula of the list, where it holds, and what it is called.
std::string formula(const std::string& math, const std::string& where, const std::string& name,
                    const std::string& more) {
  std::string out = in_math(math, MathStyle::in_text);
  if (!where.empty()) out += fmt::format("<span class=\"where\">{}</span>", where);
  if (!name.empty()) out += fmt::format("<span class=\"where\">({})</span>", html_escaped(name));
  return item(out + more);
}

/// [0, 2] x [0, 1] where the region is a box with known ends; empty otherwise.
std::string box_sides(const Problem& problem) {
  constexpr std::size_t most_sides = 4;
  try {
    const Domain domain = domain_of(problem);
    if (domain.shape_varies() || domain.space()->dimension() > most_sides) return {};
    const ShapePtr shape = domain.shape(std::vector<double>(domain.ranges().size()));
    const Bounds& bounds = shape->bounds();
    double volume = 1;
    std::string out;
    for (std::size_t k = 0; k < bounds.lower.size(); ++k) {
      volume *= bounds.upper[k] - bounds.lower[k];
      out += fmt::format(
          "{}<mrow><mo stretchy=\"false\">[</mo>{}<mo>,</mo>{}<mo "
          "stretchy=\"false\">]</mo></mrow>",
          k > 0 ? "<mo>&#xD7;</mo>" : "", to_mathml(rounded(bounds.lower[k])),
          to_mathml(rounded(bounds.upper[k])));
    }
    const std::size_t d = bounds.lower.size();
    const bool whole = std::abs(shape->measure() - volume) <= 1e-9 * volume;
    return whole && shape->pieces().size() == 2 * d ? out : std::string();
  } catch (const Error& e) {  // the text says it
    if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::not_found) throw;
    return {};
  }
}

std::string domain_items(const Problem& problem) {
  std::string out;
  const Domain& domain = *problem.domain;
  if (const Time* t = domain.time()) out += item(in_math(between(t->name, t->lower, t->upper)));
  if (const Region* space = domain.space()) {
    std::string names;
    for (const std::string& c : space->coordinates()) {
      if (names.size() > 1500) {
        names += operator_sign(",") + operator_sign("…");
        break;
      }
      names += (names.empty() ? "" : operator_sign(",")) + name_to_mathml(c);
    }
    if (space->coordinates().size() > 1) names = bracketed(names);
    const std::string sides = box_sides(problem);
    if (!sides.empty()) {
      out += item(in_math(names + "<mo>&#x2208;</mo>" + sides));
    } else {
      out += item(in_math(fmt::format("<mrow>{}<mo>&#x2208;</mo><mi>&#x3A9;</mi></mrow>", names)) +
                  fmt::format(" <span class=\"where\">with Ω = <code>{}</code></span>",
                              html_escaped(shortened(space->str(), 400))));
    }
  }
  for (const Range& r : domain.ranges()) {
    out += item(in_math(between(r.name, r.lower, r.upper)) +
                " <span class=\"where\">(parameter range)</span>");
  }
  return out;
}

std::string condition_item(const Condition& c, const Problem& problem) {
  std::string where =
      c.where.empty() ? "" : fmt::format("on <code>{}</code>", html_escaped(c.where));
  if (problem.domain && problem.domain->time() != nullptr &&
      c.where.starts_with(problem.domain->time()->name + " =")) {
    where = fmt::format("at <code>{}</code>", html_escaped(c.where));
  }
  const std::string more = tags(c.weight, c.hard);
  switch (c.kind) {
    case Condition::Kind::periodic:
      return item(fmt::format("<span>periodic in {}, with derivatives up to order {}</span>{}",
                              in_math(name_to_mathml(c.coordinate)), c.order, more));
    case Condition::Kind::point: {
      std::string point;
      for (const auto& [name, value] : c.point) {
        point += (point.empty() ? "" : operator_sign(",")) +
                 equals(name_to_mathml(name), to_mathml(rounded(value)));
      }
      return formula(to_mathml(c.form), "at " + in_math(point), c.name, more);
    }
    case Condition::Kind::integral:
      return formula(equals(fmt::format("<msub><mo>&#x222B;</mo><mtext>{}</mtext></msub>{}",
                                        html_escaped(c.where), written_to_mathml(c.form.left)),
                            written_to_mathml(c.form.right)),
                     "", c.name, more);
    case Condition::Kind::general:
    case Condition::Kind::interface:
      break;
  }
  return formula(to_mathml(c.form), where, c.name, more);
}

std::string list(std::string_view title, std::string_view style, const std::string& items) {
  if (items.empty()) return {};
  return fmt::format("<h3>{}</h3>\n<ul class=\"{}\">\n{}</ul>\n", title, style, items);
}

std::string parameter_items(const Problem& problem) {
  std::string out;
  ParameterValues values;
  try {
    values = problem.values();
  } catch (const Error& e) {  // the formulas alone, then
    if (e.kind() != ErrorKind::not_found) throw;
  }
  for (const ProblemParameter& p : problem.parameters) {
    std::string math = equals(name_to_mathml(p.name), to_mathml(p.value));
    const auto value = values.find(p.name);
    if (!p.value.is_constant() && value != values.end()) {
      const double shown = rounded(value->second);
      math += operator_sign(shown == value->second ? "=" : "≈") + to_mathml(shown);
    }
    out += item(in_math(math));
  }
  return out;
}

std::string noise_text(const Observation& o) {
  if (o.sigma) return fmt::format(", noise {}", number_to_string(*o.sigma));
  if (o.sigma_column.empty()) return {};
  return fmt::format(", noise in <code>{}</code>", html_escaped(o.sigma_column));
}

std::string data_items(const Problem& problem) {
  std::string out;
  for (const TabulatedFunction& f : problem.functions) {
    out +=
        item(in_math(applied(f.name, f.arguments)) +
             fmt::format(
                 " <span class=\"where\">from {} rows{}</span>", f.table.rows(),
                 f.file.empty() ? "" : fmt::format(" of <code>{}</code>", html_escaped(f.file))));
  }
  for (const Observation& o : problem.observation) {
    out += item(
        fmt::format("<span>{} {}</span> <span class=\"where\">{} values{}{}</span>{}",
                    o.name.empty() ? "" : html_escaped(o.name) + ":",
                    in_math(to_mathml(o.quantity)), o.table.rows(),
                    o.file.empty() ? "" : fmt::format(" of <code>{}</code>", html_escaped(o.file)),
                    noise_text(o), tags(o.weight)));
  }
  return out;
}

std::string integral_sign(std::string_view over) {
  return fmt::format("<msub><mo>&#x222B;</mo>{}</msub>", over);
}

/// One identity per row, with gradients where the flux is a multiple of one.
std::string weak_identity(const WeakProblem& weak, std::size_t r, const Problem& problem) {
  const WeakForm& form = weak.form;
  const WeakRow& row = form.rows[r];
  const Field test(row.test);
  std::string inside = to_mathml(integrand(form, row));
  if (const GradientForm g = gradient_form(row.flux, form.space);
      g.found && form.space.size() > 1) {
    const std::string mark = "GRADIENTS";
    std::string text = to_mathml(g.coefficient * Symbol(mark) + row.source * test);
    const std::string name = name_to_mathml(mark);
    if (const std::size_t at = text.find(name); at != std::string::npos) {
      inside = text.replace(
          at, name.size(),
          fmt::format("<mrow><mo>&#x2207;</mo>{}<mo>&#x22C5;</mo><mo>&#x2207;</mo>{}</mrow>",
                      to_mathml(g.potential), name_to_mathml(row.test)));
    }
  }
  std::string out = integral_sign("<mi>&#x3A9;</mi>") + bracketed(inside) + "<mi>d</mi><mi>x</mi>";
  for (const WeakCondition& c : weak.conditions) {
    if (c.role != WeakCondition::Role::natural || c.row != r || c.value.is_constant(0)) continue;
    const std::string where = part_of(problem, c).where;
    out += operator_sign("+") +
           integral_sign(fmt::format("<mtext>{}</mtext>", html_escaped(where))) +
           bracketed(to_mathml(c.value * test)) + "<mi>d</mi><mi>s</mi>";
  }
  return equals(out, "<mn>0</mn>");
}

/// The weak form, where there is one.
std::string weak_items(const Problem& problem) {
  if (!problem.domain || problem.domain->space() == nullptr || !problem.coefficients.empty()) {
    return {};
  }
  std::string out;
  try {
    const WeakProblem weak = weak_problem(problem, WeakNames::names);
    for (const AuxiliaryField& a : weak.form.auxiliary) {
      out += formula(equals(name_to_mathml(a.name), to_mathml(a.meaning)), "", "", "");
    }
    for (std::size_t r = 0; r < weak.form.rows.size(); ++r) {
      out += formula(weak_identity(weak, r, problem),
                     "for all " + in_math(name_to_mathml(weak.form.rows[r].test)), "", "");
    }
    if (weak.energy) {
      out += formula(
          equals("<mi>J</mi>", integral_sign("<mi>&#x3A9;</mi>") +
                                   bracketed(to_mathml(*weak.energy)) + "<mi>d</mi><mi>x</mi>"),
          "the energy", "", "");
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
  }
  return out;
}

}  // namespace

std::string html_problem(const Solution& solution) {
  const Problem& p = solution.problem;
  std::string out;
  if (!p.notes.empty()) out += fmt::format("<p>{}</p>\n", html_escaped(p.notes));

  std::string equations, conditions, definitions, unknowns, fields;
  for (const ProblemEquation& e : p.equation) {
    equations +=
        formula(to_mathml(e.form),
                e.where.empty() ? "" : fmt::format("where <code>{}</code>", html_escaped(e.where)),
                e.name, tags(e.weight));
  }
  for (const Condition& c : p.condition) conditions += condition_item(c, p);
  for (const Definition& d : p.definitions) {
    definitions += formula(equals(name_to_mathml(d.name), written_to_mathml(d.value)), "", "", "");
  }
  const std::vector<std::string> coordinates =
      p.domain ? p.coordinates() : std::vector<std::string>{};
  for (const std::string& name : p.fields) {
    fields += item(
        in_math(applied(name, coordinates.size() > 8 ? std::vector<std::string>{} : coordinates)));
  }
  for (const Coefficient& c : p.coefficients) {
    fields += item(in_math(applied(c.name, c.coordinates)) +
                   " <span class=\"where\">(coefficient)</span>");
  }
  for (const Unknown& u : p.unknowns) {
    std::string text = in_math(name_to_mathml(u.name));
    if (u.lower && u.upper) {
      text = in_math(between(u.name, *u.lower, *u.upper));
    } else if (u.lower) {
      text = in_math(name_to_mathml(u.name) + operator_sign("&gt;") + to_mathml(*u.lower));
    } else if (u.upper) {
      text = in_math(name_to_mathml(u.name) + operator_sign("&lt;") + to_mathml(*u.upper));
    }
    unknowns += item(text + fmt::format(" <span class=\"where\">starting at {}</span>",
                                        html_number(u.initial, 6)));
  }
  out += list("Unknown fields", "plain", fields);
  out += list("Equations", "formulas", equations);
  out += list("Conditions", "formulas", conditions);
  out += list("Weak form", "formulas", weak_items(p));
  if (p.domain) out += list("Domain", "plain", domain_items(p));
  out += list("Parameters", "plain", parameter_items(p));
  out += list("Constants to be found", "plain", unknowns);
  out += list("Definitions", "formulas", definitions);
  out += list("Data", "plain", data_items(p));
  return html_section("problem", "Problem", out);
}

}  // namespace cauchy::detail
