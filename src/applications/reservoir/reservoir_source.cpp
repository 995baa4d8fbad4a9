#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/sampling/random_field.hpp>

#include "applications/reservoir/flow_grid.hpp"
#include "base/normal_quantile.hpp"

namespace cauchy {
namespace {

constexpr int least_side = 4;  // cells along x and y, for networks on grids
enum FieldUse : std::uint64_t { use_facies, use_permeability, use_porosity, use_wells, use_faults };
constexpr double most_deviations = 3;

std::string cells_text(const std::array<int, 3>& c) {
  return fmt::format("{} x {} x {} cells", c[0], c[1], c[2]);
}

/// Three whole numbers as a list.
void visit_cells(OptionVisitor& v, std::array<int, 3>& cells) {
  std::vector<double> list(cells.begin(), cells.end());
  v.numbers("cells", list, NumberRange::positive);
  const auto is_whole = [](double n) { return n == std::floor(n) && n >= 1 && n <= 100'000; };
  const bool good = list.size() == 3 && std::ranges::all_of(list, is_whole);
  v.check([&] {
    if (!good) throw Error("cells are three whole numbers", "cells", "cells = [40, 40, 3]");
  });
  if (good)
    std::ranges::transform(list, cells.begin(), [](double n) { return static_cast<int>(n); });
}

}  // namespace

struct ReservoirSource::Fields {
  std::unique_ptr<FieldSampler> sampler;  // nodes [x][y] or [x][y][depth]
};

void visit_options(Lithofacies& f, OptionVisitor& v) {
  v.number("permeability", f.permeability, NumberRange::positive);
  v.number("porosity", f.porosity, NumberRange::up_to_one);
}

void visit_options(ReservoirSimulator& s, OptionVisitor& v) {
  visit_cells(v, s.cells);
  std::vector<double> size(s.cell_size.begin(), s.cell_size.end());
  v.numbers("cell_size", size, NumberRange::positive);
  v.check([&] {
    if (size.size() != 3) {
      throw Error("a cell has three sides", "cell_size", "cell_size = [20, 20, 5] in m");
    }
  });
  if (size.size() == 3) std::ranges::copy(size, s.cell_size.begin());
  v.text("field", s.field);
  v.number("share", s.share, NumberRange::inside_one);
  v.section("sand", s.sand, SectionStyle::line);
  v.section("shale", s.shale, SectionStyle::line);
  v.number("spread", s.spread, NumberRange::not_negative);
  v.number("porosity_spread", s.porosity_spread, NumberRange::below_one);
  v.number("vertical", s.vertical, NumberRange::positive);
  v.count("placement", s.placement, 0, 1000);
  v.number("fault_spread", s.fault_spread, NumberRange::not_negative);
  v.number("compressibility", s.compressibility, NumberRange::not_negative);
  v.number("pressure", s.pressure, NumberRange::any);
  v.number("saturation", s.saturation, NumberRange::any);
  v.number("days", s.days, NumberRange::positive);
  v.count("reports", s.reports, 1, 10'000);
  v.flag("fluxes", s.fluxes);
  v.section("fluids", s.fluids);
  v.section("schedule", s.schedule);
  v.list("well", s.wells);
  v.list("fault", s.faults);
}

std::vector<ReservoirWell> five_spot_wells(const std::array<int, 3>& cells, double rate,
                                           double pressure) {
  // Places from both ends of an axis, the same ones: the pattern stays when an axis is flipped.
  const auto ends = [&](int axis, double share) {
    const int n = cells[static_cast<std::size_t>(axis)];
    const int from = static_cast<int>(share * (n - 1) + 0.5);
    return std::array<int, 2>{from, n - 1 - from};
  };
  std::vector<std::array<int, 2>> places;
  for (const double share : {0.12, 0.33}) {
    for (const int i : ends(0, share)) {
      for (const int j : ends(1, share)) places.push_back({i, j});
    }
  }
  std::vector<ReservoirWell> wells;
  for (std::size_t w = 0; w < places.size(); ++w) {
    const bool in = w < 4;
    ReservoirWell well;
    well.name = fmt::format("{}{}", in ? "I" : "P", w % 4 + 1);
    well.kind = in ? WellKind::injector : WellKind::producer;
    well.control = in ? WellControl::rate : WellControl::pressure;
    well.target = in ? rate : pressure;
    well.i = places[w][0];
    well.j = places[w][1];
    wells.push_back(std::move(well));
  }
  return wells;
}

ReservoirSource::ReservoirSource(ReservoirSimulator simulator) : simulator_(std::move(simulator)) {
  ReservoirSimulator& s = simulator_;
  if (s.wells.empty()) s.wells = five_spot_wells(s.cells);
  for (std::size_t w = 0; w < s.wells.size(); ++w) {
    if (s.wells[w].name.empty()) s.wells[w].name = fmt::format("W{}", w + 1);
  }
  s.schedule.times.clear();
  for (int k = 1; k <= s.reports; ++k) s.schedule.times.push_back(s.days * k / s.reports);
  check(base());
  check(s.schedule);
  if (s.cells[0] < least_side || s.cells[1] < least_side) {
    throw Error(fmt::format("{} are too few for a network", cells_text(s.cells)), "cells",
                fmt::format("{} or more along x and y", least_side));
  }
  for (const ReservoirWell& w : s.wells) {
    const int d = s.placement;
    if (w.i < d || w.j < d || w.i + d >= s.cells[0] || w.j + d >= s.cells[1]) {
      throw Error(fmt::format("moved by {} cells it may leave the grid", d),
                  fmt::format("well '{}'", w.name), "a smaller placement, or a place further in");
    }
    for (const ReservoirWell& other : s.wells) {
      if (&other == &w || d == 0) continue;
      if (std::abs(other.i - w.i) > 2 * d || std::abs(other.j - w.j) > 2 * d) continue;
      throw Error(
          fmt::format("moved by {} cells, wells '{}' and '{}' may meet", d, w.name, other.name),
          "placement", "a smaller one, or wells further apart");
    }
  }
  for (const ReservoirFault& f : s.faults) {
    if (s.fault_spread == 0 || f.multiplier > 0) continue;
    throw Error("a sealed fault has no multiplier that varies", fmt::format("fault '{}'", f.name),
                "a positive multiplier, or fault_spread = 0");
  }
  const bool deep = s.cells[2] > 1;
  // Cut out of a larger function: as likely to be sand near a side as anywhere.
  std::vector<RandomFieldAxis> axes(deep ? 3 : 2, {.boundary = FieldBoundary::free});
  RandomField::Nodes nodes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::vector<double>& x = nodes.emplace_back();
    for (int i = 0; i < s.cells[a]; ++i) x.push_back((i + 0.5) / s.cells[a]);
  }
  try {
    fields_ = std::make_unique<Fields>(Fields{make_random_field(s.field, axes)->on_grid(nodes)});
  } catch (const Error& e) {
    throw Error(e.kind(), e.message(), "field", e.hint());
  }
}

ReservoirSource::~ReservoirSource() = default;

std::string ReservoirSource::identity() const {
  return "reservoir\n" + option_text("simulator", simulator_);
}

std::string ReservoirSource::describe() const {
  return fmt::format("{} on {}, {} wells, {} days",
                     simulator_.schedule.scheme == ReservoirScheme::impes ? "IMPES" : "implicit",
                     cells_text(simulator_.cells), simulator_.wells.size(), simulator_.days);
}

FieldGrid ReservoirSource::grid() const {
  FieldGrid g;
  for (std::size_t a = 0; a < 2; ++a) {
    const double d = simulator_.cell_size[a];
    g.axes.push_back({.name = a == 0 ? "x" : "y",
                      .n = simulator_.cells[a],
                      .lower = d / 2,
                      .upper = d * (simulator_.cells[a] - 0.5)});
  }
  return g;
}

std::vector<std::string> ReservoirSource::inputs() const {
  std::vector<std::string> names;
  for (const char* field : {"k", "phi"}) {
    for (int k = 1; k <= simulator_.cells[2]; ++k) names.push_back(fmt::format("{}{}", field, k));
  }
  if (simulator_.placement > 0) names.emplace_back("wells");
  if (has_random_faults()) names.insert(names.end(), {"mx", "my"});
  return names;
}

std::vector<std::string> ReservoirSource::outputs() const {
  std::vector<std::string> names;
  const auto add = [&](const char* field, double t, int layers) {
    for (int k = 1; k <= layers; ++k) names.push_back(fmt::format("{}{}(t={})", field, k, t));
  };
  const int nz = simulator_.cells[2];
  for (const double t : simulator_.schedule.times) {
    add("p", t, nz);
    add("s", t, nz);
  }
  for (const double t : simulator_.schedule.times) {
    if (!simulator_.fluxes) break;
    add("fx", t, nz);
    add("fy", t, nz);
    add("fz", t, nz - 1);
  }
  return names;
}

std::vector<double> ReservoirSource::outputs_of(const ReservoirModel& m,
                                                const ReservoirRun& run) const {
  std::vector<double> out;
  for (const ReservoirReport& r : run.reports) {
    out.insert(out.end(), r.pressure.begin(), r.pressure.end());
    out.insert(out.end(), r.saturation.begin(), r.saturation.end());
  }
  for (const ReservoirReport& r : run.reports) {
    if (!simulator_.fluxes) break;
    auto [fx, fy, fz] = face_fluxes(m, r.pressure, r.saturation);
    fz.resize(fz.size() - grid().n_points());
    for (const std::vector<double>* f : {&fx, &fy, &fz})
      out.insert(out.end(), f->begin(), f->end());
  }
  return out;
}

std::vector<std::int32_t> ReservoirSource::carried_outputs(const std::vector<std::size_t>& axis,
                                                           const std::vector<bool>& flipped) const {
  if (!simulator_.fluxes) return {};
  const auto n = std::array{simulator_.cells[0], simulator_.cells[1]};
  const int nz = simulator_.cells[2], plane = n[0] * n[1];
  std::vector<std::int32_t> picks;
  const auto there = [&](std::array<int, 2> at) {
    std::array<int, 2> to{};
    for (std::size_t k = 0; k < 2; ++k) to[k] = flipped[k] ? n[k] - 1 - at[axis[k]] : at[axis[k]];
    return to;
  };
  // Of a layer that begins at `first`; component 0, 1: fluxes to the next cell along an axis.
  const auto add = [&](std::array<int, 2> first, int component) {
    for (int i = 0; i < n[0]; ++i) {
      for (int j = 0; j < n[1]; ++j) {
        const std::array<int, 2> here = there({i, j});
        if (component < 0) {
          picks.push_back(first[0] + here[0] * n[1] + here[1] + 1);
          continue;
        }
        const auto c = static_cast<std::size_t>(component);
        std::array<int, 2> next = {i, j};
        if (++next[c] == n[c]) {
          picks.push_back(0);
          continue;
        }
        next = there(next);
        const std::size_t k = next[0] != here[0] ? 0 : 1;  // the axis there
        const bool back = next[k] < here[k];
        const std::array<int, 2>& lower = back ? next : here;
        const std::int32_t from = first[k] + lower[0] * n[1] + lower[1] + 1;
        picks.push_back(back ? -from : from);
      }
    }
  };
  int first = 0;
  for (int c = 0; c < simulator_.reports * 2 * nz; ++c, first += plane) add({first, first}, -1);
  for (int t = 0; t < simulator_.reports; ++t, first += (3 * nz - 1) * plane) {
    for (int component = 0; component < 2; ++component) {
      for (int k = 0; k < nz; ++k) {
        add({first + k * plane, first + (nz + k) * plane}, component);
      }
    }
    for (int k = 0; k + 1 < nz; ++k) {
      const int at = first + (2 * nz + k) * plane;
      add({at, at}, -1);
    }
  }
  return picks;
}

bool ReservoirSource::is_symmetric(const std::vector<std::size_t>& axis,
                                   const std::vector<bool>& flipped) const {
  const ReservoirSimulator& s = simulator_;
  if (!s.faults.empty()) return false;
  if (axis[0] == 1 && (s.cells[0] != s.cells[1] || s.cell_size[0] != s.cell_size[1])) return false;
  std::vector<bool> met(s.wells.size(), false);
  for (const ReservoirWell& w : s.wells) {
    const std::array<int, 2> from = {w.i, w.j};
    std::array<int, 2> to{};
    for (std::size_t k = 0; k < 2; ++k) {
      to[k] = flipped[k] ? s.cells[k] - 1 - from[axis[k]] : from[axis[k]];
    }
    const auto is_image = [&](const ReservoirWell& other) {
      return other.i == to[0] && other.j == to[1] && other.kind == w.kind &&
             other.control == w.control && other.target == w.target && other.radius == w.radius &&
             other.skin == w.skin && other.first_layer == w.first_layer &&
             other.last_layer == w.last_layer;
    };
    std::size_t k = 0;
    while (k < met.size() && (met[k] || !is_image(s.wells[k]))) ++k;
    if (k == met.size()) return false;
    met[k] = true;
  }
  return true;
}

ReservoirModel ReservoirSource::base() const {
  const ReservoirSimulator& s = simulator_;
  ReservoirModel m;
  m.cells = s.cells;
  m.cell_size = s.cell_size;
  m.permeability_x = {s.sand.permeability};
  m.porosity = {s.sand.porosity};
  m.compressibility = s.compressibility;
  m.fluids = s.fluids;
  m.wells = s.wells;
  m.faults = s.faults;
  m.pressure = {s.pressure};
  m.saturation = {s.saturation};
  return m;
}

ReservoirModel ReservoirSource::model(std::uint64_t seed, std::uint64_t number) const {
  const ReservoirSimulator& s = simulator_;
  ReservoirModel m = base();
  const std::size_t n = m.n_cells(), nz = static_cast<std::size_t>(s.cells[2]), columns = n / nz;
  const Rng rng(seed);
  // Fields have the depth as their last axis, cells the layer as their first.
  const auto drawn = [&](FieldUse use) {
    std::vector<double> own(n), by_layer(n);
    fields_->sampler->sample(rng.split(use), number, own);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t k = 0; k < nz; ++k) by_layer[k * columns + c] = own[c * nz + k];
    }
    return by_layer;
  };
  const std::vector<double> facies = drawn(use_facies), k = drawn(use_permeability),
                            phi = drawn(use_porosity);
  const double threshold = detail::portable_normal_quantile(1 - s.share);
  m.permeability_x.resize(n);
  m.permeability_z.resize(n);
  m.porosity.resize(n);
  const auto kept = [](double g) { return std::clamp(g, -most_deviations, most_deviations); };
  for (std::size_t c = 0; c < n; ++c) {
    const Lithofacies& rock = facies[c] > threshold ? s.sand : s.shale;
    m.permeability_x[c] = rock.permeability * std::exp(s.spread * kept(k[c]));
    m.permeability_z[c] = s.vertical * m.permeability_x[c];
    m.porosity[c] = std::clamp(rock.porosity * (1 + s.porosity_spread * kept(phi[c])), 1e-3, 1.0);
  }
  if (s.placement > 0) {
    Rng moves = rng.split(use_wells).split(number);
    const auto width = static_cast<std::uint64_t>(2 * s.placement + 1);
    for (ReservoirWell& w : m.wells) {
      w.i += static_cast<int>(moves.integer(width)) - s.placement;
      w.j += static_cast<int>(moves.integer(width)) - s.placement;
    }
  }
  if (has_random_faults()) {
    Rng multipliers = rng.split(use_faults).split(number);
    for (ReservoirFault& f : m.faults) {
      f.multiplier *= std::exp(s.fault_spread * kept(multipliers.normal()));
    }
  }
  return m;
}

