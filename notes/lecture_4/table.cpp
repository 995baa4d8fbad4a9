#include "lectures.hpp"

namespace cauchy::notes {

Artefact gradnorm_entry();
Artefact adam_algorithm_entry();
Artefact momentum_config_entry();
Artefact ntk_weights_entry();
Artefact latin_hypercube_entry();
Artefact importance_ring_entry();
Artefact importance_algorithm_entry();
Artefact distance_function_entry();
Artefact weight_factorization_entry();
Artefact factorized_listing_entry();

std::vector<Artefact> lecture_4() {
  return {
      gradnorm_entry(),
      adam_algorithm_entry(),
      momentum_config_entry(),
      ntk_weights_entry(),
      latin_hypercube_entry(),
      importance_ring_entry(),
      importance_algorithm_entry(),
      distance_function_entry(),
      weight_factorization_entry(),
      factorized_listing_entry(),
  };
}

}  // namespace cauchy::notes
