#include "operators/deeponet/deeponet_map.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/program.hpp>

#include "operators/channels.hpp"
#include "problem/call_values.hpp"
#include "problem/grid_table.hpp"
#include "problem/point_data.hpp"  // data_of

namespace cauchy::detail {
namespace {

/// Answers of a branch on a grid: channels, and cells per axis that they are averaged over.
constexpr int encoder_channels = 16, encoder_cells = 8;

/// The point of a cloud that is this one; throws Error when there is none.
std::size_t point_of_cloud(const FieldGrid& cloud, std::span<const double> at) {
  const std::size_t d = cloud.axes.size();
  for (std::size_t i = 0; i < cloud.n_points(); ++i) {
    bool same = true;
    for (std::size_t k = 0; same && k < d; ++k) {
      const double slack = 1e-9 * (cloud.axes[k].upper - cloud.axes[k].lower);
      same = std::abs(cloud.cloud[i * d + k] - at[k]) <= slack;
    }
    if (same) return i;
  }
  throw Error(fmt::format("the data have no value at ({:.6g})", fmt::join(at, ", ")), "[operators]",
              "scattered data are not interpolated: give values at the points of the training");
}

}  // namespace

std::vector<std::string> DeepOnetMap::coordinates() const {
  std::vector<std::string> names;
  for (const Axis& a : axes) names.push_back(a.name);
  return names;
}

std::string DeepOnetMap::product_name(const std::string& field, std::size_t k) {
  return fmt::format("{}~{}", field, k);
}
std::string DeepOnetMap::offset_name(const std::string& field) { return field + "~"; }

bool DeepOnetMap::branch_on_grid() const {
  return std::holds_alternative<FieldNetwork>(method.branch);
}

int DeepOnetMap::add_branch(Graph& g, int values) const {
  const Network& network = std::get<Network>(method.branch);
  const auto n_outputs = static_cast<int>(n_products());
  const auto one = [&](int x) {
    if (!method.stacked) return add_network(g, network, x, n_outputs);
    std::vector<int> all;
    for (int k = 0; k < n_outputs; ++k) all.push_back(add_network(g, network, x, 1));
    return all.size() == 1 ? all[0] : g.concatenate(all);
  };
  if (!method.product || inputs.size() == 1) {
    const int branch = one(values);
    return method.shortcut ? g.add(branch, g.affine(values, n_outputs, false, "shortcut")) : branch;
  }
  const auto m = static_cast<int>(n_sensors());
  int product = -1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int branch = one(g.slice(values, static_cast<int>(i) * m, m));
    product = i == 0 ? branch : g.multiply(product, branch);
  }
  return product;
}

int DeepOnetMap::add_branch(TensorGraph& g, int values) const {
  if (sensors.is_cloud()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} as a branch needs sensors on a grid", describe(method.branch)),
                "[train.branch]", "take a branch of kind \"mlp\"");
  }
  int shortcut = -1;
  if (method.shortcut) {
    const int flat = g.reshape(values, {static_cast<int>(branch_inputs()), {}});
    shortcut =
        g.linear(flat, static_cast<int>(n_products()), Activation::identity, false, "shortcut");
  }
  int v = add_field_network(g, std::get<FieldNetwork>(method.branch), values, sensors,
                            encoder_channels);
  std::size_t cells = 1;
  for (std::size_t k = 0; k < sensors.axes.size(); ++k) {
    const int n = sensors.axes[k].n, rows = std::min(n, encoder_cells);
    cells *= static_cast<std::size_t>(rows);
    if (rows == n) continue;
    std::vector<double> mean(static_cast<std::size_t>(rows * n), 0.0);
    for (int r = 0; r < rows; ++r) {
      const int begin = r * n / rows, end = (r + 1) * n / rows;
      for (int i = begin; i < end; ++i)
        mean[static_cast<std::size_t>(r * n + i)] = 1.0 / (end - begin);
    }
    v = g.along(v, static_cast<int>(k), rows, std::move(mean));
  }
  v = g.reshape(v, {static_cast<int>(cells) * encoder_channels, {}});
  if (method.head > 0) v = g.linear(v, method.head, Activation::gelu, true, "head");
  return g.linear(v, static_cast<int>(n_products()), Activation::identity, true, "products",
                  shortcut);
}

