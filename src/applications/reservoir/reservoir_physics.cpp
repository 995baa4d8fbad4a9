// The equations of a reservoir as residuals of an answer: the balances of a cell that the simulator
// keeps, with the moments of the reports as steps of time.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/tensor/graph.hpp>

#include "applications/reservoir/flow_curves.hpp"
#include "applications/reservoir/flow_grid.hpp"

namespace cauchy {
namespace {

using detail::FlowCurves;

/// Mobilities and capillary pressure of FlowCurves as expressions of a saturation.
class CurveExpressions final {
 public:
  explicit CurveExpressions(const ReservoirFluids& fluids) : fluids_(fluids) {}

  [[nodiscard]] Expr water(const Expr& s) const {
    const CoreyCurves& c = fluids_.curves;
    return c.water_end / fluids_.water_viscosity * pow(moving(s), Expr(c.water_exponent));
  }
  [[nodiscard]] Expr oil(const Expr& s) const {
    const CoreyCurves& c = fluids_.curves;
    return c.oil_end / fluids_.oil_viscosity * pow(1 - moving(s), Expr(c.oil_exponent));
  }
  [[nodiscard]] Expr capillary(const Expr& s) const {
    if (!(fluids_.entry_pressure > 0)) return Expr(0);
    constexpr double bend = 0.05;  // as FlowCurves
    const Expr moved = share(s), bent = max(moved, Expr(bend));
    const Expr at_bend = fluids_.entry_pressure * pow(bent, Expr(-1 / fluids_.pore_index));
    return at_bend - at_bend / (fluids_.pore_index * bent) * (moved - bent);
  }

 private:
  [[nodiscard]] Expr share(const Expr& s) const {
    const CoreyCurves& c = fluids_.curves;
    return (s - c.connate_water) / (1 - c.connate_water - c.residual_oil);
  }
  [[nodiscard]] Expr moving(const Expr& s) const { return max(min(share(s), Expr(1)), Expr(0)); }

  const ReservoirFluids& fluids_;
};

/// Builds the residuals. Fields are values [1, {frames, layers, x, y}]; frame 0 is the beginning.
class ReservoirResiduals final {
 public:
  ReservoirResiduals(TensorGraph& graph, const ReservoirSimulator& simulator,
                     const ReservoirModel& base, int in, int out)
      : g_(graph),
        sim_(simulator),
        base_(base),
        curves_(base.fluids),
        expressions_(base.fluids),
        nz_(base.cells[2]),
        nx_(base.cells[0]),
        ny_(base.cells[1]),
        frames_(simulator.reports + 1),
        in_(in),
        out_(out) {
    const double volume = base.cell_size[0] * base.cell_size[1] * base.cell_size[2];
    k_ = g_.activation(g_.multiply(layers(0), number(std::log(10.0))), Activation::exp);
    pores_ = over_time(g_.multiply(layers(nz_), number(volume)));
    // The pressures of the first report stand in for those at the beginning, which a proxy does not
    // answer: without compressibility they jump there.
    p_ = fields(0, 1);
    s_ = add(fields(nz_, 0), beginning(base.saturation[0]));
  }

