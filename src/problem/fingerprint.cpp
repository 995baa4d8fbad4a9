#include "problem/fingerprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

#include "io/crc32c.hpp"

namespace cauchy::detail {
namespace {

std::string table_text(const Table& t) {
  const std::string_view bytes(reinterpret_cast<const char*>(t.values.data()),
                               t.values.size() * sizeof(double));
  return fmt::format("{}: {} numbers, crc {}\n", fmt::join(t.columns, " "), t.values.size(),
                     crc32c(bytes));
}

}  // namespace

std::string fingerprint(const Problem& p) {
  std::string text;
  for (const std::string& f : p.fields) text += "field " + f + "\n";
  for (const ProblemEquation& e : p.equation) {
    text += fmt::format("equation {} where {}\n", to_string(e.form), e.where);
  }
  for (const Condition& c : p.condition) {
    text += fmt::format("condition {} {} {}{} {}\n", name_of(c), c.where, to_string(c.form),
                        c.hard ? " hard" : "", c.order);
    for (const auto& [name, value] : c.point) text += fmt::format("at {} = {}\n", name, value);
  }
  if (const Time* time = p.domain->time()) {
    text += fmt::format("time {} {} {}\n", time->name, time->lower, time->upper);
  }
  if (const Region* space = p.domain->space()) text += "space " + space->str() + "\n";
  for (const Range& r : p.domain->ranges()) {
    text += fmt::format("range {} {} {}\n", r.name, r.lower, r.upper);
  }
  for (const auto& [name, value] : p.values()) text += fmt::format("{} = {}\n", name, value);
  for (const Definition& d : p.definitions) {
    text += fmt::format("let {} = {}\n", d.name, to_string(d.value));
  }
  for (const Unknown& u : p.unknowns) text += fmt::format("unknown {} {}\n", u.name, u.initial);
  for (const Coefficient& c : p.coefficients) text += "coefficient " + c.name + "\n";
  for (const Observation& o : p.observation) {
    text += fmt::format("observed {} {}", to_string(o.quantity), table_text(o.table));
    if (o.sigma) text += fmt::format("sigma {}\n", *o.sigma);
    if (!o.sigma_column.empty()) text += fmt::format("sigma in {}\n", o.sigma_column);
  }
  for (const TabulatedFunction& f : p.functions) {
    text +=
        fmt::format("function {} {} of {} by {}: {}", f.name, f.column, fmt::join(f.arguments, " "),
                    static_cast<int>(f.interpolation), table_text(f.table));
  }
  return text;
}

}  // namespace cauchy::detail
