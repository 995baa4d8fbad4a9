#include "solvers/pinn/pinn_kan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/networks/kan_model.hpp>

#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_inputs.hpp"
#include "solvers/pinn/pinn_phases.hpp"
#include "solvers/pinn/pinn_start.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* network_place = "[method.network]";
constexpr const char* kan_grid_place = "[method.curriculum]";
constexpr std::size_t most_ends = 10'001;  // of the intervals of one input

int derivative_order(const Expr& e) {
  const Expr roots[] = {e};
  int most = 0;
  for (const Expr& node : postorder(roots)) {
    if (node.kind() != Kind::field) continue;
    int order = 0;
    for (const auto& by : node.index()) order += by.second;
    most = std::max(most, order);
  }
  return most;
}

/// The lowest order of the splines in a network, of parts of it (windows, experts) too; none: it
/// has no splines.
std::optional<int> spline_order(const Graph& graph) {
  constexpr int smooth = 31;  // of other bases
  int least = smooth;
  for (const Operation& op : graph.ops()) {
    if (op.code == OpCode::basis) least = std::min(least, op.basis->useful_order());
  }
  return least < smooth ? std::optional(least) : std::nullopt;
}

std::size_t size_of_network(const Network& network, std::size_t n_inputs, std::size_t n_outputs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n_inputs; ++i) names.push_back(fmt::format("x{}", i));
  Graph graph(std::move(names));
  (void)add_network(graph, network, graph.coordinates(), static_cast<int>(n_outputs));
  return graph.n_parameters();
}

}  // namespace

std::vector<NetworkPlace> network_places(const PinnAssembly& pinn) {
  if (pinn.pieces) {
    throw Error(ErrorKind::unsupported, "grids, penalties and formulas are for one domain",
                "[method.network]", "leave out 'decompose'");
  }
  std::vector<NetworkPlace> all;
  const PinnInputs rows(*pinn.problem, pinn.method.periodic, pinn.sizes);
  const std::vector<Expr> inputs = rows.rows();
  if (pinn.method.separate) {
    for (const std::string& field : pinn.problem->fields) all.push_back({{field}, inputs});
  } else {
    all.push_back({pinn.problem->fields, inputs});
  }
  for (const Coefficient& c : pinn.problem->coefficients) {
    all.push_back({{c.name}, rows.rows(c.coordinates)});
  }
  std::size_t offset = 0;
  for (const ParameterBlock& b : pinn.graph->parameters()) {
    if (b.role == ParameterBlock::Role::constant) offset += static_cast<std::size_t>(b.size());
  }
  for (NetworkPlace& place : all) {
    place.offset = offset;
    place.n_parameters =
        size_of_network(pinn.method.network, place.inputs.size(), place.fields.size());
    offset += place.n_parameters;
  }
  return all;
}

std::vector<double> inputs_at(const PinnAssembly& pinn, const NetworkPlace& place,
                              std::span<const double> points) {
  const std::vector<std::string> names = pinn.problem->coordinates();
  std::vector<double> out;
  for (std::size_t first = 0; first + names.size() <= points.size(); first += names.size()) {
    Values values;
    for (std::size_t i = 0; i < names.size(); ++i) {
      values.set(Coordinate(names[i]), points[first + i]);
    }
    for (const Expr& e : place.inputs) out.push_back(evaluate(e, values));
  }
  return out;
}

void check_splines(const PinnAssembly& pinn) {
  const std::optional<int> smooth = spline_order(*pinn.graph);
  if (!smooth) return;
  for (const PinnTerm& t : pinn.loss.terms) {
    int order = 0;
    for (const Expr& r : t.term.residuals) order = std::max(order, derivative_order(r));
    if (order <= *smooth) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' has derivatives of order {}, and those of splines of order {} "
                            "vanish beyond order {}",
                            t.term.name, order, *smooth, *smooth),
                network_place, fmt::format("use order = {} or another network", order + 1));
  }
  const auto* kan = std::get_if<Kan>(&pinn.method.network);
  if (kan == nullptr || !kan->knots.empty()) return;
  const Sizes sizes = characteristic_sizes(*pinn.problem, pinn.lower, true);
  for (const Sizes::Axis& axis : sizes.axes) {
    const double lower = pinn.method.scale ? -1 : axis.center - axis.half;
    const double upper = pinn.method.scale ? 1 : axis.center + axis.half;
    const double slack = 1e-9 * (upper - lower);
    if (kan->lower <= lower + slack && kan->upper >= upper - slack) continue;
    throw Error(fmt::format("the grid of the splines, [{:.4g}, {:.4g}], leaves out a part of "
                            "'{}', which the network sees in [{:.4g}, {:.4g}]",
                            kan->lower, kan->upper, axis.name, lower, upper),
                network_place, "widen lower and upper");
  }
}

TrainingLoss::Penalty kan_penalty(const PinnAssembly& pinn) {
  const auto* kan = std::get_if<Kan>(&pinn.method.network);
  if (kan == nullptr || !(kan->sparsity > 0)) return {};
  std::vector<KanPenalty> parts;
  for (const NetworkPlace& place : network_places(pinn)) {
    parts.emplace_back(*kan, static_cast<int>(place.inputs.size()),
                       static_cast<int>(place.fields.size()), place.offset);
  }
  return [parts](std::span<const double> theta, std::span<double> g) {
    double sum = 0;
    for (const KanPenalty& p : parts) sum += p(theta, g);
    return sum;
  };
}

