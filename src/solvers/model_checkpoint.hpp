#pragma once

#include <string>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// A field inside of a larger checkpoint: its kind under the name, its own entries behind "name/".
void put_model(Checkpoint& all, const std::string& name, const FieldModel& model);
/// Its own entries.
[[nodiscard]] Checkpoint model_in(const Checkpoint& all, const std::string& name);

}  // namespace cauchy::detail
