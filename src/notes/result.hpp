#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/base/progress.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

/// What was made of an artefact, as its folder keeps it in result.json.
struct Result {
  std::string id;
  std::vector<Block> blocks;
  std::vector<Check> checks;
  double seconds = 0;
  std::string failure = {};  ///< what was thrown; empty: nothing
  std::string version = {};  ///< of Cauchy
  [[nodiscard]] bool passed() const;
};

/// Makes an artefact in folder/id. A result is written when it is finished; an error in it is a
/// failure of the result.
///   stopped  through progress: nothing is written, none comes back
[[nodiscard]] std::optional<Result> make(const Artefact& artefact,
                                         const std::filesystem::path& folder, int threads,
                                         Progress* progress = nullptr);
/// The result that is there; none: it was not finished, or by another version.
[[nodiscard]] std::optional<Result> load(const Artefact& artefact,
                                         const std::filesystem::path& folder);

}  // namespace cauchy::notes
