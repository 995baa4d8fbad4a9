#include "lectures.hpp"

namespace cauchy::notes {

Artefact random_walk_entry();
Artefact heated_bar_flux_entry();
Artefact plucked_string_entry();
Artefact robin_eigenvalues_entry();
Artefact note_frequencies_entry();
Artefact robin_roots_entry();
Artefact fourier_gibbs_entry();
Artefact universal_approximation_entry();
Artefact representations_entry();
Artefact monte_carlo_normal_entry();
Artefact monte_carlo_histogram_entry();
Artefact monte_carlo_integral_entry();

std::vector<Artefact> lecture_1() {
  return {
      random_walk_entry(),           heated_bar_flux_entry(),
      plucked_string_entry(),        note_frequencies_entry(),
      robin_roots_entry(),           robin_eigenvalues_entry(),
      fourier_gibbs_entry(),         universal_approximation_entry(),
      representations_entry(),       monte_carlo_normal_entry(),
      monte_carlo_histogram_entry(), monte_carlo_integral_entry(),
  };
}

}  // namespace cauchy::notes
