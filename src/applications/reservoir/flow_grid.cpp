#include "applications/reservoir/flow_grid.hpp"

#include <cmath>
#include <numbers>

namespace cauchy {
namespace detail {

std::vector<double> of_every_cell(const std::vector<double>& given, std::size_t n) {
  return given.size() == 1 ? std::vector<double>(n, given[0]) : given;
}

std::array<std::vector<double>, 2> fault_multipliers(const ReservoirModel& model) {
  const std::array<int, 2> n = {model.cells[0], model.cells[1]};
  std::array<std::vector<double>, 2> all;
  for (std::vector<double>& m : all) m.assign(static_cast<std::size_t>(n[0] * n[1]), 1.0);
  for (const ReservoirFault& f : model.faults) {
    const std::size_t axis = f.across == FaultAxis::x ? 0 : 1;
    const int to = f.to < 0 ? n[1 - axis] - 1 : f.to;
    for (int k = f.from; k <= to; ++k) {
      const int i = axis == 0 ? f.at : k, j = axis == 0 ? k : f.at;
      all[axis][static_cast<std::size_t>(i * n[1] + j)] *= f.multiplier;
    }
  }
  return all;
}

ReservoirGrid::ReservoirGrid(const ReservoirModel& model) : compressibility(model.compressibility) {
  const std::size_t n = model.n_cells();
  const auto nx = static_cast<std::size_t>(model.cells[0]);
  const auto ny = static_cast<std::size_t>(model.cells[1]);
  const auto nz = static_cast<std::size_t>(model.cells[2]);
  const auto [dx, dy, dz] = model.cell_size;
  const std::vector<double> kx = of_every_cell(model.permeability_x, n);
  const std::vector<double> ky =
      model.permeability_y.empty() ? kx : of_every_cell(model.permeability_y, n);
  const std::vector<double> kz =
      model.permeability_z.empty() ? kx : of_every_cell(model.permeability_z, n);
  pressure = of_every_cell(model.pressure, n);
  saturation = of_every_cell(model.saturation, n);
  volume = of_every_cell(model.porosity, n);
  for (double& v : volume) {
    v *= dx * dy * dz;
    total_volume += v;
  }
  const auto add = [&](std::size_t a, std::size_t b, const std::vector<double>& k, double area,
                       double distance, double drop, double multiplier) {
    const double mean = 2 * k[a] * k[b] / (k[a] + k[b]);
    faces.push_back({a, b, multiplier * darcy_unit * area * mean / distance, drop});
  };
  const auto faults = fault_multipliers(model);
  for (std::size_t k = 0; k < nz; ++k) {
    for (std::size_t i = 0; i < nx; ++i) {
      for (std::size_t j = 0; j < ny; ++j) {
        const std::size_t c = (k * nx + i) * ny + j;
        const std::size_t column = i * ny + j;
        if (i + 1 < nx) add(c, c + ny, kx, dy * dz, dx, 0, faults[0][column]);
        if (j + 1 < ny) add(c, c + 1, ky, dx * dz, dy, 0, faults[1][column]);
        if (k + 1 < nz) add(c, c + nx * ny, kz, dx * dy, dz, dz, 1);
      }
    }
  }
}

std::vector<WellColumn> well_columns(const ReservoirModel& model) {
  const std::size_t n = model.n_cells();
  const std::vector<double> kx = of_every_cell(model.permeability_x, n);
  const std::vector<double> ky =
      model.permeability_y.empty() ? kx : of_every_cell(model.permeability_y, n);
  std::vector<WellColumn> wells;
  for (const ReservoirWell& w : model.wells) {
    WellColumn well{w.kind, w.control, w.target, {}};
    if (w.control == WellControl::rate && w.kind == WellKind::injector) well.target = -w.target;
    const int last = w.last_layer < 0 ? model.cells[2] - 1 : w.last_layer;
    for (int k = w.first_layer; k <= last; ++k) {
      const auto cell = static_cast<std::size_t>((k * model.cells[0] + w.i) * model.cells[1] + w.j);
      const double radius =
          peaceman_radius(kx[cell], ky[cell], model.cell_size[0], model.cell_size[1]);
      const double index = darcy_unit * 2 * std::numbers::pi * std::sqrt(kx[cell] * ky[cell]) *
                           model.cell_size[2] / (std::log(radius / w.radius) + w.skin);
      well.perforations.push_back({cell, index, (k - w.first_layer) * model.cell_size[2]});
    }
    wells.push_back(std::move(well));
  }
  return wells;
}

void WellFlow::weigh(const WellColumn& well, const FlowCurves& curves,
                     const std::vector<double>& s) {
  const std::size_t n = well.perforations.size();
  weight.resize(n);
  d_weight.resize(n);
  rate.resize(n);
  if (open.size() != n) open.assign(n, 1);
  open_weight = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Mobility m = curves.at(s[well.perforations[k].cell]);
    weight[k] = well.perforations[k].index * m.total();
    d_weight[k] = well.perforations[k].index * m.d_total();
    if (open[k] != 0) open_weight += weight[k];
  }
}

void WellFlow::fill(const WellColumn& well, const FlowCurves& curves,
                    const std::vector<double>& s) {
  if (well.kind == WellKind::injector) {
    density = curves.water_weight();
    return;
  }
  double water = 0, all = 0;
  for (const Perforation& p : well.perforations) {
    const Mobility m = curves.at(s[p.cell]);
    water += p.index * m.water;
    all += p.index * m.total();
  }
  density = curves.oil_weight() + water / all * (curves.water_weight() - curves.oil_weight());
}

void WellFlow::settle(const WellColumn& well, const std::vector<double>& p) {
  const std::size_t n = well.perforations.size();
  const auto level = [&](std::size_t k) {
    return p[well.perforations[k].cell] - density * well.perforations[k].depth;
  };
  pressure = well.target;
  if (well.control == WellControl::rate) {
    double sum = -well.target;
    for (std::size_t k = 0; k < n; ++k) {
      if (open[k] != 0) sum += weight[k] * level(k);
    }
    pressure = sum / open_weight;
  }
  for (std::size_t k = 0; k < n; ++k) {
    rate[k] = open[k] != 0 ? weight[k] * (level(k) - pressure) : 0;
  }
}

void WellFlow::evaluate(const WellColumn& well, const FlowCurves& curves,
                        const std::vector<double>& p, const std::vector<double>& s) {
  std::size_t n_open = well.perforations.size();
  open.assign(n_open, 1);
  weigh(well, curves, s);
  // Every round but the last shuts a cell. A well with a rate keeps one, whatever rounding says.
  for (bool again = true; again;) {
    again = false;
    settle(well, p);
    for (std::size_t k = 0; k < open.size(); ++k) {
      const bool wrong = well.kind == WellKind::injector ? rate[k] > 0 : rate[k] < 0;
      if (open[k] == 0 || !wrong || (well.control == WellControl::rate && n_open == 1)) continue;
      open[k] = 0;
      open_weight -= weight[k];
      --n_open;
      again = true;
    }
  }
}

WellRates rates_of(const WellColumn& well, const WellFlow& flow, const FlowCurves& curves,
                   const std::vector<double>& s) {
  WellRates r{.pressure = flow.pressure};
  for (std::size_t k = 0; k < well.perforations.size(); ++k) {
    const double share =
        well.kind == WellKind::injector ? 1 : curves.at(s[well.perforations[k].cell]).fraction();
    r.water += share * flow.rate[k];
    r.oil += (1 - share) * flow.rate[k];
  }
  return r;
}

}  // namespace detail

std::size_t ReservoirModel::n_cells() const noexcept {
  std::size_t n = 1;
  for (const int c : cells) n *= static_cast<std::size_t>(c);
  return n;
}

double peaceman_radius(double k_x, double k_y, double dx, double dy) {
  const double ratio = std::sqrt(k_y / k_x);
  return std::exp(-std::numbers::egamma) / 2 * std::sqrt(ratio * dx * dx + dy * dy / ratio) /
         (std::sqrt(ratio) + 1 / std::sqrt(ratio));
}

}  // namespace cauchy
