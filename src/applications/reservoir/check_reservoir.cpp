#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/applications/reservoir.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

constexpr std::uint64_t most_reservoir_cells = 2'000'000;

/// A list with a number for every cell, or one for all of them.
void check_list(const std::vector<double>& given, std::size_t n, const char* name, const char* what,
                bool (*is_good)(double), const char* hint) {
  if (given.size() != 1 && given.size() != n) {
    throw Error(fmt::format("{} numbers for {} cells", given.size(), n), name,
                "give one for every cell, or one for all of them");
  }
  for (std::size_t c = 0; c < given.size(); ++c) {
    if (is_good(given[c])) continue;
    throw Error(fmt::format("cell {} has {} {}", c, what, given[c]), name, hint);
  }
}

bool is_positive(double v) { return v > 0 && std::isfinite(v); }

void check_fluids(const ReservoirFluids& f) {
  const CoreyCurves& c = f.curves;
  const auto in_one = [](double v) { return v >= 0 && v < 1; };
  if (!in_one(c.connate_water) || !in_one(c.residual_oil) ||
      !(c.connate_water + c.residual_oil < 1)) {
    throw Error(fmt::format("connate water {} and residual oil {} leave nothing that can move",
                            c.connate_water, c.residual_oil),
                "curves", "their sum must be below 1: 0.2 and 0.2");
  }
  if (!is_positive(c.water_end) || !is_positive(c.oil_end)) {
    throw Error("the ends of the relative permeabilities must be positive", "curves",
                "water_end = 0.4, oil_end = 0.9");
  }
  if (!(c.water_exponent >= 1 && c.oil_exponent >= 1 && c.water_exponent <= 20 &&
        c.oil_exponent <= 20)) {
    throw Error("the exponents of the relative permeabilities must be 1 to 20", "curves",
                "water_exponent = 2, oil_exponent = 2");
  }
  if (!is_positive(f.water_viscosity) || !is_positive(f.oil_viscosity)) {
    throw Error("viscosities must be positive", "fluids",
                "water_viscosity = 0.5, oil_viscosity = 2 in cP");
  }
  if (!is_positive(f.water_density) || !is_positive(f.oil_density)) {
    throw Error("densities must be positive", "fluids",
                "water_density = 1000, oil_density = 850 in kg/m3");
  }
  if (!(f.entry_pressure >= 0 && std::isfinite(f.entry_pressure)) || !is_positive(f.pore_index)) {
    throw Error("the entry pressure must not be negative, the pore index positive", "fluids",
                "entry_pressure = 0: no capillary pressure");
  }
}

void check_well(const ReservoirModel& m, const ReservoirWell& w, const std::string& place) {
  if (w.i < 0 || w.i >= m.cells[0] || w.j < 0 || w.j >= m.cells[1]) {
    throw Error(fmt::format("cell ({}, {}) is outside of the grid of {} x {} cells", w.i, w.j,
                            m.cells[0], m.cells[1]),
                place,
                fmt::format("i from 0 to {}, j from 0 to {}", m.cells[0] - 1, m.cells[1] - 1));
  }
  const int last = w.last_layer < 0 ? m.cells[2] - 1 : w.last_layer;
  if (w.first_layer < 0 || last >= m.cells[2] || w.first_layer > last) {
    throw Error(fmt::format("layers {} to {} are not in the grid of {} layers", w.first_layer, last,
                            m.cells[2]),
                place, fmt::format("layers from 0 to {}", m.cells[2] - 1));
  }
  if (!std::isfinite(w.target) || (w.control == WellControl::rate && w.target < 0)) {
    throw Error(fmt::format("a rate must not be negative, got {}", w.target), place,
                "kind says whether it goes in or comes out");
  }
  const std::size_t n = m.n_cells();
  for (int k = w.first_layer; k <= last; ++k) {
    const auto c = static_cast<std::size_t>((k * m.cells[0] + w.i) * m.cells[1] + w.j);
    const auto at = [&](const std::vector<double>& list) { return list[list.size() == n ? c : 0]; };
    const double kx = at(m.permeability_x);
    const double ky = m.permeability_y.empty() ? kx : at(m.permeability_y);
    const double reach = peaceman_radius(kx, ky, m.cell_size[0], m.cell_size[1]);
    if (is_positive(w.radius) && std::isfinite(w.skin) && std::log(reach / w.radius) + w.skin > 0) {
      continue;
    }
    throw Error(fmt::format("radius {} m and skin {} do not fit a cell whose equivalent radius is "
                            "{:.3g} m",
                            w.radius, w.skin, reach),
                place, "the radius must be smaller: radius = 0.1, skin = 0");
  }
}

}  // namespace