std::vector<double> ReservoirSource::inputs_of(const ReservoirModel& m) const {
  std::vector<double> in;
  for (const double k : m.permeability_x) in.push_back(std::log10(k));
  in.insert(in.end(), m.porosity.begin(), m.porosity.end());
  if (simulator_.placement > 0) {
    std::vector<double> wells(grid().n_points(), 0.0);
    for (const ReservoirWell& w : m.wells) {
      const double mark = w.kind == WellKind::injector ? 1 : -1;
      wells[static_cast<std::size_t>(w.i * m.cells[1] + w.j)] = mark;
    }
    in.insert(in.end(), wells.begin(), wells.end());
  }
  if (has_random_faults()) {
    for (const std::vector<double>& axis : detail::fault_multipliers(m)) {
      for (const double v : axis) in.push_back(std::log10(v));
    }
  }
  return in;
}

ReservoirModel ReservoirSource::model_of(std::span<const double> in) const {
  ReservoirModel m = base();
  const std::size_t n = m.n_cells();
  if (in.size() != inputs().size() * grid().n_points()) {
    throw Error(
        fmt::format("{} numbers for the inputs of {}", in.size(), cells_text(simulator_.cells)),
        "[applications.reservoir]");
  }
  m.permeability_x.resize(n);
  m.permeability_z.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    m.permeability_x[c] = std::pow(10.0, in[c]);
    m.permeability_z[c] = simulator_.vertical * m.permeability_x[c];
  }
  m.porosity.assign(in.begin() + static_cast<std::ptrdiff_t>(n),
                    in.begin() + static_cast<std::ptrdiff_t>(2 * n));
  const int d = simulator_.placement;
  if (has_random_faults()) {
    // What the faults of the file make of every face, in place of those of the sample: a fault of
    // one face each.
    const std::size_t columns = grid().n_points(), first = in.size() - 2 * columns;
    m.faults.clear();
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (std::size_t c = 0; c < columns; ++c) {
        const double log = in[first + axis * columns + c];
        if (log == 0) continue;
        const int i = static_cast<int>(c) / m.cells[1], j = static_cast<int>(c) % m.cells[1];
        ReservoirFault f{.across = axis == 0 ? FaultAxis::x : FaultAxis::y};
        f.at = axis == 0 ? i : j;
        f.from = f.to = axis == 0 ? j : i;
        f.multiplier = std::pow(10.0, log);
        if (f.at + 1 < m.cells[axis]) m.faults.push_back(f);
      }
    }
  }
  if (d == 0) return m;
  // Windows of wells do not overlap: the mark inside of one is that well.
  for (ReservoirWell& w : m.wells) {
    const double mark = w.kind == WellKind::injector ? 1 : -1;
    const int i0 = w.i, j0 = w.j;
    for (int i = i0 - d; i <= i0 + d; ++i) {
      for (int j = j0 - d; j <= j0 + d; ++j) {
        if (in[2 * n + static_cast<std::size_t>(i * m.cells[1] + j)] != mark) continue;
        w.i = i;
        w.j = j;
      }
    }
  }
  return m;
}

