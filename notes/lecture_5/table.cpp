#include "lectures.hpp"

namespace cauchy::notes {

Artefact kan_and_mlp_table_entry();
Artefact kan_regression_entry();
Artefact chebyshev_kan_entry();
Artefact jacobi_kan_entry();
Artefact model_properties_entry();
Artefact domain_refinement_entry();
Artefact attention_axis_entry();
Artefact super_resolution_entry();
Artefact mixing_steps_entry();
Artefact soft_shrinkage_entry();
Artefact afno_steps_entry();
Artefact afno_modes_entry();
Artefact reservoir_fields_entry();
Artefact reservoir_metrics_entry();
Artefact reservoir_profiles_entry();
Artefact tensor_format_entry();
Artefact axial_variants_entry();
Artefact gap_closure_entry();
Artefact fine_tuning_entry();
Artefact surface_reconstruction_entry();
Artefact exercise_darcy_deeponet_entry();
Artefact exercise_kan_entry();
Artefact exercise_darcy_fno_entry();
Artefact exercise_darcy_pino_entry();

std::vector<Artefact> lecture_5() {
  return {
      kan_and_mlp_table_entry(),
      kan_regression_entry(),
      chebyshev_kan_entry(),
      jacobi_kan_entry(),
      model_properties_entry(),
      domain_refinement_entry(),
      attention_axis_entry(),
      super_resolution_entry(),
      mixing_steps_entry(),
      soft_shrinkage_entry(),
      afno_steps_entry(),
      afno_modes_entry(),
      reservoir_fields_entry(),
      reservoir_metrics_entry(),
      reservoir_profiles_entry(),
      tensor_format_entry(),
      axial_variants_entry(),
      gap_closure_entry(),
      fine_tuning_entry(),
      surface_reconstruction_entry(),
      exercise_darcy_deeponet_entry(),
      exercise_kan_entry(),
      exercise_darcy_fno_entry(),
      exercise_darcy_pino_entry(),
  };
}

}  // namespace cauchy::notes
