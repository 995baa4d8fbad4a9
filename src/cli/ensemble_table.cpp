#include "cli/ensemble_table.hpp"

#include <cmath>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/report/forecast_picture.hpp>

#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

/// Powers of two, and the highest degree.
std::vector<std::size_t> shown_degrees(std::size_t n) {
  std::vector<std::size_t> all;
  for (std::size_t l = 1; l + 1 < n; l *= 2) all.push_back(l);
  all.push_back(n - 1);
  return all;
}

}  // namespace

ForecastAnswers ensemble_of(const OperatorAnswers& answers, const LoadedOperator& run,
                            int threads) {
  const auto& source = run.file.problem.source;
  ForecastAnswers table;
  if (!source || source->kind() != "weather") return table;
  const std::size_t n = run.model->members();
  for (std::size_t m = 0; m < n; ++m) {
    table.members.push_back(n == 1 ? answers.prediction
                                   : run.model->predict_member(answers.data, m, threads));
  }
  table.skill = ensemble_skill(answers.data, table.members);
  table.spectra = forecast_spectra(answers.data, table.members);
  return table;
}

Json ensemble_json(const ForecastAnswers& table) {
  Json fields = Json::array(), spectra = Json::array();
  for (const EnsembleSkill& s : table.skill) {
    Json field = {{"field", s.field}, {"lead", s.lead}, {"crps", s.crps}, {"rmse", s.rmse}};
    if (table.members.size() > 1) {
      field["spread"] = s.spread;
      field["spread_skill"] = s.spread_skill;
      field["ranks"] = s.ranks;
    }
    fields.push_back(std::move(field));
  }
  for (const ForecastSpectrum& s : table.spectra) {
    spectra.push_back({{"field", s.field},
                       {"lead", s.lead},
                       {"truth", s.truth},
                       {"member", s.member},
                       {"mean", s.mean}});
  }
  return {{"members", table.members.size()}, {"scores", fields}, {"spectra", spectra}};
}

void print_ensemble(const ForecastAnswers& table, std::ostream& out) {
  const std::size_t M = table.members.size();
  for (const EnsembleSkill& s : table.skill) {
    if (M == 1) {
      fmt::print(out, "  {}: mean absolute error, which is the CRPS of one forecast\n", s.field);
    } else {
      fmt::print(out, "  {}: ensemble of {} members\n", s.field, M);
    }
    std::vector<std::vector<std::string>> rows{{"lead h", "CRPS"}};
    if (M > 1) {
      rows[0].insert(rows[0].end(), {"RMSE of mean", "spread", "spread/skill", "ranks"});
    }
    for (std::size_t k = 0; k < s.lead.size(); ++k) {
      rows.push_back({fmt::format("{:g}", s.lead[k]), short_number(s.crps[k])});
      if (M == 1) continue;
      const std::vector<std::string> more = {short_number(s.rmse[k]), short_number(s.spread[k]),
                                             fmt::format("{:.2f}", s.spread_skill[k]),
                                             fmt::format("{:.2f}", fmt::join(s.ranks[k], " "))};
      rows.back().insert(rows.back().end(), more.begin(), more.end());
    }
    print_table(out, rows, 4);
  }
  if (table.spectra.empty()) return;
  const std::vector<std::size_t> degrees = shown_degrees(table.spectra[0].truth.size());
  fmt::print(out, "  power over that of the truth at the last lead, by degree\n");
  std::vector<std::vector<std::string>> rows{{"field", "of"}};
  for (const std::size_t l : degrees) rows[0].push_back(std::to_string(l));
  const auto add = [&](const ForecastSpectrum& s, const std::vector<double>& power,
                       const char* name) {
    rows.push_back({s.field, name});
    for (const std::size_t l : degrees) {
      rows.back().push_back(fmt::format("{:.2f}", power[l] / s.truth[l]));
    }
  };
  for (const ForecastSpectrum& s : table.spectra) {
    add(s, s.member, M == 1 ? "forecast" : "members");
    if (M > 1) add(s, s.mean, "mean");
  }
  print_table(out, rows, 4);
}

std::vector<std::filesystem::path> save_forecasts(const std::filesystem::path& folder,
                                                  const OperatorAnswers& answers,
                                                  const ForecastAnswers& table) {
  std::vector<std::filesystem::path> files;
  for (const EnsembleSkill& s : table.skill) {
    files.push_back(folder / fmt::format("forecast_{}.svg", s.field));
    save_picture(files.back(), forecast_picture(answers.data, table.members, s.field, 0));
  }
  files.push_back(folder / "spectra.svg");
  save_picture(files.back(), spectra_picture(table.spectra));
  return files;
}

}  // namespace cauchy::cli
