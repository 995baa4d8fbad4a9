#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/html_views.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t fine_line = 401, frame_line = 121, fine_map = 110, slice_map = 110,
                      time_map = 72;
constexpr std::size_t most_animated = 4;  // fields; more would make the file large

/// The pictures of one solution, for the kind of domain it has.
class Gallery {
 public:
  Gallery(const Solution& solution, std::size_t frames, std::string prefix)
      : solution_(solution),
        prefix_(std::move(prefix)),
        sampler_(solution),
        frames_(frames),
        frame_map_(sampler_.fields().size() > 2 ? 44 : 60) {}

  std::string show() {
    const std::size_t active = sampler_.n_active(), space = sampler_.first_space();
    const std::size_t d = active - space;
    if (active == 1) {
      lines({0, {}, sampler_.middle()});
      over_ranges({0, {}, sampler_.middle()});
    } else if (active == 2) {
      map({0, 1, sampler_.middle()});
      if (sampler_.has_time()) over("Profiles over time", 0, {1, {}, sampler_.middle()});
      over_ranges({0, 1, sampler_.middle()});
    } else if (sampler_.has_time() && d == 2) {
      rows(views_over_time(sampler_, 4), time_map);
      over("Over time", 0, {1, 2, sampler_.middle()});
      over_ranges({1, 2, sampler_.middle()});
    } else {
      rows(views_through_middle(sampler_), slice_map);
      if (sampler_.has_time()) over("Over time", 0, {space, space + 1, sampler_.middle()});
      over_ranges({space, space + 1, sampler_.middle()});
    }
    if (!sampler_.reference_problem().empty()) {
      out_ += fmt::format("<p class=\"note\">The reference is not shown: {}</p>\n",
                          html_escaped(sampler_.reference_problem()));
    }
    return std::move(out_);
  }

 private:
  std::string id() { return fmt::format("{}{}", prefix_, ++n_pictures_); }

  FieldSample sample(const ViewPlace& place, std::size_t n) {
    if (!place.b) return sampler_.line(place.a, n, place.at);
    return sampler_.plane(place.a, n, *place.b, n, place.at);
  }

  /// Measured values of plain fields, where the only axis is the one that is shown.
  std::vector<Dots> measured(const ViewPlace& place) const {
    std::vector<Dots> all;
    if (sampler_.axes().size() != 1) return all;
    for (const Observation& o : solution_.problem.observation) {
      const auto& fields = sampler_.fields();
      const auto f = std::find(fields.begin(), fields.end(), o.quantity.name());
      if (o.quantity.kind() != Kind::field || !o.quantity.index().empty() || f == fields.end()) {
        continue;
      }
      all.push_back({static_cast<std::size_t>(f - fields.begin()),
                     o.table.column(sampler_.axes()[place.a].name), o.table.column(o.column)});
    }
    return all;
  }

  /// Where the error of a field is largest, behind what a caption says already.
  std::string caption_of(std::string caption, std::size_t f, const std::vector<ViewPlace>& places,
                         const FieldSample& sample) const {
    if (!has_reference(sample, f)) return caption;
    for (const FieldError& e : solution_.error.fields) {
      if (e.field != sampler_.fields()[f] || e.where.size() != sampler_.axes().size()) continue;
      const bool ringed = std::any_of(places.begin(), places.end(), [&](const ViewPlace& place) {
        return shows(sampler_, place, e.where);
      });
      std::string at;
      for (std::size_t k = 0; k < std::min<std::size_t>(e.where.size(), 6); ++k) {
        at += (k > 0 ? ", " : "") + value_text(sampler_.axes()[k], e.where[k]);
      }
      if (!caption.empty()) caption += caption.back() == '.' ? " " : ". ";
      caption +=
          fmt::format("Largest error {} at {}{}.", html_number(e.max), at, ringed ? " (ring)" : "");
    }
    return caption;
  }

  void lines(const ViewPlace& place) {
    const FieldSample s = sample(place, fine_line);
    const ViewLimits limits = view_limits({s}, sampler_, solution_.error);
    out_ +=
        html_figure(line_picture(sampler_, s, place, limits, true, measured(place)), id(),
                    "fields along " + sampler_.axes()[place.a].name, fixed_text(sampler_, place));
  }