  std::vector<SampleResidual> make() {
    std::vector<SampleResidual> all;
    find_fluxes(all);
    find_wells();
    const double dt = sim_.days / sim_.reports;
    // Total flow: a balance of every moment. Answers that are fluxes are one derivative nearer to
    // it.
    SampleResidual total{.name = "total flow", .order = sim_.fluxes ? 1.0 : 2.0};
    const int net = divergence(total_);
    total.summands = {answers(net), answers(liquid_)};
    if (base_.compressibility > 0) {
      const int p = add(fields(0, 0), beginning(base_.pressure[0]));
      const int yield = g_.multiply(pores_, number(base_.compressibility / dt));
      total.summands.push_back(in_time(g_.multiply(yield, p), steps(1)));
    }
    // Water: what is in a cell is what has come, counted from the beginning. The share of the total
    // flow that is water in the cell is taken off where pores do not yield: what the total flow is
    // off is said above, and is no error of the saturation.
    const Symbol s("s");
    const Expr of_water = expressions_.water(s), of_oil = expressions_.oil(s);
    const int fraction =
        g_.expression(std::vector<int>{s_}, {"s"}, {of_water / (of_water + of_oil)});
    SampleResidual water{.name = "water", .order = 1};
    int stored = g_.multiply(pores_, s_);
    if (base_.compressibility > 0) {
      const int p = add(fields(0, 0), beginning(base_.pressure[0]));
      const int grown =
          add(g_.multiply(g_.add(p, number(-base_.pressure[0])), number(base_.compressibility)),
              number(1));
      stored = g_.multiply(stored, grown);
    }
    std::array<int, 3> through = {-1, -1, -1};
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (water_[a] < 0) continue;
      through[a] = integral(water_[a], total_[a], side(pores_, axis, 0), side(pores_, axis, 1), dt);
    }
    const int out = integral(water_out_, liquid_, pores_, pores_, dt);
    int gone = g_.add(divergence(through), out);
    if (!(base_.compressibility > 0)) {
      const int excess = g_.multiply(fraction, g_.add(net, liquid_));
      gone = g_.subtract(gone, in_time(excess, sums(dt)));
    }
    water.summands = {in_time(stored, since_beginning()), gone};
    all.push_back(std::move(total));
    all.push_back(std::move(water));
    for (SampleResidual& r : all) {
      // The rock is less conductive along the depth: what is near there is further away.
      const double deep = 1 / std::sqrt(sim_.vertical);
      r.lengths = {nz_ * base_.cell_size[2] * deep, nx_ * base_.cell_size[0],
                   ny_ * base_.cell_size[1]};
    }
    return all;
  }

 private:
  // --- values ---

  int number(double v) { return g_.constant({1, {}}, {v}); }
  int add(int a, int b) { return g_.add(a, b); }
  [[nodiscard]] std::size_t layer_points() const {
    return static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_);
  }
  [[nodiscard]] std::size_t cells() const { return layer_points() * static_cast<std::size_t>(nz_); }

  /// Input channels from `first` on as one field [1, {layers, x, y}].
  int layers(int first) { return g_.reshape(g_.slice(in_, first, nz_), {1, {nz_, nx_, ny_}}); }

  /// The same at all moments.
  int over_time(int value) {
    std::vector<int> grid = g_.shape(value).grid;
    const std::size_t n = points_of(grid);
    std::vector<std::ptrdiff_t> picks;
    for (int t = 0; t < frames_; ++t) {
      for (std::size_t i = 0; i < n; ++i) picks.push_back(static_cast<std::ptrdiff_t>(i));
    }
    grid.insert(grid.begin(), frames_);
    return g_.pick(value, {1, std::move(grid)}, std::move(picks));
  }

  /// Outputs of every report from channel `first` of it on; `at_beginning`: report that stands in
  /// for frame 0, counted from 1; 0: none, and zeros.
  int fields(int first, int at_beginning) {
    const auto per_report = static_cast<std::size_t>(2 * nz_);
    std::vector<std::ptrdiff_t> picks;
    for (int t = 0; t < frames_; ++t) {
      const int report = t == 0 ? at_beginning : t;
      for (std::size_t c = 0; c < cells(); ++c) {
        const std::size_t channel = static_cast<std::size_t>(std::max(0, report - 1)) * per_report +
                                    static_cast<std::size_t>(first);
        picks.push_back(report == 0 ? -1
                                    : static_cast<std::ptrdiff_t>(channel * layer_points() + c));
      }
    }
    return g_.pick(out_, {1, {frames_, nz_, nx_, ny_}}, std::move(picks));
  }

  /// A number in frame 0, zeros behind it.
  int beginning(double v) {
    std::vector<double> numbers(static_cast<std::size_t>(frames_) * cells(), 0.0);
    std::fill_n(numbers.begin(), cells(), v);
    return g_.constant({1, {frames_, nz_, nx_, ny_}}, std::move(numbers));
  }

  /// Frames behind the first one.
  int answers(int value) {
    std::vector<int> size = g_.shape(value).grid, begin(size.size(), 0);
    begin[0] = 1;
    --size[0];
    return g_.crop(value, std::move(begin), std::move(size));
  }

  // --- time: matrices from all frames to those of the answers ---

