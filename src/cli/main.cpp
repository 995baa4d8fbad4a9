#include <iostream>
#include <string>
#include <vector>

#include <cauchy/cli/cli.hpp>

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return cauchy::run_cli(args, std::cout, std::cerr);
}