namespace {

void check_fault(const ReservoirModel& m, const ReservoirFault& f, const std::string& place) {
  const bool x = f.across == FaultAxis::x;
  const int along = m.cells[x ? 0 : 1], other = m.cells[x ? 1 : 0];
  if (f.at < 0 || f.at + 1 >= along) {
    throw Error(fmt::format("there is no cell behind number {} along {}", f.at, x ? "x" : "y"),
                place, fmt::format("at from 0 to {}", along - 2));
  }
  if (f.from < 0 || f.from >= other || f.to >= other || f.to < -1 || (f.to >= 0 && f.to < f.from)) {
    throw Error(fmt::format("cells {} to {} are no part of a row of {}", f.from, f.to, other),
                place,
                fmt::format("from 0 to {}, the smaller one first; to = -1: the last", other - 1));
  }
  if (!(f.multiplier >= 0 && std::isfinite(f.multiplier))) {
    throw Error(fmt::format("a multiplier must not be negative, got {}", f.multiplier), place,
                "0: sealed; 1: no fault");
  }
}

}  // namespace

void check(const ReservoirModel& m) {
  std::uint64_t n = 1;
  for (const int c : m.cells) {
    if (c < 1 || n * static_cast<std::uint64_t>(c) > most_reservoir_cells) {
      throw Error(
          fmt::format("{} x {} x {} cells", m.cells[0], m.cells[1], m.cells[2]), "cells",
          fmt::format("three numbers of 1 or more, {} cells at most", most_reservoir_cells));
    }
    n *= static_cast<std::uint64_t>(c);
  }
  for (const double d : m.cell_size) {
    if (!is_positive(d)) {
      throw Error(fmt::format("a side of a cell must be positive, got {}", d), "cell_size",
                  "cell_size = [20, 20, 5] in m");
    }
  }
  const auto permeability = [&](const std::vector<double>& k, const char* name) {
    check_list(k, n, name, "the permeability", is_positive, "it must be positive, in mD");
  };
  permeability(m.permeability_x, "permeability_x");
  if (!m.permeability_y.empty()) permeability(m.permeability_y, "permeability_y");
  if (!m.permeability_z.empty()) permeability(m.permeability_z, "permeability_z");
  check_list(
      m.porosity, n, "porosity", "the porosity", [](double v) { return v > 0 && v <= 1; },
      "it must be in (0, 1]");
  check_list(
      m.saturation, n, "saturation", "the saturation", [](double v) { return v >= 0 && v <= 1; },
      "it must be in [0, 1]");
  check_list(
      m.pressure, n, "pressure", "the pressure", [](double v) { return std::isfinite(v); },
      "it must be finite, in bar");
  if (!(m.compressibility >= 0 && std::isfinite(m.compressibility))) {
    throw Error(fmt::format("a compressibility must not be negative, got {}", m.compressibility),
                "compressibility", "0: rock that does not yield; 1e-5 per bar is common");
  }
  check_fluids(m.fluids);
  for (std::size_t f = 0; f < m.faults.size(); ++f) {
    const std::string name = m.faults[f].name.empty() ? fmt::format("{}", f + 1) : m.faults[f].name;
    check_fault(m, m.faults[f], fmt::format("fault '{}'", name));
  }
  bool anchored = m.compressibility > 0;
  for (std::size_t w = 0; w < m.wells.size(); ++w) {
    const std::string name = m.wells[w].name.empty() ? fmt::format("{}", w + 1) : m.wells[w].name;
    check_well(m, m.wells[w], fmt::format("well '{}'", name));
    anchored = anchored || m.wells[w].control == WellControl::pressure;
  }
  if (anchored) return;
  throw Error(
      "no well has a given pressure and the rock does not yield: pressures are known up to "
      "a constant only",
      "wells", "give one well control = \"pressure\", or a compressibility");
}

