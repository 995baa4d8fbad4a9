#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

// What may keep a problem from having one solution, or an answer from being it; one sentence each.

/// Initial and boundary conditions that the orders of the equations ask for and nobody gives.
/// Fields that are observed are left out: measurements may take the place of conditions.
[[nodiscard]] std::vector<std::string> missing_conditions(const Problem& problem);
/// Fields in no equation, values that are fixed up to a constant, data that do not balance.
[[nodiscard]] std::vector<std::string> free_fields(const Problem& problem);
/// First-order equations whose inflow boundary is open.
[[nodiscard]] std::vector<std::string> open_inflow(const Problem& problem);
/// Conditions that determine nothing inside: of an equation whose terms of highest order vanish, of
/// transport along closed lines.
[[nodiscard]] std::vector<std::string> idle_conditions(const Problem& problem);
/// Unknown constants that no observation or additional condition determines.
[[nodiscard]] std::vector<std::string> free_constants(const Problem& problem);
/// Unknown constants that stand in products, sums or other combinations only: directions of them
/// along which nothing changes, for any fields that fulfil the equations.
[[nodiscard]] std::vector<std::string> tied_constants(const Problem& problem);
/// Evolution in the direction of time in which short waves grow without bound: negative diffusion,
/// diffusion from the last time back, elliptic equations with initial values.
[[nodiscard]] std::vector<std::string> ill_posed_in_time(const Problem& problem);
/// Coefficients beside which nothing is observed, and the parts of the domain where nothing is.
[[nodiscard]] std::vector<std::string> free_coefficients(const Problem& problem);
/// Fewer observed values than unknown constants.
[[nodiscard]] std::vector<std::string> few_data(const Problem& problem);
/// Observed fields without initial conditions whose observations begin late.
[[nodiscard]] std::vector<std::string> unobserved_start(const Problem& problem);
/// Second derivatives whose coefficients jump, written without their flux.
[[nodiscard]] std::vector<std::string> jumping_coefficients(const Problem& problem);
/// Derivatives of functions with jumps or kinks, which an equation at points does not see; for
/// methods that need the strong form.
[[nodiscard]] std::vector<std::string> lost_jumps(const Problem& problem);
/// A flux of fields with a known jump in it, of which an equation takes a derivative: it goes on
/// where derivatives of the fields jump. None: there is no such flux.
[[nodiscard]] std::optional<std::string> flux_with_jump(const Problem& problem);
/// Nonlinear first-order evolution that starts with a jump, or whose waves break before the end;
/// for methods that need the strong form.
[[nodiscard]] std::vector<std::string> lost_shocks(const Problem& problem);
/// First-order equations that are not linear in their slopes (hamilton_jacobi.hpp) whose answers
/// have edges: from the start, where waves meet, or without time where conditions stand all around.
/// For methods that need the strong form.
[[nodiscard]] std::vector<std::string> lost_kinks(const Problem& problem);
/// Prescribed values that differ where their places meet: no contradiction, but a singular answer.
[[nodiscard]] std::vector<std::string> corner_jumps(const Problem& problem);

}  // namespace cauchy::detail
