#include "solvers/fdm/flow.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/problem/place.hpp>

#include "solvers/fdm/flow_nodes.hpp"
#include "solvers/fdm/flow_steady.hpp"
#include "solvers/fdm/flow_unsteady.hpp"

namespace cauchy::detail {
namespace {

constexpr int coarsest_cells = 16;  // along the longest side, at level 0; half of it in space
constexpr int least_cells = 4;      // along any side
constexpr double balance_limit = 0.05;

class FlowSolver final : public ClassicalSolver {
 public:
  FlowSolver(std::shared_ptr<const Problem> problem, FlowForm form, const Fdm& method)
      : problem_(std::move(problem)),
        form_(std::move(form)),
        n_(method.n),
        order_(form_.time.empty() && n_ == 0 ? 4 : method.order) {
    const ShapePtr box = domain_of(*problem_).shape();
    for (std::size_t k = 0; k < form_.space.size(); ++k) {
      sides_.push_back(box->bounds().upper[k] - box->bounds().lower[k]);
    }
    const FlowGrid probe(*problem_, form_, std::vector<int>(sides_.size(), least_cells));
    // What the conditions of a grid refuse, they refuse now.
    for (std::size_t m = 0; m < sides_.size() && !form_.time.empty(); ++m) {
      for (std::size_t k = 0; k < sides_.size(); ++k) {
        for (const bool upper : {false, true}) {
          if (!form_.periodic[k]) (void)probe.gives_values(m, k, upper);
        }
      }
    }
    for (std::size_t k = 0; k < sides_.size() && form_.time.empty(); ++k) {
      for (const Expr& atom : field_atoms({&form_.momentum[k], 1})) (void)probe.derivative(atom, k);
    }
  }

  [[nodiscard]] int levels() const override {
    if (n_ > 0) return 1;
    return sides_.size() == 3 ? 4 : 5;
  }
  [[nodiscard]] int coarser() const override { return n_ > 0 ? halvings(n_, 2 * least_cells) : 0; }
  [[nodiscard]] double order() const override { return order_; }

  [[nodiscard]] MethodCost cost(int level) const override {
    double cells = 1;
    for (const int n : cells_of(level)) cells *= n;
    const double dim = static_cast<double>(sides_.size());
    MethodCost cost;
    cost.method = name_of_level(level);
    cost.unknowns = static_cast<std::size_t>(cells * (dim + 1));
    if (form_.time.empty()) {
      // Factors of a grid: n log n and n^1.5 in the plane, n^4/3 and n^2 in space.
      const double n = cells * (dim + 1);
      const double fill = dim == 2 ? n * std::log2(n) : std::pow(n, 4.0 / 3);
      cost.bytes = 200 * n + 250 * fill;
      cost.work.add(WorkKind::factors, dim == 2 ? 800 * std::pow(n, 1.5) : 250 * n * n);
    } else {
      cost.bytes = cells * (dim + 1) * 8 * (60 + static_cast<double>(states_of(level)));
      const Cells along = cells_of(level);
      cost.work.add(WorkKind::pieces, 100 * cells * *std::max_element(along.begin(), along.end()));
    }
    cost.less = "use fewer cells: n";
    return cost;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    ClassicalAnswer answer;
    answer.method = name_of_level(level);
    answer.n_unknowns = cost(level).unknowns;
    answer.remarks = form_.remarks;
    return form_.time.empty() ? steady(level, options, std::move(answer))
                              : unsteady(level, options, std::move(answer));
  }

 private:
  using Cells = std::vector<int>;

  [[nodiscard]] Cells cells_of(int level) const {
    const int first = sides_.size() == 3 ? coarsest_cells / 2 : coarsest_cells;
    const int n = cells_at(n_ > 0 ? n_ : first, level);
    const double longest = *std::max_element(sides_.begin(), sides_.end());
    Cells cells;
    for (const double side : sides_) {
      const double share = n * side / longest;
      // Even numbers: every second node belongs to the coarser grid.
      cells.push_back(order_ > 2 || n_ == 0
                          ? std::max(2 * least_cells, 2 * static_cast<int>(std::lround(share / 2)))
                          : std::max(least_cells, static_cast<int>(std::lround(share))));
    }
    return cells;
  }
  [[nodiscard]] std::string name_of_level(int level) const {
    const Cells cells = cells_of(level);
    std::string text = "fdm, staggered, ";
    for (std::size_t k = 0; k < cells.size(); ++k) {
      text += fmt::format("{}{}", k > 0 ? " x " : "", cells[k]);
    }
    return text + fmt::format(", order {}", order_);
  }
  [[nodiscard]] std::size_t states_of(int level) const {
    const Cells cells = cells_of(level);
    const int longest = *std::max_element(cells.begin(), cells.end());
    return static_cast<std::size_t>(std::clamp(longest / 2, 32, 128)) + 1;
  }
  void finish(ClassicalAnswer& answer, std::vector<GridAxis> axes,
              std::vector<std::vector<double>> values) const {
    for (const std::vector<double>& v : values) {
      answer.finite = answer.finite &&
                      std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
    }
    std::vector<std::string> fields = form_.velocity;
    fields.push_back(form_.pressure);
    answer.model = std::make_shared<GridField>("fdm", problem_, std::move(axes), std::move(fields),
                                               std::move(values));
  }

