#include <cauchy/files/run_folder.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/events.hpp>
#include <cauchy/io/files.hpp>

#include "base/regular_file.hpp"
#include "files/folder_lock.hpp"
#include "files/run_inputs.hpp"
#include "io/temporary_name.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using detail::FolderLock;
using detail::RunInput;

constexpr const char* data_folder = "data";
/// What a run writes besides its inputs, its events and its lock.
constexpr std::array<std::string_view, 10> result_files = {
    "checkpoint.bin", "solution.bin", "model.bin",      "data.h5",     "data.part",
    "log.csv",        "log.txt",      "diagnosis.json", "report.html", "result.json"};

bool is_there(const fs::path& path) { return fs::exists(fs::symlink_status(path)); }

/// Paths in a folder, relative to it, those of its data/ after the others.
std::vector<fs::path> entries_in(const fs::path& folder) {
  std::vector<fs::path> names;
  const auto add = [&](const fs::path& part) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder / part, failure)) {
      names.push_back(part / entry.path().filename());
    }
    if (failure) detail::throw_system_error("read", folder / part, failure.value());
  };
  add({});
  if (fs::is_directory(fs::symlink_status(folder / data_folder))) add(data_folder);
  return names;
}

/// The file that a temporary file was to become, or the file itself.
fs::path without_temporary(const fs::path& name) {
  const std::string file = name.filename().string();
  const std::string_view target = detail::target_of_temporary(file);
  return target.empty() ? name : name.parent_path() / target;
}

bool is_temporary(const fs::path& name) { return without_temporary(name) != name; }

[[noreturn]] void throw_not_made(const fs::path& folder, const std::string& reason) {
  throw Error(ErrorKind::file, fmt::format("the folder cannot be made: {}", reason),
              folder.string(), "choose another one with --out");
}

/// Makes one folder, and those above it; false when something of that name is there already.
bool make_new_folder(const fs::path& folder) {
  const fs::path clean = folder.has_filename() ? folder : folder.parent_path();  // "run/"
  std::error_code failure;
  if (clean.has_parent_path()) fs::create_directories(clean.parent_path(), failure);
  if (failure) throw_not_made(folder, failure.message());
  if (::mkdir(clean.c_str(), 0777) == 0) return true;
  const int code = errno;
  if (code != EEXIST) throw_not_made(folder, std::generic_category().message(code));
  return false;
}

/// The first file that does not belong to a run which is about to begin; empty: there is none.
///   begun    a lock was there already: a beginning that was killed has left some of its inputs
std::string other_file(const fs::path& folder, const std::vector<RunInput>& inputs, bool begun) {
  std::set<fs::path> own{FolderLock::file_name};
  if (begun) {
    if (!fs::is_symlink(folder / data_folder)) own.insert(data_folder);
    for (const RunInput& input : inputs) own.insert(input.name);
  }
  for (const fs::path& name : entries_in(folder)) {
    if (!own.contains(without_temporary(name))) return name.string();
  }
  return {};
}

/// Throws Error for a folder with a run, or with this file that is none of ours.
void check_empty(const fs::path& folder, const std::string& other) {
  if (is_there(folder / "problem.toml")) {
    throw Error("the folder holds a run already", folder.string(),
                "choose another one with --out, or continue it with --resume");
  }
  if (other.empty()) return;
  throw Error(fmt::format("the folder holds other files: '{}'", other), folder.string(),
              "choose another one with --out");
}

/// The lock of an empty folder for a new run; none when another run has it. No file is put into a
/// folder with other files.
std::optional<FolderLock> lock_new(const fs::path& folder, const std::vector<RunInput>& inputs) {
  const auto has_lock = [&] { return is_there(folder / FolderLock::file_name); };
  if (!has_lock()) {
    const std::string other = other_file(folder, inputs, false);
    if (!has_lock()) check_empty(folder, other);  // else a run has begun while we looked
  }
  std::optional<FolderLock> lock = FolderLock::take(folder);
  if (!lock || !lock->is_sure()) return std::nullopt;
  check_empty(folder, other_file(folder, inputs, !lock->made_file()));
  return lock;
}

