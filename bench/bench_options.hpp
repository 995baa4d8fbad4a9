#pragma once

#include <algorithm>
#include <string_view>

namespace cauchy::bench {

/// Takes `--smallest` out of the arguments of a program; true when it was there. Every program of
/// bench/ knows it: all its parts once, at sizes that take seconds in all and are no measurements.
/// `make smoke` starts them so.
inline bool take_smallest(int& argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* argument) {
    return std::string_view(argument) == "--smallest";
  });
  const bool found = end != argv + argc;
  argc = static_cast<int>(end - argv);
  return found;
}

}  // namespace cauchy::bench
