#include <cauchy/applications/forecast_skill.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "applications/sphere/forecast_frames.hpp"

namespace cauchy {
namespace {

constexpr const char* skill_place = "[applications.forecast_skill]";
using detail::latitude_weights, detail::skill_frame, detail::SkillFrame;

/// Of one sample: squared error and correlation of anomalies.
struct Agreement {
  double square = 0, correlation = 0;
};
Agreement compare_fields(std::span<const double> f, std::span<const double> o,
                         std::span<const double> c, std::span<const double> w) {
  double error = 0, fo = 0, ff = 0, oo = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double a = f[i] - c[i], b = o[i] - c[i];
    error += w[i] * (f[i] - o[i]) * (f[i] - o[i]);
    fo += w[i] * a * b;
    ff += w[i] * a * a;
    oo += w[i] * b * b;
  }
  return {error, ff > 0 && oo > 0 ? fo / std::sqrt(ff * oo) : 0};
}

}  // namespace

double ForecastSkill::time_above(double level, const std::vector<double>& curve) const {
  double before = 1, at = 0;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (!(curve[k] >= level)) {
      return at + (lead[k] - at) * (before - level) / (before - curve[k]);
    }
    before = curve[k];
    at = lead[k];
  }
  return at;
}

std::vector<ForecastSkill> forecast_skill(const DataSet& climate, const DataSet& test,
                                          std::span<const double> forecast) {
  const std::vector<double> weights = latitude_weights(test.grid);
  const std::size_t points = test.grid.n_points(), n = test.size();
  if (climate.outputs != test.outputs || climate.inputs != test.inputs || climate.size() == 0 ||
      n == 0 || !(climate.grid == test.grid)) {
    throw Error("samples of the climate and of the test differ in channels or grid", skill_place,
                "cut them from one data set");
  }
  if (forecast.size() != test.out.size()) {
    throw Error(fmt::format("{} numbers for forecasts of {}", forecast.size(), test.out.size()),
                skill_place, "give forecasts of every channel of every sample");
  }
  const auto channel = [&](std::span<const double> all, std::size_t channels, std::size_t sample,
                           std::size_t k) {
    return all.subspan((sample * channels + k) * points, points);
  };
  std::map<std::string, std::size_t> first;  // input channels of the first frame
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    const SkillFrame f = skill_frame(test.inputs[i]);
    if (f.time == 0) first[f.field] = i;
  }
  std::vector<ForecastSkill> skills;
  std::map<std::string, std::vector<double>> means;
  std::map<std::string, double> counts;
  for (std::size_t k = 0; k < test.outputs.size(); ++k) {
    const SkillFrame f = skill_frame(test.outputs[k]);
    if (!std::isfinite(f.time) || !first.contains(f.field)) {
      throw Error(fmt::format("the channel '{}' is no frame, or has no first one", test.outputs[k]),
                  skill_place, "give data with frames u(t=0), u(t=6), ...");
    }
    std::vector<double>& mean = means[f.field];
    mean.resize(points);
    for (std::size_t i = 0; i < climate.size(); ++i) {
      const auto values = channel(climate.out, climate.outputs.size(), i, k);
      for (std::size_t j = 0; j < points; ++j) mean[j] += values[j];
      counts[f.field] += 1;
    }
  }
  for (auto& [field, mean] : means) {
    for (double& x : mean) x /= counts[field];
  }
  for (std::size_t k = 0; k < test.outputs.size(); ++k) {
    const SkillFrame f = skill_frame(test.outputs[k]);
    auto at = std::find_if(skills.begin(), skills.end(),
                           [&](const ForecastSkill& s) { return s.field == f.field; });
    if (at == skills.end()) at = skills.insert(at, ForecastSkill{.field = f.field});
    const std::vector<double>& c = means[f.field];
    double model = 0, still = 0, usual = 0, corr = 0, still_corr = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto truth = channel(test.out, test.outputs.size(), i, k);
      const auto begin = channel(test.in, test.inputs.size(), i, first[f.field]);
      const Agreement a =
          compare_fields(channel(forecast, test.outputs.size(), i, k), truth, c, weights);
      const Agreement p = compare_fields(begin, truth, c, weights);
      model += a.square;
      corr += a.correlation;
      still += p.square;
      still_corr += p.correlation;
      usual += compare_fields(c, truth, c, weights).square;
    }
    const auto count = static_cast<double>(n);
    at->lead.push_back(f.time);
    at->rmse.push_back(std::sqrt(model / count));
    at->persistence_rmse.push_back(std::sqrt(still / count));
    at->climatology_rmse.push_back(std::sqrt(usual / count));
    at->correlation.push_back(corr / count);
    at->persistence_correlation.push_back(still_corr / count);
  }
  return skills;
}

}  // namespace cauchy
