#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot.hpp>

#include "report/html_operator_parts.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy {
namespace detail {
namespace {

std::string operator_title(const OperatorProblem& p) {
  return p.problem.title.empty() ? p.problem.name : p.problem.title;
}

double operator_tolerance(const OperatorProblem& p) { return p.problem.tolerance.value_or(1e-2); }

constexpr Color kept_ink{150, 158, 168};

/// Bars between edges as one shape on a log axis.
std::vector<std::vector<PixelPoint>> bars(const std::vector<double>& edges,
                                          const std::vector<double>& heights) {
  std::vector<std::vector<PixelPoint>> rings;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (heights[i] == 0) continue;
    rings.push_back(
        {{edges[i], 0}, {edges[i], heights[i]}, {edges[i + 1], heights[i]}, {edges[i + 1], 0}});
  }
  return rings;
}

std::vector<double> counted(const std::vector<double>& edges, const std::vector<double>& values) {
  std::vector<double> share(edges.size() - 1, 0.0);
  for (const double v : values) {
    const auto at = std::upper_bound(edges.begin(), edges.end(), v) - edges.begin();
    const auto bin = std::clamp<std::ptrdiff_t>(at - 1, 0, std::ssize(share) - 1);
    if (std::isfinite(v)) {
      share[static_cast<std::size_t>(bin)] += 100.0 / static_cast<double>(values.size());
    }
  }
  return share;
}

}  // namespace

std::string html_operator_verdict(const OperatorProblem& p, const OperatorResult& r) {
  std::string out = "<dl class=\"tiles\">\n";
  if (!r.test.empty()) {
    out +=
        html_tile("mean relative <i>L</i><sup>2</sup> error, test", html_number(r.test.mean_l2()));
    out += html_tile("worst of the test", html_number(r.test.worst_l2()));
  }
  if (!r.train.empty()) out += html_tile("training samples", html_number(r.train.mean_l2()));
  out += html_tile("tolerance", html_number(operator_tolerance(p), 0));
  out += html_tile("epochs", grouped(r.epochs.size()));
  if (r.model) out += html_tile("parameters", grouped(r.model->n_parameters()));
  out += html_tile("time", duration(r.seconds));
  return html_grade(r.grade, r.findings, out + "</dl>\n");
}

std::string html_operator_inputs(const OperatorProblem& p) {
  std::vector<std::vector<std::string>> rows = {{"input function", "drawn from", "mapped by"}};
  for (const InputFunction& f : p.inputs) {
    rows.push_back({html_escaped(f.name), fmt::format("<code>{}</code>", html_escaped(f.field)),
                    fmt::format("<code>{}</code>", html_escaped(to_string(f.map)))});
  }
  if (p.inputs.empty()) return {};
  return html_section("inputs", "Inputs", html_table(rows, false));
}

