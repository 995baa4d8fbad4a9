#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/mathml.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

/// What a grade means; its colour is the class of its name in the style sheet.
std::string_view meaning(Grade grade) {
  switch (grade) {
    case Grade::converged:
      return "the answer is as good as asked";
    case Grade::unverified:
      return "nothing contradicts the answer, but its error is not known";
    case Grade::stalled:
      return "usable, but the tolerance was not reached";
    case Grade::suspicious:
      return "it looks solved, but something contradicts it";
    case Grade::diverged:
      return "no usable answer";
  }
  return {};
}

/// Residuals on fresh points that are far larger than those of the training stand out.
std::string ratio_cell(const TermCheck& c) {
  const double ratio = c.fresh / c.trained;
  if (!(ratio >= 0) || c.trained == 0) return "–";
  const std::string text = html_number(ratio, 2);
  return ratio > 10 ? fmt::format("<span class=\"bad\">{}</span>", text) : text;
}

}  // namespace

std::string html_point(const std::vector<std::string>& names, const std::vector<double>& point) {
  std::string out;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (i == 6) return out + ", …";
    out += fmt::format("{}{} = {}", i > 0 ? ", " : "",
                       i < names.size() ? html_escaped(greek_name(names[i])) : "?",
                       html_number(point[i], 4));
  }
  return out;
}

std::string html_tile(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string html_grade(Grade grade, const std::vector<std::string>& findings,
                       std::string_view more) {
  std::string out = fmt::format(
      "<section class=\"card verdict {0}\" id=\"verdict\">\n<h2 class=\"badge\">{0}</h2>"
      "<span class=\"meaning\">{1}</span>\n",
      to_string(grade), meaning(grade));
  if (!findings.empty()) {
    out += "<ul>\n";
    for (const std::string& f : findings) out += fmt::format("<li>{}</li>\n", html_escaped(f));
    out += "</ul>\n";
  }
  return fmt::format("{}{}</section>\n", out, more);
}

std::string html_warnings(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return {};
  std::string items;
  for (const std::string& w : warnings) items += fmt::format("<li>{}</li>\n", html_escaped(w));
  return fmt::format(
      "<div class=\"warnings\"><p>{}</p>\n<ul>\n{}</ul></div>\n",
      warnings.size() == 1 ? "Warning about the problem" : "Warnings about the problem", items);
}

std::string html_verdict(const Solution& s) {
  std::string out = html_warnings(s.warnings);
  out += "<dl class=\"tiles\">\n";
  if (!s.error.fields.empty()) {
    out += html_tile("relative <i>L</i><sup>2</sup> error", html_number(s.error.relative_l2()));
  }
  if (s.estimate) out += html_tile("estimated error", html_number(s.estimate->relative_l2));
  if (s.problem.tolerance) out += html_tile("tolerance", html_number(*s.problem.tolerance, 0));
  if (s.training) {
    if (!s.training->history.empty()) {
      out += html_tile("final loss", html_number(s.training->loss()));
    }
    out += html_tile("steps", grouped(s.training->steps));
    out += html_tile("evaluations", grouped(s.training->evaluations));
  }
  out += html_tile("time", duration(s.seconds));
  return html_grade(s.grade, s.findings, out + "</dl>\n");
}

std::string html_checks(const Solution& s) {
  if (s.checks.empty()) return {};
  const std::vector<std::string> names = s.problem.coordinates();
  std::vector<std::vector<std::string>> rows = {{"term", "training points", "fresh points",
                                                 "fresh / training", "mean", "largest", "where",
                                                 "size that counts as 1"}};
  for (const TermCheck& c : s.checks) {
    rows.push_back({html_escaped(c.name), html_number(c.trained), html_number(c.fresh),
                    ratio_cell(c), html_number(c.mean), html_number(c.worst),
                    html_point(names, c.where), html_number(c.scale)});
  }
  if (!s.training) {  // nothing was trained: there are fresh points alone
    for (std::vector<std::string>& row : rows) {
      row.erase(row.begin() + 3);
      row.erase(row.begin() + 1);
    }
  }
  return html_section(
      "residuals", "Residuals",
      fmt::format("<p class=\"note\">Residuals of equations and conditions in units "
                  "of the size of their terms: root mean squares on {}fresh {}, and "
                  "the mean modulus and the largest of these.</p>\n",
                  s.training ? "the points of the training and on " : "",
                  s.training ? "ones" : "points") +
          html_table(rows));
}

std::string html_errors(const Solution& s) {
  if (s.error.fields.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"field", "relative <i>L</i><sup>2</sup>", "largest", "where it is largest"}};
  for (const FieldError& e : s.error.fields) {
    rows.push_back({in_math(name_to_mathml(e.field)), html_number(e.relative_l2),
                    html_number(e.max), html_point(s.problem.coordinates(), e.where)});
  }
  if (s.error.fields.size() > 1) rows.push_back({"all", html_number(s.error.joint_l2), "", ""});
  return html_section("errors", "Errors",
                      fmt::format("<p class=\"note\">Against {}, at {} points.</p>\n",
                                  html_escaped(s.error.reference), grouped(s.error.n_points)) +
                          html_table(rows));
}

std::string html_run(const Solution& s, const HtmlOptions& options) {
  std::vector<std::vector<std::string>> rows = {{}};
  const auto add = [&](const char* name, std::string value) {
    rows.push_back({name, std::move(value)});
  };
  if (!s.method.empty()) add("method", html_escaped(s.method));
  if (s.training) {
    add("steps", grouped(s.training->steps));
    add("evaluations of the loss", grouped(s.training->evaluations));
  }
  add("time", duration(s.seconds));
  if (s.training && s.training->steps > 0) {
    add("time per step", duration(s.seconds / static_cast<double>(s.training->steps)));
  }
  for (const auto& [name, value] : options.run) {
    rows.push_back({html_escaped(name), html_escaped(value)});
  }
  std::string out = html_table(rows, false);
  if (s.training && !s.training->scales.empty()) {
    std::vector<std::vector<std::string>> scales = {{"quantity", "counts as 1"}};
    for (const auto& [name, value] : s.training->scales) {
      scales.push_back({html_escaped(name), html_number(value, 4)});
    }
    out +=
        "<h3>Scales</h3>\n<p class=\"note\">Half widths of the coordinates, sizes of the fields "
        "and of the residuals: inside the method they are 1.</p>\n" +
        html_table(scales);
  }
  if (!options.settings.empty()) {
    out +=
        fmt::format("<details id=\"settings\"><summary>Settings</summary><pre>{}</pre></details>\n",
                    html_escaped(options.settings));
  }
  return html_section("run", "Run", out);
}

}  // namespace cauchy::detail
