#include <cauchy/report/dynamics_report.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>  // greek_name
#include <cauchy/report/plot.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy {
namespace {

constexpr Color faint_ink{150, 158, 168};

const Trajectory* same_trajectory(const TrajectoryData& data, const std::string& name) {
  for (const Trajectory& t : data.trajectories) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

std::vector<double> column_of(const std::vector<double>& rows, std::size_t m, std::size_t c) {
  std::vector<double> out;
  for (std::size_t j = c; j < rows.size(); j += m) out.push_back(rows[j]);
  return out;
}

Limits ends_of(std::span<const double> values) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return high > low ? Limits{low, high} : Limits{low - 1, low + 1};
}

/// Short lines with a dot at their end, along the learnt field.
void add_arrows(Plot& plot, const DynamicsProblem& p, const TrainedDynamics& model, Limits x,
                Limits y, double t) {
  constexpr int n = 17;
  const std::vector<std::string>& states = p.field.states;
  const std::size_t d = states.size(), m = p.data.columns.size();
  std::vector<double> means(d);
  for (std::size_t c = 0; c < m; ++c) {
    double sum = 0, count = 0;
    for (const Trajectory& tr : p.data.trajectories) {
      for (const double v : column_of(tr.values, m, c)) {
        if (std::isnan(v)) continue;
        sum += v;
        count += 1;
      }
    }
    means[c] = sum / std::max(count, 1.0);
  }
  std::vector<double> at;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      std::vector<double> state = means;
      state[0] = x.low + (x.high - x.low) * (i + 0.5) / n;
      state[1] = y.low + (y.high - y.low) * (j + 0.5) / n;
      at.insert(at.end(), state.begin(), state.end());
    }
  }
  const std::vector<double> slopes = model.slopes(t, at);
  if (slopes.empty()) return;
  const double width = x.high - x.low, height = y.high - y.low;
  for (std::size_t k = 0; k < at.size() / d; ++k) {
    const double u = slopes[k * d] / width, v = slopes[k * d + 1] / height, size = std::hypot(u, v);
    if (!(size > 0) || !std::isfinite(size)) continue;
    const double f = 0.36 / n / size;
    const double xs[] = {at[k * d] - f * u * width, at[k * d] + f * u * width};
    const double ys[] = {at[k * d + 1] - f * v * height, at[k * d + 1] + f * v * height};
    plot.line(xs, ys, {.color = faint_ink, .width = 0.9});
    plot.scatter(std::span(xs).last(1), std::span(ys).last(1), {.color = faint_ink, .radius = 1.4});
  }
}

/// Root mean square over the trajectories of |answer - truth| / size of the column, by time.
std::string error_section(const DynamicsProblem& p, const DynamicsResult& r) {
  const TrajectoryData& truth = p.reference ? *p.reference : p.data;
  const std::size_t m = p.data.columns.size();
  std::vector<double> x, y;
  Plot plot({.x = {"time", AxisScale::linear, {}},
             .y = {"relative error", AxisScale::log, {}},
             .legend = LegendPlace::outside});
  TrajectoryData known{p.data.columns, {}};
  std::vector<std::vector<double>> times;
  for (const Trajectory& t : truth.trajectories) {
    const Trajectory* own = same_trajectory(p.data, t.name);
    known.trajectories.push_back(own != nullptr ? *own : t);
    times.push_back(t.times);
  }
  const auto answers = r.model->predict(known, times, 0, nullptr);
  std::vector<double> sizes(m, 0.0);
  for (std::size_t c = 0; c < m; ++c) {
    for (const Trajectory& t : truth.trajectories) {
      for (const double v : column_of(t.values, m, c)) {
        if (!std::isnan(v)) sizes[c] = std::max(sizes[c], std::abs(v));
      }
    }
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(truth.trajectories.size(), 8); ++i) {
    const Trajectory& t = truth.trajectories[i];
    std::vector<double> error;
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      double sum = 0, n = 0;
      for (std::size_t c = 0; c < m; ++c) {
        if (std::isnan(t.values[j * m + c])) continue;
        const double off = (answers[i][j * m + c] - t.values[j * m + c]) / sizes[c];
        sum += off * off;
        n += 1;
      }
      error.push_back(std::max(std::sqrt(sum / n), 1e-12));
    }
    y.insert(y.end(), error.begin(), error.end());
    plot.line(t.times, error, {.name = fmt::format("trajectory {}", t.name)});
  }
  if (std::isfinite(p.train_until)) {
    const Limits e = ends_of(y);
    const double at[] = {p.train_until, p.train_until}, ends[] = {e.low, e.high};
    plot.line(at, ends, {.name = "end of the training", .color = faint_ink, .dashed = true});
  }
  return detail::html_section(
      "error", "Error over time",
      detail::html_figure(draw_figure({&plot}, {1000, 340, 1, ""}), "error", "error over time",
                          p.reference ? "Against the reference, over the largest value of each "
                                        "field."
                                      : "Against the data, over the largest value of each field; "
                                        "it holds the noise of the data."));
}

}  // namespace

