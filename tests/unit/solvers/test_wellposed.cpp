// What a coarse look says of problems that have no solution, or many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/wellposed.hpp>

#include "support/small_problems.hpp"

namespace cauchy::test_wellposed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

Problem line(const Equation& equation, double from = 0, double to = 1) {
  Problem p = rod(Expr(1));
  p.domain = Interval(x, from, to);
  p.equation = {equation};
  p.condition = {on_boundary(u == 0)};
  return p;
}

Problem in_time(const Equation& equation, double end, double start) {
  Problem p;
  p.fields = {"u"};
  p.domain = Domain(Time(t, 0, end));
  p.equation = {equation};
  p.condition = {at(t == 0, u == start)};
  return p;
}

TEST(Wellposed, SaysNothingOfGoodProblems) {
  EXPECT_THAT(solvability_doubts(rod(Expr(1))), IsEmpty());
  EXPECT_THAT(solvability_doubts(heated_bar()), IsEmpty()) << "not looked at";
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 9 * u == 1)), IsEmpty());
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 1e4 * u == 1)), IsEmpty())
      << "one percent beside the 32nd mode";
  EXPECT_THAT(solvability_doubts(line(1e-4 * d(u, x, x) == d(u, x) - 1)), IsEmpty())
      << "a layer that is not resolved";
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) == u * u * u - 1)), IsEmpty());
}

TEST(Wellposed, NamesTheModeOfAResonance) {
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 9 * pi * pi * u == x)),
              ElementsAre(HasSubstr("adding sin(3*pi*x) to 'u' changes nothing")));
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 9 * pi * pi * u == x)),
              ElementsAre(HasSubstr("there is no solution")));
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 9 * pi * pi * u == sin(2 * pi * x))),
              ElementsAre(HasSubstr("there are many solutions")));
  // 30 half waves need more polynomials; an interval that does not begin at 0 shifts its names.
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 900 * pi * pi * u == x)),
              ElementsAre(HasSubstr("a function with 29 sign changes along x")));
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + pi * pi * u == x, 1, 3)),
              ElementsAre(HasSubstr("adding sin(pi*(x - 1)) to 'u'")));
  Problem mixed = line(d(u, x, x) + pi * pi / 4 * u == 1);
  mixed.condition = {on("left", u == 0), on("right", d(u, x) == 0)};
  EXPECT_THAT(solvability_doubts(mixed), ElementsAre(HasSubstr("adding sin(0.5*pi*x) to 'u'")));
  Problem ring = line(d(u, x, x) + 4 * pi * pi * u == 1);
  ring.condition = {periodic(x)};
  EXPECT_THAT(solvability_doubts(ring),
              ElementsAre(HasSubstr("adding sin(2*pi*x) or cos(2*pi*x) to 'u'")));
}

TEST(Wellposed, SeesWhatCountingDoesNot) {
  // Two conditions, of which the second repeats what the equation says of the first.
  Problem p = line(d(u, x, x) == 0);
  p.condition = {on("left", d(u, x) == 1), on("right", d(u, x) == 1), on("left", d(u, x) - u == 1)};
  EXPECT_THAT(solvability_doubts(p), IsEmpty()) << "the third one holds the value";
  p.condition = {on("left", u == 0), on("right", d(u, x) == u)};
  EXPECT_THAT(solvability_doubts(p), ElementsAre(HasSubstr("adding x to 'u' changes nothing")));
  // Both fields together: (u, v) = (c, -c).
  p.fields = {"u", "v"};
  p.equation = {d(u, x, x) + u + v == 1, d(v, x, x) + u + v == 1};
  p.condition = {on_boundary(d(u, x) == 0), on_boundary(d(v, x) == 0)};
  EXPECT_THAT(solvability_doubts(p),
              ElementsAre(HasSubstr("adding a constant to 'u' and a constant to 'v'")));
}

TEST(Wellposed, TellsHowNearAResonanceIs) {
  const auto beside = [](double share) {
    return solvability_doubts(line(d(u, x, x) + 9 * pi * pi * (1 + share) * u == x));
  };
  EXPECT_THAT(beside(1e-7), ElementsAre(HasSubstr("nearly singular: adding sin(3*pi*x)")));
  EXPECT_THAT(beside(1e-7), ElementsAre(HasSubstr("1e-07 of their terms")));
  EXPECT_THAT(beside(1e-5), IsEmpty()) << "residuals of 1e-8 are errors of 0.1 %";
}

