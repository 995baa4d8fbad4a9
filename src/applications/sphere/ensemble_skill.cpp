#include <cauchy/applications/ensemble_skill.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/applications/ensemble_scores.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/math/spherical_harmonics.hpp>
#include <cauchy/networks/spherical.hpp>  // sphere_of

#include "applications/sphere/forecast_frames.hpp"

namespace cauchy {
namespace {

constexpr const char* ensemble_skill_place = "[applications.ensemble_skill]";

void require_members(const DataSet& test, std::span<const std::vector<double>> members) {
  if (members.empty() || test.size() == 0) {
    throw Error("there is no forecast", ensemble_skill_place, "give members and samples");
  }
  for (const std::vector<double>& m : members) {
    if (m.size() == test.out.size()) continue;
    throw Error(fmt::format("a member has {} numbers, the truth {}", m.size(), test.out.size()),
                ensemble_skill_place, "give forecasts of every channel of every sample");
  }
}

detail::SkillFrame frame_of(const std::string& channel) {
  const detail::SkillFrame f = detail::skill_frame(channel);
  if (std::isfinite(f.time)) return f;
  throw Error(fmt::format("the channel '{}' is no frame", channel), ensemble_skill_place,
              "give data with frames u(t=6), ...");
}

}  // namespace

std::vector<EnsembleSkill> ensemble_skill(const DataSet& test,
                                          std::span<const std::vector<double>> members) {
  require_members(test, members);
  const std::vector<double> weights = detail::latitude_weights(test.grid);
  const std::size_t points = test.grid.n_points(), M = members.size(), n = test.size();
  std::vector<EnsembleSkill> skills;
  std::vector<double> fields(M * points);
  for (std::size_t k = 0; k < test.outputs.size(); ++k) {
    const detail::SkillFrame f = frame_of(test.outputs[k]);
    auto at = std::find_if(skills.begin(), skills.end(),
                           [&](const EnsembleSkill& s) { return s.field == f.field; });
    if (at == skills.end()) at = skills.insert(at, EnsembleSkill{.field = f.field});
    double score = 0, square = 0, variance = 0;
    std::vector<double> ranks(M + 1, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = (i * test.outputs.size() + k) * points;
      for (std::size_t m = 0; m < M; ++m) {
        std::copy_n(members[m].begin() + static_cast<std::ptrdiff_t>(first), points,
                    fields.begin() + static_cast<std::ptrdiff_t>(m * points));
      }
      const EnsembleScore s =
          ensemble_score(fields, std::span(test.out).subspan(first, points), weights);
      const double share = 1 / static_cast<double>(n);
      score += share * s.crps;
      square += share * s.rmse * s.rmse;
      variance += share * s.spread * s.spread;
      for (std::size_t r = 0; r <= M; ++r) ranks[r] += share * s.ranks[r];
    }
    const auto count = static_cast<double>(M);
    at->lead.push_back(f.time);
    at->crps.push_back(score);
    at->rmse.push_back(std::sqrt(square));
    at->spread.push_back(std::sqrt(variance));
    at->spread_skill.push_back(std::sqrt((count + 1) / count * variance / square));
    at->ranks.push_back(std::move(ranks));
  }
  return skills;
}

std::vector<ForecastSpectrum> forecast_spectra(const DataSet& test,
                                               std::span<const std::vector<double>> members) {
  require_members(test, members);
  const SphereGrid sphere = sphere_of(test.grid);
  const SphericalTransform transform(sphere, sphere.max_degree(), false);
  const std::size_t points = test.grid.n_points(), n = test.size();
  std::vector<ForecastSpectrum> spectra;
  for (const std::string& channel : test.outputs) {
    const detail::SkillFrame f = frame_of(channel);
    auto at = std::find_if(spectra.begin(), spectra.end(),
                           [&](const ForecastSpectrum& s) { return s.field == f.field; });
    if (at == spectra.end()) at = spectra.insert(at, ForecastSpectrum{.field = f.field});
    at->lead = f.time;  // the last one stays
  }
  SphereSpectrum a(transform.n_coefficients());
  std::vector<double> mean(points);
  for (ForecastSpectrum& s : spectra) {
    const auto same = [&](const std::string& channel) {
      const detail::SkillFrame f = detail::skill_frame(channel);
      return f.field == s.field && f.time == s.lead;
    };
    const auto k = static_cast<std::size_t>(
        std::find_if(test.outputs.begin(), test.outputs.end(), same) - test.outputs.begin());
    // Rows from south to north turn signs of coefficients alone.
    const auto add = [&](std::span<const double> field, double share, std::vector<double>& sum) {
      transform.analyze(field, a);
      const std::vector<double> power = power_spectrum(a);
      sum.resize(power.size());
      for (std::size_t l = 0; l < power.size(); ++l) sum[l] += share * power[l];
    };
    const double share = 1 / static_cast<double>(n), M = static_cast<double>(members.size());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = (i * test.outputs.size() + k) * points;
      std::ranges::fill(mean, 0.0);
      add(std::span(test.out).subspan(first, points), share, s.truth);
      for (const std::vector<double>& m : members) {
        const auto field = std::span(m).subspan(first, points);
        add(field, share / M, s.member);
        for (std::size_t p = 0; p < points; ++p) mean[p] += field[p] / M;
      }
      add(mean, share, s.mean);
    }
  }
  return spectra;
}

}  // namespace cauchy