std::string html_learning_curves(const OperatorResult& r, OperatorLoss loss, double tolerance) {
  if (r.epochs.empty()) return {};
  std::vector<double> x, train, validation;
  for (std::size_t i = 0; i < r.epochs.size(); ++i) {
    x.push_back(static_cast<double>(i + 1));
    train.push_back(r.epochs[i].loss);
    validation.push_back(r.epochs[i].validation);
  }
  const bool together = loss == OperatorLoss::relative_l2;
  const bool validated =
      std::any_of(validation.begin(), validation.end(), [](double v) { return std::isfinite(v); });
  const double last = std::max(x.back(), 2.0);
  const AxisOptions epochs{"epoch", AxisScale::linear, Limits{1, last}};
  PlotOptions options;
  options.x = epochs;
  options.y = {together ? "relative L2 error" : "loss", AxisScale::log, std::nullopt};
  options.legend = LegendPlace::outside;
  Plot losses(options);
  options.y.label = "relative L2 error";
  Plot errors(options);
  const bool markers = x.size() == 1;
  losses.line(x, train,
              {.name = together ? "training" : std::string(to_string(loss)),
               .color = palette_color(0),
               .width = 2,
               .markers = markers});
  Plot& second = together ? losses : errors;
  if (validated) {
    second.line(x, validation,
                {.name = "validation", .color = palette_color(1), .width = 2, .markers = markers});
  }
  std::string caption =
      "Training: mean of the loss over the steps of an epoch, each before its step. Validation: "
      "error at the end of the epoch.";
  const double ends[] = {1, last}, level[] = {tolerance, tolerance};
  second.line(ends, level, {.name = "tolerance", .color = palette_color(2), .dashed = true});
  if (r.best_epoch > 0 && validated) {
    const double at[] = {static_cast<double>(r.best_epoch)};
    const double value[] = {r.epochs[r.best_epoch - 1].validation};
    second.scatter(at, value, {.name = "kept", .color = black, .radius = 4});
    caption += fmt::format(" The parameters of epoch {} are kept.", r.best_epoch);
  }
  std::string out = html_figure(draw_figure({&losses}, {1000, 380, 1, ""}), "curves",
                                "loss and validation error over the epochs", caption);
  if (!together && validated) {
    out += html_figure(draw_figure({&errors}, {1000, 300, 1, ""}), "validation",
                       "validation error over the epochs");
  }
  return html_section("curves", "Learning curves", out);
}

std::string html_operator_errors(const OperatorResult& r) {
  std::vector<std::vector<std::string>> rows = {
      {"samples", "number", "mean relative <i>L</i><sup>2</sup>", "median", "worst",
       "mean relative <i>H</i><sup>1</sup>", "largest error"}};
  const auto add = [&](const char* name, const OperatorError& e) {
    if (e.empty()) return;
    const auto largest = std::max_element(e.maximum.begin(), e.maximum.end());
    rows.push_back({name, grouped(e.size()), html_number(e.mean_l2()), html_number(e.median_l2()),
                    html_number(e.worst_l2()), html_number(e.mean_h1()), html_number(*largest)});
  };
  add("training", r.train);
  add("validation", r.validation);
  add("test", r.test);
  if (rows.size() == 1) return {};
  std::string out = html_table(rows);
  const OperatorError& all = r.test.empty() ? r.train : r.test;
  if (all.fields.size() > 1) {
    std::vector<std::vector<std::string>> fields = {
        {"field", "mean relative L2", "<i>R</i><sup>2</sup>"}};
    for (std::size_t f = 0; f < all.fields.size(); ++f) {
      fields.push_back(
          {html_escaped(all.fields[f]), html_number(all.field_l2[f]),
           f < all.field_r2.size() ? fmt::format("{:.4f}", all.field_r2[f]) : std::string()});
    }
    out += html_table(fields);
  }
  return html_section("errors", "Errors", out);
}