int DeepOnetMap::add_coordinates(Graph& g) const {
  std::vector<Expr> rows;
  for (const Axis& a : axes) {
    const Coordinate x(a.name);
    if (a.periodic) {
      const double w = 2 * M_PI / (a.upper - a.lower);
      rows.push_back(cos(w * (x - a.lower)));
      rows.push_back(sin(w * (x - a.lower)));
    } else {
      rows.push_back((x - (a.lower + a.upper) / 2) / ((a.upper - a.lower) / 2));
    }
  }
  return g.expression(std::move(rows));
}

DeepOnetMap::TrunkValues DeepOnetMap::add_trunk_values(Graph& g) const {
  TrunkValues made;
  const auto p = static_cast<int>(width()), F = static_cast<int>(fields.size());
  if (method.pod) {
    const int all = g.input("pod", F * (p + 1));
    for (int f = 0; f < F; ++f) {
      made.offset.push_back(g.slice(all, f * (p + 1), 1));
      made.products.push_back(g.slice(all, f * (p + 1) + 1, p));
    }
    return made;
  }
  const int t = add_network(g, method.trunk, add_coordinates(g), p * F);
  for (int f = 0; f < F; ++f) {
    const FieldForm& form = fields[static_cast<std::size_t>(f)];
    // p products of numbers of size 1 have the size sqrt(p).
    int v = F == 1 ? t : g.slice(t, f * p, p);
    v = g.multiply(v, g.number(form.scale / std::sqrt(static_cast<double>(p))));
    int offset = method.bias ? g.shift(g.number(0), 0, false, "bias") : g.number(0);
    offset = g.add(g.multiply(offset, g.number(form.scale)), g.number(form.offset));
    if (!form.factor.is_constant(1)) {
      const int factor = g.expression({form.factor});
      v = g.multiply(v, factor);
      offset = g.multiply(offset, factor);
    }
    if (!form.extension.is_constant(0)) offset = g.add(offset, g.expression({form.extension}));
    made.products.push_back(v);
    made.offset.push_back(offset);
  }
  return made;
}

void DeepOnetMap::add_trunk(Graph& g) const {
  const TrunkValues values = add_trunk_values(g);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::size_t k = 0; k < width(); ++k) {
      g.output(product_name(fields[f].name, k), values.products[f], static_cast<int>(k));
    }
    g.output(offset_name(fields[f].name), values.offset[f]);
  }
}

Graph DeepOnetMap::trunk_graph() const {
  Graph g(coordinates());
  add_trunk(g);
  return g;
}

Graph DeepOnetMap::whole_graph() const {
  Graph g(coordinates());
  const int b = add_branch(g, g.input("sensors", static_cast<int>(branch_inputs())));
  const TrunkValues t = add_trunk_values(g);
  const auto p = static_cast<int>(width());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const int own = fields.size() == 1 ? b : g.slice(b, static_cast<int>(f) * p, p);
    g.output(fields[f].name, g.add(g.row_sum(g.multiply(own, t.products[f])), t.offset[f]));
  }
  return g;
}

std::vector<double> DeepOnetMap::at_sensors(const FieldGrid& where, std::span<const double> values,
                                            std::size_t input) const {
  if (where == sensors) return {values.begin(), values.end()};
  const std::vector<double> at = sensors.positions();
  const std::size_t d = sensors.axes.size(), m = n_sensors();
  std::vector<double> found(m);
  if (where.is_cloud()) {
    for (std::size_t i = 0; i < m; ++i) {
      found[i] = values[point_of_cloud(where, std::span(at).subspan(i * d, d))];
    }
    return found;
  }
  std::vector<std::string> names;
  for (const FieldGrid::Axis& a : where.axes) names.push_back(a.name);
  const GridTable table(grid_rows_of(where, values, inputs[input]), names, inputs[input],
                        interpolation[input]);
  for (std::size_t i = 0; i < m; ++i) found[i] = table.value(std::span(at).subspan(i * d, d));
  return found;
}

