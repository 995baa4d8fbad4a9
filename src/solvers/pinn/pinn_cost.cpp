#include <algorithm>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/engine/residual_form.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_intervals.hpp"

namespace cauchy {
namespace {

/// What a step of an optimiser takes: evaluations of the loss with its gradient, and what is beside
/// them; and the numbers that it keeps.
struct StageCost {
  double losses = 1, doubles = 0;
  Work beside = {};
};

/// Flops for every number of a value of the network, of all that is done with it beside products:
/// both sweeps, as Plan counts them.
constexpr double sweeps_per_value = 30;

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
StageCost least_squares_cost(const OptimizerOptions& method, double m, double n) {
  const StepEquations& equations = *equations_of(method);
  // Levenberg-Marquardt solves for about four dampings in a step.
  const double solutions = std::holds_alternative<LevenbergMarquardtOptions>(method) ? 4 : 1;
  if (equations.space == StepSpace::matrix_free) {
    // Two products with J per iteration of CGLS, each about a gradient; half of the most
    // iterations.
    const double cg = 0.5 * std::min({static_cast<double>(equations.max_cg), m, n});
    return {6 + 2 * cg * solutions, 8 * m + 14 * n};
  }
  const bool sample =
      equations.space == StepSpace::sample || (equations.space == StepSpace::automatic && m < n);
  const double size = sample ? m : n, other = sample ? n : m;
  // J'J or J J', then its Cholesky factors; QR takes three times as long.
  const double flops = other * size * size + solutions * size * size * size / 3;
  const double slower = equations.solver == StepSolver::qr ? 3 : 1;
  return {6, m * n + 2 * size * size + 8 * m + 14 * n, {WorkKind::dense, slower * flops}};
}

/// Adam, and for every matrix of weights the factors and bases of its sides.
StageCost soap_cost(const SoapOptions& soap, const Graph& graph) {
  StageCost cost{1, 8 * static_cast<double>(graph.n_parameters())};
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
  cost.beside.add(WorkKind::dense, flops);
  return cost;
}

/// Vectors, the dense inverse Hessian, or the Jacobian and its factors.
StageCost stage_cost(const OptimizerOptions& method, std::uint64_t steps, const Graph& graph,
                     double rows) {
  const double n = static_cast<double>(graph.n_parameters());
  switch (entry_of(method).kind) {
    case OptimizerKind::first_order:
      break;
    case OptimizerKind::quasi_newton:
      if (const auto* lbfgs = std::get_if<LbfgsOptions>(&method)) {
        const auto pairs = static_cast<double>(std::min<std::uint64_t>(lbfgs->memory, steps));
        return {1, (2 * pairs + 8) * n, {WorkKind::memory, 32 * pairs * n}};
      }
      if (std::holds_alternative<NewtonOptions>(method)) {
        return {1 + 2 * n, 3 * n * n, {WorkKind::dense, n * n * n / 3}};
      }
      // Half of the matrix, read and written.
      return {1, n * n / 2 + 46 * n, {WorkKind::memory, 8 * n * n}};
    case OptimizerKind::least_squares:
      return least_squares_cost(method, rows, n);
  }
  if (const auto* soap = std::get_if<SoapOptions>(&method)) return soap_cost(*soap, graph);
  return {1, 8 * n, {WorkKind::memory, 64 * n}};
}

/// What an evaluation of the loss with its gradient takes, and what is known of its terms.
struct LossCost {
  std::vector<TrainingCost::OfTerm> terms;
  double flops = 0, batch_flops = 0;  // of the products alone: with all points, and with batches
  Work all = {}, batch = {};
  double rows = 0;   // of least squares
  double bytes = 0;  // arenas of one thread
};

LossCost loss_cost(const detail::PinnAssembly& pinn) {
  const Graph& graph = *pinn.graph;
  const std::vector<std::string> coordinates = pinn.problem->coordinates();
  std::vector<std::string> fields;
  for (const Graph::Output& output : graph.outputs()) fields.push_back(output.field);
  // A term looks at the network of one piece.
  const double n_pieces = pinn.pieces ? static_cast<double>(pinn.pieces->size()) : 1;
  double weights = 0, values = 0;  // of the network, for one component of one point
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role == ParameterBlock::Role::weight) weights += b.rows;
  }
  for (const Operation& op : graph.ops()) values += op.rows;
  const auto parameters = static_cast<double>(graph.n_parameters());
  const double size = pinn.method.precision == Precision::f32 ? 0.5 : 1;
  LossCost cost;
  for (const detail::PinnTerm& t : pinn.loss.terms) {
    const ResidualForm form =
        residual_form(t.term.residuals, coordinates, fields, true, t.term.name, t.term.data);
    const int components = form.jets.size();
    cost.terms.push_back({t.term.name, t.n, components});
    const bool batches = pinn.method.points.batch > 0 && !t.groups;
    const std::size_t some = batches ? std::min(t.n, pinn.method.points.batch) : t.n;
    const auto add = [&](std::size_t n, double& flops, Work& work) {
      const double columns = components * static_cast<double>(n) / n_pieces;
      flops += 6 * parameters * columns;
      work.add(WorkKind::network, size * (6 * parameters + sweeps_per_value * values) * columns);
    };
    add(t.n, cost.flops, cost.all);
    add(some, cost.batch_flops, cost.batch);
    cost.rows += static_cast<double>(t.term.residuals.size() * (t.groups ? t.groups->size() : t.n));
    // Values and adjoints of a block are made to fit into the cache.
    const double per_block = 2 * weights * components;
    const double block = std::max(16.0, static_cast<double>(nominal_cache_bytes) / 8 / per_block);
    cost.bytes = std::max(cost.bytes, 8 * per_block * std::min(block, 256.0));
  }
  return cost;
}

