#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/pinn.hpp>
#include <cauchy/training/points.hpp>

#include "problem/point_evaluator.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/window.hpp"

namespace cauchy::detail {

/// One part of the loss: what the engine evaluates, and where its points come from.
struct PinnTerm {
  Term term;  ///< residuals in units of their size
  PointSource::Kind kind = PointSource::Kind::condition;
  std::size_t n = 0;    ///< points asked for
  bool redrawn = true;  ///< points come from a sampler; false: given by observations or points
  double size = 1;      ///< of the first residual
  /// Equations and conditions whose residuals these are, in their order, and their sizes.
  std::vector<std::pair<std::string, double>> parts = {};
  std::function<Points(std::size_t n, const SamplerOptions&)> draw;
  std::vector<double> observed = {};  ///< per point, for the symbol `observed`
  /// Weight of each point, times that of the term: an expression of the coordinates; 1: none.
  Expr point_weight = 1;
  /// The same for points that are drawn anew; empty: `observed` are those of the given points.
  std::function<std::vector<double>(const Points&)> observe = {};
  /// Per given point, of the noise of observed values or of a quadrature; empty: all 1.
  std::vector<double> weights = {};
  std::vector<double> sigma = {};  ///< per point, the noise of observed values; empty: not known
  double noise = 0;    ///< mean square of the residuals, so weighed, that it leaves; 0: not known
  bool mixed = false;  ///< residuals are sums over the equations (HandedStart::errors)
  /// An integral equals a number: one group per time, its points the nodes of a quadrature.
  std::optional<Groups> groups = {};
};

struct PinnLoss {
  std::vector<PinnTerm> terms;            ///< integrals last
  std::vector<std::string> remarks = {};  ///< for people, one sentence each
};

/// What a window of time starts from: the field of the window before, at the time of its end.
struct HandedStart {
  std::shared_ptr<const FieldModel> model;
  std::vector<HandedOn> quantities;
  /// Rows x equations, where all equations hold at the same points: the loss sees these sums of
  /// residuals in place of residuals in units of their terms. Empty: it does not.
  Matrix errors = {};
};

/// All terms of the loss of a problem: equations, conditions that are not built in, observations,
/// what is handed on at the first time.
[[nodiscard]] PinnLoss make_loss(std::shared_ptr<const Problem> problem, const Pinn& method,
                                 const Lowering& lower, const Sizes& sizes,
                                 const HandedStart& start = {});

/// Puts points, their data and groups into a term of an executor; `rows` chooses some of the points
/// (of a term without groups), empty: all.
void set_term_points(Executor& executor, std::size_t index, const Problem& problem,
                     const PinnTerm& term, const Points& points,
                     std::span<const std::size_t> rows = {});

/// Weights of points that belong to the problem, one per point or per group; empty: all 1.
///   error    throws Error for a weight that is negative or not finite at a point
[[nodiscard]] std::vector<double> term_weights(const PinnTerm& term,
                                               const PointEvaluator& evaluator,
                                               const Points& points);

/// The terms as the engine takes them.
[[nodiscard]] std::vector<Term> engine_terms(const PinnLoss& loss);

}  // namespace cauchy::detail
