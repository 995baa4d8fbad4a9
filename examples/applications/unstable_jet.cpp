// Runs:    unstable_jet [PICTURE.svg [DEGREE]]
// Expects: the barotropically unstable jet rolls up within six days: vorticity stays between -2e-4
//          and 3e-4 1/s, the meridional wind grows from less than 1 to more than 20 m/s, mass is
//          kept to rounding, energy to 1e-6 and potential enstrophy to 1e-3; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/applications/shallow_water_cases.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace cauchy;
  const std::size_t degree = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 63;
  ShallowWaterModel model({.degree = degree}, {}, std::make_shared<Threads>());
  ShallowWaterState y = initial_state(ShallowWaterCase::unstable_jet, model);
  const ShallowWaterInvariants first = model.invariants(y);
  const SphereGrid& grid = model.grid();
  const auto fastest = [](const std::vector<double>& v) {
    return std::abs(
        *std::ranges::max_element(v, [](double a, double b) { return std::abs(a) < std::abs(b); }));
  };
  const double calm = fastest(model.fields_of(y).v);
  std::vector<Plot> plots;
  bool good = true;
  ShallowWaterFields f;
  for (const int day : {4, 5, 6}) {
    good = good && model.advance(y, 86'400.0 * day - y.time) == Status::ok;
    f = model.fields_of(y);
    const auto [low, high] = std::ranges::minmax(f.vorticity);
    fmt::print("day {}: vorticity {:.2e} to {:.2e} 1/s, wind across the jet {:.1f} m/s\n", day, low,
               high, fastest(f.v));
    good = good && low > -2e-4 && high < 3e-4;
    Matrix north(grid.n_latitudes / 2, grid.n_longitudes);  // rows from the equator on
    for (std::size_t i = 0; i < north.rows(); ++i) {
      for (std::size_t j = 0; j < north.cols(); ++j) {
        north(i, j) = 1e5 * f.vorticity[(north.rows() - 1 - i) * north.cols() + j];
      }
    }
    plots.emplace_back(PlotOptions{.title = fmt::format("vorticity after {} days", day),
                                   .x = {.label = "longitude"},
                                   .y = {.label = "latitude"},
                                   .color = {.label = "10⁻⁵/s", .map = Colormap::diverging},
                                   .grid = false});
    plots.back().heat_map(north, {0, 360}, {0, 90});
  }
  const ShallowWaterInvariants last = model.invariants(y);
  const auto drift = [](double a, double b) { return a / b - 1; };
  const double mass = drift(last.mass, first.mass), energy = drift(last.energy, first.energy),
               enstrophy = drift(last.potential_enstrophy, first.potential_enstrophy);
  fmt::print("drift of mass {:.1e}, energy {:.1e}, potential enstrophy {:.1e}\n", mass, energy,
             enstrophy);
  if (argc > 1)
    save_picture(argv[1], draw_figure({&plots[0], &plots[1], &plots[2]}, {860, 300, 1}));
  return good && calm < 1 && fastest(f.v) > 20 && std::abs(mass) < 1e-13 &&
                 std::abs(energy) < 1e-6 && std::abs(enstrophy) < 1e-3
             ? 0
             : 1;
}
