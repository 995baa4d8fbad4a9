// References that the library finds itself, against tables of independent programs.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/reference.hpp>

#include "support/temporary_folder.hpp"

namespace cauchy::test_classical_references {
namespace {

const std::filesystem::path root = std::filesystem::path(CAUCHY_TEST_DATA) / ".." / "..";

/// What is left of the answer at the rows of the table, relative to it; of the worst field.
double difference(const Problem& problem, const ReferenceCode& code, const Table& table) {
  std::vector<double> rows;
  const std::vector<std::string> names = problem.coordinates();
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (const std::string& name : names) rows.push_back(table.column(name)[r]);
  }
  std::vector<double> values(table.rows() * code.fields.size());
  code.evaluate(rows, values);
  double worst = 0;
  for (std::size_t f = 0; f < code.fields.size(); ++f) {
    const auto& columns = table.columns;
    if (std::find(columns.begin(), columns.end(), code.fields[f]) == columns.end()) continue;
    const std::vector<double> exact = table.column(code.fields[f]);
    double error = 0, size = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double e = values[r * code.fields.size() + f] - exact[r];
      error += e * e;
      size += exact[r] * exact[r];
    }
    const double relative = std::sqrt(error / size);
    if (!(relative <= worst)) worst = relative;
  }
  return worst;
}

struct Case {
  const char* name;
  /// Of the independent program. Rounding of its digits is included, also of the times: five of
  /// them move fast waves by 1e-4.
  double table_error;
};

class FoundReferences : public ::testing::TestWithParam<Case> {};

TEST_P(FoundReferences, AgreeWithIndependentProgramsAndKnowTheirError) {
  const Problem problem = read_problem_file(root / "problems" / GetParam().name).problem;
  ASSERT_TRUE(problem.reference.empty());
  const FoundReference found = find_reference(problem);
  ASSERT_TRUE(found.reference) << found.reason;
  const Table table = read_csv(root / "tests" / "data" / "references" /
                               std::filesystem::path(GetParam().name).replace_extension(".csv"));
  const double error = difference(problem, *found.reference, table);
  // Never worse than it says, up to what the table itself is off.
  EXPECT_LE(error, found.reference->error + GetParam().table_error)
      << found.reference->description << ", estimate " << found.reference->error;
  EXPECT_LE(found.reference->error, problem.tolerance.value() / 30);
}

INSTANTIATE_TEST_SUITE_P(
    Library, FoundReferences,
    ::testing::Values(Case{"sir.toml", 1e-8}, Case{"seird.toml", 1e-6}, Case{"lorenz.toml", 1e-8},
                      Case{"lorenz_short.toml", 1e-8}, Case{"lotka_volterra.toml", 1e-8},
                      Case{"van_der_pol.toml", 1e-7}, Case{"pendulum.toml", 1e-8},
                      Case{"roessler.toml", 1e-8}, Case{"robertson.toml", 1e-8},
                      Case{"hires.toml", 1e-8}, Case{"allen_cahn.toml", 1e-4},
                      Case{"kuramoto_sivashinsky.toml", 1.5e-4},
                      Case{"kuramoto_sivashinsky_chaotic.toml", 1.5e-4},
                      Case{"brusselator.toml", 1e-4}, Case{"gray_scott.toml", 1e-4},
                      Case{"darcy_random.toml", 1e-5}, Case{"lid_driven_cavity.toml", 1e-4}),
    [](const auto& one) { return std::filesystem::path(one.param.name).stem().string(); });

