#include "cli/compare_methods.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/options.hpp>  // same_name
#include <cauchy/expr/parse.hpp>    // nearest_name
#include <cauchy/report/figure.hpp>

#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

/// The error against the reference, else what the method knows itself.
double error_of(const RunSummary& s) {
  return std::isnan(s.relative_l2) ? s.estimate : s.relative_l2;
}

}  // namespace

bool is_trained(const std::string& name) {
  for (const MethodEntry& e : all_methods()) {
    if (e.name == name) return e.training != nullptr;
  }
  return false;
}

std::vector<std::string> methods_of(const std::vector<std::string>& words) {
  std::vector<std::string> names, known = {"all", "classical"};
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const MethodEntry& e : all_methods()) known.emplace_back(e.name);
  for (const std::string& written : words) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
      return same_name(name, written);
    });
    const std::string& word = found == known.end() ? written : *found;
    if (found == known.end()) {
      const std::string near = nearest_name(word, known);
      throw Error(ErrorKind::not_found, fmt::format("there is no method '{}'", word), "--methods",
                  near.empty() ? "`cauchy list methods` shows them"
                               : fmt::format("did you mean '{}'?", near));
    }
    if (word != "all" && word != "classical") {
      add(word);
      continue;
    }
    for (const MethodEntry& e : all_methods()) {
      const bool trained = e.training != nullptr;
      if (e.name != "auto-classical" && (word == "all" || !trained)) add(std::string(e.name));
    }
  }
  return names;
}

void print_methods(const std::vector<MethodLine>& lines, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{
      {"run", "error", "estimate", "max error", "time", "unknowns", "memory", "grade", "method"}};
  for (const MethodLine& line : lines) {
    if (!line.refusal.empty()) {
      rows.push_back({line.label, "-", "-", "-", "-", "-", "-", "refused", "-"});
      continue;
    }
    const RunSummary& s = line.summary;
    rows.push_back({line.label, short_number(s.relative_l2), short_number(s.estimate),
                    short_number(s.max_error), duration(s.seconds), grouped(s.unknowns),
                    bytes_to_string(line.bytes), s.grade, s.method});
  }
  print_table(out, rows);
  for (const MethodLine& line : lines) {
    if (!line.refusal.empty()) {
      fmt::print(out, "{}: {}\n", plain_text(line.label), plain_text(line.refusal));
    }
  }
}

void save_methods_plot(const std::filesystem::path& file, const std::vector<MethodLine>& lines) {
  Plot plot({.title = "error against time",
             .x = {.label = "seconds", .scale = AxisScale::log},
             .y = {.label = "relative L2 error", .scale = AxisScale::log},
             .legend = LegendPlace::outside});
  for (const MethodLine& line : lines) {
    const double x[] = {std::max(line.summary.seconds, 1e-6)};
    const double y[] = {error_of(line.summary)};
    plot.scatter(x, y, {.name = line.label, .radius = 4});
  }
  save_picture(file, draw_figure({&plot}, {.panel_width = 720}));
}

}  // namespace cauchy::cli
