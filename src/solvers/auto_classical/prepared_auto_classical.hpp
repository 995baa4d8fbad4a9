#pragma once

#include <string_view>
#include <vector>

#include <cauchy/solvers/method.hpp>

namespace cauchy::detail {

/// Names of the classical methods, the most promising first; what does not fit refuses the problem
/// itself.
[[nodiscard]] std::vector<std::string_view> classical_ranking(const Problem& problem);

/// The same as the method auto-classical without one of its candidates: a witness for an answer of
/// that method.
///   error    throws Error (unsupported) when no other fits
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_classical_besides(
    std::shared_ptr<const Problem> problem, double tolerance, int threads,
    std::string_view besides);

/// The entry of the table of methods.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_auto_classical(
    std::shared_ptr<const Problem> problem, const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_auto_classical(const Checkpoint& checkpoint,
                                                                    const Problem& problem,
                                                                    const Method& method,
                                                                    int threads);

}  // namespace cauchy::detail
