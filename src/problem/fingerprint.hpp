#pragma once

#include <string>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Everything that decides what the solution of a problem is, as text: equations, conditions,
/// domain, numbers, checksums of tables. Titles, notes, weights and the reference are not part of
/// it.
[[nodiscard]] std::string fingerprint(const Problem& problem);

}  // namespace cauchy::detail
