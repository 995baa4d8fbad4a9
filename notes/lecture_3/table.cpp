#include "lectures.hpp"

namespace cauchy::notes {

Artefact generic_mlp_entry();
Artefact vanilla_pinn_entry();
Artefact heat_pinn_entry();
Artefact burgers_pinn_entry();
Artefact heat_skips_entry();
Artefact burgers_adam_entry();
Artefact loss_conventions_entry();
Artefact kansa_and_pinn_entry();
Artefact inverse_pinn_entry();
Artefact burgers_inverse_entry();
Artefact helmholtz_family_entry();
Artefact risk_decomposition_entry();
Artefact burgers_lbfgs_entry();
Artefact information_plane_entry();
Artefact mutual_information_entry();
Artefact gradient_noise_entry();
Artefact snr_phases_entry();
Artefact gradient_alignment_entry();

std::vector<Artefact> lecture_3() {
  return {
      generic_mlp_entry(),      vanilla_pinn_entry(),      heat_pinn_entry(),
      burgers_pinn_entry(),     heat_skips_entry(),        burgers_adam_entry(),
      loss_conventions_entry(), kansa_and_pinn_entry(),    inverse_pinn_entry(),
      burgers_inverse_entry(),  helmholtz_family_entry(),  risk_decomposition_entry(),
      burgers_lbfgs_entry(),    information_plane_entry(), mutual_information_entry(),
      gradient_noise_entry(),   snr_phases_entry(),        gradient_alignment_entry(),
  };
}

}  // namespace cauchy::notes
