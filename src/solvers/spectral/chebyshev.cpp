#include "solvers/spectral/chebyshev.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "math/dense_work.hpp"
#include "solvers/classical/family_field.hpp"  // lobatto_points
#include "solvers/classical/grid_field.hpp"
#include "solvers/spectral/chebyshev_march.hpp"

namespace cauchy::detail {
namespace {

/// Coefficients per axis of space and of time, and the tolerance for the last ones.
struct ChebyshevSize {
  std::size_t space, time;
  double tolerance;
};
constexpr std::array<ChebyshevSize, 6> line_sizes = {{{8, 6, 1e-3},
                                                      {12, 8, 1e-5},
                                                      {16, 10, 1e-7},
                                                      {20, 12, 1e-9},
                                                      {24, 14, 1e-11},
                                                      {28, 16, 1e-12}}};
constexpr std::array<ChebyshevSize, 9> plane_sizes = {{{8, 4, 1e-3},
                                                       {12, 5, 1e-4},
                                                       {16, 6, 1e-6},
                                                       {20, 7, 1e-8},
                                                       {24, 8, 1e-9},
                                                       {32, 8, 1e-10},
                                                       {40, 8, 1e-10},
                                                       {48, 8, 1e-10},
                                                       {64, 8, 1e-10}}};
constexpr std::array<ChebyshevSize, 6> room_sizes = {
    {{6, 1, 1e-3}, {8, 1, 1e-4}, {10, 1, 1e-5}, {12, 1, 1e-6}, {14, 1, 1e-7}, {16, 1, 1e-8}}};

std::span<const ChebyshevSize> chebyshev_sizes(std::size_t dimension) {
  if (dimension == 1) return line_sizes;
  if (dimension == 2) return plane_sizes;
  return room_sizes;
}

class ChebyshevSolver final : public ClassicalSolver {
 public:
  ChebyshevSolver(std::shared_ptr<const Problem> problem, const Spectral& options)
      : box_(chebyshev_box(std::move(problem))) {
    const std::span<const ChebyshevSize> sizes = chebyshev_sizes(box_.dimension());
    if (options.n > 0) {
      // Fewer could not hold the highest derivative and the conditions on it.
      const std::size_t n = std::max<std::size_t>(static_cast<std::size_t>(options.n),
                                                  static_cast<std::size_t>(box_.highest) + 2);
      const double tolerance = options.tolerance > 0 ? options.tolerance / 100 : 1e-9;
      for (const std::size_t size : {n - n / 2, n - n / 4, n}) {
        if (size != n && size < least_compared) continue;
        levels_.push_back(level_of({size, std::clamp<std::size_t>(size, 6, 12), tolerance}));
        levels_.back().cut = false;
      }
      coarser_ = static_cast<int>(levels_.size()) - 1;
      return;
    }
    const std::size_t size = sizes[0].space - sizes[0].space / 4;
    if (size >= least_compared && size > static_cast<std::size_t>(box_.highest) + 2) {
      const std::size_t in_time = std::max<std::size_t>(sizes[0].time, 2) - 1;
      levels_.push_back(level_of({size, in_time, 10 * sizes[0].tolerance}));
      coarser_ = 1;
    }
    for (const ChebyshevSize& s : sizes) {
      if (s.space > static_cast<std::size_t>(box_.highest) + 2) levels_.push_back(level_of(s));
    }
  }

  [[nodiscard]] int levels() const override { return static_cast<int>(levels_.size()) - coarser_; }
  [[nodiscard]] int coarser() const override { return coarser_; }
  [[nodiscard]] double order() const override { return of_series; }

  [[nodiscard]] MethodCost cost(int level) const override {
    const ChebyshevLevel& l = levels_[static_cast<std::size_t>(coarser_ + level)];
    double n = static_cast<double>(box_.fields.size());
    for (const std::size_t k : l.n) n *= static_cast<double>(k);
    // Guesses: pieces of a line, slabs with those that are tried in vain, iterations.
    const bool cuts = box_.dimension() == 1 && l.cut;
    const double iterations = box_.linear ? 1 : 5;
    double pieces = !cuts ? 1 : box_.linear ? 2 : 4, slabs = !box_.marches ? 1 : 8;
    if (cuts && meets_shocks()) {
      pieces = 40;
      slabs = 1000;
    }
    const double times = iterations * slabs;
    MethodCost c;
    c.method = describe(l);
    c.unknowns = static_cast<std::size_t>(n * pieces * slabs);
    c.work =
        work_of_piece(n, pieces > 1 ? n / static_cast<double>(l.n[1]) : 0).times(times * pieces);
    c.bytes = pieces * 2.6 * 8 * n * n + 8 * n * pieces * slabs;
    c.less = "take a smaller n";
    return c;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    const ChebyshevLevel& l = levels_[static_cast<std::size_t>(coarser_ + level)];
    ClassicalAnswer out;
    out.method = describe(l);
    std::uint64_t step = 0;
    const auto stop = [&](double now) {
      ProgressValue time{.value = now};
      if (box_.time) time.name = box_.time->name;
      options.limit.show({.step = ++step,
                          .values = {&time, box_.time ? 1u : 0u},
                          .message = out.method,
                          .stage = "collocation"});
      return options.limit.reached();
    };
    ChebyshevRun run =
        box_.marches ? march_chebyshev(box_, l, stop) : chebyshev_at_once(box_, l, stop);
    out.n_unknowns = run.unknowns;
    out.interrupted = run.interrupted;
    out.remarks = std::move(run.remarks);
    if (!run.trouble.empty()) out.troubles.push_back(std::move(run.trouble));
    if (!out.troubles.empty() || out.interrupted) return out;
    const std::size_t pieces = run.slabs.back().grid.pieces();
    if (pieces > 1) out.remarks.push_back(fmt::format("space is cut into {} pieces", pieces));
    if (run.slabs.size() > 1) {
      out.remarks.push_back(fmt::format("time is cut into {} slabs", run.slabs.size()));
    }
    out.model = field_of(run.slabs);
    return out;
  }