TEST(Wellposed, FindsConditionsThatContradict) {
  Problem p = line(d(u, x) + u == 0);
  p.condition = {on_boundary(u == 1)};
  EXPECT_THAT(solvability_doubts(p), ElementsAre(HasSubstr("contradict each other")));
  p.condition = {on("left", u == 1), on("right", u == exp(-x))};
  EXPECT_THAT(solvability_doubts(p), IsEmpty()) << "one too many, but right";
}

TEST(Wellposed, CountsConditionsWhereTheyHold) {
  // Ends named by their coordinates; a source that is not resolved contradicts nothing.
  Problem p = line(d(u, x, x) - u == sin(800 * x));
  p.condition = {on("x = 0", u == 0), on("x = 1", u == 1)};
  EXPECT_THAT(solvability_doubts(p), IsEmpty());
}

TEST(Wellposed, LetsGrowthBeThatIntegratorsMaster) {
  const Equation e = d(u, t) == 8 * (u - cos(t)) - sin(t);
  EXPECT_THAT(solvability_doubts(in_time(e, 2.5, 1)), IsEmpty());
  EXPECT_THAT(solvability_doubts(in_time(e, 4, 1)),
              ElementsAre(HasSubstr("an error at the start")));
}

TEST(Wellposed, FindsTheFoldOfBratusProblem) {
  // Solutions end at the constant 3.5138: 0.8785 of 4, 0.5856 of 6.
  const auto bratu = [](double constant) {
    return solvability_doubts(line(d(u, x, x) + constant * exp(u) == 0));
  };
  EXPECT_THAT(bratu(4), ElementsAre(HasSubstr("turn back at 0.88 of their size (a fold)")));
  EXPECT_THAT(bratu(6), ElementsAre(HasSubstr("turn back at 0.59 of their size (a fold)")));
  EXPECT_THAT(bratu(1), ElementsAre(HasSubstr("finds 2 solutions")));
}

TEST(Wellposed, FindsTheEndOfSolutionsInTime) {
  EXPECT_THAT(solvability_doubts(in_time(d(u, t) == u * u, 1.5, 1)),
              ElementsAre(HasSubstr("grows beyond all bounds at t = 1 and does not reach")));
  EXPECT_THAT(solvability_doubts(in_time(d(u, t) == u * u, 0.9, 1)), IsEmpty());
  EXPECT_THAT(solvability_doubts(in_time(d(u, t) == -u, 30, 1)), IsEmpty());
  EXPECT_THAT(solvability_doubts(in_time(d(u, t) == u, 40, 1)), IsEmpty())
      << "errors grow, and the answer as much";
  EXPECT_THAT(solvability_doubts(in_time(d(u, t) == u - exp(-t) - exp(-t), 40, 1)),
              ElementsAre(HasSubstr("leave an error of 100 %")))
      << "exp(-t), beside which exp(t) grows";
}

TEST(Wellposed, LooksAtConditionsAtTwoTimes) {
  const auto wave = [](double end) {
    Problem p = line(d(u, t, t) == d(u, x, x));
    p.domain = Interval(x, 0, 1) * Time(t, 0, end);
    p.condition = {on_boundary(u == 0), at(t == 0, u == 0), at(t == end, u == sin(pi * x))};
    return solvability_doubts(p);
  };
  EXPECT_THAT(wave(2), ElementsAre(HasSubstr("adding sin(pi*t)*sin(pi*x)")));
  EXPECT_THAT(wave(0.7), IsEmpty());
}

TEST(Wellposed, DeflationFindsTheHotStateOfADisk) {
  const auto disk = [](const Equation& e) {
    Problem p = line(e);
    p.domain = Disk({0.1, 0.2}, 0.9);
    return solvability_doubts(p);
  };
  EXPECT_THAT(disk(laplacian(u, {x, y}) + 2 * exp(u) == 0),
              ElementsAre(HasSubstr("finds a second answer")));
  EXPECT_THAT(disk(laplacian(u, {x, y}) + 12 * sin(u) == 0),
              ElementsAre(HasSubstr("finds a second answer")));
  // Monotone: one answer.
  EXPECT_THAT(disk(laplacian(u, {x, y}) == exp(u)), IsEmpty());
  EXPECT_THAT(disk(laplacian(u, {x, y}) == 10 * u * u * u - 5), IsEmpty());
  EXPECT_THAT(disk(laplacian(u, {x, y}) + 4 * sin(u) == 1), IsEmpty()) << "below the first mode";
}