  int in_time(int value, std::vector<double> matrix) {
    return g_.along(value, 0, frames_ - 1, std::move(matrix));
  }
  [[nodiscard]] std::vector<double> rows(const std::function<double(int, int)>& entry) const {
    std::vector<double> m;
    for (int t = 1; t < frames_; ++t) {
      for (int k = 0; k < frames_; ++k) m.push_back(entry(t, k));
    }
    return m;
  }
  [[nodiscard]] std::vector<double> steps(double factor) const {
    return rows([&](int t, int k) { return k == t ? factor : k == t - 1 ? -factor : 0.0; });
  }
  [[nodiscard]] std::vector<double> since_beginning() const {
    return rows([](int t, int k) { return k == t ? 1.0 : k == 0 ? -1.0 : 0.0; });
  }
  [[nodiscard]] std::vector<double> sums(double dt) const {
    return rows([&](int t, int k) { return k > 0 && k <= t ? dt : 0.0; });
  }

  /// Water that has flown since the beginning, from its flow at all frames: between two of them a
  /// mean of both, theta of the later one. Where the cell that the flow comes from (of pores `a` or
  /// `b`, by the sign of all flow) changes slowly theta is 1/2; where its pores are filled c times
  /// between two frames, 1 - 1/c: its water has come long before the later one.
  int integral(int water, int all, int a, int b, double dt) {
    const Symbol before("before"), now("now"), u("u"), va("v_a"), vb("v_b");
    const Expr fills = abs(u) * dt / where(u >= 0, va, vb);
    const Expr theta = max(Expr(0.5), 1 - 1 / max(fills, Expr(1)));
    std::vector<int> size = g_.shape(water).grid;
    --size[0];
    const int earlier = g_.crop(water, std::vector<int>(size.size(), 0), size);
    const std::vector<int> values = {earlier, answers(water), answers(all), answers(a), answers(b)};
    const int steps = g_.expression(values, {"before", "now", "u", "v_a", "v_b"},
                                    {dt * (before + theta * (now - before))});
    const int n = frames_ - 1;
    std::vector<double> lower;
    for (int t = 0; t < n; ++t) {
      for (int k = 0; k < n; ++k) lower.push_back(k <= t ? 1 : 0);
    }
    return g_.along(steps, 0, n, std::move(lower));
  }

  // --- fluxes between cells, m3/day, positive towards larger numbers ---

  /// The lower or the upper cells of all faces across an axis (0: depth, 1: x, 2: y).
  int side(int value, int axis, int upper) {
    std::vector<int> size = g_.shape(value).grid, begin(size.size(), 0);
    const std::size_t a = size.size() - 3 + static_cast<std::size_t>(axis);
    size[a] -= 1;
    begin[a] = upper;
    return g_.crop(value, std::move(begin), std::move(size));
  }

  /// The fluxes that are answers across an axis; report 1 stands in for frame 0.
  int answered_fluxes(int axis) {
    const int per_report = 3 * nz_ - 1, first = 2 * nz_ * sim_.reports;
    const int channel = axis == 0 ? 2 * nz_ : (axis - 1) * nz_;
    const int layers = axis == 0 ? nz_ - 1 : nz_;
    std::vector<std::ptrdiff_t> picks;
    for (int t = 0; t < frames_; ++t) {
      const auto begin =
          static_cast<std::size_t>(first + std::max(0, t - 1) * per_report + channel);
      for (std::size_t i = 0; i < layer_points() * static_cast<std::size_t>(layers); ++i) {
        picks.push_back(static_cast<std::ptrdiff_t>(begin * layer_points() + i));
      }
    }
    const int all = g_.pick(out_, {1, {frames_, layers, nx_, ny_}}, std::move(picks));
    return axis == 0 ? all : side(all, axis, 0);
  }