std::vector<double> DeepOnetMap::at_sensors(const DataSet& data, Threads& pool) const {
  std::vector<std::size_t> channel;
  for (const std::string& name : inputs) {
    const auto at = std::find(data.inputs.begin(), data.inputs.end(), name);
    if (at == data.inputs.end()) {
      throw Error(ErrorKind::not_found, fmt::format("the data have no input '{}'", name),
                  "[operators]", fmt::format("their inputs are: {}", fmt::join(data.inputs, ", ")));
    }
    channel.push_back(static_cast<std::size_t>(at - data.inputs.begin()));
  }
  const std::size_t n = data.size(), m = n_sensors(), width = branch_inputs();
  std::vector<double> rows(n * width);
  pool.run(n, [&](std::size_t s, int) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<double> values =
          at_sensors(data.grid, channel_of(data, s, {true, channel[i]}), i);
      for (std::size_t k = 0; k < m; ++k) {
        rows[s * width + i * m + k] = (values[k] - input_mean[i]) / input_deviation[i];
      }
    }
  });
  return rows;
}

Expr DeepOnetMap::lifted(const Expr& e) const {
  std::vector<Replacement> lifts;
  for (const FieldForm& f : fields) {
    if (!f.lift.is_constant(0)) lifts.push_back({Field(f.name), Field(f.name) + f.lift});
  }
  return lifts.empty() ? e : substitute(e, lifts);
}

std::vector<double> DeepOnetMap::lift_at(const Expr& lift,
                                         std::span<const TabulatedFunction> tables,
                                         std::span<const double> points) const {
  const std::vector<std::string> names = coordinates();
  const std::size_t d = names.size(), n = points.size() / d;
  const Expr roots[] = {lift};
  ProgramSpec spec;
  spec.outputs = {lift};
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < d; ++k) {
    spec.inputs.push_back(Coordinate(names[k]));
    std::vector<double>& row = rows.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = points[i * d + k];
  }
  for (const Expr& call : data_of(roots)) {
    const auto f = std::find_if(tables.begin(), tables.end(),
                                [&](const TabulatedFunction& t) { return t.name == call.name(); });
    if (f == tables.end()) damaged_model();
    spec.inputs.push_back(call);
    rows.push_back(call_values(*f, names, call, points));
  }
  const Program<double> program(std::move(spec));
  std::vector<const double*> in;
  for (const std::vector<double>& row : rows) in.push_back(row.data());
  std::vector<double> out(n), workspace(program.workspace_size());
  double* const to = out.data();
  program.run(n, in.data(), nullptr, &to, nullptr, workspace.data());
  return out;
}

std::vector<double> DeepOnetMap::pod_at(std::span<const double> points) const {
  const std::size_t d = axes.size(), n = points.size() / d, rows = fields.size() * (1 + width());
  const std::size_t nodes = grid.n_points(), first = axes[0].time ? 1 : 0, K = pod_times.size();
  std::vector<double> out(n * rows);
  std::vector<std::string> names;
  for (const FieldGrid::Axis& a : grid.axes) names.push_back(a.name);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto frame = [&](std::size_t k) {
      return std::span(pod).subspan((r * K + k) * nodes, nodes);
    };
    std::vector<GridTable> tables;
    for (std::size_t k = 0; !grid.is_cloud() && k < K; ++k) {
      tables.emplace_back(grid_rows_of(grid, frame(k), "pod"), names, "pod");
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const double> at = points.subspan(i * d + first, d - first);
      const auto value = [&](std::size_t k) {
        return grid.is_cloud() ? frame(k)[point_of_cloud(grid, at)] : tables[k].value(at);
      };
      // Linear between the times of the training.
      const double t = first == 1 ? points[i * d] : 0;
      std::size_t k = 0;
      while (k + 2 < K && t > pod_times[k + 1]) ++k;
      if (K == 1) {
        out[i * rows + r] = value(0);
      } else {
        const double s =
            std::clamp((t - pod_times[k]) / (pod_times[k + 1] - pod_times[k]), 0.0, 1.0);
        out[i * rows + r] = s == 0   ? value(k)
                            : s == 1 ? value(k + 1)
                                     : (1 - s) * value(k) + s * value(k + 1);
      }
    }
  }
  return out;
}

}  // namespace cauchy::detail
