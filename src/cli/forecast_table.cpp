#include "cli/forecast_table.hpp"

#include <fmt/ostream.h>

#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

constexpr double useful_correlation = 0.8;

}  // namespace

std::vector<ForecastSkill> skill_of(const OperatorAnswers& answers, const LoadedOperator& run,
                                    const std::filesystem::path& folder) {
  const auto& source = run.file.problem.source;
  const std::filesystem::path kept = folder / "data.h5";
  if (!source || source->kind() != "weather" || !std::filesystem::exists(kept)) return {};
  return forecast_skill(read_data_set(kept).part(0, run.split.train), answers.data,
                        answers.prediction);
}

Json skill_json(const std::vector<ForecastSkill>& skill) {
  Json all = Json::array();
  for (const ForecastSkill& s : skill) {
    all.push_back(
        {{"field", s.field},
         {"lead", s.lead},
         {"rmse", s.rmse},
         {"persistence_rmse", s.persistence_rmse},
         {"climatology_rmse", s.climatology_rmse},
         {"correlation", s.correlation},
         {"persistence_correlation", s.persistence_correlation},
         {"useful", s.time_above(useful_correlation, s.correlation)},
         {"persistence_useful", s.time_above(useful_correlation, s.persistence_correlation)}});
  }
  return all;
}

void print_skill(const std::vector<ForecastSkill>& skill, std::ostream& out) {
  for (const ForecastSkill& s : skill) {
    fmt::print(out,
               "  {}: correlation of anomalies above {} for {:.1f} h, persistence for {:.1f} h\n",
               s.field, useful_correlation, s.time_above(useful_correlation, s.correlation),
               s.time_above(useful_correlation, s.persistence_correlation));
    std::vector<std::vector<std::string>> rows{
        {"lead h", "RMSE", "persistence", "climatology", "correlation", "persistence"}};
    for (std::size_t k = 0; k < s.lead.size(); ++k) {
      rows.push_back({fmt::format("{:g}", s.lead[k]), short_number(s.rmse[k]),
                      short_number(s.persistence_rmse[k]), short_number(s.climatology_rmse[k]),
                      fmt::format("{:.3f}", s.correlation[k]),
                      fmt::format("{:.3f}", s.persistence_correlation[k])});
    }
    print_table(out, rows, 4);
  }
}

}  // namespace cauchy::cli