 private:
  /// Jumps that nothing smooths stay steep: pieces become as short as they may.
  [[nodiscard]] bool meets_shocks() const {
    const auto is_smoothed = [](const std::vector<int>& orders) {
      return std::any_of(orders.begin() + 1, orders.end(), [](int order) { return order > 1; });
    };
    return box_.marches && !box_.linear && !box_.kinks.empty() &&
           std::none_of(box_.orders.begin(), box_.orders.end(), is_smoothed);
  }

  /// Rows of n unknowns are put together and reduced; `shared` ones go over to the next piece for
  /// every derivative.
  [[nodiscard]] Work work_of_piece(double n, double shared) const {
    const double rows = 1.3 * n, coupled = shared * std::max(1, box_.highest);
    const auto size = static_cast<std::size_t>(n);
    Work work = dense_work(2 * rows * n * n, size, speed_of_reflections);
    work += dense_work(6 * coupled * n * n, 2 * size, speed_of_rotations);
    work.add(WorkKind::pieces, 0.4 * (rows * n + 2 * coupled * n));
    return work;
  }

  [[nodiscard]] ChebyshevLevel level_of(const ChebyshevSize& s) const {
    ChebyshevLevel l;
    l.n = {box_.time ? (box_.marches ? s.time : s.space) : 1};
    l.n.insert(l.n.end(), box_.dimension(), s.space);
    l.tolerance = s.tolerance;
    return l;
  }

  [[nodiscard]] std::string describe(const ChebyshevLevel& l) const {
    const std::span<const std::size_t> of_space = std::span(l.n).subspan(1);
    std::string text = fmt::format("spectral, Chebyshev {}", fmt::join(of_space, " x "));
    if (box_.time) text += fmt::format(", {} in time", l.n[0]);
    return text;
  }

  static GridAxis axis_of(const std::string& name, const std::vector<double>& breaks,
                          std::size_t n) {
    GridAxis axis{name, {breaks[0]}, GridAxis::Kind::chebyshev, 0, static_cast<int>(n)};
    for (std::size_t e = 0; e + 1 < breaks.size(); ++e) {
      const std::vector<double> nodes = lobatto_points(breaks[e], breaks[e + 1], n);
      axis.nodes.insert(axis.nodes.end(), nodes.begin() + 1, nodes.end());
    }
    if (breaks.size() > 2) axis.kind = GridAxis::Kind::pieces;
    return axis;
  }

  /// All slabs on the pieces of the last one, which has those of all others.
  [[nodiscard]] std::shared_ptr<const FieldModel> field_of(
      const std::vector<ChebyshevAnswer>& slabs) const {
    const ChebyshevGrid& last = slabs.back().grid;
    std::vector<GridAxis> axes;
    if (box_.time) {
      std::vector<double> ends = {slabs[0].grid.from};
      for (const ChebyshevAnswer& s : slabs) ends.push_back(s.grid.to);
      axes.push_back(axis_of(box_.time->name, ends, last.n[0]));
    }
    axes.push_back(axis_of(box_.space[0], last.breaks, last.n[1]));
    std::vector<std::vector<double>> at = {{0}, axes.back().nodes};
    for (std::size_t a = 1; a < box_.dimension(); ++a) {
      axes.push_back(axis_of(box_.space[a], {box_.lower[a], box_.upper[a]}, last.n[a + 1]));
      at.push_back(axes.back().nodes);
    }
    std::vector<std::vector<double>> values(box_.fields.size());
    const std::vector<int> orders(at.size(), 0);
    for (const ChebyshevAnswer& s : slabs) {
      if (box_.time) {
        at[0] = lobatto_points(s.grid.from, s.grid.to, s.grid.n[0]);
        if (&s != slabs.data()) at[0].erase(at[0].begin());
      }
      for (std::size_t f = 0; f < values.size(); ++f) {
        const std::vector<double> more = chebyshev_values(box_, s, f, orders, at);
        values[f].insert(values[f].end(), more.begin(), more.end());
      }
    }
    return std::make_shared<GridField>("spectral", box_.problem, std::move(axes), box_.fields,
                                       std::move(values));
  }

  ChebyshevBox box_;
  std::vector<ChebyshevLevel> levels_;
  int coarser_ = 0;                                 // of them lie below level 0
  static constexpr std::size_t least_compared = 6;  // nodes along an axis
};

}  // namespace

std::unique_ptr<ClassicalSolver> make_chebyshev_solver(std::shared_ptr<const Problem> problem,
                                                       const Spectral& options) {
  return std::make_unique<ChebyshevSolver>(std::move(problem), options);
}

}  // namespace cauchy::detail
