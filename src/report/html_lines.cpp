#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_views.hpp"

namespace cauchy::detail {

bool has_reference(const FieldSample& sample, std::size_t f) {
  return f < sample.reference.size() &&
         std::any_of(sample.reference[f].begin(), sample.reference[f].end(),
                     [](double v) { return std::isfinite(v); });
}

ViewLimits view_limits(const std::vector<FieldSample>& samples, std::size_t n_fields) {
  ViewLimits limits;
  for (std::size_t f = 0; f < n_fields; ++f) {
    std::vector<double> values, errors;
    for (const FieldSample& s : samples) {
      const bool compared = has_reference(s, f);
      for (std::size_t i = 0; i < s.solution[f].size(); ++i) {
        if (!s.counts(i)) continue;
        values.push_back(s.solution[f][i]);
        if (!compared) continue;
        values.push_back(s.reference[f][i]);
        errors.push_back(std::abs(s.solution[f][i] - s.reference[f][i]));
      }
    }
    limits.values.push_back(widened(limits_of(values, AxisScale::linear), AxisScale::linear));
    const double largest = limits_of(errors, AxisScale::linear).high;
    // Below the rounding of the values there is no error to see.
    const double least =
        1e-15 * std::max(std::abs(limits.values[f].low), std::abs(limits.values[f].high));
    const double shown = std::max({largest, least, 1e-300});
    limits.errors.push_back({-shown, shown});
  }
  return limits;
}

ViewLimits view_limits(const std::vector<FieldSample>& samples, const SolutionSampler& sampler,
                       const ErrorReport& error) {
  const std::vector<std::string>& fields = sampler.fields();
  ViewLimits limits = view_limits(samples, fields.size());
  limits.worst.resize(fields.size());
  for (const FieldError& e : error.fields) {
    const auto f =
        static_cast<std::size_t>(std::find(fields.begin(), fields.end(), e.field) - fields.begin());
    if (f == fields.size() || !(e.max > 0) || std::isinf(e.max)) continue;
    limits.errors[f] = {-e.max, e.max};
    limits.worst[f] = e.where;
  }
  return limits;
}

bool shows(const SolutionSampler& sampler, const ViewPlace& place,
           const std::vector<double>& point) {
  if (point.size() != sampler.axes().size()) return false;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const SolutionSampler::Axis& axis = sampler.axes()[k];
    const bool shown = k == place.a || (place.b && k == *place.b);
    if (!shown && !(std::abs(point[k] - place.at[k]) <= 1e-9 * (axis.upper - axis.lower))) {
      return false;
    }
  }
  return true;
}

namespace {

Limits with_margin(Limits l, AxisScale scale) {
  if (scale == AxisScale::log) {
    const double factor = std::pow(l.high / l.low, 0.05);
    return {l.low / factor, l.high * factor};
  }
  const double margin = 0.05 * (l.high - l.low);
  return {l.low - margin, l.high + margin};
}

double size_of(Limits l) { return std::max(std::abs(l.low), std::abs(l.high)); }

/// Fields of very different size would hide each other on one axis.
bool fit_together(const ViewLimits& limits, const std::vector<Dots>& dots) {
  constexpr double largest_ratio = 30;
  constexpr std::size_t most_lines = 6;
  if (limits.values.size() > most_lines || (limits.values.size() > 1 && !dots.empty())) {
    return limits.values.size() == 1;
  }
  if (limits.scale == AxisScale::log) return true;
  double least = INFINITY, largest = 0;
  for (const Limits& l : limits.values) {
    least = std::min(least, size_of(l));
    largest = std::max(largest, size_of(l));
  }
  return largest <= largest_ratio * least;
}

void add_field(Plot& plot, const SolutionSampler& sampler, const FieldSample& sample, std::size_t f,
               std::span<const double> x, const std::vector<Dots>& dots) {
  const std::string name = greek_name(sampler.fields()[f]);
  const Color color = palette_color(f);
  plot.line(x, sample.solution[f], {.name = name, .color = color, .width = 2.2});
  if (has_reference(sample, f)) {
    plot.line(x, sample.reference[f],
              {.name = name + " reference",
               .color = mix(color, black, 0.55),
               .width = 1.5,
               .dashed = true});
  }
  for (const Dots& d : dots) {
    if (d.field == f) plot.scatter(d.x, d.y, {.name = name + " measured", .color = black});
  }
}

}  // namespace

Picture line_picture(const SolutionSampler& sampler, const FieldSample& sample,
                     const ViewPlace& place, const ViewLimits& limits, bool with_error,
                     const std::vector<Dots>& dots) {
  const std::size_t F = sampler.fields().size();
  const std::vector<double> x = sampler.positions(place.a, sample.solution[0].size());
  PlotOptions options;
  options.x.label = greek_name(sampler.axes()[place.a].name);
  options.x.limits = Limits{x.front(), x.back()};
  options.legend = LegendPlace::outside;
  std::vector<std::unique_ptr<Plot>> plots;
  const bool together = fit_together(limits, dots);
  options.y.scale = limits.scale;
  if (together) {
    Limits y = limits.values[0];
    for (const Limits& l : limits.values) y = {std::min(y.low, l.low), std::max(y.high, l.high)};
    options.y.limits = with_margin(y, limits.scale);
    options.y.label = limits.label;
    if (F == 1 && limits.label.empty()) options.y.label = greek_name(sampler.fields()[0]);
    Plot& plot = *plots.emplace_back(std::make_unique<Plot>(options));
    for (std::size_t f = 0; f < F; ++f) add_field(plot, sampler, sample, f, x, dots);
  } else {
    for (std::size_t f = 0; f < F; ++f) {
      Limits y = limits.values[f];
      for (const Dots& d : dots) {
        if (d.field != f) continue;
        const Limits seen = limits_of(d.y, AxisScale::linear);
        y = {std::min(y.low, seen.low), std::max(y.high, seen.high)};
      }
      options.y.limits = with_margin(y, limits.scale);
      options.y.label = limits.label.empty() ? greek_name(sampler.fields()[f]) : limits.label;
      Plot& plot = *plots.emplace_back(std::make_unique<Plot>(options));
      add_field(plot, sampler, sample, f, x, dots);
    }
  }
  if (with_error) {
    options.y = {"absolute error", AxisScale::log, {}};
    auto plot = std::make_unique<Plot>(options);
    bool any = false;
    for (std::size_t f = 0; f < F; ++f) {
      if (!has_reference(sample, f)) continue;
      std::vector<double> error(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        error[i] = std::abs(sample.solution[f][i] - sample.reference[f][i]);
      }
      any = any || std::any_of(error.begin(), error.end(), [](double e) { return e > 0; });
      plot->line(x, error,
                 {.name = greek_name(sampler.fields()[f]) + " error", .color = palette_color(f)});
      if (f >= limits.worst.size() || !shows(sampler, place, limits.worst[f])) continue;
      const double at[] = {limits.worst[f][place.a]}, largest[] = {limits.errors[f].high};
      plot->scatter(at, largest, {.color = palette_color(f), .radius = 4});
    }
    if (any) plots.push_back(std::move(plot));
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return draw_figure(panels, {1000, plots.size() > 3 ? 230.0 : 310.0, 1, ""});
}

}  // namespace cauchy::detail
