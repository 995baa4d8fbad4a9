#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/problem/place.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>
#include <cauchy/report/plot.hpp>
#include <cauchy/report/points_picture.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t longest_name = 38;
constexpr Color boundary_ink{150, 158, 168}, event_ink{236, 200, 140};

std::vector<double> steps_of(const TrainingRecord& s) {
  std::vector<double> steps;
  for (const HistoryEntry& h : s.history) steps.push_back(static_cast<double>(h.step));
  return steps;
}

/// All steps of the run: the same axis for loss and error.
AxisOptions step_axis(const TrainingRecord& s) {
  const double last = static_cast<double>(s.history.back().step);
  return {"step", AxisScale::linear, Limits{0, std::max(last, 1.0)}};
}

/// Where one optimiser hands over to the next.
struct Handover {
  double step;
  std::string to;
};

std::vector<Handover> handovers(const TrainingRecord& s) {
  std::vector<Handover> result;
  const HistoryEntry* last = nullptr;
  for (const HistoryEntry& h : s.history) {
    if (h.stage == "start" || h.stage == "end") continue;
    if (last != nullptr && last->stage != h.stage) {
      result.push_back({static_cast<double>(last->step), h.stage});
    }
    last = &h;
  }
  return result;
}

/// Vertical lines through the whole plot, whose limits must be known.
void mark(Plot& plot, const std::vector<Handover>& marks, Limits y) {
  for (const Handover& m : marks) {
    const double x[] = {m.step, m.step}, ends[] = {y.low, y.high};
    plot.line(x, ends, {.color = boundary_ink, .width = 1.2, .dashed = true});
  }
}

/// Light lines where something happened on the way; a curtain of them would hide the curves.
bool mark_events(Plot& plot, const TrainingRecord& s, Limits y) {
  constexpr std::size_t most = 40;
  if (s.events.empty() || s.events.size() > most) return false;
  for (const TrainingEvent& e : s.events) {
    const auto step = static_cast<double>(e.step);
    const double x[] = {step, step}, ends[] = {y.low, y.high};
    plot.line(x, ends, {.color = event_ink, .width = 1});
  }
  return true;
}

/// The name of an optimiser as people write it.
std::string stage_name(const std::string& stage) {
  if (stage == "adam") return "Adam";
  if (stage == "lbfgs") return "L-BFGS";
  return stage;
}

std::string handover_text(const std::vector<Handover>& marks) {
  std::string out;
  for (const Handover& m : marks) {
    out += fmt::format("{}{} takes over after step {:.0f}", out.empty() ? "Dashed line: " : ", ",
                       html_escaped(stage_name(m.to)), m.step);
  }
  return out.empty() ? out : out + ".";
}

Points rows_of(const Points& all, const std::vector<std::size_t>& rows) {
  Points some;
  some.columns = all.columns;
  some.pieces = all.pieces;
  for (const std::size_t i : rows) {
    some.values.insert(some.values.end(), all.row(i).begin(), all.row(i).end());
    if (i < all.piece.size()) some.piece.push_back(all.piece[i]);
  }
  return some;
}

/// Limits of all values with a margin, fit for an axis.
Limits with_margin(std::span<const double> values, AxisScale scale) {
  Limits l = widened(limits_of(values, scale), scale);
  if (scale == AxisScale::log) {
    const double margin = std::pow(l.high / l.low, 0.06);
    return {std::max(l.low / margin, 1e-300), std::min(l.high * margin, 1e300)};
  }
  const double margin = 0.06 * (l.high - l.low);
  return {l.low - margin, l.high + margin};
}