  /// What of a total flux u is water (Brenier, Jaffre): each fluid from its own side.
  int water_of(int total, int axis, int conductance, double drop) {
    const Symbol u("u"), sa("s_a"), sb("s_b"), t("t");
    const Expr wa = expressions_.water(sa), oa = expressions_.oil(sa), wb = expressions_.water(sb),
               ob = expressions_.oil(sb);
    const Expr force = t * ((curves_.water_weight() - curves_.oil_weight()) * drop -
                            (expressions_.capillary(sa) - expressions_.capillary(sb)));
    const Expr w_from_a = where(force >= 0, where(u >= 0, Expr(1), u + ob * force >= 0),
                                where(u >= 0, u + oa * force >= 0, Expr(0)));
    const Expr o_from_a = where(force >= 0, where(u >= 0, u - wa * force >= 0, Expr(0)),
                                where(u >= 0, Expr(1), u - wb * force >= 0));
    const Expr w = expressions_.water(where(w_from_a > 0.5, sa, sb));
    const Expr o = expressions_.oil(where(o_from_a > 0.5, sa, sb));
    const std::vector<int> values = {total, side(s_, axis, 0), side(s_, axis, 1), conductance};
    return g_.expression(values, {"u", "s_a", "s_b", "t"},
                         {w * (u + o * force) / max(w + o, Expr(1e-12))});
  }

