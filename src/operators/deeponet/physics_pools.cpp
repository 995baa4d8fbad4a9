#include "operators/deeponet/physics_pools.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>

#include "data/input_sampler.hpp"
#include "problem/grid_table.hpp"
#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* pools_place = "[train.physics]";

/// Equations and conditions.
class PhysicsPools final {
 public:
  PhysicsPools(DeepOnetMap& map, const OperatorProblem& op, const GridInputs& inputs,
               std::size_t n_functions, Threads& pool)
      : map_(map), inputs_(inputs), n_functions_(n_functions), pool_(pool) {
    auto problem = std::make_shared<Problem>(op.problem);
    // Sizes come from the functions themselves: those of the first one stand for all.
    for (std::size_t i = 0; i < map.inputs.size(); ++i) set_table(*problem, inputs.table(0, i));
    problem_ = problem;
    if (!problem_->unknowns.empty() || !problem_->coefficients.empty()) {
      throw Error(ErrorKind::unsupported, "an operator has no unknown constants or coefficients",
                  pools_place, "give them as numbers or inputs");
    }
  }

  std::vector<DeepOnetSamples::Pool> make(bool sizes_from_data) {
    Pinn method;
    const DeepOnetPhysics& physics = map_.method.physics;
    method.points.interior = physics.interior;
    method.points.boundary = physics.boundary;
    method.points.initial = physics.initial;
    const Lowering lower(*problem_);
    Sizes sizes = characteristic_sizes(*problem_, lower, true);
    for (DeepOnetMap::FieldForm& f : map_.fields) {
      if (sizes_from_data)
        sizes.fields[f.name] = std::hypot(f.scale, f.offset);
      else
        f.scale = sizes.fields.at(f.name);
    }
    PinnLoss loss = make_loss(problem_, method, lower, sizes);
    std::vector<DeepOnetSamples::Pool> pools;
    for (PinnTerm& t : loss.terms) {
      t.term.weight *= physics.weight;
      for (Expr& r : t.term.residuals) r = map_.lifted(r);
      t.term.data = data_of(t.term.residuals);
      pools.push_back(pool_of(t));
    }
    return pools;
  }

 private:
  DeepOnetSamples::Pool pool_of(PinnTerm& t) const {
    if (t.groups) {
      throw Error(ErrorKind::unsupported, "a DeepONet has no integrals in its loss",
                  fmt::format("condition '{}'", t.term.name), "leave out the physics");
    }
    DeepOnetSamples::Pool pool;
    pool.term = t.term;
    pool.kind = t.kind;
    const Points points = t.draw(t.n, {});
    pool.points = points.values;
    pool.n_points = points.size();
    pool.weights = term_weights(t, PointEvaluator(*problem_), points);
    const std::vector<Expr>& data = t.term.data;
    std::vector<std::size_t> of_functions;
    const std::vector<double> common = point_data(*problem_, data, points, t.observed);
    for (std::size_t k = 0; k < data.size(); ++k) {
      const bool varies =
          data[k].kind() == Kind::call &&
          std::find(map_.inputs.begin(), map_.inputs.end(), data[k].name()) != map_.inputs.end();
      DeepOnetSamples::Pool::Data& d = pool.data.emplace_back();
      if (varies) {
        of_functions.push_back(k);
        d.values.resize(n_functions_ * pool.n_points);
        continue;
      }
      d.per = AlignedData::Per::point;
      for (std::size_t i = 0; i < pool.n_points; ++i)
        d.values.push_back(common[i * data.size() + k]);
    }
    if (of_functions.empty()) return pool;
    require_memory(8.0 * static_cast<double>(n_functions_ * pool.n_points * of_functions.size()),
                   "values of the input functions at points", "use fewer points or functions",
                   pools_place);
    constexpr std::size_t grain = 16;
    const std::size_t n_chunks = chunk_count(n_functions_, grain);
    pool_.run(n_chunks, [&](std::size_t c, int) {
      Problem own = *problem_;
      const IndexRange range = chunk_range(n_functions_, n_chunks, c);
      for (std::size_t f = range.begin; f < range.end; ++f) {
        for (std::size_t i = 0; i < map_.inputs.size(); ++i) set_table(own, inputs_.table(f, i));
        for (const std::size_t k : of_functions) {
          std::ranges::copy(
              call_values(own, data[k], points.values),
              pool.data[k].values.begin() + static_cast<std::ptrdiff_t>(f * pool.n_points));
        }
      }
    });
    return pool;
  }

  DeepOnetMap& map_;
  const GridInputs& inputs_;
  std::size_t n_functions_;
  Threads& pool_;
  std::shared_ptr<const Problem> problem_;
};

}  // namespace

std::vector<DeepOnetSamples::Pool> physics_pools(DeepOnetMap& map, const OperatorProblem& problem,
                                                 const GridInputs& inputs, std::size_t n_functions,
                                                 bool sizes_from_data, Threads& pool) {
  return PhysicsPools(map, problem, inputs, n_functions, pool).make(sizes_from_data);
}

}  // namespace cauchy::detail
