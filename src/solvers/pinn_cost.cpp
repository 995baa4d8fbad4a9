#include <cauchy/solvers/pinn_cost.hpp>

#include <algorithm>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/engine/residual_form.hpp>

#include "solvers/pinn_terms.hpp"

namespace cauchy {
namespace {

constexpr double flops_per_second = 5e9;  // of one thread
constexpr double bytes_per_second = 8e9;  // of the memory

}  // namespace

PinnCost estimate_cost(const Problem& problem, const Pinn& method, int threads) {
  check(problem);
  const detail::Lowering lower(problem);
  const detail::Sizes sizes = detail::characteristic_sizes(problem, lower, method.scale);
  const detail::PinnLoss loss = detail::make_loss(problem, method, lower, sizes);
  const Graph graph = detail::make_pinn_graph(problem, method, lower, sizes);
  const std::vector<std::string> coordinates = problem.coordinates(), fields = problem.all_fields();
  PinnCost cost;
  cost.threads = Threads(threads).size();
  cost.parameters = graph.n_parameters();
  const auto add = [&](const std::string& name, std::span<const Expr> residuals,
                       std::span<const Expr> data, std::size_t points) {
    const ResidualForm form = residual_form(residuals, coordinates, fields, true, name, data);
    cost.terms.push_back({name, points, form.jets.size()});
    cost.points += points;
    cost.flops_per_step += 6.0 * static_cast<double>(cost.parameters) *
                           static_cast<double>(form.jets.size()) * static_cast<double>(points);
    // Arena of a thread: values and adjoints of a block are made to fit into the cache.
    const double values = static_cast<double>(method.network.width) *
                          static_cast<double>(method.network.depth + 1) *
                          static_cast<double>(form.jets.size());
    const double block = std::max(16.0, static_cast<double>(l2_cache_bytes()) / 8 / (2 * values));
    cost.bytes = std::max(cost.bytes, cost.threads * 8 * 2 * values * std::min(block, 256.0));
  };
  for (const auto& t : loss.terms) add(t.term.name, t.term.residuals, t.term.data, t.n);
  for (const auto& i : loss.integrals) {
    const Expr residuals[] = {i.integrand};
    std::vector<Expr> data;
    for (const Expr& e : postorder(residuals)) {
      if (e.kind() == Kind::symbol || e.kind() == Kind::call) data.push_back(e);
    }
    add(i.name, residuals, data, i.points.size());
  }
  if (method.points.batch > 0) {  // only some of the points of each term take part in a step
    double part = 0;
    for (const auto& t : cost.terms) {
      part += 6.0 * static_cast<double>(cost.parameters) * t.components *
              static_cast<double>(std::min(t.points, method.points.batch));
    }
    cost.flops_per_step = part;
  }
  // Beyond the loss: vectors, the dense inverse Hessian, or the Jacobian and its factors.
  const double n = static_cast<double>(cost.parameters);
  double rows = 0;
  for (std::size_t i = 0; i < loss.terms.size(); ++i) {
    rows += static_cast<double>(loss.terms[i].term.residuals.size() * cost.terms[i].points);
  }
  const double per_loss = 1.1 * cost.flops_per_step / (flops_per_second * cost.threads);
  double seconds = 0, numbers = 0;
  cost.stages =
      method.stages.empty() ? default_stages(cost.parameters, method.precision) : method.stages;
  for (const Stage& s : cost.stages) {
    cost.steps += s.steps;
    double more = 0, memory = 8 * n;
    switch (entry_of(s.method).kind) {
      case OptimizerKind::first_order:
        break;
      case OptimizerKind::quasi_newton:
        if (const auto* lbfgs = std::get_if<LbfgsOptions>(&s.method)) {
          memory = (2.0 * static_cast<double>(lbfgs->memory) + 8) * n;
        } else if (std::holds_alternative<NewtonOptions>(s.method)) {
          memory = 3 * n * n;
          more = 2 * n * per_loss + n * n * n / 3 / flops_per_second;
        } else {
          memory = n * n / 2 + 46 * n;
          more = 8 * n * n / bytes_per_second;  // half of the matrix, read and written
        }
        break;
      case OptimizerKind::least_squares: {
        const double small = std::min(rows, n), large = std::max(rows, n);
        memory = rows * n + 4 * small * small;
        more = 5 * per_loss + large * small * small / flops_per_second;
        break;
      }
    }
    numbers = std::max(numbers, memory);
    seconds += static_cast<double>(s.steps) * (per_loss + more);
  }
  cost.bytes += 8 * (numbers + static_cast<double>(coordinates.size() + 2) *
                                   static_cast<double>(cost.points));
  cost.seconds_per_step = cost.steps > 0 ? seconds / static_cast<double>(cost.steps) : 0;
  return cost;
}

}  // namespace cauchy