  void find_fluxes(std::vector<SampleResidual>& residuals) {
    const std::array<int, 3> n = {nz_, nx_, ny_};
    const std::array<double, 3> d = {base_.cell_size[2], base_.cell_size[0], base_.cell_size[1]};
    const Symbol ka("k_a"), kb("k_b"), pa("p_a"), pb("p_b"), sa("s_a"), sb("s_b"), t("t");
    std::vector<int> answered, driven;  // fluxes: of the answer, and those of its pressures
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      water_[a] = total_[a] = -1;
      if (n[a] < 2) continue;
      const double area = d[0] * d[1] * d[2] / d[a];
      const double factor = darcy_unit * area / d[a] * (axis == 0 ? sim_.vertical : 1);
      const std::vector<int> k_sides = {side(k_, axis, 0), side(k_, axis, 1)};
      const int conductance = over_time(
          g_.multiply(g_.expression(k_sides, {"k_a", "k_b"}, {2 * factor * ka * kb / (ka + kb)}),
                      faults(axis)));
      const double drop = axis == 0 ? d[0] : 0;
      const Expr drive = pa - pb;
      const Expr drive_w = drive - (expressions_.capillary(sa) - expressions_.capillary(sb)) +
                           curves_.water_weight() * drop;
      const Expr drive_o = drive + curves_.oil_weight() * drop;
      // Each fluid comes from where it is driven away. Both may come from where they do not move.
      const double least = lowest_mobility() / 2;
      const Expr from_w = t * expressions_.water(where(drive_w >= 0, sa, sb));
      const Expr from_o = t * expressions_.oil(where(drive_o >= 0, sa, sb));
      const Expr water = from_w * drive_w, oil = from_o * drive_o;
      const std::vector<int> values = {side(p_, axis, 0), side(p_, axis, 1), side(s_, axis, 0),
                                       side(s_, axis, 1), conductance};
      const int both = g_.expression(values, {"p_a", "p_b", "s_a", "s_b", "t"},
                                     {water, water + oil, max(from_w + from_o, least * t)});
      water_[a] = g_.slice(both, 0, 1);
      total_[a] = g_.slice(both, 1, 1);
      if (!sim_.fluxes) continue;
      // Darcy's law as drops of pressure, in bar: rock that conducts well counts as any other.
      const Symbol u("u"), conducts("conducts");
      const int answer = answered_fluxes(axis);
      const auto drop_of = [&](int value) {
        return at_cells(answers(g_.expression(std::vector<int>{value, g_.slice(both, 2, 1)},
                                              {"u", "conducts"}, {u / conducts})),
                        axis);
      };
      answered.push_back(drop_of(answer));
      driven.push_back(g_.multiply(drop_of(total_[a]), number(-1)));
      total_[a] = answer;
      water_[a] = water_of(answer, axis, conductance, drop);
    }
    if (answered.empty()) return;
    residuals.push_back({.name = "flux",
                         .summands = {g_.concatenate(answered), g_.concatenate(driven)},
                         .order = 0});
  }

  /// Multipliers of the faces across an axis.
  int faults(int axis) {
    if (axis == 0 || base_.faults.empty()) return number(1);
    const auto a = static_cast<std::size_t>(axis - 1);
    const std::vector<double> column = detail::fault_multipliers(base_)[a];
    std::vector<double> all;
    for (int k = 0; k < nz_; ++k) all.insert(all.end(), column.begin(), column.end());
    return side(g_.constant({1, {nz_, nx_, ny_}}, std::move(all)), axis, 0);
  }

  /// Of both fluids together in one place.
  [[nodiscard]] double lowest_mobility() const {
    constexpr int places = 200;
    double lowest = INFINITY;
    for (int i = 0; i <= places; ++i) {
      const double s = curves_.lowest() + (curves_.highest() - curves_.lowest()) * i / places;
      lowest = std::min(lowest, curves_.at(s).total());
    }
    return lowest;
  }

  /// Numbers of faces with their lower cells, 0 at the others.
  int at_cells(int value, int axis) {
    std::vector<int> none(4, 0), one(4, 0);
    one[static_cast<std::size_t>(axis) + 1] = 1;
    return g_.pad(value, none, one);
  }

  /// What leaves a cell through its faces.
  int divergence(const std::array<int, 3>& flux) {
    int sum = -1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (flux[a] < 0) continue;
      std::vector<int> none(4, 0), one(4, 0);
      one[1 + a] = 1;
      const int net = g_.subtract(g_.pad(flux[a], none, one), g_.pad(flux[a], one, none));
      sum = sum < 0 ? net : g_.add(sum, net);
    }
    return sum;
  }

  // --- wells: values [1, {frames, perforations}] ---

  struct Wells {
    std::vector<std::size_t> cell, well;
    std::vector<double> index, depth, target, by_rate, injects;
    std::size_t rounds = 0;
  };
  [[nodiscard]] Wells wells() const {
    Wells all;
    std::size_t number = 0;
    for (const detail::WellColumn& w : detail::well_columns(base_)) {
      const bool by_rate = w.control == WellControl::rate;
      for (const detail::Perforation& p : w.perforations) {
        all.cell.push_back(p.cell);
        all.well.push_back(number);
        // Indices are proportional to the permeability of their cell.
        all.index.push_back(p.index / base_.permeability_x[0]);
        all.depth.push_back(p.depth);
        all.target.push_back(w.target);
        all.by_rate.push_back(by_rate ? 1 : 0);
        all.injects.push_back(w.kind == WellKind::injector ? 1 : 0);
      }
      if (by_rate) all.rounds = std::max(all.rounds, w.perforations.size() - 1);
      ++number;
    }
    return all;
  }

  void find_wells() {
    const Wells w = wells();
    const std::size_t n = w.cell.size();
    const std::vector<int> grid = {frames_, static_cast<int>(n)};
    const auto constant = [&](const std::vector<double>& numbers) {
      std::vector<double> all;
      for (int t = 0; t < frames_; ++t) all.insert(all.end(), numbers.begin(), numbers.end());
      return g_.constant({1, grid}, std::move(all));
    };
    const auto at_wells = [&](int value) {
      std::vector<std::ptrdiff_t> picks;
      for (int t = 0; t < frames_; ++t) {
        for (const std::size_t c : w.cell) {
          picks.push_back(static_cast<std::ptrdiff_t>(static_cast<std::size_t>(t) * cells() + c));
        }
      }
      return g_.pick(value, {1, grid}, std::move(picks));
    };
    std::vector<double> same(n * n, 0.0);  // perforations of one well
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) same[i * n + j] = w.well[i] == w.well[j] ? 1 : 0;
    }
    const auto sum = [&](int value) { return g_.along(value, 1, static_cast<int>(n), same); };

    const Symbol s("s"), k("k"), index("index"), injects("injects"), p("p"), wl("wl"),
        water("water"), all("all"), depth("depth"), target("target"), level("level"),
        weight("weight"), weighted("weighted"), open("open"), by_rate("by_rate"),
        pressure("pressure"), rate("rate"), mw("mw"), mt("mt");
    const int s_at = at_wells(s_), p_at = at_wells(p_), k_at = at_wells(over_time(k_));
    const int index_at = constant(w.index), depth_at = constant(w.depth);
    const int target_at = constant(w.target), injects_at = constant(w.injects);
    const int by_rate_at = constant(w.by_rate);
    // Mobilities of the perforations times their index.
    const Expr of_water = index * k * expressions_.water(s);
    const int mobile = g_.expression(std::vector<int>{s_at, k_at, index_at}, {"s", "k", "index"},
                                     {of_water, of_water + index * k * expressions_.oil(s)});
    const int mobile_w = g_.slice(mobile, 0, 1), mobile_t = g_.slice(mobile, 1, 1);
    // The liquid in the well: water, or the mean of what its cells give.
    const double heavy = curves_.water_weight(), light = curves_.oil_weight();
    const Expr density = where(injects > 0.5, Expr(heavy), light + (heavy - light) * water / all);
    const int level_at =
        g_.expression(std::vector<int>{p_at, depth_at, injects_at, sum(mobile_w), sum(mobile_t)},
                      {"p", "depth", "injects", "water", "all"}, {p - depth * density});
    // Cells through which a well would flow the wrong way are shut, round by round.
    int open_at = constant(std::vector<double>(n, 1.0)), rate_at = -1;
    for (std::size_t round = 0;; ++round) {
      const int open_weight = g_.multiply(open_at, mobile_t);
      const int pressure_at = g_.expression(
          std::vector<int>{by_rate_at, target_at, sum(g_.multiply(open_weight, level_at)),
                           sum(open_weight)},
          {"by_rate", "target", "weighted", "weight"},
          {where(by_rate > 0.5, (weighted - target) / max(weight, Expr(1e-30)), target)});
      rate_at = g_.multiply(open_weight, g_.subtract(level_at, pressure_at));
      open_at =
          g_.expression(std::vector<int>{open_at, rate_at, injects_at}, {"open", "rate", "injects"},
                        {open * where(injects > 0.5, rate <= 0, rate >= 0)});
      if (round == w.rounds) break;
    }
    rate_at = g_.multiply(rate_at, open_at);
    const int water_at = g_.expression(std::vector<int>{rate_at, injects_at, mobile_w, mobile_t},
                                       {"rate", "injects", "mw", "mt"},
                                       {rate * where(injects > 0.5, Expr(1), mw / mt)});
    auto to_cells = std::make_shared<PointMatrix>();
    to_cells->columns = n * static_cast<std::size_t>(frames_);
    to_cells->offsets.push_back(0);
    for (std::size_t t = 0; t < static_cast<std::size_t>(frames_); ++t) {
      for (std::size_t c = 0; c < cells(); ++c) {
        for (std::size_t i = 0; i < n; ++i) {
          if (w.cell[i] != c) continue;
          to_cells->points.push_back(t * n + i);
          to_cells->weights.push_back(1);
        }
        to_cells->offsets.push_back(to_cells->points.size());
      }
    }
    liquid_ = g_.sparse(rate_at, to_cells, {frames_, nz_, nx_, ny_});
    water_out_ = g_.sparse(water_at, to_cells, {frames_, nz_, nx_, ny_});
  }

  TensorGraph& g_;
  const ReservoirSimulator& sim_;
  const ReservoirModel& base_;
  FlowCurves curves_;
  CurveExpressions expressions_;
  int nz_, nx_, ny_, frames_, in_, out_;
  int k_ = -1, pores_ = -1, p_ = -1, s_ = -1, liquid_ = -1, water_out_ = -1;
  std::array<int, 3> water_ = {-1, -1, -1}, total_ = {-1, -1, -1};  // across depth, x, y
};

}  // namespace

std::vector<SampleResidual> ReservoirSource::add_residuals(TensorGraph& graph, int in,
                                                           int out) const {
  if (simulator_.placement > 0) {
    throw Error(ErrorKind::unsupported, "wells that move have no equations in a loss yet",
                "[train.physics]", "use placement = 0, or leave its weight at 0");
  }
  const ReservoirModel model = base();
  const bool sealed =
      std::ranges::any_of(model.faults, [](const ReservoirFault& f) { return f.multiplier == 0; });
  if (has_random_faults() || (simulator_.fluxes && sealed)) {
    throw Error(ErrorKind::unsupported,
                has_random_faults() ? "faults that vary have no equations in a loss yet"
                                    : "fluxes through a sealed fault have no drop of pressure",
                "[train.physics]", "leave its weight at 0");
  }
  return ReservoirResiduals(graph, simulator_, model, in, out).make();
}

std::vector<double> ReservoirSource::draw(std::uint64_t seed, std::uint64_t number) const {
  return inputs_of(model(seed, number));
}

}  // namespace cauchy