std::string html_error_histogram(const OperatorResult& r) {
  const OperatorError& shown = r.test.empty() ? r.train : r.test;
  std::vector<double> all = shown.relative_l2;
  if (!r.test.empty())
    all.insert(all.end(), r.train.relative_l2.begin(), r.train.relative_l2.end());
  const Limits ends = widened(limits_of(all, AxisScale::log), AxisScale::log);
  constexpr std::size_t n_bins = 30;
  if (shown.size() < 3) return {};
  std::vector<double> edges;
  for (std::size_t i = 0; i <= n_bins; ++i) {
    const double s = static_cast<double>(i) / n_bins;
    edges.push_back(ends.low * std::pow(ends.high / ends.low, s));
  }
  const std::vector<double> test = counted(edges, shown.relative_l2);
  const std::vector<double> train = counted(edges, r.train.relative_l2);
  double most = 1;
  for (std::size_t i = 0; i < n_bins; ++i) most = std::max({most, test[i], train[i]});
  PlotOptions options;
  options.x = {"relative L2 error of a sample", AxisScale::log, ends};
  options.y = {"samples, %", AxisScale::linear, Limits{0, 1.08 * most}};
  options.legend = LegendPlace::outside;
  Plot plot(options);
  const Color first = palette_color(0), second = palette_color(1);
  if (!r.test.empty()) {
    plot.region(bars(edges, train), {.name = "training",
                                     .fill = with_opacity(second, 0.3),
                                     .edge = with_opacity(second, 0.7),
                                     .edge_width = 0.8});
  }
  plot.region(bars(edges, test), {.name = r.test.empty() ? "training" : "test",
                                  .fill = with_opacity(first, 0.45),
                                  .edge = first,
                                  .edge_width = 0.8});
  const double mean = shown.mean_l2();
  if (mean > 0 && std::isfinite(mean)) {
    const double x[] = {mean, mean}, y[] = {0, 1.08 * most};
    plot.line(x, y, {.name = "mean", .color = kept_ink, .dashed = true});
  }
  return html_section("histogram", "How the errors are spread",
                      html_figure(draw_figure({&plot}, {1000, 320, 1, ""}), "histogram",
                                  "histogram of the errors of the samples"));
}

}  // namespace detail

std::string operator_report(const OperatorProblem& problem, const OperatorResult& result,
                            const OperatorAnswers& answers,
                            const std::vector<ResolutionError>& resolutions,
                            const HtmlOptions& options) {
  // What the sections that other reports have need to know.
  Solution shell;
  shell.problem = problem.problem;
  shell.problem.functions.clear();  // tables of one sample
  shell.training = result.training;
  shell.training->scales.clear();
  shell.method = result.model ? result.model->describe() : "";
  shell.seconds = result.seconds;
  const double tolerance = detail::operator_tolerance(problem);
  std::string out;
  const auto add = [&](const char* title, auto part) { out += detail::html_safely(title, part); };
  add("Verdict", [&] { return detail::html_operator_verdict(problem, result); });
  add("Problem", [&] { return detail::html_problem(shell); });
  add("Inputs", [&] { return detail::html_operator_inputs(problem); });
  add("What was chosen", [&] { return detail::html_choices(shell, "What was chosen"); });
  add("Learning curves",
      [&] { return detail::html_learning_curves(result, result.loss, tolerance); });
  add("What happened on the way", [&] { return detail::html_events(shell); });
  add("Errors", [&] { return detail::html_operator_errors(result); });
  add("Errors over time", [&] { return detail::html_operator_courses(answers); });
  add("Curves", [&] { return detail::html_sample_curves(problem, answers); });
  add("Samples", [&] { return detail::html_operator_samples(answers); });
  add("How the errors are spread", [&] { return detail::html_error_histogram(result); });
  add("Spectra", [&] { return detail::html_operator_spectra(answers); });
  if (result.model) {
    add("Resolution", [&] { return detail::html_resolutions(resolutions, result.model->grid()); });
  }
  add("Run", [&] { return detail::html_run(shell, options); });
  const std::string title = options.title.empty() ? detail::operator_title(problem) : options.title;
  return detail::html_page(title, problem.problem.source, out);
}

std::string evaluation_report(const OperatorProblem& problem, const TrainedOperator& model,
                              const std::vector<ResolutionError>& resolutions,
                              const OperatorAnswers& answers, const ForecastAnswers& forecasts) {
  std::string out;
  const auto add = [&](const char* title, auto part) { out += detail::html_safely(title, part); };
  add("Resolution", [&] { return detail::html_resolutions(resolutions, model.grid()); });
  add("Forecasts", [&] { return detail::html_forecasts(answers, forecasts); });
  add("Samples", [&] { return detail::html_operator_samples(answers); });
  add("Spectra", [&] { return detail::html_operator_spectra(answers); });
  return detail::html_page(
      fmt::format("{}: errors on other grids", detail::operator_title(problem)), model.describe(),
      out);
}

}  // namespace cauchy