void refuse_link(const fs::path& path) {
  if (!fs::is_symlink(fs::symlink_status(path))) return;
  throw Error(ErrorKind::file, "is a symbolic link, which a run does not follow", path.string(),
              "put the file itself there");
}

Error still_going_on(const fs::path& folder, std::string_view hint) {
  return Error(fmt::format("the run is still going on ({})", FolderLock::holder(folder)),
               folder.string(), hint);
}

/// The first line in which two texts differ, of each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  const auto at = std::ranges::mismatch(a, b);
  const auto line = [](const std::string& text, std::size_t position) {
    const std::size_t before = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, text.find('\n', position) - begin);
  };
  return {line(a, static_cast<std::size_t>(at.in1 - a.begin())),
          line(b, static_cast<std::size_t>(at.in2 - b.begin()))};
}

/// Checksums of the problem, the settings and the data of the folder.
///   error    throws Error when they are not the given ones
RunInputs same_inputs(const fs::path& folder, const std::vector<RunInput>& given) {
  constexpr const char* hint = "give the same file and settings, or start without --resume";
  RunInputs sums;
  // The problem first: other data are no news when that is another one.
  for (auto input = given.rbegin(); input != given.rend(); ++input) {
    const std::string held = read_file(folder / input->name), wanted = input->bytes();
    sums[input->name] = detail::checksum(held);
    if (held == wanted) continue;
    if (!input->origin.empty()) {
      throw Error(fmt::format("the data of '{}' have changed since the run began", input->origin),
                  folder.string(), hint);
    }
    const auto [there, here] = first_difference(held, wanted);
    throw Error(fmt::format("the folder holds a run of another problem or with other settings: "
                            "'{}' there, '{}' here",
                            there, here),
                folder.string(), hint);
  }
  return sums;
}

bool is_finished(const fs::path& folder) {
  if (!is_there(folder / "result.json")) return false;
  const auto result = nlohmann::json::parse(read_file(folder / "result.json"), nullptr, false);
  return result.is_object() && result.contains("interrupted") && result["interrupted"] == false;
}

double seconds_in(const fs::path& checkpoint) {
  if (!is_there(checkpoint)) return 0;
  const Checkpoint saved = load_checkpoint(checkpoint);
  const std::vector<double>& seconds = saved.array("seconds").values;
  if (seconds.size() != 1) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", checkpoint.string(),
                "start the run anew");
  }
  return seconds[0];
}

}  // namespace

struct RunFolder::State {
  fs::path path;
  FolderLock lock;
  bool made_folder = false;
  RunInputs inputs = {};
  double seconds = 0;

  /// Whether a file of this name, relative to the folder, is one that the run writes.
  [[nodiscard]] bool is_own(const fs::path& name) const {
    return inputs.contains(name.string()) ||
           std::ranges::find(result_files, name.string()) != result_files.end() ||
           is_event_file_name(name.string());
  }

  /// Removes the files of the run; only those that were half written, if so asked.
  void remove_own(bool only_temporary) const {
    std::error_code ignored;
    for (const fs::path& name : entries_in(path)) {
      const bool chosen = is_temporary(name) || !only_temporary;
      if (chosen && is_own(without_temporary(name))) fs::remove(path / name, ignored);
    }
  }

  void discard() noexcept;
  /// The beginning of a run: its inputs, problem.toml as the last. Leaves nothing when it fails.
  static std::unique_ptr<State> begin(const fs::path& folder, FolderLock lock, bool made_folder,
                                      const std::vector<RunInput>& list);
};

void RunFolder::State::discard() noexcept {
  try {
    remove_own(false);
  } catch (const std::exception&) {
    return;  // a folder that cannot be read any more
  }
  std::error_code ignored;
  fs::remove(path / data_folder, ignored);  // folders go only when they are empty
  { const FolderLock last = std::move(lock); }
  if (made_folder) fs::remove(path, ignored);
}

