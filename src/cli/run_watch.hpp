#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/problem/run_options.hpp>

namespace cauchy::cli {

/// Writes the log of a run while it goes on. A log that cannot be written (a full disk, say) stops
/// the run, which is saved first; tell() then says what was wrong.
class RunWatch final {
 public:
  explicit RunWatch(const std::filesystem::path& folder) : log_(folder) {}
  /// To be called before the run; this object must outlive it.
  void attach(RunOptions& options);
  /// Throws Error when the run was stopped by its log; `resume` is the command that goes on.
  void tell(bool interrupted, const std::string& resume) const;

 private:
  RunLog log_;
  std::optional<Error> no_log_;
};

/// What happened on the way: the first and the last events.
void print_events(const std::vector<TrainingEvent>& events, std::ostream& out);

/// What a command line run needs to know of its folder before it makes it.
struct FolderPlace {
  std::filesystem::path parent;
  bool had_parent = true;  ///< else it is removed with a run that came to nothing
  /// --out of a command; empty: the folder is runs/NAME.
  explicit FolderPlace(const std::string& out);
  /// Removes the parent when it was made for the run and is empty.
  void discard() const noexcept;
};

}  // namespace cauchy::cli
