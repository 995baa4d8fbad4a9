#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include <cauchy/cli/cli.hpp>

int main(int argc, char** argv) {
  // A file that grows beyond `ulimit -f` is an error of writing, with a sentence, for all commands.
  std::signal(SIGXFSZ, [](int) {});
  const std::vector<std::string> args(argv + 1, argv + argc);
  return cauchy::run_cli(args, std::cout, std::cerr);
}
