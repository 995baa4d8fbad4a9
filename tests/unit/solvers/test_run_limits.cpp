// Runs end by their limit, keep what there is, say who decided, and never decide by the clock.
#include <gtest/gtest.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/math/sparse.hpp>
#include <cauchy/solvers/error_bars.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/reference.hpp>
#include <string>

namespace cauchy::test_run_limits {
namespace {

/// A source with a thin peak: many levels are needed for the tolerance, which none of them reaches.
Problem peak() {
  Coordinate x("x"), y("y");
  Field u("u");
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {-d(u, x, x) - d(u, y, y) == 1 + exp(-400 * (pow(x - 0.5, 2) + pow(y - 0.5, 2)))};
  p.condition = {on_boundary(u == 0)};
  p.tolerance = 1e-9;
  return p;
}

Problem wave() {
  Coordinate t("t"), x("x");
  Field u("u");
  Problem p;
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t) + u * d(u, x) == 0.02 * d(u, x, x)};
  p.condition = {at(t == 0, u == sin(2 * pi * x)), on_boundary(u == 0)};
  p.tolerance = 1e-9;
  return p;
}

bool tells(const Solution& s, std::string_view part) {
  for (const std::string& f : s.findings) {
    if (f.find(part) != std::string::npos) return true;
  }
  return false;
}

SparseMatrix grid_laplacian(std::size_t n) {
  std::vector<SparseMatrix::Entry> entries;
  const auto at = [n](std::size_t i, std::size_t j) { return i * n + j; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      entries.push_back({at(i, j), at(i, j), 4.5});
      if (i > 0) entries.push_back({at(i, j), at(i - 1, j), -1});
      if (i + 1 < n) entries.push_back({at(i, j), at(i + 1, j), -1});
      if (j > 0) entries.push_back({at(i, j), at(i, j - 1), -1});
      if (j + 1 < n) entries.push_back({at(i, j), at(i, j + 1), -1});
    }
  }
  return {n * n, n * n, entries};
}

TEST(RunLimits, WorkDecidesTheSameWhateverTheClockShows) {
  for (const Method& method : {Method(Fdm{}), Method(Fem{}), Method(AutoClassical{})}) {
    for (const Problem& problem : {peak(), wave()}) {
      std::string first;
      for (const double speed : {0.0, 1.0, 1e4}) {
        const TurnedClock clock(speed);
        const Solution s = solve(
            problem, method, {.threads = speed > 0 ? 1 : 2, .limit = RunLimit().with_work(0.3)});
        std::string all = s.method + std::to_string(s.work);
        for (const std::string& f : s.findings) all += "\n" + f;
        if (s.estimate) all += "\n" + s.estimate->how;
        if (first.empty()) first = all;
        EXPECT_EQ(all, first) << speed;
        EXPECT_FALSE(tells(s, "decided about this answer"));
      }
    }
  }
}

TEST(RunLimits, ALimitInSecondsKeepsTheLastLevelAndSaysThatItDecided) {
  for (const Method& method : {Method(Fdm{}), Method(Fem{}), Method(Kansa{})}) {
    const TurnedClock stepped(0, 1e-3);
    const Solution s = solve(peak(), method, {.threads = 1, .max_seconds = 0.3});
    EXPECT_TRUE(tells(s, "the limit of 0.3 s decided about this answer")) << s.method;
    EXPECT_GT(s.n_unknowns, 0u);
    EXPECT_TRUE(std::isfinite(s("u", {0.5, 0.5}))) << s.method;
  }
}

TEST(RunLimits, OneThatIsTooShortForAnyAnswerTellsTheLeast) {
  for (const Method& method : {Method(Fdm{.n = 256}), Method(Fem{.n = 256})}) {
    const TurnedClock stepped(0, 1);
    const Solution s = solve(peak(), method, {.threads = 1, .max_seconds = 1});
    EXPECT_TRUE(tells(s, "the limit came before the first answer")) << s.method;
    EXPECT_TRUE(tells(s, " takes about ")) << s.method;
    EXPECT_NE(s.grade, Grade::converged);
  }
}

TEST(RunLimits, FactorsThatDoNotFitAreNotBegun) {
  const SparseMatrix a = grid_laplacian(120);
  SparseLu lu;
  const Work before = work_of_thread();
  EXPECT_EQ(lu.factor(a), Factorization::ok);
  const double taken = nominal_seconds(work_of_thread().since(before));
  EXPECT_GT(taken, 1e-4);
  const auto factor_within = [&](double nominal) {
    const LimitScope scope(RunLimit().with_work(nominal));
    SparseLu again;
    (void)again.factor(a);
    SparseCholesky half;
    (void)half.factor(a);
  };
  EXPECT_NO_THROW(factor_within(3 * taken));
  try {
    factor_within(0.3 * taken);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::interrupted);
    EXPECT_NE(e.message().find("a factorisation of 14400 equations would take about"),
              std::string::npos);
  }
}

TEST(RunLimits, MeshesEndWhereTheyAre) {
  const ShapePtr disk = Disk({0, 0}, 1).shape();
  const Work before = work_of_thread();
  const Mesh whole = make_mesh(disk, {.size = 0.02});
  const double taken = nominal_seconds(work_of_thread().since(before));
  EXPECT_GT(taken, 0.01);
  const LimitScope scope(RunLimit().with_work(taken / 2));
  EXPECT_THROW((void)make_mesh(disk, {.size = 0.02}), Error);
}

TEST(RunLimits, EstimatesAndReferencesAreBoundedByWork) {
  const TurnedClock late(1e6);  // a second is a microsecond
  const FoundReference none = find_reference(peak(), {.tolerance = 1e-4, .work = 1e-4});
  EXPECT_FALSE(none.reference);
  const FoundReference found = find_reference(wave(), {.tolerance = 1e-3, .work = 60});
  EXPECT_FALSE(found.reference) << "half of a tolerance of 1e-9 is not reached";
  Problem rough = wave();
  rough.tolerance = 1e-2;
  EXPECT_TRUE(find_reference(rough, {.work = 60}).reference);
}

// What is prepared within a limit may end there; the others go on.
TEST(RunLimits, AClassicalMethodThatIsPreparedTooLateIsLeftOut) {
  const LimitScope over(RunLimit().with_work(0));
  try {
    (void)prepare(peak(), Fdm{}, 1);
    FAIL() << "nothing of it asks for the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::interrupted) << e.what();
  }
  EXPECT_NO_THROW((void)prepare(peak(), AutoClassical{}, 1));
}

}  // namespace
}  // namespace cauchy::test_run_limits
