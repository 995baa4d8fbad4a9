// A proxy of a reservoir at work: where wells should stand, and what rock they have seen.
//
// Runs:    100 random reservoirs through the simulator, a Fourier neural operator that learns them,
//          hundreds of places of wells and multipliers of permeability through the operator
// Expects: the best wells give more oil in the simulator too, and the rock that fits the curves of
//          the wells fits them in the simulator
#include <cstdio>

#include <cauchy/applications/reservoir_proxy.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/operators/learn.hpp>

int main() {
  using namespace cauchy;
  ReservoirSimulator settings;
  settings.cells = {16, 16, 1};
  settings.cell_size = {40, 40, 10};
  settings.field = "gaussian(length = 0.3)";
  settings.wells = five_spot_wells(settings.cells, 60);
  settings.placement = 1;
  settings.days = 900;
  settings.reports = 3;
  const auto source = std::make_shared<ReservoirSource>(settings);

  OperatorProblem problem;
  problem.source = source;
  problem.samples = 90;
  problem.validation = problem.test = 5;
  FieldOperator method;
  method.network = Fno{.width = 16, .depth = 3, .modes = {6}, .projection = 32, .local = 3};
  method.loss = OperatorLoss::mean_square;
  method.epochs = 60;
  const OperatorResult learnt = learn(problem, make_data(problem), method);
  std::printf("error of the proxy on unseen reservoirs: %.3f\n", learnt.test.mean_l2());
  const ReservoirProxy proxy = proxy_of(*source, learnt.model);

  const ReservoirModel rock = source->model(1, 96);  // none of those that it has seen
  const std::vector<PlacedWells> places = place_wells(*source, proxy, rock);
  const double best = places.front().by_simulator, before = places.back().by_simulator;
  std::printf("oil: %.0f m3 with the wells as they were, %.0f m3 with those found (proxy: %.0f)\n",
              before, best, places.front().by_proxy);

  ReservoirModel truth = rock;  // the left half conducts less than is believed
  std::vector<int> regions(rock.n_cells());
  for (std::size_t c = 0; c < regions.size(); ++c) {
    regions[c] = c < regions.size() / 2 ? 0 : 1;
    truth.permeability_x[c] *= regions[c] == 0 ? 0.6 : 1;
    truth.permeability_z[c] = settings.vertical * truth.permeability_x[c];
  }
  const std::vector<double> in = source->inputs_of(truth);
  const std::vector<SampleCurve> seen = source->curves(in, simulator_proxy(*source)(in));
  const MatchedHistory found = match_history(*source, proxy, rock, regions, seen);
  const MatchedHistory none = match_history(*source, proxy, rock, regions, seen, {.iterations = 0});
  std::printf(
      "permeability left times %.2f (0.6), right times %.2f (1); misfit in the simulator "
      "%.1e, before %.1e\n",
      found.multipliers[0], found.multipliers[1], found.checked_misfit, none.checked_misfit);
  return best > before && found.checked_misfit < 0.5 * none.checked_misfit ? 0 : 1;
}
