#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/cli_support.hpp"
#include "support/effort.hpp"

// What a new user, a sceptic and a saboteur might type. Whatever is broken must end with exit code
// 2 and one sentence that says where and how to mend it, at once, and write nothing.
namespace cauchy::testing_cli {

/// Heat in a bar: time, one coordinate, a parameter, a definition, a reference.
inline constexpr std::string_view bar = R"toml(name = "bar"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [-1, 1] }
[parameters]
k = 0.1
[definitions]
start = "sin(pi*x)"
[[equation]]
form = "u_t = k*u_xx"
[[condition]]
where = "t = 0"
form = "u = start"
[[condition]]
where = "boundary"
form = "u = 0"
[reference]
u = "exp(-k*pi^2*t)*sin(pi*x)"
[method]
seed = 1
[method.network]
width = 4
depth = 1
[method.points]
interior = 20
boundary = 10
initial = 10
[[method.stage]]
optimizer = "adam"
steps = 3
learning_rate = 1e-3
)toml";

/// A plate: two coordinates, a tag, an unknown constant, measurements.
inline constexpr std::string_view plate = R"toml(name = "plate"
fields = ["u"]
[domain]
region = "rectangle((0, 0), (2, 1)) - disk((1, 0.5), R)"
tags = { inlet = "x = 0 and y > 0.5" }
[parameters]
R = 0.2
[unknown]
k = { initial = 2, lower = 0 }
[[equation]]
form = "div(k*grad(u)) = x"
[[condition]]
where = "boundary"
form = "u = 0"
[[observation]]
file = "sensors.csv"
[method.network]
width = 4
depth = 1
[method.points]
interior = 20
boundary = 10
[[method.stage]]
optimizer = "lbfgs"
steps = 2
)toml";

/// The folder in which calls are made: a good file of each kind, and tables.
class TypoFolder final {
 public:
  TypoFolder() : before_(std::filesystem::current_path()) {
    folder_.write("sensors.csv", "x,y,u\n0.3,0.3,0.1\n1.6,0.4,0.2\n");
    folder_.write("bar.toml", bar);
    folder_.write("plate.toml", plate);
    std::filesystem::current_path(folder_.path());
  }
  ~TypoFolder() { std::filesystem::current_path(before_); }
  TypoFolder(const TypoFolder&) = delete;
  TypoFolder& operator=(const TypoFolder&) = delete;

  std::string write(std::string_view name, std::string_view text) const {
    return folder_.write(name, text);
  }
  [[nodiscard]] std::size_t n_files() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      n += entry.exists() ? 1 : 0;
    }
    return n;
  }

 private:
  Folder folder_;
  std::filesystem::path before_;
};

/// Makes a call that must be refused with a sentence that contains `says`.
inline void expect_refused(const TypoFolder& folder, const std::vector<std::string>& words,
                           const std::string& says, const std::string& what) {
  SCOPED_TRACE(what);
  const std::size_t before = folder.n_files();
  Result r;
  const Effort effort = effort_of([&] { r = run(words); });
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(r.err.starts_with("cauchy: ")) << r.err;
  EXPECT_EQ(lines_of(r.err), 1u) << r.err;
  EXPECT_NE(r.err.find(says), std::string::npos) << r.err << "lacks: " << says;
  // "place: what is wrong; how to mend it", or what is expected there.
  EXPECT_NE(r.err.find(": ", 8), std::string::npos) << "no place: " << r.err;
  bool mends = false;
  for (const char* word : {"; ", " must ", " expected", " needs ", " takes ", " at most "}) {
    mends = mends || r.err.find(word) != std::string::npos;
  }
  EXPECT_TRUE(mends) << "no way to mend it: " << r.err;
  for (const char* raw : {"[expr",       "[engine",        "[sampling",
                          "[geometry",   "[solvers",       "[problem",
                          "[optimizers", "[training",      "[networks",
                          "[io",         "[math",          "[base",
                          "[report",     "toml++",         "std::",
                          "CLI",         "json.exception", "what():",
                          "vector::",    "basic_string",   "Error while parsing"}) {
    EXPECT_EQ(r.err.find(raw), std::string::npos) << raw << " in: " << r.err;
  }
  // "At once" is ten times what the largest of them take, milliseconds.
  EXPECT_LT(effort.allocations, 400'000u);
  EXPECT_LT(nominal_seconds(effort.work), 0.2);
  EXPECT_EQ(folder.n_files(), before) << "something was written";
}

/// A good file in which some text stands in place of another.
struct Edit {
  std::string_view good;  ///< bar or plate
  std::string from, to;
  std::string says;
};

/// Each edit makes p.toml, which is then to be solved.
inline void expect_refused(const std::vector<Edit>& edits) {
  const TypoFolder folder;
  folder.write("p.toml", bar);
  for (const Edit& e : edits) {
    std::string text(e.good);
    const auto at = text.find(e.from);
    ASSERT_NE(at, std::string::npos) << e.from;
    text.replace(at, e.from.size(), e.to);
    folder.write("p.toml", text);
    expect_refused(folder, {"solve", "p.toml", "--quiet", "--max-seconds", "0.5"}, e.says,
                   e.from + " -> " + e.to);
  }
}

}  // namespace cauchy::testing_cli