void save_grids(Checkpoint& checkpoint, const Network& network) {
  const auto* kan = std::get_if<Kan>(&network);
  if (kan == nullptr || kan->knots.empty()) return;
  checkpoint.numbers["grid"] = static_cast<std::uint64_t>(kan->grid);
  const std::size_t ends = static_cast<std::size_t>(kan->grid) + 1;
  checkpoint.arrays["knots"] = {{kan->knots.size() / ends, ends}, kan->knots};
}

void load_grids(const Checkpoint& checkpoint, Network& network) {
  auto* kan = std::get_if<Kan>(&network);
  if (kan == nullptr || !checkpoint.arrays.contains("knots")) return;
  kan->grid = static_cast<int>(std::min<std::uint64_t>(checkpoint.number("grid"), 1'000'000));
  kan->knots = checkpoint.array("knots").values;
}

Pinn with_grids_of_start(Pinn method) {
  auto* kan = std::get_if<Kan>(&method.network);
  const bool own = std::holds_alternative<GridCurriculum>(method.rules.curriculum);
  if (method.start.empty() || kan == nullptr || !kan->knots.empty() || own) return method;
  const std::filesystem::path file = start_file(method.start);
  const bool archive = file.extension() == ".npz";
  const std::map<std::string, Array> arrays =
      archive ? read_npz(file) : load_checkpoint(file).arrays;
  const auto found = arrays.find(archive ? "knots" : "model/knots");
  if (found == arrays.end()) return method;
  const Array& knots = found->second;
  // Whether they suit the network is asked where it is made.
  const std::size_t ends = knots.shape.size() == 2 ? knots.shape[1] : 0;
  if (ends < 2 || ends > most_ends) {
    throw Error(ErrorKind::file, "the array 'knots' has no row of ends for each input",
                file.string(), "use the file that `cauchy export` wrote");
  }
  kan->grid = static_cast<int>(ends) - 1;
  kan->knots = knots.values;
  return method;
}

void expect_grids(const Problem& problem, const Pinn& method) {
  const auto& rule = std::get<GridCurriculum>(method.rules.curriculum);
  const auto* kan = std::get_if<Kan>(&method.network);
  if (kan == nullptr) {
    throw Error(fmt::format("'{}' has no grid of splines", entry_of(method.network).name),
                kan_grid_place, "use kind = \"kan\" in [method.network]");
  }
  const bool whole = std::ranges::all_of(
      rule.grids, [](double g) { return g == std::floor(g) && g >= 1 && g <= 10'000; });
  if (rule.grids.empty() || !whole) {
    throw Error("it needs the grids that come first, whole numbers", kan_grid_place,
                "give grids = [3, 5]");
  }
  if (!(rule.uniform > 0 && rule.uniform <= 1)) {
    throw Error("uniform must be in (0, 1]", kan_grid_place);
  }
  if (method.separate || !problem.coefficients.empty()) {
    throw Error(ErrorKind::unsupported,
                "grids follow the features of one network, here are several", kan_grid_place,
                "train without it");
  }
}

PreparedMethod::Answer refine_grids(const std::shared_ptr<const Problem>& problem,
                                    const Pinn& method, const RunOptions& options,
                                    const std::vector<std::string>& choices) {
  const auto& rule = std::get<GridCurriculum>(method.rules.curriculum);
  Network network = method.network;
  const auto grid_of = [&](std::size_t phase) {
    return phase < rule.grids.size() ? static_cast<int>(rule.grids[phase])
                                     : std::get<Kan>(method.network).grid;
  };
  std::get<Kan>(network).grid = grid_of(0);
  Phases phases{.key = "grid", .n_before = rule.grids.size(), .share = rule.share};
  phases.task = [&](std::size_t) {
    Pinn settings = method;
    settings.network = network;
    return std::pair(problem, settings);
  };
  phases.name = [&](std::size_t phase) { return fmt::format("grid {}", grid_of(phase)); };
  phases.save = [&](Checkpoint& c) { save_grids(c, network); };
  phases.restore = [&](const Checkpoint& c, std::size_t phase) {
    std::get<Kan>(network).grid = grid_of(phase);
    load_grids(c, network);
  };
  phases.hand_on = [&](const PinnAssembly& pinn, const TrainingResult& trained, std::size_t next) {
    const NetworkPlace place = network_places(pinn)[0];
    std::vector<double> points;
    for (const auto& [name, set] : trained.record.points) {
      if (set.columns != pinn.problem->coordinates()) continue;
      points.insert(points.end(), set.values.begin(), set.values.end());
    }
    const std::span<const double> all = trained.theta;
    const KanModel model(pinn.method.network, static_cast<int>(place.inputs.size()),
                         static_cast<int>(place.fields.size()),
                         all.subspan(place.offset, place.n_parameters));
    const KanModel fine =
        model.regridded(grid_of(next), inputs_at(pinn, place, points), rule.uniform);
    network = fine.network();
    std::vector<double> theta(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place.offset));
    theta.insert(theta.end(), fine.theta().begin(), fine.theta().end());
    return theta;
  };
  return train_phases(problem, method, options, choices, phases);
}

}  // namespace cauchy::detail
