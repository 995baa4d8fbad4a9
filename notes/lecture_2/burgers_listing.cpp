#include <cmath>

#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// The loop of the listing: forward in time, central in space, nx nodes, nt levels.
std::vector<std::vector<double>> burgers_forward_central(std::size_t nx, std::size_t nt) {
  const double nu = 0.01 / std::numbers::pi, dx = 2 / (double(nx) - 1), dt = 1 / double(nt);
  std::vector<std::vector<double>> u(nt, std::vector<double>(nx, 0));
  for (std::size_t i = 1; i + 1 < nx; ++i) {
    u[0][i] = -std::sin(std::numbers::pi * (-1 + double(i) * dx));
  }
  for (std::size_t n = 1; n < nt; ++n) {
    const std::vector<double>& v = u[n - 1];
    for (std::size_t i = 1; i + 1 < nx; ++i) {
      const double ux = (v[i + 1] - v[i - 1]) / (2 * dx);
      const double uxx = (v[i + 1] - 2 * v[i] + v[i - 1]) / (dx * dx);
      u[n][i] = v[i] + dt * (-v[i] * ux + nu * uxx);
    }
  }
  return u;
}

}  // namespace

void make_burgers_listing(Output& out) {
  const double nu = 0.01 / std::numbers::pi;
  const auto u = burgers_forward_central(201, 5000);
  const auto error = [&](const std::vector<double>& v, double t) {
    double wrong = 0, size = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double exact = burgers_cole_hopf(t, -1 + 2 * double(i) / double(v.size() - 1), nu);
      wrong += (v[i] - exact) * (v[i] - exact);
      size += exact * exact;
    }
    return std::sqrt(wrong / size);
  };
  out.check("cell Reynolds number dx / nu", 0.01 / nu, std::numbers::pi, 1e-12);
  out.check("time of the last level", 4999.0 / 5000, 0.9998, 1e-12);
  out.check("relative error at t = 0.25", error(u[1250], 0.25), 4.0e-4, 0.05e-4);
  out.check("relative error at t = 0.5", error(u[2500], 0.5), 9.5e-2, 0.05e-2);
  out.check("relative error at t = 0.75", error(u[3750], 0.75), 8.8e-2, 0.05e-2);
  out.check("relative error at t = 0.9998", error(u[4999], 0.9998), 6.1e-2, 0.05e-2);
  double largest = 0, largest_exact = 0;
  std::vector<double> x, exact;
  for (int i = 0; i <= 200; ++i) {
    x.push_back(-1 + i / 100.0);
    exact.push_back(burgers_cole_hopf(0.5, x.back(), nu));
    largest = std::max(largest, std::abs(u[2500][std::size_t(i)]));
    largest_exact = std::max(largest_exact, std::abs(exact.back()));
  }
  out.check("largest |u| at t = 0.5 by the listing", largest, 1.496, 1e-3);
  out.check("largest |u| at t = 0.5 of the solution at these nodes", largest_exact, 0.983, 1e-3);
  // Five times as many nodes: dx / nu = 0.63, and steps small enough for dt <= dx^2 / (2 nu).
  const auto fine = burgers_forward_central(1001, 10000);
  out.check("relative error at t = 0.5 with 1,001 nodes", error(fine[5000], 0.5), 0, 5e-3);
  std::vector<double> fine_x, curve;
  for (int i = 0; i <= 1000; ++i) {
    fine_x.push_back(-1 + i / 500.0);
    curve.push_back(burgers_cole_hopf(0.5, fine_x.back(), nu));
  }
  Plot plot(
      {.title = "t = 1/2", .x = {.label = "x", .limits = Limits{-0.3, 0.3}}, .y = {.label = "u"}});
  plot.line(fine_x, curve, {.name = "exact", .width = 4, .dashed = true});
  plot.line(x, u[2500], {.name = "listing, 201 nodes", .markers = true});
  plot.line(fine_x, fine[5000], {.name = "1,001 nodes"});
  out.picture("profile", draw_figure({&plot}, {640, 420, 1}),
              "Where a cell is thicker than the front, central differences swing beside it.");
}

Artefact burgers_listing_entry() {
  return {
      .id = "burgers-listing",
      .kind = Kind::listing,
      .lecture = 2,
      .lines = "1544-1587",
      .title = "Burgers' equation, forward in time and central in space",
      .formula = R"(u_t + u\,u_x = \nu u_{xx}, \quad u(0, x) = -\sin(\pi x), \quad \nu = 0.01/\pi)",
      .says =
          "A short loop on 201 nodes and 5,000 levels, whose parameters are said to give a "
          "stable computation.",
      .truth =
          "It does not blow up, but it oscillates: the cell Reynolds number dx / nu is pi, "
          "above 2, |u| reaches 1.5 instead of 1, and the error is 6 to 10 percent behind "
          "the front: unsafe as data. The import of tqdm is missing, and the last of the "
          "5,000 levels is t = 0.9998.",
      .page = "methods/time.md",
      .seconds = 0.2,
      .file = "lecture_2/burgers_listing.cpp",
      .make = make_burgers_listing};
}

}  // namespace cauchy::notes
