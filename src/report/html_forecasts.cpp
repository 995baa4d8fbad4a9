#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/forecast_picture.hpp>

#include "report/html_operator_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

/// Shares of the ranks at the first and the last lead, a panel for every field.
Picture ranks_picture(const std::vector<EnsembleSkill>& skill) {
  std::vector<std::unique_ptr<Plot>> plots;
  for (const EnsembleSkill& s : skill) {
    PlotOptions options{.title = "ranks of the truth, " + s.field};
    options.x.label = "members below";
    options.y = {.label = "share",
                 .limits = Limits{0, 2.0 / static_cast<double>(s.ranks[0].size())}};
    auto plot = std::make_unique<Plot>(options);
    std::vector<double> rank;
    for (std::size_t r = 0; r < s.ranks[0].size(); ++r) rank.push_back(static_cast<double>(r));
    for (const std::size_t k : {std::size_t{0}, s.lead.size() - 1}) {
      plot->line(rank, s.ranks[k], {.name = fmt::format("{:g} h", s.lead[k]), .markers = true});
    }
    plots.push_back(std::move(plot));
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return draw_figure(panels, {.panel_width = 460, .panel_height = 280, .columns = 2});
}

}  // namespace

std::string html_forecasts(const OperatorAnswers& answers, const ForecastAnswers& f) {
  if (f.empty()) return {};
  const bool many = f.members.size() > 1;
  std::vector<std::vector<std::string>> rows = {
      {"field", "lead, h", many ? "CRPS" : "mean |error|"}};
  if (many) rows[0].insert(rows[0].end(), {"RMSE of the mean", "spread", "spread / skill"});
  for (const EnsembleSkill& s : f.skill) {
    const std::size_t n = s.lead.size(), step = std::max<std::size_t>(1, n / 5);
    for (std::size_t k = 0; k < n; ++k) {
      if (k % step != 0 && k + 1 != n) continue;
      rows.push_back(
          {html_escaped(s.field), fmt::format("{:g}", s.lead[k]), html_number(s.crps[k])});
      if (!many) continue;
      rows.back().push_back(html_number(s.rmse[k]));
      rows.back().push_back(html_number(s.spread[k]));
      rows.back().push_back(fmt::format("{:.2f}", s.spread_skill[k]));
    }
  }
  std::string out = html_table(rows);
  if (many) {
    out += html_figure(ranks_picture(f.skill), "ranks", "histogram of ranks",
                       "How often so many members lie below the truth: flat where the truth might "
                       "as well be a member.");
  }
  out += html_figure(spectra_picture(f.spectra), "sphere-spectra", "power by degree",
                     "Power by degree of the spherical harmonics at the last lead time.");
  const std::string& field = f.skill.back().field;
  out += html_figure(forecast_picture(answers.data, f.members, field, 0), "maps", "maps",
                     "The first sample.");
  return html_section("forecasts", many ? "Ensemble" : "Forecasts", out);
}

}  // namespace cauchy::detail
