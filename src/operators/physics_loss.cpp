#include "operators/physics_loss.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "data/input_sampler.hpp"
#include "operators/fno_function.hpp"
#include "operators/physics_energy.hpp"
#include "operators/physics_place.hpp"
#include "operators/physics_residual.hpp"
#include "operators/sample_physics.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* physics_key = "[train.physics]";
/// A relative residual of this size counts as none: the square root has no derivative at 0.
constexpr double least_residual = 1e-7;
/// Items that sizes are found from.
constexpr std::size_t items_for_sizes = 32;

/// The differences that stand in for exact derivatives where there is no network: of a truth.
GridDerivative of_truth(GridDerivative derivative) {
  return derivative == GridDerivative::exact ? GridDerivative::fourier : derivative;
}

}  // namespace

namespace {

/// Of the equations that a problem has as text, or those of its simulator.
std::vector<PhysicsResidual> residuals_of(TensorGraph& g, const FieldMap& map,
                                          const PhysicsLoss& options,
                                          const OperatorProblem& problem, const FieldGrid& grid,
                                          int in, const MapAnswer& answer,
                                          const std::vector<double>& times, ResidualParts parts) {
  if (problem.source) {
    return add_sample_residuals(g, map, options, problem, in, answer.value, parts);
  }
  const PhysicsPlace place =
      physics_place(g, map, problem, grid, options.derivative, in, answer, times);
  return add_residuals(g, place, options, parts);
}

}  // namespace

PhysicsTerms physics_terms(const FieldMap& map, const FieldOperator& method,
                           const OperatorProblem& problem) {
  const PhysicsLoss& options = method.physics;
  if (problem.source) require_sample_equations(map, options, problem);
  PhysicsTerms terms{
      .grid = map.grid,
      .root = method.loss != OperatorLoss::mean_square && method.loss != OperatorLoss::sphere};
  if (!options.grid.empty()) terms.grid = map.grid.resized(options.grid);
  terms.values = std::any_of(problem.inputs.begin(), problem.inputs.end(),
                             [](const InputFunction& input) { return input.mean > 0; });
  terms.own_inputs = terms.grid != map.grid || options.samples > 0 || terms.values;
  if (terms.own_inputs && map.channels.kind == Channels::Kind::roll_out) {
    throw Error(ErrorKind::unsupported,
                "a roll-out starts from frames, which are known on the grid of the data alone",
                physics_key, "leave out grid and samples, and means of the inputs");
  }
  return terms;
}

MapAnswer add_answer(TensorGraph& g, const FieldMap& map, int in, const FieldGrid& space,
                     const std::vector<double>& times, GridDerivative derivative) {
  MapAnswer answer;
  if (derivative != GridDerivative::exact) {
    answer.value = map.add(g, in, space, times);
    return answer;
  }
  const Fno* fno = std::get_if<Fno>(&map.network);
  if (fno == nullptr || map.channels.kind == Channels::Kind::roll_out) {
    throw Error(ErrorKind::unsupported,
                fno == nullptr ? "exact derivatives are those of an FNO"
                               : "the steps of a roll-out have no exact derivatives",
                physics_key, "use derivative = \"fourier\" or \"difference_5\"");
  }
  const NetworkInput x = map.add_input(g, in, space, times);
  auto function =
      std::make_shared<FnoFunction>(g, *fno, x.value, x.grid, static_cast<int>(map.n_out()));
  answer.value = map.by_channels(g, map.output.on(space).add_restored(g, (*function)()), space);
  answer.derivative = [&g, &map, space, function](const MultiIndex& index) {
    const int v = (*function)(index);
    return index.empty() ? map.output.on(space).add_restored(g, v)
                         : map.output.on(space).add_rescaled(g, v);
  };
  return answer;
}

std::vector<TensorTerm> add_physics(TensorGraph& g, const FieldMap& map, const PhysicsLoss& options,
                                    const OperatorProblem& problem, const PhysicsTerms& terms,
                                    int in, const MapAnswer& answer,
                                    const std::vector<double>& times) {
  if (terms.energy != 0) {
    return {{"energy", add_energy(g, map, options, problem, terms, in, answer), options.weight}};
  }
  std::vector<TensorTerm> made;
  for (const PhysicsResidual& r : residuals_of(g, map, options, problem, terms.grid, in, answer,
                                               times, ResidualParts::whole)) {
    const auto size = terms.sizes.find(r.name);
    const double unit = size == terms.sizes.end() ? 1 : size->second;
    int value = g.multiply(r.value, g.constant({1, {}}, {1 / (unit * unit)}));
    if (terms.root) {
      value = g.add(value, g.constant({1, {}}, {least_residual * least_residual}));
      value = g.activation(value, Activation::sqrt);
    }
    made.push_back({r.name, value, options.weight});
  }
  return made;
}