SampleSource::Sample ReservoirSource::make(std::uint64_t seed, std::uint64_t number,
                                           const Progress* progress) const {
  const ReservoirModel m = model(seed, number);
  const ReservoirRun run = simulate(m, simulator_.schedule, progress);
  Sample sample;
  sample.interrupted = run.status == Status::interrupted;
  if (sample.interrupted) return sample;
  if (!succeeded(run.status)) {
    throw Error(fmt::format("the simulation ended after {} of {} reports: {}", run.reports.size(),
                            simulator_.schedule.times.size(), cauchy::describe(run.status)),
                fmt::format("sample {}", number), "try scheme = \"impes\", or shorter steps");
  }
  sample.in = inputs_of(m);
  sample.out = outputs_of(m, run);
  return sample;
}

std::vector<SampleCurve> ReservoirSource::curves(std::span<const double> in,
                                                 std::span<const double> out) const {
  const ReservoirModel m = model_of(in);
  const std::size_t n = m.n_cells(), n_times = simulator_.schedule.times.size();
  if (out.size() != outputs().size() * grid().n_points()) {
    throw Error(fmt::format("{} numbers for {} reports of {}", out.size(), n_times,
                            cells_text(simulator_.cells)),
                "[applications.reservoir]");
  }
  std::vector<SampleCurve> pressures, oil, water, cut;
  for (const ReservoirWell& w : m.wells) {
    if (w.kind == WellKind::injector) {
      pressures.push_back({w.name, "pressure in the well, bar", {}});
    } else {
      oil.push_back({w.name, "oil, m3/day", {}});
      water.push_back({w.name, "water, m3/day", {}});
      cut.push_back({w.name, "water cut", {}});
    }
  }
  for (std::size_t t = 0; t < n_times; ++t) {
    // What a network answers may lie outside of what a saturation can be.
    std::vector<double> s(out.begin() + static_cast<std::ptrdiff_t>((2 * t + 1) * n),
                          out.begin() + static_cast<std::ptrdiff_t>((2 * t + 2) * n));
    for (double& v : s) v = std::clamp(v, 0.0, 1.0);
    const std::vector<WellRates> rates = well_rates(m, out.subspan(2 * t * n, n), s);
    std::size_t i = 0, p = 0;
    for (std::size_t w = 0; w < rates.size(); ++w) {
      if (m.wells[w].kind == WellKind::injector) {
        pressures[i++].values.push_back(rates[w].pressure);
        continue;
      }
      oil[p].values.push_back(rates[w].oil);
      water[p].values.push_back(rates[w].water);
      cut[p++].values.push_back(rates[w].water_cut());
    }
  }
  for (const auto* more : {&oil, &water, &cut}) {
    pressures.insert(pressures.end(), more->begin(), more->end());
  }
  return pressures;
}

}  // namespace cauchy
