#include "lectures.hpp"

namespace cauchy::notes {

Artefact epidemic_sir_entry();
Artefact epidemic_seird_entry();
Artefact difference_orders_entry();
Artefact stencil_table_entry();
Artefact sobel_algorithm_entry();
Artefact sobel_figure_entry();
Artefact sobel_listing_entry();
Artefact jacobi_method_entry();
Artefact capacitor_plates_entry();
Artefact jacobi_diffusion_entry();
Artefact heat_sources_entry();
Artefact inpainting_figure_entry();
Artefact inpainting_listing_entry();
Artefact burgers_listing_entry();
Artefact capacitor_charging_entry();
Artefact burgers_map_entry();
Artefact burgers_file_entry();
Artefact graph_heat_entry();
Artefact eigenmaps_entry();
Artefact heat_kernel_entry();
Artefact mesh_figure_entry();
Artefact hat_functions_entry();
Artefact hat_overlap_entry();
Artefact poisson_plate_entry();
Artefact elements_from_scratch_entry();
Artefact ritz_galerkin_entry();
Artefact tessellation_entry();
Artefact kelvin_helmholtz_entry();
Artefact bsplines_entry();
Artefact natural_spline_entry();
Artefact kansa_schematic_entry();
Artefact kansa_recipe_entry();

std::vector<Artefact> lecture_2() {
  return {
      epidemic_sir_entry(),
      epidemic_seird_entry(),
      difference_orders_entry(),
      stencil_table_entry(),
      sobel_algorithm_entry(),
      sobel_figure_entry(),
      sobel_listing_entry(),
      jacobi_method_entry(),
      capacitor_plates_entry(),
      jacobi_diffusion_entry(),
      heat_sources_entry(),
      inpainting_figure_entry(),
      inpainting_listing_entry(),
      burgers_listing_entry(),
      capacitor_charging_entry(),
      burgers_map_entry(),
      burgers_file_entry(),
      graph_heat_entry(),
      eigenmaps_entry(),
      heat_kernel_entry(),
      mesh_figure_entry(),
      hat_functions_entry(),
      hat_overlap_entry(),
      poisson_plate_entry(),
      elements_from_scratch_entry(),
      ritz_galerkin_entry(),
      tessellation_entry(),
      kelvin_helmholtz_entry(),
      bsplines_entry(),
      natural_spline_entry(),
      kansa_schematic_entry(),
      kansa_recipe_entry(),
  };
}

}  // namespace cauchy::notes
