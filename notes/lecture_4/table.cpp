#include "lectures.hpp"

namespace cauchy::notes {

Artefact gradnorm_entry();
Artefact adam_algorithm_entry();
Artefact momentum_config_entry();
Artefact ntk_weights_entry();
Artefact sampler_sets_entry();
Artefact faure_base_entry();
Artefact latin_hypercube_entry();
Artefact sampler_errors_entry();
Artefact importance_ring_entry();
Artefact importance_algorithm_entry();
Artefact distance_function_entry();
Artefact network_families_entry();
Artefact weight_factorization_entry();
Artefact factorized_listing_entry();
Artefact four_methods_entry();
Artefact deep_ritz_table_entry();
Artefact deep_ritz_fields_entry();
Artefact spectral_bias_entry();
Artefact spectral_volume_entry();
Artefact spectral_listing_entry();
Artefact image_regression_entry();
Artefact poisson_image_entry();
Artefact distance_fitting_entry();
Artefact fast_waves_entry();
Artefact experts_burgers_entry();
Artefact learning_rates_entry();
Artefact bfgs_algorithm_entry();
Artefact wolfe_listing_entry();
Artefact two_loops_entry();
Artefact lbfgs_algorithm_entry();
Artefact ssbroyden_algorithm_entry();
Artefact corner_weights_entry();
Artefact residual_attention_entry();
Artefact causal_weights_entry();
Artefact causal_algorithm_entry();
Artefact causal_limit_entry();
Artefact expert_pipeline_entry();
Artefact adjoint_sign_entry();
Artefact exercise_reaction_entry();
Artefact exercise_advection_entry();
Artefact exercise_allen_cahn_entry();

std::vector<Artefact> lecture_4() {
  return {
      gradnorm_entry(),
      adam_algorithm_entry(),
      momentum_config_entry(),
      ntk_weights_entry(),
      sampler_sets_entry(),
      faure_base_entry(),
      latin_hypercube_entry(),
      sampler_errors_entry(),
      importance_ring_entry(),
      importance_algorithm_entry(),
      distance_function_entry(),
      network_families_entry(),
      weight_factorization_entry(),
      factorized_listing_entry(),
      four_methods_entry(),
      deep_ritz_table_entry(),
      deep_ritz_fields_entry(),
      spectral_bias_entry(),
      spectral_volume_entry(),
      spectral_listing_entry(),
      image_regression_entry(),
      poisson_image_entry(),
      distance_fitting_entry(),
      fast_waves_entry(),
      experts_burgers_entry(),
      learning_rates_entry(),
      bfgs_algorithm_entry(),
      wolfe_listing_entry(),
      two_loops_entry(),
      lbfgs_algorithm_entry(),
      ssbroyden_algorithm_entry(),
      corner_weights_entry(),
      residual_attention_entry(),
      causal_weights_entry(),
      causal_algorithm_entry(),
      causal_limit_entry(),
      expert_pipeline_entry(),
      adjoint_sign_entry(),
      exercise_reaction_entry(),
      exercise_advection_entry(),
      exercise_allen_cahn_entry(),
  };
}

}  // namespace cauchy::notes
