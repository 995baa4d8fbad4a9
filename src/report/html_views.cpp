#include "report/html_views.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_text.hpp"

namespace cauchy::detail {

std::string value_text(const SolutionSampler::Axis& axis, double value) {
  return fmt::format("{} = {}", html_escaped(greek_name(axis.name)), html_number(value, 3));
}

std::string fixed_text(const SolutionSampler& sampler, const ViewPlace& place,
                       std::optional<std::size_t> free) {
  std::string text;
  for (std::size_t k = 0; k < sampler.axes().size(); ++k) {
    if (k == place.a || (place.b && k == *place.b) || (free && k == *free)) continue;
    if (std::count(text.begin(), text.end(), ',') == 5) return text + ", …";
    text += (text.empty() ? "" : ", ") + value_text(sampler.axes()[k], place.at[k]);
  }
  return text;
}

ViewRow views_over_time(const SolutionSampler& sampler, std::size_t n) {
  ViewRow row;
  for (const double t : sampler.positions(0, n)) {
    ViewPlace place{1, 2, sampler.middle()};
    place.at[0] = t;
    row.titles.push_back(fmt::format("{} = {:.3g}", greek_name(sampler.axes()[0].name), t));
    row.places.push_back(std::move(place));
  }
  row.caption = fixed_text(sampler, row.places[0], 0);
  return row;
}

ViewRow views_through_middle(const SolutionSampler& sampler) {
  ViewRow row;
  const std::size_t first = sampler.first_space();
  for (const auto& [a, b, c] :
       {std::array<std::size_t, 3>{0, 1, 2}, std::array<std::size_t, 3>{0, 2, 1},
        std::array<std::size_t, 3>{1, 2, 0}}) {
    row.places.push_back({first + a, first + b, sampler.middle()});
    const auto& across = sampler.axes()[first + c];
    row.titles.push_back(
        fmt::format("{} = {:.3g}", greek_name(across.name), row.places.back().at[first + c]));
  }
  if (sampler.axes().size() > 3) {
    row.caption = "All other coordinates at the middle of their range.";
  }
  return row;
}

}  // namespace cauchy::detail