std::unique_ptr<RunFolder::State> RunFolder::State::begin(const fs::path& folder, FolderLock lock,
                                                          bool made_folder,
                                                          const std::vector<RunInput>& list) {
  auto state = std::make_unique<State>(
      State{.path = folder, .lock = std::move(lock), .made_folder = made_folder});
  for (const RunInput& input : list) state->inputs[input.name];  // known, should it fail
  try {
    state->remove_own(true);
    for (const RunInput& input : list) {
      const std::string bytes = input.bytes();
      if (const fs::path part = folder / input.name; part.parent_path() != folder) {
        (void)make_new_folder(part.parent_path());
      }
      write_file_atomically(folder / input.name, bytes, Durable::no, Links::refuse);
      state->inputs[input.name] = detail::checksum(bytes);
    }
  } catch (...) {
    state->discard();
    throw;
  }
  return state;
}

RunFolder::RunFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunFolder::~RunFolder() = default;
RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder& RunFolder::operator=(RunFolder&&) noexcept = default;

const fs::path& RunFolder::path() const noexcept { return state_->path; }
const RunInputs& RunFolder::inputs() const noexcept { return state_->inputs; }
double RunFolder::seconds() const noexcept { return state_->seconds; }

void RunFolder::discard() noexcept { state_->discard(); }

RunFolder detail::begin_run_of(const fs::path& folder, const std::vector<RunInput>& inputs) {
  const bool made = make_new_folder(folder);
  if (!fs::is_directory(folder)) throw_not_made(folder, "something else has that name");
  std::optional<FolderLock> lock = lock_new(folder, inputs);
  if (!lock) throw still_going_on(folder, "choose another folder with --out");
  return RunFolder(RunFolder::State::begin(folder, std::move(*lock), made, inputs));
}

RunFolder detail::begin_next_run_of(const fs::path& folder, const std::vector<RunInput>& inputs) {
  fs::path next = folder;
  for (int i = 2;; next = fmt::format("{}-{}", folder.string(), i++)) {
    if (!make_new_folder(next)) continue;
    // Someone else may have been told to use this very folder.
    std::optional<FolderLock> lock = lock_new(next, inputs);
    if (lock) return RunFolder(RunFolder::State::begin(next, std::move(*lock), true, inputs));
  }
}

RunFolder detail::resume_run_of(const fs::path& folder, const std::vector<RunInput>& inputs) {
  if (!is_there(folder / "problem.toml")) {
    throw Error("there is no run to resume", folder.string(), "start it without --resume");
  }
  refuse_link(folder / data_folder);
  for (const RunInput& input : inputs) refuse_link(folder / input.name);
  for (const std::string_view name : result_files) refuse_link(folder / name);
  std::optional<FolderLock> lock = FolderLock::take(folder);
  if (!lock) throw still_going_on(folder, "wait for its end, or stop it");
  auto state = std::make_unique<RunFolder::State>(
      RunFolder::State{.path = folder, .lock = std::move(*lock)});
  state->inputs = same_inputs(folder, inputs);
  if (is_finished(folder)) {
    throw Error("the run is finished", folder.string(), "start a new one without --resume");
  }
  state->remove_own(true);
  AtomicFile(folder / "log.csv", Links::refuse);  // to see whether files can be written
  state->seconds = seconds_in(folder / "checkpoint.bin");
  return RunFolder(std::move(state));
}

RunFolder begin_run(const fs::path& folder, const ProblemFile& file) {
  return detail::begin_run_of(folder, detail::run_inputs(file));
}
RunFolder begin_next_run(const fs::path& folder, const ProblemFile& file) {
  return detail::begin_next_run_of(folder, detail::run_inputs(file));
}
RunFolder resume_run(const fs::path& folder, const ProblemFile& file) {
  return detail::resume_run_of(folder, detail::run_inputs(file));
}

}  // namespace cauchy
