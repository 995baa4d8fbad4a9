#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <cauchy/files/run_folder.hpp>

namespace cauchy::cli {

/// The names of methods that users wrote: "all" and "classical" become their members; those of
/// auto-classical's choice are listed for themselves.
///   error    throws Error for a name that is none
[[nodiscard]] std::vector<std::string> methods_of(const std::vector<std::string>& words);
/// Whether the method of this name is trained: it has a seed, a precision and optimisers.
[[nodiscard]] bool is_trained(const std::string& method);

/// One method on one problem: what came out, or why it was refused.
struct MethodLine {
  std::string label;
  RunSummary summary;
  double bytes = 0;
  std::string refusal;
};
/// A table of error, time, unknowns and memory; refusals below it.
void print_methods(const std::vector<MethodLine>& lines, std::ostream& out);
/// Error against time, one point per line.
void save_methods_plot(const std::filesystem::path& file, const std::vector<MethodLine>& lines);

}  // namespace cauchy::cli