/// A line search asks for a little more than one evaluation.
constexpr double evaluations = 1.1;

Work step_work(const LossCost& loss, const OptimizerOptions& method, const StageCost& stage) {
  const bool batches = entry_of(method).kind == OptimizerKind::first_order;
  Work work = (batches ? loss.batch : loss.all).times(stage.losses * (batches ? 1 : evaluations));
  work += stage.beside;
  return work;
}

}  // namespace

Work detail::work_of_step(const PinnAssembly& pinn, const OptimizerOptions& method) {
  const LossCost loss = loss_cost(pinn);
  return step_work(loss, method, stage_cost(method, 1, *pinn.graph, loss.rows));
}

MethodCost detail::cost_of(const PinnAssembly& pinn, int threads) {
  const LossCost loss = loss_cost(pinn);
  MethodCost cost;
  cost.threads = Threads::size_of(threads);
  cost.method = pinn.describe();
  cost.unknowns = pinn.graph->n_parameters();
  cost.bytes = cost.threads * loss.bytes;
  TrainingCost training;
  training.terms = loss.terms;
  for (const TrainingCost::OfTerm& t : loss.terms) training.points += t.points;
  training.flops_per_step = loss.batch_flops;
  training.stages = pinn.stages;
  double numbers = 0;
  for (const Stage& s : training.stages) {
    training.steps += s.steps;
    const StageCost stage = stage_cost(s.method, s.steps, *pinn.graph, loss.rows);
    numbers = std::max(numbers, stage.doubles);
    cost.work += step_work(loss, s.method, stage).times(static_cast<double>(s.steps));
  }
  if (training.steps > 0) {
    training.work_per_step = cost.work.times(1 / static_cast<double>(training.steps));
  }
  const auto parameters = static_cast<double>(cost.unknowns);
  const double of_intervals = interval_operations(pinn, loss.rows);
  if (of_intervals > 0) numbers = std::max(numbers, (loss.rows + parameters) * parameters);
  cost.work.add(WorkKind::dense, of_intervals);
  const double of_points =
      8 * (copies_of_points * static_cast<double>(pinn.problem->coordinates().size()) + 1) *
      static_cast<double>(training.points);
  const double of_network = std::max(cost.bytes, 64 * parameters), of_stage = 8 * numbers;
  cost.less = of_points > std::max(of_network, of_stage) ? "use fewer points"
              : of_stage > of_network ? "use lbfgs with a small memory, or a smaller network"
                                      : "use a smaller network";
  cost.bytes += of_points + of_stage;
  cost.training = std::move(training);
  return cost;
}

}  // namespace cauchy
