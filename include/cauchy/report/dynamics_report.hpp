#pragma once

#include <string>
#include <vector>

#include <cauchy/dynamics/learn_dynamics.hpp>
#include <cauchy/report/html_report.hpp>  // HtmlOptions
#include <cauchy/report/picture.hpp>

namespace cauchy {

/// The curves of a learnt model along all that is known of its trajectories.
struct DynamicsCurves {
  std::vector<std::vector<double>> times;
  std::vector<std::vector<double>> values;  ///< row-major times x columns
};
/// From the first to the last time of data and reference, n times each.
[[nodiscard]] DynamicsCurves curves_of(const DynamicsProblem& problem, const TrainedDynamics& model,
                                       std::size_t n, int threads);

/// What was seen, the truth where it is known, and the answers over time: one panel per field. A
/// line marks the end of the training.
[[nodiscard]] Picture trajectories_picture(const DynamicsProblem& problem,
                                           const DynamicsCurves& curves, std::size_t trajectory);
/// The first two fields against each other, with arrows of the learnt vector field (further fields
/// at their mean).
[[nodiscard]] Picture phase_picture(const DynamicsProblem& problem, const TrainedDynamics& model,
                                    const DynamicsCurves& curves);

/// One HTML file about a run that has learnt dynamics, complete in itself: grade with findings,
/// trajectories, phase portrait with the learnt field, error over time, constants, history,
/// settings.
///   robust   what is missing is left out, what cannot be drawn leaves a note with the reason
///   same     for the same result and options, to the last byte
[[nodiscard]] std::string dynamics_report(const DynamicsProblem& problem,
                                          const DynamicsResult& result,
                                          const HtmlOptions& options = {});

}  // namespace cauchy
