#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

/// Estimated over true error, where that is known.
std::string effectivity_text(const Solution& s, const FieldError& estimated) {
  for (const FieldError& e : s.error.fields) {
    if (e.field == estimated.field) return html_number(estimated.relative_l2 / e.relative_l2);
  }
  return {};
}

std::string estimate_table(const Solution& s) {
  const bool known = !s.error.fields.empty();
  std::vector<std::vector<std::string>> rows = {
      {"field", "relative <i>L</i><sup>2</sup>", "largest", "where it is largest"}};
  if (known) rows[0].push_back("estimated / true");
  for (const FieldError& e : s.estimate->fields) {
    rows.push_back({in_math(name_to_mathml(e.field)), html_number(e.relative_l2),
                    html_number(e.max), html_point(s.problem.coordinates(), e.where)});
    if (known) rows.back().push_back(effectivity_text(s, e));
  }
  return rows.size() > 1 ? html_table(rows) : std::string();
}

std::string bounds_table(const Solution& s) {
  if (s.bounds.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"field", "norm", "at least", "at most", "relative", "by"}};
  for (const ErrorBound& b : s.bounds) {
    rows.push_back({b.field.empty() ? "all" : in_math(name_to_mathml(b.field)),
                    html_escaped(b.norm), html_number(b.lower), html_number(b.upper),
                    html_number(b.relative), html_escaped(b.how)});
  }
  return "<h3>Bounds</h3>\n<p class=\"note\">From the theory of the equation, evaluated "
         "numerically.</p>\n" +
         html_table(rows);
}

std::string history_text(const ErrorEstimate& e) {
  if (e.history.empty()) return {};
  std::string text;
  for (const double v : e.history) text += html_number(v) + ", ";
  return fmt::format(
      "<p class=\"note\">The answer was corrected by its estimated error; estimates on the way: "
      "{}{}.</p>\n",
      text, html_number(e.relative_l2));
}

}  // namespace

std::string html_error_bars(const Solution& s) {
  if (!s.estimate && s.bounds.empty()) return {};
  std::string out;
  if (s.estimate) {
    out += fmt::format("<p class=\"note\">Without a reference: {}.</p>\n",
                       html_escaped(s.estimate->how));
    out += estimate_table(s) + history_text(*s.estimate);
    if (const std::string pictures = html_correction(s); !pictures.empty()) {
      out += "<p class=\"note\">Truth minus answer, estimated:</p>\n" + pictures;
    }
  }
  return html_section("estimate", "Estimated error", out + bounds_table(s));
}

}  // namespace cauchy::detail
