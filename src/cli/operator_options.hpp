#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/files/operator_run.hpp>

#include "cli/options.hpp"

namespace cauchy::cli {

/// The operator problem of a file, of a run folder or of the library, with the options applied.
[[nodiscard]] OperatorFile read_operator(const std::string& file, const CommonOptions& options);

/// Channels of files that others wrote have other names: those of the problem, in their order,
/// where there are as many.
void adopt_names(DataSet& data, const OperatorProblem& problem);

/// The test samples that lie in the folder of a run, on the grid of its data; none: it has none.
[[nodiscard]] std::optional<DataSet> kept_test_samples(const LoadedOperator& run,
                                                       const std::string& folder);

/// Numbers of nodes from "256" (all axes) or "256x128", one or one per axis.
///   error    throws Error at --grid: not of this form, fewer than 4 nodes
[[nodiscard]] std::vector<int> parse_sizes(const std::string& text);
/// The same, one per axis; another number of axes is an Error too.
[[nodiscard]] std::vector<int> parse_sizes(const std::string& text, std::size_t axes);

}  // namespace cauchy::cli
