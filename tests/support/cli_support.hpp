#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/cli/cli.hpp>

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

/// A folder of its own for a test, removed at its end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("cauchy_cli_" + unique())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }
  [[nodiscard]] std::size_t entries() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      n += entry.exists() ? 1 : 0;
    return n;
  }

 private:
  static std::string unique() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    for (char& c : name) {
      if (c == '/') c = '_';
    }
    return name + std::to_string(::getpid());
  }
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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