DynamicsCurves curves_of(const DynamicsProblem& p, const TrainedDynamics& model, std::size_t n,
                         int threads) {
  DynamicsCurves out;
  for (const Trajectory& t : p.data.trajectories) {
    double end = t.times.back();
    if (p.reference) {
      const Trajectory* r = same_trajectory(*p.reference, t.name);
      if (r != nullptr) end = std::max(end, r->times.back());
    }
    std::vector<double> times;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(n - 1);
      const double at = i + 1 == n ? end : t.times.front() + share * (end - t.times.front());
      if (times.empty() || at > times.back()) times.push_back(at);
    }
    out.times.push_back(std::move(times));
  }
  // Models that start from what is known see what the training saw.
  out.values = model.predict(p.data, out.times, threads, nullptr);
  return out;
}

Picture trajectories_picture(const DynamicsProblem& p, const DynamicsCurves& curves,
                             std::size_t i) {
  const std::size_t m = p.data.columns.size();
  const Trajectory& t = p.data.trajectories.at(i);
  const Trajectory* truth = p.reference ? same_trajectory(*p.reference, t.name) : nullptr;
  std::vector<Plot> plots;
  for (std::size_t c = 0; c < m; ++c) {
    Plot plot({.x = {p.field.time, AxisScale::linear, {}},
               .y = {greek_name(p.data.columns[c]), AxisScale::linear, {}},
               .legend = LegendPlace::outside});
    const std::vector<double> seen = column_of(t.values, m, c),
                              answer = column_of(curves.values[i], m, c);
    std::vector<double> all = seen;
    all.insert(all.end(), answer.begin(), answer.end());
    if (truth != nullptr) {
      const std::vector<double> exact = column_of(truth->values, m, c);
      plot.line(truth->times, exact, {.name = "truth", .color = faint_ink, .width = 3});
      all.insert(all.end(), exact.begin(), exact.end());
    }
    plot.line(curves.times[i], answer, {.name = "learnt", .color = palette_color(0), .width = 1.8});
    plot.scatter(t.times, seen, {.name = "data", .color = palette_color(1), .radius = 2.6});
    if (std::isfinite(p.train_until)) {
      const Limits e = ends_of(all);
      const double at[] = {p.train_until, p.train_until}, ends[] = {e.low, e.high};
      plot.line(at, ends, {.name = "end of the training", .color = faint_ink, .dashed = true});
    }
    plots.push_back(std::move(plot));
  }
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  return draw_figure(panels, {1000, 260, 1, ""});
}

Picture phase_picture(const DynamicsProblem& p, const TrainedDynamics& model,
                      const DynamicsCurves& curves) {
  const std::size_t m = p.data.columns.size();
  std::vector<double> xs, ys;
  for (const auto& rows : curves.values) {
    const auto x = column_of(rows, m, 0), y = column_of(rows, m, 1);
    xs.insert(xs.end(), x.begin(), x.end());
    ys.insert(ys.end(), y.begin(), y.end());
  }
  for (const Trajectory& t : p.data.trajectories) {
    const auto x = column_of(t.values, m, 0), y = column_of(t.values, m, 1);
    xs.insert(xs.end(), x.begin(), x.end());
    ys.insert(ys.end(), y.begin(), y.end());
  }
  const auto wider = [](Limits l) {
    const double margin = 0.08 * (l.high - l.low);
    return Limits{l.low - margin, l.high + margin};
  };
  const Limits x = wider(ends_of(xs)), y = wider(ends_of(ys));
  Plot plot({.x = {greek_name(p.data.columns[0]), AxisScale::linear, x},
             .y = {greek_name(p.data.columns[1]), AxisScale::linear, y},
             .legend = LegendPlace::outside});
  add_arrows(plot, p, model, x, y, p.data.trajectories.front().times.front());
  for (std::size_t i = 0; i < std::min<std::size_t>(curves.values.size(), 12); ++i) {
    plot.line(column_of(curves.values[i], m, 0), column_of(curves.values[i], m, 1),
              {.name = i == 0 ? "learnt" : "", .color = palette_color(0), .width = 1.8});
    const Trajectory& t = p.data.trajectories[i];
    plot.scatter(column_of(t.values, m, 0), column_of(t.values, m, 1),
                 {.name = i == 0 ? "data" : "", .color = palette_color(1), .radius = 2.4});
  }
  return draw_figure({&plot}, {760, 560, 1, ""});
}