  void map(const ViewPlace& place) {
    const FieldSample s = sample(place, fine_map);
    const ViewLimits limits = view_limits({s}, sampler_, solution_.error);
    // Single pictures stand side by side, rows of three below each other.
    const bool single = s.reference.empty() && sampler_.fields().size() > 1;
    if (single) out_ += "<div class=\"grid\">\n";
    for (std::size_t f = 0; f < sampler_.fields().size(); ++f) {
      out_ += html_figure(map_picture(sampler_, s, f, fine_map, fine_map, place, limits,
                                      single ? grid_map : wide_map),
                          id(), "map of " + sampler_.fields()[f],
                          caption_of(fixed_text(sampler_, place), f, {place}, s));
    }
    if (single) out_ += "</div>\n";
  }

  void rows(const ViewRow& views, std::size_t n) {
    std::vector<FieldSample> samples;
    for (const ViewPlace& place : views.places) samples.push_back(sample(place, n));
    const ViewLimits limits = view_limits(samples, sampler_, solution_.error);
    for (std::size_t f = 0; f < sampler_.fields().size(); ++f) {
      out_ += html_figure(map_rows_picture(sampler_, samples, views, f, n, n, limits), id(),
                          "slices of " + sampler_.fields()[f],
                          caption_of(views.caption, f, views.places, samples[0]));
    }
  }

  /// A player that moves along one axis.
  void over(const std::string& title, std::size_t axis, const ViewPlace& base) {
    if (frames_ == 0) return;
    const std::size_t F = sampler_.fields().size(), n = base.b ? frame_map_ : frame_line;
    std::vector<FieldSample> samples;
    std::vector<ViewPlace> places;
    const std::vector<double> values = sampler_.positions(axis, frames_);
    for (const double v : values) {
      places.push_back(base);
      places.back().at[axis] = v;
      samples.push_back(sample(places.back(), n));
    }
    const ViewLimits limits = view_limits(samples, sampler_, solution_.error);
    out_ += fmt::format("<h3>{}</h3>\n", title);
    std::vector<HtmlFrame> frames;
    for (std::size_t k = 0; k < frames_; ++k) {
      std::string content;
      if (base.b) {
        for (std::size_t f = 0; f < std::min(F, most_animated); ++f) {
          content += inline_svg(map_picture(sampler_, samples[k], f, n, n, places[k], limits), id(),
                                "map of " + sampler_.fields()[f]);
        }
      } else {
        content = inline_svg(line_picture(sampler_, samples[k], places[k], limits, false), id(),
                             "fields along " + sampler_.axes()[base.a].name);
      }
      const std::string fixed = fixed_text(sampler_, places[k], axis);
      frames.push_back(
          {value_text(sampler_.axes()[axis], values[k]) + (fixed.empty() ? "" : ", " + fixed),
           std::move(content)});
    }
    out_ += html_player(sampler_.axes()[axis].name, frames, frames_ / 2);
    if (base.b && F > most_animated) {
      out_ += fmt::format("<p class=\"note\">The first {} of {} fields.</p>\n", most_animated, F);
    }
  }

  void over_ranges(const ViewPlace& base) {
    constexpr std::size_t most_ranges = 3;
    const std::size_t first = sampler_.n_active();
    for (std::size_t k = first; k < std::min(sampler_.axes().size(), first + most_ranges); ++k) {
      over("Over the parameter " + in_math(name_to_mathml(sampler_.axes()[k].name)), k, base);
    }
  }

  const Solution& solution_;
  std::string prefix_;  // of the names of pictures on the page
  SolutionSampler sampler_;
  std::size_t frames_, frame_map_;
  std::size_t n_pictures_ = 0;
  std::string out_;
};

}  // namespace

std::string html_fields(const Solution& solution, std::size_t frames) {
  if (solution.model == nullptr) {
    return html_section("solution", "Solution",
                        "<p class=\"note\">This run left no solution to look at.</p>\n");
  }
  return html_section("solution", "Solution", Gallery(solution, frames, "view").show());
}

std::string html_correction(const Solution& solution) {
  if (!solution.estimate || !solution.estimate->correction) return {};
  Solution error;
  error.problem = solution.problem;
  error.problem.reference = {};
  error.problem.observation.clear();
  error.model = solution.estimate->correction;
  return Gallery(error, 0, "correction").show();
}

}  // namespace cauchy::detail
