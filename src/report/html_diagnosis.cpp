#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

constexpr double diagnosis_width = 500, diagnosis_height = 330;
constexpr std::size_t diagnosis_name = 30;

using ListOf = std::vector<double> DiagnosisEntry::*;

/// Steps are spaced geometrically; the first one is 0.
std::vector<double> looked_at(const TrainingDiagnosis& d) {
  std::vector<double> steps;
  for (const DiagnosisEntry& e : d.entries) steps.push_back(static_cast<double>(e.step) + 1);
  return steps;
}

template <class Get>
std::vector<double> over_entries(const TrainingDiagnosis& d, Get get) {
  std::vector<double> values;
  for (const DiagnosisEntry& e : d.entries) values.push_back(get(e));
  return values;
}

Plot step_plot(const char* title, const char* y, AxisScale scale) {
  PlotOptions options;
  options.title = title;
  options.x = {"step + 1", AxisScale::log, {}};
  options.y = {y, scale, {}};
  return Plot(options);
}

std::string shown(const Plot& plot, const std::string& id, const std::string& label,
                  const std::string& caption) {
  return html_figure(draw_figure({&plot}, {diagnosis_width, diagnosis_height, 1, ""}), id, label,
                     caption);
}

/// One line per term.
std::string term_lines(const TrainingDiagnosis& d, const char* title, const char* y, ListOf list,
                       const std::string& id, const std::string& caption) {
  Plot plot = step_plot(title, y, AxisScale::log);
  for (std::size_t t = 0; t < d.terms.size(); ++t) {
    plot.line(looked_at(d), over_entries(d, [&](const auto& e) { return (e.*list)[t]; }),
              {.name = shortened(d.terms[t], diagnosis_name), .markers = true});
  }
  return shown(plot, id, title, caption);
}

std::string ratio_figure(const TrainingDiagnosis& d) {
  Plot plot = step_plot("agreement of batches", "signal-to-noise ratio", AxisScale::log);
  const std::vector<LearningPhase> phases = learning_phases(d.entries);
  std::vector<double> snr = over_entries(d, [](const auto& e) { return e.snr; });
  const std::vector<double> steps = looked_at(d);
  plot.line(steps, snr, {.color = black});
  for (const LearningPhase phase :
       {LearningPhase::fitting, LearningPhase::diffusion, LearningPhase::total_diffusion}) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (phases[i] != phase) continue;
      x.push_back(steps[i]);
      y.push_back(snr[i]);
    }
    plot.scatter(x, y, {.name = std::string(to_string(phase)), .radius = 4});
  }
  const double ends[] = {steps.front(), std::max(steps.back(), 2.0)};
  const double random = 1 / std::sqrt(static_cast<double>(d.batches)), level[] = {random, random};
  plot.line(ends, level, {.name = "random signs", .dashed = true});
  return shown(plot, "diagnosis-snr", "signal-to-noise ratio over the steps",
               fmt::format("|mean| / |standard deviation| of the gradients of {} batches of "
                           "points, at fixed parameters.",
                           d.batches));
}

std::string cosine_figure(const TrainingDiagnosis& d) {
  Plot plot = step_plot("alignment of gradients", "cosine", AxisScale::linear);
  const std::size_t T = d.terms.size();
  plot.line(looked_at(d), over_entries(d, [](const auto& e) { return e.batch_cosine; }),
            {.name = "between batches", .color = black, .markers = true});
  constexpr std::size_t most_pairs = 6;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < T; ++i) {
    for (std::size_t j = 0; j < i && pairs < most_pairs; ++j, ++pairs) {
      plot.line(
          looked_at(d), over_entries(d, [&](const auto& e) { return e.cosines[i * T + j]; }),
          {.name = fmt::format("{} / {}", shortened(d.terms[j], 14), shortened(d.terms[i], 14))});
    }
  }
  return shown(plot, "diagnosis-cosines", "cosines between gradients",
               "1: one direction; below 0: what helps one term harms the other.");
}

std::string spectrum_figure(const TrainingDiagnosis& d) {
  PlotOptions options;
  options.title = "tangent kernels";
  options.x = {"number", AxisScale::log, {}};
  options.y = {"eigenvalue", AxisScale::log, {}};
  Plot plot(options);
  std::size_t color = 0;
  for (const KernelSpectrum& s : d.spectra) {
    if (s.last.empty()) continue;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < s.last.size(); ++i) numbers.push_back(static_cast<double>(i + 1));
    const Color c = palette_color(color++);
    if (s.first.size() == numbers.size()) {
      plot.line(numbers, s.first, {.color = c, .dashed = true});
    }
    plot.line(numbers, s.last, {.name = shortened(s.term, diagnosis_name), .color = c});
  }
  return shown(plot, "diagnosis-kernels", "eigenvalues of the tangent kernels",
               "Eigenvalues of <i>J J</i>ᵀ/<i>n</i> of every term at the start (dashed) and at "
               "the end: large ones are learnt first.");
}