TEST(ReferenceCache, IsFilledOnceAndForThisProblemOnly) {
  const TemporaryFolder folder;
  Problem problem = read_problem_file(root / "problems" / "sir.toml").problem;
  const ReferenceOptions options{.cache = folder.path() / "cache"};
  const FoundReference first = find_reference(problem, options);
  const FoundReference second = find_reference(problem, options);
  ASSERT_TRUE(first.reference && second.reference);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(first.reference->error, second.reference->error);
  EXPECT_EQ(first.reference->description, second.reference->description);
  const std::vector<double> at = {3.7};
  std::vector<double> a(3), b(3);
  first.reference->evaluate(at, a);
  second.reference->evaluate(at, b);
  EXPECT_EQ(a, b);
  // Another number is another problem; another title is not.
  problem.title = "the same";
  EXPECT_TRUE(find_reference(problem, options).cached);
  for (ProblemParameter& p : problem.parameters) {
    if (p.name == "b") p.value = Expr(1.1);
  }
  EXPECT_FALSE(find_reference(problem, options).cached);
}

TEST(ReferenceCache, ReadsNothingThatOthersMayWrite) {
  const TemporaryFolder folder;
  const Problem problem = read_problem_file(root / "problems" / "sir.toml").problem;
  const ReferenceOptions options{.cache = folder.path()};
  (void)find_reference(problem, options);
  const auto file = std::filesystem::directory_iterator(folder.path())->path();
  using std::filesystem::perms;
  for (const perms bit : {perms::group_write, perms::others_write}) {
    std::filesystem::permissions(file, bit, std::filesystem::perm_options::add);
    EXPECT_FALSE(find_reference(problem, options).cached);
    EXPECT_TRUE(find_reference(problem, options).cached) << "written anew, for this user alone";
  }
  const auto elsewhere = folder.path() / "elsewhere";
  std::filesystem::rename(file, elsewhere);
  std::filesystem::create_symlink(elsewhere, file);
  EXPECT_FALSE(find_reference(problem, options).cached);
}

TEST(ReferenceCache, LooksAtWhatItReads) {
  const TemporaryFolder folder;
  const Problem problem = read_problem_file(root / "problems" / "sir.toml").problem;
  const ReferenceOptions options{.cache = folder.path()};
  (void)find_reference(problem, options);
  const auto file = std::filesystem::directory_iterator(folder.path())->path();
  // The answer of another problem that passes for that of this one.
  Problem other = problem;
  for (ProblemParameter& p : other.parameters) p.value = Expr(5 * p.value + 1);
  const auto forged = folder.path() / "forged";
  save_solution(forged, solve(other, AutoClassical{.tolerance = 1e-4}));
  const Checkpoint true_one = load_checkpoint(file);
  Checkpoint wrong = load_checkpoint(forged);
  wrong.texts["solution"] = true_one.text("solution");
  wrong.texts["estimate"] = true_one.text("estimate");
  wrong.arrays["estimate"] = true_one.array("estimate");
  wrong.texts.insert(true_one.texts.begin(), true_one.texts.end());
  wrong.arrays.insert(true_one.arrays.begin(), true_one.arrays.end());
  wrong.numbers.insert(true_one.numbers.begin(), true_one.numbers.end());
  save_checkpoint(file, wrong);
  EXPECT_NO_THROW(static_cast<void>(load_solution(file, problem, AutoClassical{})));
  const FoundReference again = find_reference(problem, options);
  EXPECT_FALSE(again.cached);
  EXPECT_TRUE(again.reference);
}

TEST(ReferenceCache, DoesNotTrustDamagedFiles) {
  const TemporaryFolder folder;
  const Problem problem = read_problem_file(root / "problems" / "sir.toml").problem;
  const ReferenceOptions options{.cache = folder.path()};
  (void)find_reference(problem, options);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
  }
  const FoundReference again = find_reference(problem, options);
  EXPECT_TRUE(again.reference);
  EXPECT_FALSE(again.cached);
  EXPECT_TRUE(find_reference(problem, options).cached);
}

TEST(FoundReferences, SayWhyThereIsNone) {
  const FoundReference found =
      find_reference(read_problem_file(root / "problems" / "poisson_10d.toml").problem);
  EXPECT_FALSE(found.reference);
  EXPECT_FALSE(found.reason.empty());
}

}  // namespace
}  // namespace cauchy::test_classical_references
