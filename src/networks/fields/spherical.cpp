#include <cauchy/networks/spherical.hpp>

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/spherical_layers.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr const char* sphere_place = "[networks.spherical]";

void check_spherical(const Spherical& s) {
  using detail::require_count;
  require_count("width", s.width, 1, detail::max_width, sphere_place);
  require_count("depth", s.depth, 1, Mlp::max_depth, sphere_place);
  require_count("local", s.local, 0, Mlp::max_depth, sphere_place);
  require_count("coarsen", s.coarsen, 1, 64, sphere_place);
  require_count("degree", s.degree, 0, 10'000, sphere_place);
  require_count("rings", s.rings, 1, 100, sphere_place);
  require_count("harmonics", s.harmonics, 0, 100, sphere_place);
  require_count("hidden", s.hidden, 1, detail::max_width, sphere_place);
  detail::require_between_layers(s.activation, sphere_place);
  if (!(s.radius > 0 && s.radius <= 90)) {
    throw Error(fmt::format("radius must be between 0 and 90 degrees, got {}", s.radius),
                sphere_place);
  }
}

}  // namespace

SphereGrid sphere_of(const FieldGrid& grid, int coarsen) {
  const auto fail = [](const std::string& what, std::string_view fix) {
    throw Error(ErrorKind::unsupported, what, sphere_place, fix);
  };
  constexpr std::string_view fix =
      "latitudes from -90 + 90/n to 90 - 90/n, or from -90 to 90, and periodic longitudes from 0 "
      "to 360";
  if (grid.axes.size() != 2) {
    fail(fmt::format("a sphere has latitudes and longitudes, the grid has {} axes",
                     grid.axes.size()),
         fix);
  }
  const FieldGrid::Axis &phi = grid.axes[0], &lambda = grid.axes[1];
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  const bool inner = near(phi.upper, 90 - 90.0 / phi.n), poles = near(phi.upper, 90);
  if (phi.periodic || !near(phi.lower, -phi.upper) || !(inner || poles) || !lambda.periodic ||
      !near(lambda.upper - lambda.lower, 360)) {
    fail(fmt::format("{} is no sphere in degrees", to_string(grid)), fix);
  }
  if (phi.n % coarsen != 0 || lambda.n % coarsen != 0) {
    fail(fmt::format("{} x {} nodes cannot be coarsened by {}", phi.n, lambda.n, coarsen),
         "another coarsen, or another grid");
  }
  return sphere_grid(inner ? Latitudes::equiangular : Latitudes::clenshaw_curtis,
                     static_cast<std::size_t>(phi.n / coarsen),
                     static_cast<std::size_t>(lambda.n / coarsen));
}

int add_field_network(TensorGraph& g, const Spherical& s, int input, const FieldGrid& grid,
                      int n_outputs) {
  check_spherical(s);
  detail::require_field(g, input, grid, n_outputs, false, sphere_place);
  const SphereGrid outer = sphere_of(grid, 1), inner = sphere_of(grid, s.coarsen);
  const auto degree = static_cast<std::size_t>(s.degree);
  const DiscoKernel kernel{s.radius * std::numbers::pi / 180, s.rings, s.harmonics};
  constexpr bool south = true;  // axes ascend
  std::vector<double> sines;
  for (std::size_t i = outer.n_latitudes; i-- > 0;) {
    sines.insert(sines.end(), outer.n_longitudes, outer.x[i]);
  }
  const int fields[] = {input, g.constant({1, grid.sizes()}, std::move(sines))};
  int v = add_local_convolution(g, g.concatenate(fields), outer, inner, kernel, s.width,
                                s.activation, -1, "encoder", south);
  // One matrix for all local blocks.
  const bool any_local = s.local > 0;
  const auto matrix = any_local ? disco_matrix(inner, inner, kernel, south) : nullptr;
  for (int l = 0; l < s.depth; ++l) {
    const bool is_global = l % (s.local + 1) == s.local;
    const int mixed = is_global ? add_spherical_convolution(g, v, inner, degree, s.width)
                                : g.linear(add_disco(g, v, matrix, inner), s.width,
                                           Activation::identity, true, "local");
    v = detail::add_channel_layers(g, v, mixed, s.hidden, s.activation, 0);
  }
  const int decoded = add_local_convolution(g, v, inner, outer, kernel, s.width, s.activation, -1,
                                            "decoder", south);
  const int both[] = {decoded, input};
  return g.linear(g.concatenate(both), n_outputs, Activation::identity, true, "output");
}

void visit_options(Spherical& s, OptionVisitor& v) {
  detail::visit_layer_sizes(s.width, s.depth, v);
  v.count("local", s.local, 0, Mlp::max_depth);
  v.count("coarsen", s.coarsen, 1, 64);
  v.count("degree", s.degree, 0, 10'000);
  v.number("radius", s.radius, NumberRange::positive);
  v.count("rings", s.rings, 1, 100);
  v.count("harmonics", s.harmonics, 0, 100);
  v.count("hidden", s.hidden, 1, detail::max_width);
  detail::visit_activation(s.activation, v);
  v.check([&] { check_spherical(s); });
}

std::string describe(const Spherical& s) {
  return fmt::format("spherical operator of width {}, {} blocks, {} local ones for a global one",
                     s.width, s.depth, s.local);
}

}  // namespace cauchy
