#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <cauchy/base/error.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {
namespace {

/// Another program beside this one takes over; its exit code is ours.
int call_notes_program(const std::vector<std::string>& words) {
  std::error_code ignored;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "cauchy-notes";
  if (!std::filesystem::exists(program)) {
    throw Error(ErrorKind::not_found, "the program cauchy-notes is not beside this one",
                program.string(), "build it with `make notes`");
  }
  std::vector<std::string> all = {program.string()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status)) {
    throw Error("the program cauchy-notes has ended before its time", program.string());
  }
  return WEXITSTATUS(status);
}

}  // namespace

void add_notes(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "notes", "the lecture notes, executable: list, run ID, site (cauchy notes --help)");
  command->prefix_command();
  command->set_help_flag();
  command->callback([command, &console] {
    console.out.flush();
    console.exit_code = call_notes_program(command->remaining());
  });
}

}  // namespace cauchy::cli
