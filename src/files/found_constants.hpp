#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <cauchy/files/run_folder.hpp>

namespace cauchy::detail {

/// The unknown constants of an answer.
[[nodiscard]] std::vector<FoundConstant> found_constants(const Solution& solution);

/// The list `unknowns` of result.json, written and read; a file of an older version has fewer keys.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<FoundConstant>& constants);
[[nodiscard]] std::vector<FoundConstant> constants_in(const nlohmann::ordered_json& list);

}  // namespace cauchy::detail