std::map<std::string, double> physics_sizes(const FieldMap& map, const FieldOperator& method,
                                            const OperatorProblem& problem,
                                            const OperatorSamples& samples,
                                            const std::shared_ptr<Threads>& pool) {
  PhysicsLoss options = method.physics;
  options.derivative = of_truth(options.derivative);
  auto graph = std::make_shared<TensorGraph>();
  const std::vector<int> sizes = map.grid.sizes();
  const auto points = map.grid.n_points();
  const int in = graph->input("in", {static_cast<int>(map.n_in()), sizes});
  const auto outputs = static_cast<int>(samples.width("out") / points);
  const MapAnswer truth{graph->input("out", {outputs, sizes})};
  const auto residuals = residuals_of(*graph, map, options, problem, map.grid, in, truth,
                                      samples.table().times, ResidualParts::summands);
  const std::size_t n = std::min(items_for_sizes, samples.size());
  std::vector<double> ins, outs;
  for (std::size_t i = 0; i < n; ++i) {
    const auto append = [&](std::vector<double>& all, const char* name) {
      const std::size_t width = samples.width(name);
      all.resize(all.size() + width);
      samples.read(i, name, std::span(all).last(width));
    };
    append(ins, "in");
    append(outs, "out");
  }
  const auto executor =
      make_tensor_executor(graph, {}, {.pool = pool, .precision = Precision::f64});
  const std::span<const double> inputs[] = {ins, outs};
  std::map<std::string, double> found;
  for (const PhysicsResidual& r : residuals) {
    const auto parts = static_cast<std::size_t>(graph->shape(r.value).channels);
    std::vector<double> squares(n * parts);
    executor->predict(r.value, {}, n, inputs, squares);
    double largest = 0;
    for (std::size_t k = 0; k < parts; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += squares[i * parts + k];
      largest = std::max(largest, std::sqrt(sum / static_cast<double>(n)));
    }
    found[r.name] = largest > 0 && std::isfinite(largest) ? largest : 1;
  }
  return found;
}

std::vector<double> physics_inputs(const FieldMap& map, const OperatorProblem& problem,
                                   const DataSet& data, const FieldGrid& grid,
                                   std::span<const std::uint64_t> numbers, bool values,
                                   Threads& pool) {
  if (problem.source) return drawn_sample_inputs(problem, data, numbers, pool);
  const auto refuse = [](const std::string& why) {
    throw Error(why, physics_key,
                "make the data from this problem, or leave out grid, samples and means");
  };
  const std::vector<std::string>& channels = map.channels.inputs;
  std::vector<std::size_t> input;  // of the problem, for every channel
  for (const std::string& name : channels) {
    std::size_t k = 0;
    while (k < problem.inputs.size() && problem.inputs[k].name != name) ++k;
    if (k == problem.inputs.size()) {
      refuse(
          fmt::format("the problem does not say how '{}' is drawn: it is known on the grid of "
                      "the data alone",
                      name));
    }
    input.push_back(k);
  }
  const InputSampler of_data(problem, data.grid), sampler(problem, grid);
  const ChannelTable table = table_of(map.channels, data);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::vector<double> drawn = of_data.on_grid(input[c], numbers[0]);
    const std::span<const double> given = channel_of(data, 0, table.inputs[c]);
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      size = std::max(size, std::abs(given[i]));
      difference = std::max(difference, std::abs(given[i] - drawn[i]));
    }
    if (!(difference <= 1e-5 * size)) {
      refuse(fmt::format("sample {} of '{}' is not the one that the problem draws", numbers[0],
                         channels[c]));
    }
  }
  const std::size_t points = grid.n_points(), width = channels.size() * points;
  std::vector<double> all(numbers.size() * width);
  pool.run(numbers.size(), [&](std::size_t i, int) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      std::ranges::copy(values ? sampler.values_on_grid(input[c], numbers[i])
                               : sampler.on_grid(input[c], numbers[i]),
                        all.begin() + static_cast<std::ptrdiff_t>(i * width + c * points));
    }
  });
  return all;
}

}  // namespace cauchy::detail
