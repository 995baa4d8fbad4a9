// Observations with noise: what is refused, how a fit is judged, and what the data leave open.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/problem/solution.hpp>

#include "problem/fingerprint.hpp"
#include "support/formula_field.hpp"
#include "support/message_of.hpp"
#include "support/noisy_problems.hpp"

namespace cauchy::test_noise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Coordinate t("t"), x("x");
const Field u("u"), k("k");

TEST(Noise, MustBePositiveAndGivenOnce) {
  Problem p = noisy::decay(1);
  Observation& o = p.observation[0];
  const auto message = [&] { return message_of([&] { check(p); }); };
  EXPECT_EQ(message(), "no error");
  o.sigma = 0;
  EXPECT_EQ(message(),
            "observation 'data': sigma is 0; the noise of a value is positive; leave sigma out "
            "where it is not known");
  o.sigma = NAN;
  EXPECT_THAT(message(), HasSubstr("sigma is nan"));
  o.sigma = 0.1;
  o.sigma_column = "m";
  EXPECT_EQ(message(),
            "observation 'data': the noise is given by a number and by a column; keep one of them");
  o.sigma.reset();
  o.table.values[5] = -1;
  EXPECT_THAT(message(), HasSubstr("row 3: 'm' is -1"));
  o.sigma_column = "s";
  EXPECT_THAT(message(), HasSubstr("'s'"));
}

TEST(Noise, BelongsToTheFingerprint) {
  Problem p = noisy::decay(1);
  const std::string first = detail::fingerprint(p);
  p.observation[0].sigma = 0.06;
  EXPECT_NE(detail::fingerprint(p), first);
}

/// The decay with one value replaced by the exact one plus the given multiple of sigma.
Solution with_misfit(double factor) {
  Problem p = noisy::decay(1, 200);
  for (std::size_t i = 0; i < 200; ++i) {
    const double at = p.observation[0].table.values[2 * i];
    p.observation[0].table.values[2 * i + 1] =
        std::exp(-1.3 * at) + factor * 0.05 * (i % 2 == 0 ? 1 : -1);
  }
  return graded(p, {{"u", exp(-1.3 * t)}, {"k", 1.3}}, {{"k", 1.3}});
}

const TermCheck& data_check(const Solution& s) {
  for (const TermCheck& c : s.checks) {
    if (c.kind == TermCheck::Kind::observation) return c;
  }
  throw std::runtime_error("no observation");
}

TEST(Noise, IsTheUnitOfTheMisfit) {
  const Solution s = with_misfit(0.9);
  EXPECT_NEAR(data_check(s).fresh, 0.9, 1e-12);
  EXPECT_NEAR(data_check(s).scale, 0.05, 1e-15);
  EXPECT_THAT(s.findings, Not(Contains(HasSubstr("noise"))));
}

TEST(Noise, WeighsEveryValueByItsOwn) {
  Problem p = noisy::decay(1, 3);
  Observation& o = p.observation[0];
  o.table.columns = {"t", "m", "s"};
  o.table.values = {0.5, std::exp(-0.65) + 0.1, 0.1, 1, std::exp(-1.3) - 0.4, 0.2,
                    1.5, std::exp(-1.95),       0.7};
  o.sigma.reset();
  o.sigma_column = "s";
  const Solution s = graded(p, {{"u", exp(-1.3 * t)}}, {{"k", 1.3}});
  EXPECT_NEAR(data_check(s).fresh, std::sqrt((1.0 + 4.0 + 0.0) / 3), 1e-12);
  EXPECT_NEAR(data_check(s).worst, 2, 1e-12);
  EXPECT_EQ(data_check(s).where, std::vector<double>{1});
}

TEST(Noise, AFitBelowOrAboveItIsReported) {
  // 3 / sqrt(2 * 200) = 0.15
  EXPECT_THAT(with_misfit(0.8).findings,
              Contains("the misfit to 'data' is 0.8 of its noise: the answer follows the noise, or "
                       "sigma is too large"));
  EXPECT_THAT(with_misfit(1.2).findings,
              Contains("'data' is missed: the misfit is 1.2 times its noise"));
  EXPECT_THAT(with_misfit(1.1).findings, Not(Contains(HasSubstr("misfit"))));
}

// --- what the data leave open ---

/// -(k u')' = 1 with k to be found from values of u at points of [low, high].
Problem bar(double low, double high) {
  Problem p;
  p.name = "bar";
  p.fields = {"u"};
  p.coefficients = {{"k", {"x"}}};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(k * d(u, x), x) == 1};
  p.condition = {on_boundary(u == 0), on("left", k == 1)};
  Observation o{.name = "data", .quantity = u, .column = "m"};
  o.table.columns = {"x", "m"};
  for (int i = 0; i <= 10; ++i) {
    const double at = low + (high - low) * i / 10;
    o.table.values.insert(o.table.values.end(), {at, at * (1 - at) / 2});
  }
  p.observation = {o};
  return p;
}

TEST(Identifiability, NamesThePartOfACoefficientThatNoObservationReaches) {
  EXPECT_THAT(facts(bar(0, 1)).warnings, IsEmpty());
  EXPECT_THAT(facts(bar(0.05, 0.95)).warnings, IsEmpty());
  EXPECT_THAT(
      facts(bar(0, 0.5)).warnings,
      Contains("coefficient 'k' is not determined where x > 0.5: no observation lies there"));
  EXPECT_THAT(facts(bar(0.3, 0.6)).warnings,
              Contains("coefficient 'k' is not determined where x < 0.3 and x > 0.6: no "
                       "observation lies there"));
}

TEST(Identifiability, NamesACoefficientWithoutData) {
  Problem p = bar(0, 1);
  p.observation.clear();
  EXPECT_THAT(facts(p).warnings,
              Contains(HasSubstr("coefficient 'k' is determined by no data: observe it")));
  p = bar(0, 1);
  p.observation[0].quantity = k;
  EXPECT_THAT(facts(p).warnings, IsEmpty());
}

TEST(Identifiability, CountsData) {
  Problem p = noisy::decay(1, 1);
  p.unknowns.push_back({.name = "a"});
  p.equation = {d(u, t) == -Parameter("k") * u + Parameter("a")};
  EXPECT_THAT(facts(p).warnings,
              Contains("1 observed value for 2 unknown constants: they are not all determined"));
  p.observation = noisy::decay(1, 2).observation;
  EXPECT_THAT(facts(p).warnings, IsEmpty());
}

TEST(Identifiability, MissesAStartThatNothingDetermines) {
  Problem p = noisy::heat(1);
  EXPECT_THAT(facts(p).warnings, IsEmpty());
  for (std::size_t i = 0; i < p.observation[0].table.values.size(); i += 3) {
    double& time = p.observation[0].table.values[i];
    time = 0.25 + 0.75 * time * time;
  }
  p.observation[0].table.values[0] = 0.25;
  EXPECT_THAT(facts(p).warnings,
              Contains("field 'u' has no initial condition, and no observation before t = 0.25: "
                       "nothing determines it there"));
  p.condition.push_back(at(t == 0, u == cos(pi * x / 2)));
  EXPECT_THAT(facts(p).warnings, IsEmpty());
}

}  // namespace
}  // namespace cauchy::test_noise
