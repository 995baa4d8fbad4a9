#include <algorithm>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/engine/residual_form.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_intervals.hpp"

namespace cauchy {
namespace {

constexpr double flops_per_second = 5e9;  // of one thread
constexpr double bytes_per_second = 8e9;  // of the memory

/// What a step of an optimiser takes beside one evaluation of the loss with its gradient.
struct StageCost {
  double seconds = 0, doubles = 0;
};

/// Doubles that a run keeps for a coordinate of a point: as drawn, of the term, in the executor and
/// on the way (measured: 70 bytes for a point of two coordinates, in all).
constexpr double copies_of_points = 4;

/// The equations of a least-squares method; nothing for another one.
const StepEquations* equations_of(const OptimizerOptions& method) {
  if (const auto* m = std::get_if<GaussNewtonOptions>(&method)) return &m->equations;
  if (const auto* m = std::get_if<LevenbergMarquardtOptions>(&method)) return &m->equations;
  if (const auto* m = std::get_if<NaturalGradientOptions>(&method)) return &m->equations;
  return nullptr;
}

/// m rows, n parameters.
StageCost least_squares_cost(const OptimizerOptions& method, double m, double n, double per_loss) {
  const StepEquations& equations = *equations_of(method);
  // Levenberg-Marquardt solves for about four dampings in a step.
  const double solutions = std::holds_alternative<LevenbergMarquardtOptions>(method) ? 4 : 1;
  if (equations.space == StepSpace::matrix_free) {
    // Two products with J per iteration of CGLS, each about a gradient; half of the most
    // iterations.
    const double cg = 0.5 * std::min({static_cast<double>(equations.max_cg), m, n});
    return {(5 + 2 * cg * solutions) * per_loss, 8 * m + 14 * n};
  }
  const bool sample =
      equations.space == StepSpace::sample || (equations.space == StepSpace::automatic && m < n);
  const double size = sample ? m : n, other = sample ? n : m;
  // J'J or J J', then its Cholesky factors; QR takes three times as long.
  const double flops = other * size * size + solutions * size * size * size / 3;
  const double slower = equations.solver == StepSolver::qr ? 3 : 1;
  return {5 * per_loss + slower * flops / flops_per_second,
          m * n + 2 * size * size + 8 * m + 14 * n};
}

/// Adam, and for every matrix of weights the factors and bases of its sides.
StageCost soap_cost(const SoapOptions& soap, const Graph& graph) {
  StageCost cost{0, 8 * static_cast<double>(graph.n_parameters())};
  const double every = std::max(1.0, static_cast<double>(soap.precondition_frequency));
  double flops = 0;
  const auto add = [&](double rows, double cols) {
    for (const double side : {rows, cols}) {
      if (side > static_cast<double>(soap.max_precond_dim)) continue;
      cost.doubles += 2 * side * side;
      flops += 7 * rows * cols * side;
      flops += 5 * side * side * side / every;
    }
  };
  for (const MatrixBlock& b : soap.blocks) {
    add(static_cast<double>(b.rows), static_cast<double>(b.cols));
  }
  if (soap.blocks.empty()) {  // the matrices of the network are taken
    for (const ParameterBlock& b : graph.parameters()) {
      if (b.role != ParameterBlock::Role::weight) continue;
      add(static_cast<double>(b.rows), static_cast<double>(b.cols));
    }
  }
  cost.seconds = flops / flops_per_second;
  return cost;
}

/// Vectors, the dense inverse Hessian, or the Jacobian and its factors.
StageCost stage_cost(const OptimizerOptions& method, std::uint64_t steps, const Graph& graph,
                     double rows, double per_loss) {
  const double n = static_cast<double>(graph.n_parameters());
  switch (entry_of(method).kind) {
    case OptimizerKind::first_order:
      break;
    case OptimizerKind::quasi_newton:
      if (const auto* lbfgs = std::get_if<LbfgsOptions>(&method)) {
        const auto pairs = static_cast<double>(std::min<std::uint64_t>(lbfgs->memory, steps));
        return {0, (2 * pairs + 8) * n};
      }
      if (std::holds_alternative<NewtonOptions>(method)) {
        return {2 * n * per_loss + n * n * n / 3 / flops_per_second, 3 * n * n};
      }
      // Half of the matrix, read and written.
      return {8 * n * n / bytes_per_second, n * n / 2 + 46 * n};
    case OptimizerKind::least_squares:
      return least_squares_cost(method, rows, n, per_loss);
  }
  if (const auto* soap = std::get_if<SoapOptions>(&method)) return soap_cost(*soap, graph);
  return {0, 8 * n};
}

}  // namespace

MethodCost detail::cost_of(const PinnAssembly& pinn, int threads) {
  const Pinn& method = pinn.method;
  const Graph& graph = *pinn.graph;
  const std::vector<std::string> coordinates = pinn.problem->coordinates();
  std::vector<std::string> fields;
  for (const Graph::Output& output : graph.outputs()) fields.push_back(output.field);
  MethodCost cost;
  TrainingCost training;
  cost.threads = Threads::size_of(threads);
  cost.method = pinn.describe();
  cost.unknowns = graph.n_parameters();
  const auto parameters = static_cast<double>(cost.unknowns);
  // A term looks at the network of one piece.
  const double n_pieces = pinn.pieces ? static_cast<double>(pinn.pieces->size()) : 1;
  // Values of the network for one component of one point.
  double values = 0;
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role == ParameterBlock::Role::weight) values += b.rows;
  }
  // Rows of least squares. Batches are for first-order methods; the others take all points.
  double all_flops = 0, some_flops = 0, rows = 0;
  for (const PinnTerm& t : pinn.loss.terms) {
    const ResidualForm form =
        residual_form(t.term.residuals, coordinates, fields, true, t.term.name, t.term.data);
    const int components = form.jets.size();
    training.terms.push_back({t.term.name, t.n, components});
    training.points += t.n;
    const double per_point = 6.0 * parameters / n_pieces * components;
    const bool batches = method.points.batch > 0 && !t.groups;
    const std::size_t some = batches ? std::min(t.n, method.points.batch) : t.n;
    all_flops += per_point * static_cast<double>(t.n);
    some_flops += per_point * static_cast<double>(some);
    const std::size_t n_rows = t.groups ? t.groups->size() : t.n;
    rows += static_cast<double>(t.term.residuals.size() * n_rows);
    // Arena of a thread: values and adjoints of a block are made to fit into the cache.
    const double per_block = 2 * values * components;
    const double block = std::max(16.0, static_cast<double>(nominal_cache_bytes) / 8 / per_block);
    cost.bytes = std::max(cost.bytes, cost.threads * 8 * per_block * std::min(block, 256.0));
  }
  training.flops_per_step = some_flops;
  training.stages = pinn.stages;
  double numbers = 0;
  for (const Stage& s : training.stages) {
    training.steps += s.steps;
    const bool batches = entry_of(s.method).kind == OptimizerKind::first_order;
    const double per_loss =
        1.1 * (batches ? some_flops : all_flops) / (flops_per_second * cost.threads);
    const StageCost stage = stage_cost(s.method, s.steps, graph, rows, per_loss);
    numbers = std::max(numbers, stage.doubles);
    cost.seconds += static_cast<double>(s.steps) * (per_loss + stage.seconds);
  }
  const double of_intervals = interval_operations(pinn, rows);
  if (of_intervals > 0) numbers = std::max(numbers, (rows + parameters) * parameters);
  const double of_points = 8 * (copies_of_points * static_cast<double>(coordinates.size()) + 1) *
                           static_cast<double>(training.points);
  const double of_network = std::max(cost.bytes, 64 * parameters), of_stage = 8 * numbers;
  cost.less = of_points > std::max(of_network, of_stage) ? "use fewer points"
              : of_stage > of_network ? "use lbfgs with a small memory, or a smaller network"
                                      : "use a smaller network";
  cost.bytes += of_points + of_stage;
  if (training.steps > 0) {
    training.seconds_per_step = cost.seconds / static_cast<double>(training.steps);
  }
  cost.seconds += of_intervals / flops_per_second;
  cost.training = std::move(training);
  return cost;
}

}  // namespace cauchy
