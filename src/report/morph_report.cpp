#include <cauchy/report/morph_report.hpp>

#include <algorithm>
#include <cmath>
#include <list>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy {
namespace {

using detail::html_escaped;
using detail::html_number;

/// The last moment of the first trajectory, field 0, along W through the middle of D and H.
std::vector<double> middle_line(const Uptf& u) {
  const auto frame = u.frame(0, u.shape[1] - 1);
  const std::size_t at = (u.shape[4] / 2 * u.shape[5] + u.shape[5] / 2) * u.shape[6];
  return {frame.begin() + static_cast<std::ptrdiff_t>(at),
          frame.begin() + static_cast<std::ptrdiff_t>(at + u.shape[6])};
}

std::string seen_section(const MorphStudyResult& r) {
  std::vector<std::vector<std::string>> rows = {
      {"family", "trajectories", "one step", "standing still", "rolled out", "standing still"}};
  for (const auto& s : r.seen) {
    rows.push_back({html_escaped(s.family), std::to_string(s.trajectories),
                    html_number(s.test.one_step), html_number(s.test.still),
                    html_number(s.test.rolled_out), html_number(s.test.rolled_out_still)});
  }
  return detail::html_section("seen", "Families of the pre-training", detail::html_table(rows));
}

std::string transfer_section(const MorphStudyResult& r, std::span<const MorphFamily> unseen,
                             int threads) {
  if (r.transfers.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"family", "trained on", "trainable", "one step", "rolled out", "gap closed"}};
  for (const MorphTransfer& t : r.transfers) {
    const auto add = [&](std::string what, double share, const MorphError& e, double gap) {
      rows.push_back({html_escaped(t.family) + ", " + what, "", "", html_number(e.one_step),
                      html_number(e.rolled_out), html_number(gap)});
      rows.back()[2] = fmt::format("{:.1f} %", 100 * share);
    };
    const auto few = fmt::format("{} of {}", t.few, t.all), all = std::to_string(t.all);
    const auto with = [&](const std::string& n) { rows.back()[1] = n; };
    add("standing still", 0, {t.scratch.still, 0, t.scratch.rolled_out_still, 0}, 0), with("0");
    add("zero-shot", 0, t.zero_shot, t.gap_zero_shot()), with("0");
    add("fine-tuned", 1, t.full, t.gap_full()), with(few);
    if (t.trainable > 0) add("low-rank", t.trainable, t.lora, t.gap_lora()), with(few);
    const double naive = t.scratch.still, full = t.scratch.one_step;
    add("from scratch", 1, t.scratch_few, gap_closure(t.scratch_few.one_step, full, naive)),
        with(few);
    add("from scratch", 1, t.scratch, 1), with(all);
  }
  return detail::html_section(
      "transfer", "Families that were not seen",
      detail::html_table(rows) +
          detail::html_figure(morph_picture(r, unseen, threads), "rolled", "rolled out",
                              "The last moment of a trajectory of the test, rolled out from its "
                              "first moments."));
}

std::string history_section(const TrainingRecord& record) {
  if (record.history.empty()) return {};
  Plot plot({.x = {"step", AxisScale::linear, {}},
             .y = {"error of one step, validation", AxisScale::log, {}}});
  std::vector<double> x, y;
  for (const HistoryEntry& e : record.history) {
    if (!std::isfinite(e.error)) continue;
    x.push_back(static_cast<double>(e.step));
    y.push_back(e.error);
  }
  if (x.empty()) return {};
  plot.line(x, y, {.name = "", .color = palette_color(0), .width = 1.8});
  return detail::html_section("history", "Pre-training",
                              detail::html_figure(draw_figure({&plot}, {1000, 320, 1, ""}),
                                                  "history", "history of the pre-training"));
}

}  // namespace

Picture morph_picture(const MorphStudyResult& r, std::span<const MorphFamily> unseen, int threads) {
  std::list<Plot> plots;
  std::vector<const Panel*> panels;
  for (const MorphTransfer& t : r.transfers) {
    const auto family = std::find_if(unseen.begin(), unseen.end(),
                                     [&](const MorphFamily& f) { return f.name == t.family; });
    if (family == unseen.end()) continue;
    const Uptf truth = family->test.part(0, 1);
    const auto h = static_cast<std::size_t>(r.pretrained.model.history);
    const std::size_t steps = truth.shape[1] - h;
    Plot& plot = plots.emplace_back(PlotOptions{.title = t.family,
                                                .x = {"node", AxisScale::linear, {}},
                                                .y = {"", AxisScale::linear, {}},
                                                .legend = LegendPlace::outside});
    const std::vector<double> exact = middle_line(truth);
    std::vector<double> x(exact.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    plot.line(x, exact, {.name = "truth", .color = Color{150, 158, 168}, .width = 3.5});
    Uptf start = truth;
    std::vector<double> first = middle_line([&] {
      Uptf one = truth;
      one.shape[1] = h;
      one.values.resize(h * one.frame_size());
      return one;
    }());
    plot.line(x, first, {.name = "start", .color = Color{200, 205, 212}, .dashed = true});
    plot.line(x, middle_line(roll_out(r.pretrained.model, start, steps, threads)),
              {.name = "zero-shot", .color = palette_color(1), .width = 1.8});
    plot.line(x, middle_line(roll_out(t.tuned, start, steps, threads)),
              {.name = fmt::format("after {} trajectories", t.few),
               .color = palette_color(0),
               .width = 1.8});
    panels.push_back(&plot);
  }
  return draw_figure(panels, {1000, 320, 1, ""});
}

std::string morph_report(const MorphStudyResult& r, std::span<const MorphFamily> unseen,
                         const HtmlOptions& options, int threads) {
  std::string body = detail::html_grade(
      r.grade, r.findings,
      fmt::format("<dl class=\"tiles\">{}{}</dl>",
                  detail::html_tile("parameters", std::to_string(r.pretrained.model.theta.size())),
                  detail::html_tile("steps", std::to_string(r.pretrained.record.steps))));
  body += detail::html_safely("Families of the pre-training", [&] { return seen_section(r); });
  body += detail::html_safely("Families that were not seen",
                              [&] { return transfer_section(r, unseen, threads); });
  body += detail::html_safely("Pre-training", [&] { return history_section(r.pretrained.record); });
  std::vector<std::vector<std::string>> run = {{}};
  for (const auto& [name, value] : options.run) {
    run.push_back({html_escaped(name), html_escaped(value)});
  }
  body += detail::html_section(
      "run", "Run",
      detail::html_table(run, false) + "<pre>" + html_escaped(options.settings) + "</pre>");
  return detail::html_page(options.title, describe(r.pretrained.model.network), body);
}

}  // namespace cauchy
