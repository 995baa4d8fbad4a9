#include <cauchy/report/study_page.hpp>

#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <cauchy/report/box_plot.hpp>
#include <cauchy/report/figure.hpp>

#include "base/quantity_text.hpp"
#include "report/html_text.hpp"

namespace cauchy {
namespace {

using detail::html_escaped;
using detail::html_number;
using detail::html_section;
using detail::html_table;

constexpr double study_width = 1000;

Picture boxes_of(const StudyResult& study, const AxisOptions& axis,
                 std::vector<double> StudyLine::*numbers) {
  BoxPlot plot(axis);
  for (const StudyCell& cell : study.cells) {
    plot.row(cell.variant.name, study_line(cell, study.measure()).*numbers);
  }
  return draw_figure({&plot}, {study_width, plot.good_height(), 1, ""});
}

/// Times of one size are compared on an axis from 0, others by their ratios.
AxisOptions seconds_axis(const StudyResult& study) {
  std::vector<double> all;
  for (const StudyCell& cell : study.cells) {
    const std::vector<double> some = study_line(cell, study.measure()).seconds;
    all.insert(all.end(), some.begin(), some.end());
  }
  const Limits range = limits_of(all, AxisScale::log);
  if (range.high > 10 * range.low) return {"seconds", AxisScale::log, {}};
  return {"seconds", AxisScale::linear, Limits{0, 1.05 * range.high}};
}

/// Always with an exponent, so that columns can be compared; a dash where nothing is known.
std::string study_number(double value) {
  if (std::isnan(value)) return "–";
  if (value == 0 || !std::isfinite(value)) return html_number(value);
  const std::string text = fmt::format("{:.2e}", value);
  const auto e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  return fmt::format("{}×10<sup>{}{}</sup>", text.substr(0, e), exponent < 0 ? "−" : "",
                     std::abs(exponent));
}

std::string study_seconds(double seconds) {
  return std::isnan(seconds) ? "–" : detail::duration(seconds);
}

/// The name of a variant; short ones stay in one line.
std::string study_name(const StudyCell& cell) {
  constexpr std::size_t longest = 30;
  const std::string name = html_escaped(cell.variant.name);
  if (cell.variant.name.size() > longest) return name;
  return fmt::format("<span style=\"white-space:nowrap\">{}</span>", name);
}

std::string lines_table(const StudyResult& study) {
  std::vector<std::vector<std::string>> rows{{"variant", "median", "lower<br>quartile",
                                              "upper<br>quartile", "best", "worst", "time", "steps",
                                              "grades"}};
  for (const StudyCell& cell : study.cells) {
    const StudyLine line = study_line(cell, study.measure());
    const Spread value = study_spread(line.values);
    const double steps = study_spread(line.steps).median;
    rows.push_back({study_name(cell), study_number(value.median),
                    study_number(value.lower_quartile), study_number(value.upper_quartile),
                    study_number(value.min), study_number(value.max),
                    study_seconds(study_spread(line.seconds).median),
                    std::isnan(steps) ? "–" : fmt::format("{:.0f}", steps), grades_text(cell)});
  }
  return html_table(rows);
}

std::string settings_table(const StudyResult& study) {
  std::vector<std::vector<std::string>> rows{{"variant", "settings"}};
  for (const StudyCell& cell : study.cells) {
    std::string settings;
    for (const StudySetting& s : cell.variant.settings) {
      settings +=
          fmt::format("{}<code>{}</code>", settings.empty() ? "" : "<br>", html_escaped(s.text));
    }
    rows.push_back({study_name(cell), settings});
  }
  return html_table(rows, false);
}

std::string runs_table(const StudyResult& study) {
  std::vector<std::vector<std::string>> rows{{"variant", "seed",
                                              std::string(describe(study.measure())), "loss",
                                              "time", "steps", "grade"}};
  for (const StudyCell& cell : study.cells) {
    for (const StudyRun& run : cell.runs) {
      std::vector<std::string> row{study_name(cell), std::to_string(run.seed)};
      if (run.summary) {
        StudyCell one{cell.variant, {run}};
        row.insert(row.end(),
                   {study_number(study_line(one, study.measure()).values[0]),
                    study_number(run.summary->loss), study_seconds(run.summary->seconds),
                    detail::grouped(run.summary->steps), html_escaped(run.summary->grade)});
      } else {
        row.insert(row.end(), {"–", "–", "–", "–", run.failure.empty() ? "not made" : "failed"});
      }
      rows.push_back(std::move(row));
    }
  }
  return fmt::format("<details><summary>{} runs</summary>\n{}</details>\n", study.n_runs(),
                     html_table(rows));
}

std::string failures_list(const StudyResult& study) {
  std::string out;
  for (const StudyCell& cell : study.cells) {
    for (const StudyRun& run : cell.runs) {
      if (run.failure.empty()) continue;
      out += fmt::format("<li>{}, seed {}: {}</li>\n", html_escaped(cell.variant.name), run.seed,
                         html_escaped(run.failure));
    }
  }
  return out.empty() ? out : fmt::format("<ul>\n{}</ul>\n", out);
}

}  // namespace

Picture study_picture(const StudyResult& study) {
  const AxisOptions axis{std::string(describe(study.measure())), AxisScale::log, {}};
  return boxes_of(study, axis, &StudyLine::values);
}

std::string html_study(const StudyResult& study) {
  const std::string measure(describe(study.measure()));
  std::string about =
      fmt::format("{} of the problem <code>{}</code>: {} variants, {} runs.", measure,
                  html_escaped(study.problem), study.cells.size(), study.n_runs());
  about[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(about[0])));
  if (study.measure() != StudyMeasure::relative_l2) {
    about += " The problem has no reference to compare with.";
  }
  if (study.max_seconds > 0) {
    about += fmt::format(" A run has at most {}.", detail::duration(study.max_seconds));
  }
  if (study.n_open() > 0) {
    about +=
        fmt::format(" <span class=\"bad\">{} of them are not made yet.</span>", study.n_open());
  }
  std::string content = html_section(
      "result", "Result",
      fmt::format("<p>{}</p>\n", about) + failures_list(study) +
          detail::html_figure(
              study_picture(study), "values", measure + " of the variants",
              "A box holds the middle half of the runs, its bar is the median; whiskers reach to "
              "the best and the worst run, dots are runs.") +
          lines_table(study));
  content += html_section(
      "time", "Time",
      detail::html_figure(boxes_of(study, seconds_axis(study), &StudyLine::seconds), "seconds",
                          "seconds of the variants",
                          "Time of a run, beside the others that ran at the same time."));
  content += html_section(
      "variants", "Variants",
      settings_table(study) +
          fmt::format("<details><summary>method of the first variant</summary>\n<pre>{}</pre>\n"
                      "</details>\n",
                      html_escaped(study.settings)));
  content += html_section("runs", "Runs", runs_table(study));
  return detail::html_page(study.title.empty() ? study.name : study.title, study.notes, content);
}

}  // namespace cauchy
