#include "solvers/variational/false_minimum.hpp"

#include <cmath>

#include <fmt/format.h>

#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t n_fresh_energies = 20'000;
constexpr double standard_errors = 3, share_of_energy = 0.05;

}  // namespace

std::optional<std::string> false_minimum(const Problem& problem, const EnergyAtNodes& energy,
                                         const FieldModel& answer, double at_nodes,
                                         std::uint64_t seed) {
  const Points fresh =
      interior_points(domain_of(problem), n_fresh_energies,
                      {.kind = SamplerKind::uniform, .seed = seed ^ 0x9e3779b97f4a7c15ULL});
  std::vector<double> density(fresh.size());
  answer.evaluate(std::vector<Expr>{energy.density}, fresh.values, density);
  double sum = 0, squares = 0, sizes = 0;
  for (const double w : density) {
    sum += w;
    squares += w * w;
    sizes += std::abs(w);
  }
  const auto n = static_cast<double>(density.size());
  const double mean = sum / n;
  const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
  const double slack = standard_errors * deviation + share_of_energy * sizes / n;
  const double found = energy.measure * mean;
  if (!(found - at_nodes > energy.measure * slack)) return std::nullopt;
  return fmt::format(
      "a false minimum: the energy is {:.3g} by the nodes of the training, but {:.3g} by fresh "
      "points, the network is steep between the nodes; let points be drawn anew (quadrature = "
      "\"random\", points.redraw = 1), or take more of them",
      at_nodes, found);
}

}  // namespace cauchy::detail
