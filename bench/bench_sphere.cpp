// The tables of docs/applications/weather.md.
//
//   bench_sphere [--smallest]         errors there and back, and processor time of a transform
//   bench_sphere CASE DEGREE DAYS [STEP [DAMPING]]
//     a standard flow (steady_zonal, mountain, rossby_wave, unstable_jet): drift of mass, energy
//     and potential enstrophy day by day; of steady_zonal the error of the depth
#include <fmt/format.h>

#include <cauchy/applications/shallow_water_cases.hpp>
#include <cauchy/base/rng.hpp>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>

#include "bench_options.hpp"

namespace {

using namespace cauchy;

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void transforms(bool smallest) {
  fmt::print("degree  scalar there and back  vector there and back  tables s  synthesis ms\n");
  for (const std::size_t L : {42u, 63u, 127u, 180u, 512u}) {
    if (smallest && L > 42) break;
    const double t0 = now();
    const SphericalTransform transform(gauss_grid(L), L);
    const double t1 = now();
    Rng rng(1);
    SphereSpectrum a(spectrum_size(L)), b(a), c(a);
    for (std::size_t m = 0; m <= L; ++m) {
      for (std::size_t l = std::max<std::size_t>(m, 1); l <= L; ++l) {
        const double re = rng.normal(), im = rng.normal();
        a[spectrum_index(L, l, m)] = {re, m == 0 ? 0 : im};
      }
    }
    const auto error = [&](const SphereSpectrum& x) {
      double most = 0;
      for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, std::abs(x[k] - a[k]));
      return most;
    };
    std::vector<double> u(transform.n_points()), v(u);
    const double t2 = now();
    transform.synthesize(a, u);
    const double t3 = now();
    transform.analyze(u, b);
    const double scalar = error(b);
    transform.synthesize_vector(a, a, u, v);
    transform.analyze_vector(u, v, b, c);
    fmt::print("{:6}  {:21.1e}  {:21.1e}  {:8.2f}  {:12.2f}\n", L, scalar,
               std::max(error(b), error(c)), t1 - t0, 1e3 * (t3 - t2));
  }
}

int flow(const std::string& name, std::size_t degree, int days, double step, double damping) {
  for (const auto which : {ShallowWaterCase::steady_zonal, ShallowWaterCase::mountain,
                           ShallowWaterCase::rossby_wave, ShallowWaterCase::unstable_jet}) {
    if (name != to_string(which)) continue;
    const SphereShallowWater options{
        .degree = degree, .step = step, .damping_time = damping, .damping_order = 4};
    ShallowWaterModel model(options, ground_of(which, gauss_grid(degree, 2)));
    ShallowWaterState y = initial_state(which, model);
    const ShallowWaterInvariants first = model.invariants(y);
    const std::vector<double> depth = model.fields_of(y).depth;
    const double begin = now();
    fmt::print("{} T{}, step {:.0f} s\nday  mass      energy    enstrophy", name, degree,
               model.step());
    fmt::print("{}  processor s\n", which == ShallowWaterCase::steady_zonal ? "  depth error" : "");
    for (int day = 1; day <= days; ++day) {
      if (model.advance(y, 86'400) != Status::ok) {
        fmt::print("not finite on day {}\n", day);
        return 1;
      }
      const ShallowWaterInvariants i = model.invariants(y);
      fmt::print("{:3}  {:8.1e}  {:8.1e}  {:8.1e}", day, i.mass / first.mass - 1,
                 i.energy / first.energy - 1,
                 i.potential_enstrophy / first.potential_enstrophy - 1);
      if (which == ShallowWaterCase::steady_zonal) {
        fmt::print("  {:11.1e}", relative_l2(model.grid(), model.fields_of(y).depth, depth));
      }
      fmt::print("  {:11.1f}\n", now() - begin);
    }
    return 0;
  }
  fmt::print("no such case: {}\n", name);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  if (argc == 1) {
    transforms(smallest);
    return smallest ? flow("steady_zonal", 21, 1, 0, 0) : 0;
  }
  if (argc < 4) {
    fmt::print("bench_sphere [CASE DEGREE DAYS [STEP [DAMPING]]]\n");
    return 2;
  }
  return flow(argv[1], std::strtoul(argv[2], nullptr, 10), std::atoi(argv[3]),
              argc > 4 ? std::atof(argv[4]) : 0, argc > 5 ? std::atof(argv[5]) : 0);
}
