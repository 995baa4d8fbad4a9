#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "notes/notes_command.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return cauchy::notes::run_notes(args, std::cout, std::cerr,
                                  (program.parent_path() / CAUCHY_NOTES_PATH).lexically_normal());
}
