#include "cli/run_watch.hpp"

#include <fmt/ostream.h>

#include "cli/interrupt.hpp"
#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {

namespace fs = std::filesystem;

void RunWatch::attach(RunOptions& options) {
  options.on_history = [this](const TrainingRecord& record) {
    try {
      if (!no_log_) log_.update(record);
    } catch (const Error& e) {
      no_log_ = e;
      InterruptGuard::request();
    }
  };
}

void RunWatch::tell(bool interrupted, const std::string& resume) const {
  if (!no_log_ || !interrupted) return;
  throw Error(no_log_->kind(), no_log_->message(), no_log_->place(),
              fmt::format("the run is saved; mend that and go on with: {}", resume));
}

void print_events(const std::vector<TrainingEvent>& events, std::ostream& out) {
  constexpr std::size_t ends = 4;
  const std::size_t n = events.size();
  if (n > 0) fmt::print(out, "  on the way\n");
  for (std::size_t i = 0; i < n; ++i) {
    if (i == ends && n > 2 * ends + 1) {
      fmt::print(out, "    ... {} more in log.txt\n", n - 2 * ends);
      i = n - ends;
    }
    fmt::print(out, "    step {}, {}: {}\n", grouped(events[i].step), duration(events[i].seconds),
               plain_text(events[i].text));
  }
}

FolderPlace::FolderPlace(const std::string& out)
    : parent(out.empty() ? fs::path("runs") : fs::path(out).parent_path()),
      had_parent(parent.empty() || fs::exists(parent)) {}

void FolderPlace::discard() const noexcept {
  std::error_code ignored;  // others may have put something there
  if (!had_parent) fs::remove(parent, ignored);
}

}  // namespace cauchy::cli
