// Damaged problem files.
#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>

#include "support/mutations.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy {
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

}  // namespace
}  // namespace cauchy