std::string drift_figure(const TrainingDiagnosis& d) {
  Plot plot = step_plot("change of the kernels", "|K - K(0)| / |K(0)|", AxisScale::linear);
  plot.line(looked_at(d), over_entries(d, [](const auto& e) { return e.drift; }),
            {.color = black, .markers = true});
  return shown(plot, "diagnosis-drift", "drift of the tangent kernels",
               "Near 0 the network moves as a linear model; large: it learns features.");
}

std::string plane_figure(const TrainingDiagnosis& d) {
  if (d.layers.empty()) return {};
  PlotOptions options;
  options.title = "information plane";
  options.x = {"I(X;T), bits", AxisScale::linear, {}};
  options.y = {"I(T;Y), bits", AxisScale::linear, {}};
  Plot plot(options);
  for (std::size_t l = 0; l < d.layers.size(); ++l) {
    const auto x = over_entries(d, [&](const auto& e) { return e.input_bits[l]; });
    const auto y = over_entries(d, [&](const auto& e) { return e.output_bits[l]; });
    plot.line(x, y, {.name = d.layers[l], .markers = true});
    plot.scatter(std::span(x).last(1), std::span(y).last(1), {.color = black, .radius = 5});
  }
  return shown(plot, "diagnosis-plane", "information plane of the hidden layers",
               fmt::format("Paths of the layers, ends in black. By {}: other cells give other "
                           "numbers.",
                           html_escaped(d.binning)));
}

std::string landscape_figure(const TrainingDiagnosis& d) {
  const std::size_t n = d.landscape.n;
  if (n == 0) return {};
  PlotOptions options;
  options.title = "landscape of the loss";
  options.x = {"first direction", AxisScale::linear, Limits{-1, 1}};
  options.y = {"second direction", AxisScale::linear, Limits{-1, 1}};
  options.color = {"loss", AxisScale::log, {}};
  options.equal_aspect = true;
  options.grid = false;
  Plot plot(options);
  plot.heat_map(MatrixView<const double>(d.landscape.values.data(), n, n), {-1, 1}, {-1, 1});
  const double zero[] = {0};
  plot.scatter(zero, zero, {.color = white, .radius = 3});
  return shown(plot, "diagnosis-landscape", "landscape of the loss around the answer",
               "Around the answer, in two random directions whose parts have the lengths of the "
               "rows of the weights.");
}

std::string balance_figures(const TrainingDiagnosis& d) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, d.balances.size()); ++i) {
    const BalanceHistory& b = d.balances[i];
    PlotOptions options;
    options.title = "balance of " + shortened(b.quantity, 24);
    options.x.label = "time";
    Plot plot(options);
    std::vector<double> gain(b.times.size());
    for (std::size_t j = 0; j < gain.size(); ++j) gain[j] = b.source[j] - b.outflow[j];
    plot.line(b.times, b.total, {.name = "integral", .color = black});
    plot.line(b.times, b.rate, {.name = "its rate"});
    plot.line(b.times, gain, {.name = "source less outflow", .dashed = true});
    out += shown(
        plot, fmt::format("diagnosis-balance{}", i), "balance of " + b.quantity,
        fmt::format("Rate and gain differ by at most {} of their size.", html_number(b.defect)));
  }
  return out;
}

std::string findings_list(const TrainingDiagnosis& d) {
  if (d.findings.empty()) return {};
  std::string items;
  for (const DiagnosisFinding& f : d.findings) {
    items += fmt::format("<li>{}</li>\n", html_escaped(f.text));
  }
  return fmt::format("<ul>\n{}</ul>\n", items);
}

}  // namespace

std::string html_diagnosis(const Solution& s) {
  if (!s.training || !s.training->diagnosis || s.training->diagnosis->entries.empty()) return {};
  const TrainingDiagnosis& d = *s.training->diagnosis;
  const std::string figures =
      ratio_figure(d) + cosine_figure(d) +
      term_lines(d, "gradients of terms", "length", &DiagnosisEntry::gradients,
                 "diagnosis-gradients", "With the weights that the terms had.") +
      term_lines(d, "speed of terms", "weight * mean |dr/dtheta|^2", &DiagnosisEntry::traces,
                 "diagnosis-traces", "Traces of the tangent kernels: a small one learns slowly.") +
      spectrum_figure(d) + drift_figure(d) + plane_figure(d) + landscape_figure(d) +
      balance_figures(d);
  return html_section(
      "diagnosis", "Diagnosis",
      findings_list(d) +
          fmt::format("<div class=\"grid\">\n{}</div>\n<p class=\"note\">{} measurements, {} % of "
                      "the counted work.</p>\n",
                      figures, d.entries.size(), html_number(100 * d.share, 2)));
}

}  // namespace cauchy::detail