TEST(Wellposed, ShootsForSeveralAnswers) {
  // Above the first critical load a strut buckles to either side.
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 9.3 * sin(u) == 0, 0.3, 2)),
              ElementsAre(HasSubstr("find 3 answers")));
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) + 3 * sin(u) == 0, 0.3, 2)), IsEmpty())
      << "below it";
  // A pendulum with its angle at two times.
  Problem p = in_time(d(u, t, t) + sin(u) == 0, 12, 0.5);
  p.condition = {at(t == 0, u == 0.5), at(t == 12, u == 0.5)};
  EXPECT_THAT(solvability_doubts(p), ElementsAre(HasSubstr("answers: they start with u_t")));
  p.condition = {at(t == 0, u == 0.5), at(t == 0, d(u, t) == 0)};
  EXPECT_THAT(solvability_doubts(p), IsEmpty());
}

TEST(Wellposed, MonotoneProblemsHaveOneAnswer) {
  EXPECT_THAT(solvability_doubts(line(u * u * u - d(u, x, x) == sin(pi * x))), IsEmpty());
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) == exp(u))), IsEmpty());
  EXPECT_THAT(solvability_doubts(line(d(u, x, x) == 49 * sinh(u))), IsEmpty());
  EXPECT_THAT(solvability_doubts(line(0.02 * d(u, x, x) + u * d(u, x) == u)), IsEmpty());
}

TEST(Wellposed, NamesWhereAnswersPart) {
  const auto root = [](const Expr& e) { return pow(abs(e), 0.5); };
  const auto leaves = [&](const Equation& e, double start) {
    return solvability_doubts(in_time(e, 4, start));
  };
  EXPECT_THAT(leaves(d(u, t) == -root(u), 1),
              ElementsAre(HasSubstr("where 'u' is 0, and the answer rests there at t = 2")));
  EXPECT_THAT(leaves(d(u, t) == root(u), 0), ElementsAre(HasSubstr("rests there at t = 0")));
  EXPECT_THAT(leaves(d(u, t) == pow(abs(u), 0.8), 0), ElementsAre(HasSubstr("t = 0")));
  EXPECT_THAT(leaves(d(u, t) == root(u - 1) * cos(t), 1), ElementsAre(HasSubstr("'u - 1' is 0")));
  // One answer: nothing leaves, it passes at once, or it never gets there.
  EXPECT_THAT(leaves(d(u, t) == -sign(u) * root(u), 1), IsEmpty());
  EXPECT_THAT(leaves(d(u, t) == -1 - root(u), 1), IsEmpty());
  EXPECT_THAT(leaves(d(u, t) == root(u), 1), IsEmpty());
  EXPECT_THAT(leaves(d(u, t) == -root(u), 9), IsEmpty());
  // A second derivative: u = (t^4)/144 beside u = 0.
  Problem p = in_time(d(u, t, t) == root(u), 3, 0);
  p.condition = {at(t == 0, u == 0), at(t == 0, d(u, t) == 0)};
  EXPECT_THAT(solvability_doubts(p), ElementsAre(HasSubstr("rests there at t = 0")));
  p.condition = {at(t == 0, u == 0), at(t == 0, d(u, t) == 1)};
  EXPECT_THAT(solvability_doubts(p), IsEmpty());
}

TEST(Wellposed, FollowsGrowthAfterDecay) {
  const auto passage = [](const Equation& equation, double from, double to) {
    Problem p = in_time(equation, 1, 0.5);
    p.domain = Domain(Time(t, from, to));
    p.condition = {at(t == from, u == 0.5)};
    return p;
  };
  const Equation quick = 1e-3 * d(u, t) == t * u - u * u * u;
  EXPECT_THAT(solvability_doubts(passage(quick, -1, 1.2)),
              ElementsAre(HasSubstr("what comes after is left to rounding")));
  EXPECT_THAT(solvability_doubts(passage(quick, -1, 0.2)), IsEmpty()) << "it has not grown yet";
  // The same within what numbers hold.
  EXPECT_THAT(solvability_doubts(passage(d(u, t) == t * u - u * u * u, -5, 6)), IsEmpty());
  EXPECT_THAT(solvability_doubts(passage(d(u, t) == t * u, -6, 7)), IsEmpty());
  EXPECT_THAT(solvability_doubts(passage(d(u, t) == u, 0, 60)), IsEmpty())
      << "perturbations beside a solution that grows as they do";
  EXPECT_THAT(solvability_doubts(passage(1e-4 * d(u, t) == cos(t) - u, 0, 20)), IsEmpty());
}

TEST(Wellposed, LooksAtTheMiddleOfAFamily) {
  Problem p = line(d(u, x, x) + pi * pi * Expr(Parameter("k")) * u == 1);
  p.domain = Interval(x, 0, 1) * Range(Parameter("k"), 8, 10);
  EXPECT_THAT(solvability_doubts(p), ElementsAre(HasSubstr("adding sin(3*pi*x) to 'u'")));
}

}  // namespace
}  // namespace cauchy::test_wellposed