/// The error against the reference where it was measured, and the tolerance; empty where it was
/// measured less than twice.
std::string error_figure(const Solution& solution, const std::vector<Handover>& marks) {
  std::vector<double> steps, errors;
  for (const HistoryEntry& h : solution.training->history) {
    if (!std::isfinite(h.error)) continue;
    steps.push_back(static_cast<double>(h.step));
    errors.push_back(h.error);
  }
  if (errors.size() < 2) return {};
  std::vector<double> shown = errors;
  if (solution.problem.tolerance) shown.push_back(*solution.problem.tolerance);
  PlotOptions options;
  options.x = step_axis(*solution.training);
  options.y = {"relative L2 error", AxisScale::log, with_margin(shown, AxisScale::log)};
  options.legend = LegendPlace::outside;
  Plot plot(options);
  mark(plot, marks, *options.y.limits);
  if (solution.problem.tolerance) {
    const double ends[] = {0, options.x.limits->high}, level[] = {shown.back(), shown.back()};
    plot.line(ends, level, {.name = "tolerance", .color = palette_color(2), .dashed = true});
  }
  plot.line(steps, errors, {.name = "error", .color = black, .width = 2.0, .markers = true});
  return html_figure(
      draw_figure({&plot}, {1000, 260, 1, ""}), "error", "error over the steps",
      "Largest relative <i>L</i><sup>2</sup> error of a field, measured now and then.");
}

/// "0.99 to 1.02 (95 %)"; an interval that misses the truth stands out.
std::string interval_cell(const ConfidenceInterval& i, const std::optional<double>& truth) {
  const std::string text = fmt::format("{} to {} ({} %)", html_number(i.lower, 6),
                                       html_number(i.upper, 6), html_number(100 * i.level, 4));
  const bool missed = truth && !(i.lower <= *truth && *truth <= i.upper);
  return missed ? fmt::format("<span class=\"bad\">{}</span>", text) : text;
}

/// How the intervals were found, each way once.
std::string interval_note(const std::map<std::string, ConfidenceInterval>& intervals) {
  std::set<std::string> ways;
  for (const auto& [name, interval] : intervals) {
    if (!interval.how.empty()) ways.insert(html_escaped(interval.how));
  }
  if (ways.empty()) return {};
  return fmt::format("<p class=\"note\">Intervals: {}.</p>\n", fmt::join(ways, "; "));
}

}  // namespace

std::string html_history(const Solution& solution) {
  if (!solution.training || solution.training->history.empty()) return {};
  const TrainingRecord& s = *solution.training;
  const std::vector<double> steps = steps_of(s);
  std::vector<double> total, all;
  for (const HistoryEntry& h : s.history) {
    total.push_back(h.loss);
    all.push_back(h.loss);
    all.insert(all.end(), h.terms.begin(), h.terms.end());
  }
  const Limits y = with_margin(all, AxisScale::log);
  PlotOptions options;
  options.x = step_axis(s);
  options.y = {"loss", AxisScale::log, y};
  options.legend = LegendPlace::outside;
  Plot plot(options);
  const std::vector<Handover> marks = handovers(s);
  const bool shows_events = mark_events(plot, s, y);
  mark(plot, marks, y);
  for (std::size_t k = 0; s.term_names.size() > 1 && k < s.term_names.size(); ++k) {
    std::vector<double> values;
    for (const HistoryEntry& h : s.history) {
      values.push_back(k < h.terms.size() ? h.terms[k] : std::numeric_limits<double>::quiet_NaN());
    }
    plot.line(steps, values,
              {.name = shortened(s.term_names[k], longest_name), .markers = steps.size() == 1});
  }
  plot.line(steps, total,
            {.name = "total", .color = black, .width = 2.4, .markers = steps.size() == 1});
  std::string caption = handover_text(marks);
  if (shows_events) {
    caption +=
        fmt::format("{}Light lines: what happened on the way, below.", caption.empty() ? "" : " ");
  }
  const std::string out =
      html_figure(draw_figure({&plot}, {1000, 400, 1, ""}), "loss", "loss over the steps", caption);
  return html_section("training", "Training", out + error_figure(solution, marks));
}

