#include <cmath>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

std::string_view meaning(Grade grade) {
  switch (grade) {
    case Grade::converged:
      return "the answer is as good as asked";
    case Grade::stalled:
      return "usable, but the tolerance was not reached";
    case Grade::diverged:
      return "no usable answer";
    case Grade::suspicious:
      return "the loss is small, but something contradicts it";
  }
  return "";
}

std::string tile(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string duration(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) return html_number(seconds);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", 1000 * seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

/// 12,345
std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string point_text(const std::vector<std::string>& names, const std::vector<double>& point) {
  std::string out;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (i == 6) return out + ", …";
    out += fmt::format("{}{} = {}", i > 0 ? ", " : "",
                       i < names.size() ? html_escaped(greek_name(names[i])) : "?",
                       html_number(point[i], 4));
  }
  return out;
}

}  // namespace

double reported_error(const Solution& solution) { return solution.error.relative_l2(); }

std::string html_verdict(const Solution& s) {
  std::string out = fmt::format(
      "<section class=\"card verdict {0}\" id=\"verdict\">\n<h2 class=\"badge\">{0}</h2>"
      "<span class=\"meaning\">{1}</span>\n",
      to_string(s.grade), meaning(s.grade));
  if (!s.findings.empty()) {
    out += "<ul>\n";
    for (const std::string& f : s.findings) out += fmt::format("<li>{}</li>\n", html_escaped(f));
    out += "</ul>\n";
  }
  out += "<dl class=\"tiles\">\n";
  if (!s.error.fields.empty()) {
    out += tile("relative <i>L</i><sup>2</sup> error", html_number(reported_error(s)));
  }
  if (s.problem.tolerance) out += tile("tolerance", html_number(*s.problem.tolerance, 0));
  if (s.training) {
    if (!s.training->history.empty()) {
      out += tile("final loss", html_number(s.training->loss()));
    }
    out += tile("steps", grouped(s.training->steps));
    out += tile("evaluations", grouped(s.training->evaluations));
  }
  out += tile("time", duration(s.seconds));
  return out + "</dl>\n</section>\n";
}

std::string html_checks(const Solution& s) {
  if (!s.training || s.training->checks.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"term", "training points", "fresh points", "fresh / training", "size that counts as 1"}};
  for (const TermCheck& c : s.training->checks) {
    const double ratio = c.fresh / c.trained;
    rows.push_back({html_escaped(c.name), html_number(c.trained), html_number(c.fresh),
                    c.trained == 0 ? "–"
                    : ratio > 10
                        ? fmt::format("<span class=\"bad\">{}</span>", html_number(ratio, 2))
                        : html_number(ratio, 2),
                    html_number(c.scale)});
  }
  return html_section("residuals", "Residuals",
                      "<p class=\"note\">Root mean square of each term of the loss, in units of "
                      "its size, on the points of the training and on fresh ones.</p>\n" +
                          html_table(rows));
}

std::string html_errors(const Solution& s) {
  if (s.error.fields.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"field", "relative <i>L</i><sup>2</sup>", "largest", "where it is largest"}};
  for (const FieldError& e : s.error.fields) {
    rows.push_back({in_math(name_to_mathml(e.field)), html_number(e.relative_l2),
                    html_number(e.max), point_text(s.problem.coordinates(), e.where)});
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