void check(const ReservoirSchedule& s) {
  if (s.times.empty()) {
    throw Error("a simulation needs at least one time of a report", "times", "times = {360, 720}");
  }
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    if (std::isfinite(s.times[i]) && s.times[i] > (i == 0 ? 0 : s.times[i - 1])) continue;
    throw Error(fmt::format("time {} of the reports is {}", i + 1, s.times[i]), "times",
                "give positive times in ascending order");
  }
  if (!is_positive(s.max_step) || !is_positive(s.max_change) || !is_positive(s.tolerance)) {
    throw Error("the longest step, the largest change and the tolerance must be positive",
                "schedule", "max_step = 60, max_change = 0.1, tolerance = 1e-10");
  }
  if (!(s.cfl > 0 && s.cfl <= 1)) {
    throw Error(fmt::format("cfl must be in (0, 1], got {}", s.cfl), "schedule", "cfl = 0.9");
  }
}

void visit_options(CoreyCurves& c, OptionVisitor& v) {
  v.number("connate_water", c.connate_water, NumberRange::below_one);
  v.number("residual_oil", c.residual_oil, NumberRange::below_one);
  v.number("water_end", c.water_end, NumberRange::positive);
  v.number("oil_end", c.oil_end, NumberRange::positive);
  v.number("water_exponent", c.water_exponent, NumberRange::positive);
  v.number("oil_exponent", c.oil_exponent, NumberRange::positive);
}

void visit_options(ReservoirFluids& f, OptionVisitor& v) {
  v.number("water_viscosity", f.water_viscosity, NumberRange::positive);
  v.number("oil_viscosity", f.oil_viscosity, NumberRange::positive);
  v.number("water_density", f.water_density, NumberRange::positive);
  v.number("oil_density", f.oil_density, NumberRange::positive);
  v.flag("gravity", f.gravity);
  v.number("entry_pressure", f.entry_pressure, NumberRange::not_negative);
  v.number("pore_index", f.pore_index, NumberRange::positive);
  v.section("curves", f.curves);
  v.check([&] { check_fluids(f); });
}

void visit_options(ReservoirFault& f, OptionVisitor& v) {
  const Words<FaultAxis> axes = {{"x", FaultAxis::x}, {"y", FaultAxis::y}};
  constexpr std::uint64_t most = most_reservoir_cells;
  v.text("name", f.name);
  v.word("across", f.across, axes, "axis of a fault");
  v.count("at", f.at, 0, most);
  v.count("from", f.from, 0, most);
  double to = f.to;
  v.number("to", to, NumberRange::any);
  v.check([&] {
    if (to == std::floor(to) && to >= -1 && to < static_cast<double>(most)) return;
    throw Error(fmt::format("a cell must be whole, -1 or more, got {}", to), "to");
  });
  f.to = static_cast<int>(std::clamp(to, -1.0, static_cast<double>(most)));
  v.number("multiplier", f.multiplier, NumberRange::not_negative);
}

void visit_options(ReservoirWell& w, OptionVisitor& v) {
  const Words<WellKind> kinds = {{"injector", WellKind::injector},
                                 {"producer", WellKind::producer}};
  const Words<WellControl> controls = {{"rate", WellControl::rate},
                                       {"pressure", WellControl::pressure}};
  constexpr std::uint64_t most = most_reservoir_cells;
  v.text("name", w.name);
  v.word("kind", w.kind, kinds, "kind of well");
  v.word("control", w.control, controls);
  v.number("target", w.target, NumberRange::any);
  v.count("i", w.i, 0, most);
  v.count("j", w.j, 0, most);
  v.count("first_layer", w.first_layer, 0, most);
  double last = w.last_layer;
  v.number("last_layer", last, NumberRange::any);
  v.check([&] {
    if (last == std::floor(last) && last >= -1 && last < static_cast<double>(most)) return;
    throw Error(fmt::format("a layer must be whole, -1 or more, got {}", last), "last_layer");
  });
  w.last_layer = static_cast<int>(std::clamp(last, -1.0, static_cast<double>(most)));
  v.number("radius", w.radius, NumberRange::positive);
  v.number("skin", w.skin, NumberRange::any);
}

void visit_options(ReservoirSchedule& s, OptionVisitor& v) {
  const Words<ReservoirScheme> schemes = {{"impes", ReservoirScheme::impes},
                                          {"implicit", ReservoirScheme::implicit}};
  v.word("scheme", s.scheme, schemes);
  v.number("max_step", s.max_step, NumberRange::positive);
  v.number("max_change", s.max_change, NumberRange::positive);
  v.number("cfl", s.cfl, NumberRange::up_to_one);
  v.number("tolerance", s.tolerance, NumberRange::positive);
}

}  // namespace cauchy
