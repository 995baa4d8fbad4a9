#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/cli/cli.hpp>

#include "support/temporary_folder.hpp"

namespace cauchy::testing_cli {

struct Result {
  int code;
  std::string out, err;
};

inline Result run(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int code = run_cli(args, out, err);
  return {code, out.str(), err.str()};
}

using Folder = TemporaryFolder;

inline std::size_t lines_of(const std::string& text) {
  std::size_t n = 0;
  for (const char c : text) n += c == '\n' ? 1 : 0;
  return n;
}

/// Decay u' = -u: an answer within a few percent in well below a second.
inline const char* decay = R"toml(
name = "decay"
title = "Exponential decay"
fields = ["u"]
tolerance = 0.05

[domain]
time = { t = [0, 1] }

[[equation]]
form = "u_t = -u"

[[condition]]
where = "t = 0"
form = "u = 1"

[reference]
u = "exp(-t)"

[method.network]
width = 8
depth = 2
[method.points]
interior = 30
[[method.stage]]
optimizer = "adam"
steps = 50
learning_rate = 1e-2
[[method.stage]]
optimizer = "lbfgs"
steps = 60
)toml";

/// Heat in a bar: time and one coordinate of space.
inline const char* heat = R"toml(
name = "heat"
fields = ["u"]

[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }

[parameters]
k = 0.1

[[equation]]
form = "u_t = k*u_xx"

[[condition]]
where = "t = 0"
form = "u = sin(pi*x)"

[[condition]]
where = "boundary"
form = "u = 0"

[method.network]
width = 8
depth = 2
[method.points]
interior = 40
boundary = 10
initial = 10
[[method.stage]]
optimizer = "adam"
steps = 20
)toml";

}  // namespace cauchy::testing_cli