std::string html_unknowns(const Solution& s) {
  const auto& unknowns = s.problem.unknowns;
  if (unknowns.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"constant", "found", "interval", "true", "error"}};
  for (const Unknown& u : unknowns) {
    const auto found = s.unknowns.find(u.name);
    const auto error = s.error.unknowns.find(u.name);
    const auto interval = s.intervals.find(u.name);
    rows.push_back(
        {in_math(name_to_mathml(u.name)),
         found == s.unknowns.end() ? "–" : html_number(found->second, 6),
         interval == s.intervals.end() ? "–" : interval_cell(interval->second, u.truth),
         u.truth ? html_number(*u.truth, 6) : "–",
         error == s.error.unknowns.end() ? "–" : html_number(100 * error->second, 3) + " %"});
  }
  if (s.intervals.empty()) {
    for (std::vector<std::string>& row : rows) row.erase(row.begin() + 2);
  }
  std::string figures;
  const TrainingRecord record = s.training.value_or(TrainingRecord{});
  const std::vector<double> steps = steps_of(record);
  const std::vector<Handover> marks = handovers(record);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    std::vector<double> values;
    for (const HistoryEntry& h : record.history) {
      if (k < h.unknowns.size()) values.push_back(h.unknowns[k]);
    }
    if (values.empty() || values.size() != steps.size()) continue;
    std::vector<double> shown = values;
    if (unknowns[k].truth) shown.push_back(*unknowns[k].truth);
    const auto interval = s.intervals.find(unknowns[k].name);
    const bool known = interval != s.intervals.end();
    if (known) shown.insert(shown.end(), {interval->second.lower, interval->second.upper});
    PlotOptions options;
    options.x.label = "step";
    options.y.label = greek_name(unknowns[k].name);
    options.y.limits = with_margin(shown, AxisScale::linear);
    Plot plot(options);
    mark(plot, marks, *options.y.limits);
    plot.line(steps, values, {.name = "found", .width = 2, .markers = steps.size() == 1});
    const double ends[] = {steps.front(), steps.back()};
    if (known) {
      const double lower[] = {interval->second.lower, interval->second.lower};
      const double upper[] = {interval->second.upper, interval->second.upper};
      plot.line(ends, lower, {.name = "interval", .color = boundary_ink, .width = 1});
      plot.line(ends, upper, {.color = boundary_ink, .width = 1});
    }
    if (unknowns[k].truth && std::isfinite(*unknowns[k].truth)) {
      const double truth[] = {*unknowns[k].truth, *unknowns[k].truth};
      plot.line(ends, truth, {.name = "true", .color = black, .dashed = true});
    }
    figures += html_figure(draw_figure({&plot}, {500, 320, 1, ""}), fmt::format("unknown{}", k),
                           "value of " + unknowns[k].name + " over the steps");
  }
  if (!figures.empty()) figures = fmt::format("<div class=\"grid\">\n{}</div>\n", figures);
  return html_section("unknowns", "Unknown constants",
                      html_table(rows) + interval_note(s.intervals) + figures);
}

std::string html_points(const Solution& s) {
  constexpr std::size_t most_points = 2500, most_terms = 12;
  if (!s.training || s.training->points.empty() || !s.problem.domain) return {};
  const Domain domain = domain_of(s.problem);
  if (domain.space() != nullptr && domain.space()->dimension() > 3) return {};
  std::string figures;
  std::size_t count = 0, left_out = 0;
  for (const auto& [name, all] : s.training->points) {
    if (all.size() == 0 || (all.size() == 1 && all.columns.size() == 1)) continue;
    if (count == most_terms) {
      ++left_out;
      continue;
    }
    // More dots than these cost room and show nothing new.
    const Points points = rows_of(all, some_of(all.size(), most_points));
    std::string caption = fmt::format("{} · {} {}", html_escaped(shortened(name, 80)),
                                      grouped(all.size()), all.size() == 1 ? "point" : "points");
    if (all.size() > most_points) caption += fmt::format(", {} shown", grouped(most_points));
    PointsPictureOptions options;
    options.size = 330;
    figures += html_figure(draw_points(domain, points, options), fmt::format("points{}", count++),
                           "training points of " + name, caption);
  }
  if (figures.empty()) return {};
  std::string out = fmt::format("<div class=\"grid\">\n{}</div>\n", figures);
  if (left_out > 0)
    out += fmt::format("<p class=\"note\">{} more terms have points.</p>\n", left_out);
  return html_section("points", "Training points", out);
}

}  // namespace cauchy::detail