std::string dynamics_report(const DynamicsProblem& p, const DynamicsResult& r,
                            const HtmlOptions& options) {
  Solution shell;  // what the sections that other reports have need to know
  shell.problem.name = p.name;
  shell.training = r.training;
  shell.method = r.model ? r.model->describe() : "";
  shell.seconds = r.seconds;
  const DynamicsCurves curves = curves_of(p, *r.model, 400, 0);
  std::string out;
  const auto add = [&](const char* title, auto part) { out += detail::html_safely(title, part); };
  add("Verdict", [&] {
    std::string tiles = "<dl class=\"tiles\">\n";
    if (!r.test.empty()) {
      tiles += detail::html_tile("mean relative <i>L</i><sup>2</sup> error, test",
                                 detail::html_number(r.test.mean()));
    }
    tiles += detail::html_tile("training", detail::html_number(r.train.mean()));
    tiles += detail::html_tile("parameters", detail::grouped(r.model->n_parameters()));
    tiles += detail::html_tile("time", detail::duration(r.seconds));
    return detail::html_grade(r.grade, r.findings, tiles + "</dl>\n");
  });
  add("Equations", [&] {
    if (p.field.slopes.empty()) return std::string();
    std::string lines;
    for (std::size_t i = 0; i < p.field.slopes.size(); ++i) {
      lines += detail::html_escaped(fmt::format("{}_{} = {}\n", p.field.states[i], p.field.time,
                                                to_string(p.field.slopes[i])));
    }
    return detail::html_section("problem", "Equations", "<pre>" + lines + "</pre>\n");
  });
  add("Trajectories", [&] {
    std::string figures;
    const std::size_t n = std::min<std::size_t>(p.data.trajectories.size(), 4);
    for (std::size_t i = 0; i < n; ++i) {
      figures += detail::html_figure(
          trajectories_picture(p, curves, i), fmt::format("trajectory{}", i), "trajectory",
          fmt::format("Trajectory {}.", detail::html_escaped(p.data.trajectories[i].name)));
    }
    return detail::html_section("trajectories", "Trajectories", figures);
  });
  add("Phase portrait", [&] {
    if (p.data.columns.size() < 2) return std::string();
    return detail::html_section(
        "phase", "Phase portrait",
        detail::html_figure(phase_picture(p, *r.model, curves), "phase", "phase portrait",
                            "Strokes with a dot at their end: the direction of the learnt vector "
                            "field."));
  });
  add("Error over time", [&] { return error_section(p, r); });
  add("Constants", [&] {
    const std::map<std::string, double> found = r.model->constants();
    if (found.empty()) return std::string();
    std::vector<std::vector<std::string>> rows = {{"constant", "value", "truth"}};
    for (const auto& [name, value] : found) {
      const auto truth = p.truths.find(name);
      rows.push_back({detail::html_escaped(name), detail::html_number(value, 5),
                      truth == p.truths.end() ? "" : detail::html_number(truth->second, 5)});
    }
    return detail::html_section("constants", "Constants", detail::html_table(rows));
  });
  add("History", [&] { return detail::html_history(shell); });
  add("Run", [&] { return detail::html_run(shell, options); });
  const std::string title = !options.title.empty() ? options.title
                            : p.title.empty()      ? p.name
                                                   : p.title;
  return detail::html_page(title, p.source, out);
}

}  // namespace cauchy
