#include "operators/sample_physics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "operators/channels.hpp"
#include "operators/grid_derivative.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* simulator_physics = "[train.physics]";

/// The orthonormal cosines of n cells, cos(pi k (j + 1/2) / n).
PointMatrix cosines(std::size_t n) {
  PointMatrix m{.columns = n, .offsets = {0}, .points = {}, .weights = {}};
  const double cells = static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double angle =
          std::numbers::pi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) / cells;
      m.points.push_back(j);
      m.weights.push_back(std::sqrt((k == 0 ? 1 : 2) / cells) * std::cos(angle));
    }
    m.offsets.push_back(m.points.size());
  }
  return m;
}

/// Mean square of a value [parts, {moments, axes}] with high frequencies weighed down; one number.
int add_cell_norm(TensorGraph& g, int value, const std::vector<double>& lengths, double smoothing) {
  const std::vector<int> grid = g.shape(value).grid;
  const std::size_t points = points_of(grid);
  std::vector<double> weights(points, 1 / static_cast<double>(points));
  if (smoothing > 0) {
    double lowest = INFINITY;
    const auto eigenvalue = [&](std::size_t axis, int k) {
      return std::pow(std::numbers::pi * k / lengths[axis], 2);
    };
    for (std::size_t a = 0; a < lengths.size(); ++a) {
      if (grid[a + 1] > 1) lowest = std::min(lowest, eigenvalue(a, 1));
      value = add_along(g, value, a + 1, cosines(static_cast<std::size_t>(grid[a + 1])));
    }
    std::vector<int> at(grid.size(), 0);
    for (double& w : weights) {
      double lambda = 0;
      for (std::size_t a = 0; a < lengths.size(); ++a) lambda += eigenvalue(a, at[a + 1]);
      w *= std::pow(1 + lambda / lowest, -smoothing);
      for (std::size_t a = grid.size(); a-- > 0;) {
        if (++at[a] < grid[a]) break;
        at[a] = 0;
      }
    }
  }
  value = g.reduce(g.function(value, ElementFunction::square), std::move(weights));
  const int parts = g.shape(value).channels;
  if (parts == 1) return value;
  return g.reduce(g.reshape(value, {1, {parts}}),
                  std::vector<double>(static_cast<std::size_t>(parts), 1.0));
}

}  // namespace

void require_sample_equations(const FieldMap& map, const PhysicsLoss& options,
                              const OperatorProblem& problem) {
  const auto refuse = [](std::string_view what, std::string_view fix) {
    throw Error(ErrorKind::unsupported, what, simulator_physics, fix);
  };
  if (!problem.source->has_equations()) {
    refuse(fmt::format("the samples come from the simulator '{}', which does not say its equations",
                       problem.source->kind()),
           "leave the table out");
  }
  if (map.channels.kind != Channels::Kind::all) {
    refuse("the equations of a simulator need an answer at all its times",
           "leave out time_axis and history");
  }
  const PhysicsLoss usual;
  if (!options.grid.empty() || options.derivative != usual.derivative ||
      options.margin != usual.margin) {
    refuse("a simulator brings its own differences, on its own cells",
           "leave out grid, derivative and margin");
  }
}

std::vector<PhysicsResidual> add_sample_residuals(TensorGraph& g, const FieldMap& map,
                                                  const PhysicsLoss& options,
                                                  const OperatorProblem& problem, int in,
                                                  int answer, ResidualParts parts) {
  require_sample_equations(map, options, problem);
  const ChannelTable table = table_of(map.channels, DataSet{.name = "",
                                                            .grid = map.grid,
                                                            .inputs = map.channels.inputs,
                                                            .outputs = map.channels.outputs});
  // Channels of the answer in the order of the simulator.
  const std::size_t points = map.grid.n_points();
  std::vector<std::ptrdiff_t> picks(table.outputs.size() * points);
  for (std::size_t i = 0; i < table.outputs.size(); ++i) {
    for (std::size_t p = 0; p < points; ++p) {
      picks[table.outputs[i] * points + p] = static_cast<std::ptrdiff_t>(i * points + p);
    }
  }
  const int out = g.pick(answer, g.shape(answer), std::move(picks));
  std::vector<PhysicsResidual> made;
  for (const SampleResidual& r : problem.source->add_residuals(g, in, out)) {
    const double smoothing = options.smoothing >= 0 ? options.smoothing : r.order;
    PhysicsResidual residual{r.name};
    if (parts == ResidualParts::whole) {
      int sum = r.summands.at(0);
      for (std::size_t i = 1; i < r.summands.size(); ++i) sum = g.add(sum, r.summands[i]);
      residual.value = add_cell_norm(g, sum, r.lengths, smoothing);
    } else {
      std::vector<int> squares;
      for (const int v : r.summands) squares.push_back(add_cell_norm(g, v, r.lengths, smoothing));
      residual.value = squares.size() == 1 ? squares[0] : g.concatenate(squares);
    }
    made.push_back(std::move(residual));
  }
  return made;
}

std::vector<double> drawn_sample_inputs(const OperatorProblem& problem, const DataSet& data,
                                        std::span<const std::uint64_t> numbers, Threads& pool) {
  const SampleSource& source = *problem.source;
  const std::vector<double> first = source.draw(problem.seed, numbers[0]);
  const std::size_t width = first.size();
  double size = 0, difference = 0;
  const bool same_width = data.in_size() == width && data.size() > 0;
  for (std::size_t i = 0; same_width && i < width; ++i) {
    size = std::max(size, std::abs(data.in[i]));
    difference = std::max(difference, std::abs(data.in[i] - first[i]));
  }
  if (!same_width || !(difference <= 1e-5 * size)) {
    throw Error(fmt::format("sample {} is not the one that the simulator draws", numbers[0]),
                simulator_physics, "make the data from this problem, or leave out samples");
  }
  std::vector<double> all(numbers.size() * width);
  pool.run(numbers.size(), [&](std::size_t i, int) {
    std::ranges::copy(source.draw(problem.seed, numbers[i]),
                      all.begin() + static_cast<std::ptrdiff_t>(i * width));
  });
  return all;
}

}  // namespace cauchy::detail
