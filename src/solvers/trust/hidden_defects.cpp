#include "solvers/trust/hidden_defects.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/fresh_points.hpp"
#include "problem/start_layers.hpp"

namespace cauchy::detail {
namespace {

/// Layers thinner than this part of the size are no part of a grid.
constexpr int first_thin_decade = 3;
/// What hides counts when it is this much of what shows.
constexpr double much_hidden = 1;
constexpr int n_of_decades = 6;
/// Points that show the residual, and those that also find what is narrow.
constexpr std::size_t n_shown = 400, n_searched_defects = 20'000;
constexpr double much_narrower = 10;

double mean_modulus(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += std::abs(v);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Where a residual hides in the layers at one condition; empty: nowhere.
std::string hidden_in_layer(const std::string& equation, const std::string& condition,
                            std::span<const double> residuals, std::span<const int> decade,
                            double shows) {
  std::vector<std::vector<double>> of_decade(n_of_decades + 1);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    of_decade[static_cast<std::size_t>(decade[i])].push_back(residuals[i]);
  }
  double hides = 0;
  int thickest = 0;
  for (int k = first_thin_decade; k <= n_of_decades; ++k) {
    // From 10^-k down to the next decade, as a part of the size.
    const double width = 0.9 * std::pow(10.0, -k);
    const double mass = width * mean_modulus(of_decade[static_cast<std::size_t>(k)]);
    hides += mass;
    if (mass > 0.1 * much_hidden * shows && thickest == 0) thickest = k;
  }
  if (hides <= much_hidden * shows) return {};
  return fmt::format(
      "the residual of '{}' hides in a layer of about 1e-{} of the size at {}: {:.1g} times "
      "what shows elsewhere",
      equation, std::max(thickest, first_thin_decade), condition, hides / shows);
}

}  // namespace

ThinLayers thin_layers(const Problem& problem, const std::string& equation) {
  struct Part {
    std::string condition;
    std::vector<int> decade;
  };
  ThinLayers made;
  std::vector<Part> parts;
  for (const Condition& c : problem.condition) {
    const LayerPoints layer = layer_points(problem, c);
    if (layer.points.size() == 0) continue;
    if (parts.empty()) made.points.columns = layer.points.columns;
    made.points.values.insert(made.points.values.end(), layer.points.values.begin(),
                              layer.points.values.end());
    parts.push_back({name_of(c), layer.decade});
  }
  made.hides = [equation, parts = std::move(parts)](std::span<const double> sizes, double shows) {
    for (const Part& part : parts) {
      const std::string where = hidden_in_layer(
          equation, part.condition, sizes.first(part.decade.size()), part.decade, shows);
      if (!where.empty()) return where;
      sizes = sizes.subspan(part.decade.size());
    }
    return std::string();
  };
  return made;
}

std::string hidden_defects(const Solution& s) {
  const PointEvaluator evaluator(s);
  const Problem& problem = evaluator.problem();
  const StartLayers corners(problem, evaluator.lower());
  SamplerOptions sampler{SamplerKind::uniform};
  sampler.seed = 0x5bd1e9955bd1e995;
  for (const ProblemEquation& e : problem.equation) {
    if (!e.where.empty()) continue;
    ask_limit("the search for what hides between the points");
    const Expr residual[] = {evaluator.lower()(e.form.residual())};
    const Points some = corners.without(equation_points(problem, e.where, n_shown, sampler));
    const double shows = mean_modulus(evaluator(residual, some)[0]);
    const Points many =
        corners.without(equation_points(problem, e.where, n_searched_defects, sampler));
    const double all = mean_modulus(evaluator(residual, many)[0]);
    if (!(all <= much_narrower * shows)) {
      return fmt::format(
          "the residual of '{}' stands in places too narrow for a grid: its mean over {} points is "
          "{:.1g} times that over {}",
          name_of(e), n_searched_defects, all / shows, n_shown);
    }
    for (const Condition& c : problem.condition) {
      const LayerPoints layer = layer_points(problem, c);
      if (layer.points.size() == 0) continue;
      std::vector<double> r = evaluator(residual, layer.points)[0];
      for (std::size_t i = 0; i < r.size(); ++i) {
        if (!corners.empty() && corners.hold(layer.points.row(i))) r[i] = 0;
      }
      const std::string where =
          hidden_in_layer(name_of(e), name_of(c), r, layer.decade, std::max(shows, all));
      if (!where.empty()) return where;
    }
  }
  return {};
}

}  // namespace cauchy::detail
