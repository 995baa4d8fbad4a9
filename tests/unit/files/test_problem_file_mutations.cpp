// Damaged problem files, and what they must not name.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>

#include "support/message_of.hpp"
#include "support/mutations.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_problem_file_mutations {
namespace {

TEST(ProblemFileMutations, EndInAProblemOrAnError) {
  const std::filesystem::path problems = CAUCHY_TEST_DATA "/../../problems";
  std::vector<std::string> seeds;
  for (const char* name : {"burgers", "darcy", "elasticity", "heat_inverse", "poisson_disk"}) {
    seeds.push_back(content(problems / (std::string(name) + ".toml")));
  }
  expect_answers(50, seeds, mutated_text, [&](const std::string& bytes) {
    (void)parse_problem_file(bytes, "a.toml", problems);
  });
}

TEST(ProblemFile, NamesNothingButRegularFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "pipe.csv");
  std::filesystem::create_symlink("/dev/zero", folder / "zero.h5");
  const auto error = [&](const std::string& text) {
    return message_of([&] { return parse_problem_file(text, "a.toml", folder.path()); });
  };
  EXPECT_EQ(error("include = \"pipe\"\n"),
            "a.toml:1:11: this is a pipe, not a file; name a regular file");
  const std::string rod = R"toml(fields = ["u"]
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u_xx = 1"
[[condition]]
where = "boundary"
form = "u = 0"
[reference]
file = )toml";
  EXPECT_EQ(error(rod + "\"pipe.csv\"\n"),
            "a.toml:10:8: pipe.csv: this is a pipe, not a file; name a regular file");
  EXPECT_EQ(error(rod + "\"zero.h5\"\n"),
            "a.toml:10:8: zero.h5: this is a device, not a file; name a regular file");
  EXPECT_EQ(message_of([&] { return read_problem_file(folder / "zero.h5"); }),
            folder.file("zero.h5") + ": this is a device, not a file; name a regular file");
}

}  // namespace
}  // namespace cauchy::test_problem_file_mutations
