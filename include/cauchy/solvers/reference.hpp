#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy {

/// How a reference is looked for.
///   cache    folder of references that were found before, in files that any number of processes
///            may read and write at a time; empty: none is kept. Files of other users, or that
///            others may write, are not read; what is read is checked as when it was found
struct ReferenceOptions {
  std::filesystem::path cache = {};
  double tolerance = 0;  ///< relative error that is aimed at; 0: a 30th of the problem's
  double work = 60;      ///< for the whole search, counted in nominal seconds (base/work.hpp)
  int threads = 0;
  RunLimit limit = {};  ///< of the whole that this is a part of
};

/// A reference, or why there is none.
struct FoundReference {
  std::optional<ReferenceCode> reference = {};
  std::string reason = {};  ///< one sentence, where there is none
  bool cached = false;      ///< it came from the cache
};

/// Solves a problem with the classical method that fits, on finer and finer grids until two of them
/// agree, as something that other answers are compared with. Its own error is the estimate of that
/// method. It is no reference when the estimate is worse than half of the problem's tolerance, or
/// the problem itself is warned about.
///   error    throws Error as check(problem); what no classical method can treat is a reason
[[nodiscard]] FoundReference find_reference(const Problem& problem,
                                            const ReferenceOptions& options = {});

}  // namespace cauchy
