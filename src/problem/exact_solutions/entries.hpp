#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <cauchy/problem/exact_solution.hpp>

namespace cauchy::detail {

// The entries of the library, by subject.
std::vector<ExactSolution> ode_solutions();
std::vector<ExactSolution> diffusion_solutions();
std::vector<ExactSolution> wave_solutions();
std::vector<ExactSolution> string_solutions();
std::vector<ExactSolution> dispersive_solutions();
std::vector<ExactSolution> conservation_solutions();
std::vector<ExactSolution> riemann_solutions();
std::vector<ExactSolution> elliptic_solutions();
std::vector<ExactSolution> irregular_elliptic_solutions();
std::vector<ExactSolution> flow_solutions();
std::vector<ExactSolution> mechanics_solutions();

/// Calls `code` with one point after the other.
ExactEvaluator point_by_point(
    std::size_t n_coordinates, std::size_t n_fields,
    std::function<void(std::span<const double> point, std::span<double> values)> code);

/// Throws Error when t is before the start of an initial value problem.
void require_not_before_start(double t, std::string_view solution);

}  // namespace cauchy::detail
