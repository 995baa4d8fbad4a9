#include "lectures.hpp"

namespace cauchy::notes {

Artefact gradnorm_entry();
Artefact adam_algorithm_entry();
Artefact momentum_config_entry();
Artefact ntk_weights_entry();
Artefact sampler_sets_entry();
Artefact faure_base_entry();
Artefact latin_hypercube_entry();
Artefact importance_ring_entry();
Artefact importance_algorithm_entry();
Artefact distance_function_entry();
Artefact weight_factorization_entry();
Artefact factorized_listing_entry();
Artefact learning_rates_entry();
Artefact bfgs_algorithm_entry();
Artefact wolfe_listing_entry();
Artefact two_loops_entry();
Artefact lbfgs_algorithm_entry();
Artefact ssbroyden_algorithm_entry();
Artefact residual_attention_entry();
Artefact causal_weights_entry();
Artefact causal_algorithm_entry();
Artefact causal_limit_entry();
Artefact adjoint_sign_entry();

std::vector<Artefact> lecture_4() {
  return {
      gradnorm_entry(),           adam_algorithm_entry(),       momentum_config_entry(),
      ntk_weights_entry(),        sampler_sets_entry(),         faure_base_entry(),
      latin_hypercube_entry(),    importance_ring_entry(),      importance_algorithm_entry(),
      distance_function_entry(),  weight_factorization_entry(), factorized_listing_entry(),
      learning_rates_entry(),     bfgs_algorithm_entry(),       wolfe_listing_entry(),
      two_loops_entry(),          lbfgs_algorithm_entry(),      ssbroyden_algorithm_entry(),
      residual_attention_entry(), causal_weights_entry(),       causal_algorithm_entry(),
      causal_limit_entry(),       adjoint_sign_entry(),
  };
}

}  // namespace cauchy::notes
