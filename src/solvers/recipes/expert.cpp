#include <cauchy/solvers/recipes.hpp>

namespace cauchy {

Expanded expand(const Expert& recipe, const Problem& /*problem*/) {
  Expanded made;
  made.pinn.seed = recipe.seed;
  made.pinn.precision = recipe.precision;
  made.pinn.stages = recipe.stages;
  return made;
}

}  // namespace cauchy