  /// The flow on a grid, from that on the grid of half as many cells. Nothing when that failed.
  const FlowNodes* steady_nodes(const Cells& cells, const RunOptions& options,
                                ClassicalAnswer& answer) {
    if (const auto known = flows_.find(cells); known != flows_.end()) return &known->second;
    const FlowGrid grid(*problem_, form_, cells);
    std::vector<double> start;
    if (*std::min_element(cells.begin(), cells.end()) >= 2 * coarsest_cells) {
      Cells half = cells;
      for (int& n : half) n = (n + 1) / 2;
      ClassicalAnswer ignored;  // a coarser grid may fail where a finer one does not
      if (const FlowNodes* coarse = steady_nodes(half, options, ignored)) {
        start = flow_on_grid(*coarse, grid);
      }
      answer.interrupted = answer.interrupted || ignored.interrupted;
    }
    if (answer.interrupted) return nullptr;
    SteadyFlow flow = steady_flow(*problem_, form_, grid, std::move(start),
                                  [&] { return options.limit.reached(); });
    answer.interrupted = flow.interrupted;
    if (!flow.trouble.empty()) answer.troubles.push_back(flow.trouble);
    if (flow.interrupted || !flow.trouble.empty()) return nullptr;
    const FlowDivergence divergence = flow_divergence(*problem_, form_, grid, flow.x);
    double speed = 0;
    for (std::size_t i = 0; i < grid.offset(grid.dimension()); ++i) {
      speed = std::max(speed, std::abs(flow.x[i]));
    }
    const double longest = *std::max_element(sides_.begin(), sides_.end());
    if (!(std::abs(divergence.forced) * longest <= balance_limit * speed)) {
      answer.troubles.emplace_back("the walls let more fluid in than out");
    }
    return &flows_.emplace(cells, flow_at_nodes(form_, grid, flow.x, grid.walls(0))).first->second;
  }

  ClassicalAnswer steady(int level, const RunOptions& options, ClassicalAnswer answer) {
    const Cells cells = cells_of(level);
    const FlowNodes* fine = steady_nodes(cells, options, answer);
    if (fine == nullptr) return answer;
    FlowNodes nodes = *fine;
    if (order_ > 2) {
      Cells half = cells;
      for (int& n : half) n /= 2;
      const FlowNodes* coarse = steady_nodes(half, options, answer);
      if (coarse == nullptr) return answer;
      nodes = extrapolated(nodes, *coarse);
      answer.remarks.push_back("extrapolated from two grids of second order");
    }
    finish(answer, std::move(nodes.axes), std::move(nodes.values));
    return answer;
  }

  ClassicalAnswer unsteady(int level, const RunOptions& options, ClassicalAnswer answer) {
    const FlowGrid grid(*problem_, form_, cells_of(level));
    Threads threads(options.threads);
    UnsteadyFlow flow =
        unsteady_flow(*problem_, form_, grid, states_of(level), threads, [&](double share) {
          options.limit.show({.step = static_cast<std::uint64_t>(100 * share),
                              .total = 100,
                              .message = answer.method,
                              .stage = "time"});
          return options.limit.reached();
        });
    answer.interrupted = flow.interrupted;
    if (!flow.trouble.empty()) answer.troubles.push_back(flow.trouble);
    if (flow.interrupted || !flow.trouble.empty()) return answer;
    answer.remarks.push_back(fmt::format("{} steps in time", flow.steps));
    if (!(flow.divergence < 1e-8)) {
      answer.troubles.push_back(
          fmt::format("the pressure leaves a divergence of {:.1e}", flow.divergence));
    }
    std::vector<GridAxis> axes = flow.states.front().axes;
    GridAxis time;
    time.name = form_.time;
    time.nodes = flow.times;
    axes.insert(axes.begin(), std::move(time));
    std::vector<std::vector<double>> values(sides_.size() + 1);
    for (FlowNodes& state : flow.states) {
      for (std::size_t f = 0; f < values.size(); ++f) {
        values[f].insert(values[f].end(), state.values[f].begin(), state.values[f].end());
      }
    }
    finish(answer, std::move(axes), std::move(values));
    return answer;
  }

  std::shared_ptr<const Problem> problem_;
  FlowForm form_;
  int n_, order_;
  std::vector<double> sides_;
  std::map<Cells, FlowNodes> flows_;
};

}  // namespace

std::unique_ptr<ClassicalSolver> make_flow_solver(std::shared_ptr<const Problem> problem,
                                                  const Fdm& method) {
  std::optional<FlowForm> form = flow_form(*problem);
  if (!form) return nullptr;
  if (method.upwind == Upwind::always) {
    throw Error(ErrorKind::unsupported, "flow on a staggered grid takes central differences",
                "[solvers.fdm]", "leave upwind at \"auto\", or use a finer grid");
  }
  if (method.order != 2 && (method.order != 4 || !form->time.empty())) {
    throw Error(ErrorKind::unsupported,
                fmt::format("flow {} is not solved with order {}",
                            form->time.empty() ? "at rest in time" : "in time", method.order),
                "[solvers.fdm]", form->time.empty() ? "use order 2 or 4" : "use order 2");
  }
  return std::make_unique<FlowSolver>(std::move(problem), std::move(*form), method);
}

}  // namespace cauchy::detail
