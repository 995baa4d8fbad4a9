#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/math/eigenvalues.hpp>

#include "files/option_reader.hpp"
#include "solvers/time/diagonal_runge_kutta.hpp"
#include "solvers/time/integrate.hpp"
#include "support/message_of.hpp"
#include "support/small_systems.hpp"

namespace cauchy::test_time_schemes {
namespace {

using detail::integrate;
using detail::stable_step;
using test::FunctionSystem;
using test::heat_system;
constexpr double pi_ = std::numbers::pi;

std::vector<double> bump(std::size_t n) {
  std::vector<double> y(n + 2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::sin(pi_ * static_cast<double>(i) / static_cast<double>(n + 1));
  }
  return y;
}

TEST(Eigenvalues, OfARotationAreImaginary) {
  Matrix a(2, 2);
  a(0, 1) = -3;
  a(1, 0) = 3;
  const Eigenvalues e = eigenvalues(a);
  ASSERT_EQ(e.values.size(), 2u);
  EXPECT_NEAR(std::abs(e.values[0].imag()), 3, 1e-14);
  EXPECT_NEAR(e.values[0].real(), 0, 1e-14);
  EXPECT_THROW((void)eigenvalues(Matrix(2, 3)), Error);
}

TEST(TimeSchemes, SettingsAreWrittenReadBackAndChecked) {
  const auto read = [](const std::string& text) {
    auto source = std::make_shared<detail::TomlSource>();
    TimeOptions options;
    detail::read_options(detail::parse_toml(text, source), "[method.time]", options);
    return options;
  };
  for (const TimeSchemeEntry& e : all_time_schemes()) {
    const std::string text = option_text("", TimeOptions{.scheme = e.scheme, .tolerance = 1e-5});
    EXPECT_EQ(read(text).scheme, e.scheme) << text;
    EXPECT_EQ(read(text).tolerance, 1e-5) << text;
  }
  EXPECT_EQ(read("scheme = \"theta\"\ntheta = 0.75\nstep = 0.1").theta, 0.75);
  const auto refusal = [&](const std::string& text) {
    return message_of([&] { return read(text); });
  };
  EXPECT_NE(refusal("theta = 1").find("no meaning for this scheme"), std::string::npos);
  EXPECT_NE(refusal("scheme = \"theta\"\ntheta = 1.5").find("at most 1"), std::string::npos);
  EXPECT_NE(refusal("scheme = \"bdf\"\nstep = 0.1").find("use bdf2"), std::string::npos);
  EXPECT_NE(refusal("step = 0.1\ntolerance = 1e-3").find("leave one of them out"),
            std::string::npos);
  EXPECT_NE(refusal("scheme = \"euler\"").find("explicit-euler"), std::string::npos);
}

TEST(TimeSchemes, TheCoefficientsOfTheImplicitExplicitPairFulfilTheOrderConditions) {
  const auto& k = detail::kennedy_carpenter();
  const auto check = [&](const std::vector<std::vector<double>>& rows, double diagonal) {
    const std::size_t s = k.b.size();
    std::vector<double> ac(s), acc(s);
    double b_ac = 0, b_acc = 0, b_cac = 0, b_aac = 0;
    for (std::size_t i = 0; i < s; ++i) {
      double sum = i == 0 ? 0 : diagonal;
      ac[i] = sum * k.c[i];
      acc[i] = sum * k.c[i] * k.c[i];
      for (std::size_t j = 0; j < i; ++j) {
        sum += rows[i][j];
        ac[i] += rows[i][j] * k.c[j];
        acc[i] += rows[i][j] * k.c[j] * k.c[j];
      }
      EXPECT_NEAR(sum, k.c[i], 1e-14);
      b_ac += k.b[i] * ac[i];
      b_acc += k.b[i] * acc[i];
      b_cac += k.b[i] * k.c[i] * ac[i];
    }
    for (std::size_t i = 0; i < s; ++i) {
      double aac = i == 0 ? 0 : diagonal * ac[i];
      for (std::size_t j = 0; j < i; ++j) aac += rows[i][j] * ac[j];
      b_aac += k.b[i] * aac;
    }
    EXPECT_NEAR(b_ac, 1.0 / 6, 1e-14);
    EXPECT_NEAR(b_acc, 1.0 / 12, 1e-14);
    EXPECT_NEAR(b_cac, 1.0 / 8, 1e-14);
    EXPECT_NEAR(b_aac, 1.0 / 24, 1e-14);
  };
  check(k.implicit_a, k.diagonal);
  check(k.explicit_a, 0);
}

TEST(TimeSchemes, ExplicitStepsOfTheHeatEquationAreLimitedByTheGrid) {
  for (const std::size_t n : {39u, 399u}) {  // all eigenvalues; outer ones and Gershgorin's bound
    FunctionSystem heat = heat_system(n, 0.5);
    const double h = 1 / static_cast<double>(n + 1);
    const detail::TimeTask task{.system = heat, .end = 0.1, .start = bump(n)};
    // The largest eigenvalue is -4 d/h^2 cos^2(pi h/2).
    const double largest = 4 * 0.5 / (h * h) * std::pow(std::cos(pi_ * h / 2), 2);
    EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::explicit_euler}) * largest, 2, 2e-3);
    if (n > 100) continue;
    EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::rk4}) * largest, 2.785294, 1e-3);
    EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::dormand_prince}) * largest, 3.306568,
                1e-3);
    EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::theta, .theta = 0.25}) * largest, 4, 4e-3);
    EXPECT_EQ(stable_step(task, {.scheme = TimeScheme::theta}), INFINITY);
    EXPECT_EQ(stable_step(task, {.scheme = TimeScheme::bdf2}), INFINITY);
  }
}

TEST(TimeSchemes, AnUnstableStepIsRefusedWithTheLimit) {
  FunctionSystem heat = heat_system(19, 0.5);
  const detail::TimeTask task{.system = heat, .end = 0.1, .start = bump(19)};
  const std::string message = message_of(
      [&] { (void)integrate(task, {.scheme = TimeScheme::explicit_euler, .step = 0.01}); });
  EXPECT_NE(message.find("explicit-euler is unstable with step 0.01: the limit is 0.002515"),
            std::string::npos)
      << message;
  // Just below the limit nothing grows.
  const auto r = integrate(task, {.scheme = TimeScheme::explicit_euler, .step = 0.0025});
  EXPECT_EQ(r.trouble, "");
  EXPECT_EQ(r.steps, 40u);
  EXPECT_LT(std::abs(r.states.back()[10]), 1.0);
}

TEST(TimeSchemes, WavesAreUnstableUnderExplicitEulerButNotUnderRungeKutta) {
  // u_t = v, v_t = u_xx on n inner nodes: eigenvalues +-2i/h.
  const std::size_t n = 30;
  const double h = 1.0 / (n + 1);
  FunctionSystem wave{std::vector<char>(2 * n, 1), [&](double, auto y, auto dy, auto out) {
                        for (std::size_t i = 0; i < n; ++i) {
                          const double left = i > 0 ? y[i - 1] : 0,
                                       right = i + 1 < n ? y[i + 1] : 0;
                          out[i] = dy[i] - y[n + i];
                          out[n + i] = dy[n + i] - (left - 2 * y[i] + right) / (h * h);
                        }
                      }};
  std::vector<double> start(2 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) start[i] = std::sin(pi_ * static_cast<double>(i + 1) * h);
  const detail::TimeTask task{.system = wave, .end = 1, .start = start};
  const double largest = 2 / h * std::cos(pi_ * h / 2);
  // sqrt(8) and a little more, since the time is short.
  EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::rk4}) * largest, 2.85, 0.03);
  EXPECT_LT(stable_step(task, {.scheme = TimeScheme::explicit_euler}), 3 * h * h);
}

TEST(TimeSchemes, StiffModesAreDampedAndSpareFactorisations) {
  FunctionSystem heat = heat_system(40, 1);
  std::vector<double> start = bump(40);
  for (std::size_t i = 1; i <= 40; ++i) start[i] += (i % 2 == 0 ? 0.1 : -0.1);  // the fastest mode
  for (const TimeScheme scheme : {TimeScheme::bdf2, TimeScheme::bdf, TimeScheme::esdirk}) {
    const auto r = integrate({.system = heat, .end = 0.1, .start = start},
                             {.scheme = scheme, .tolerance = 1e-5});
    EXPECT_EQ(r.trouble, "");
    const double h = 1.0 / 41;
    const double rate = 4 / (h * h) * std::pow(std::sin(pi_ * h / 2), 2);
    EXPECT_NEAR(r.states.back()[20], std::exp(-rate * 0.1) * bump(40)[20], 2e-4) << name_of(scheme);
    EXPECT_LT(r.steps, 800u) << name_of(scheme);
  }
}

TEST(TimeSchemes, ABlowUpIsToldAndNotFollowed) {
  FunctionSystem blow{{1}, [](double, auto y, auto dy, auto out) { out[0] = dy[0] - y[0] * y[0]; }};
  for (const TimeScheme scheme :
       {TimeScheme::dormand_prince, TimeScheme::esdirk, TimeScheme::bdf}) {
    const auto r =
        integrate({.system = blow, .end = 2, .start = {1}}, {.scheme = scheme, .tolerance = 1e-6});
    EXPECT_NE(r.trouble, "") << name_of(scheme);
    EXPECT_NEAR(r.times.back(), 1, 1e-3) << name_of(scheme);
  }
  const auto r = integrate({.system = blow, .end = 3, .start = {1}},
                           {.scheme = TimeScheme::explicit_euler, .step = 0.01});
  EXPECT_NE(r.trouble, "");
}

TEST(TimeSchemes, ConstraintsThatDoNotDetermineTheirUnknownsAreTold) {
  FunctionSystem bad{{1, 0}, [](double, auto y, auto dy, auto out) {
                       out[0] = dy[0] - y[1];
                       out[1] = y[0] - 1;  // does not hold y[1]: index 2
                     }};
  const auto r = integrate({.system = bad, .end = 1, .start = {1, 0}}, {});
  EXPECT_NE(r.trouble.find("without a time derivative"), std::string::npos) << r.trouble;
}

TEST(TimeSchemes, StopsAreMetAndMemoryIsKept) {
  // y' = 1 before t = 1/3, -1 after.
  FunctionSystem jump{
      {1}, [](double t, auto, auto dy, auto out) { out[0] = dy[0] - (t < 1.0 / 3 ? 1 : -1); }};
  const double last = std::nextafter(1.0 / 3, 0);
  const auto r = integrate({.system = jump, .start = {0}, .stops = {last}},
                           {.scheme = TimeScheme::esdirk, .tolerance = 1e-8});
  EXPECT_NEAR(r.states.back()[0], -1.0 / 3, 1e-12);
  EXPECT_NE(std::find(r.times.begin(), r.times.end(), last), r.times.end());
  const auto many = integrate({.system = jump, .start = {0}, .most_numbers = 200},
                              {.scheme = TimeScheme::rk4, .step = 1e-3});
  EXPECT_EQ(many.steps, 1000u);
  EXPECT_LE(many.times.size(), 101u);
  EXPECT_GE(many.times.size(), 50u);
  EXPECT_EQ(many.times.back(), 1.0);
  const auto stopped =
      integrate({.system = jump, .start = {0}}, {.step = 0.1}, [](double t) { return t > 0.45; });
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_NEAR(stopped.times.back(), 0.5, 1e-12);
}

TEST(TimeSchemes, RatesUnderAMatrixWithConstraintsAreFound) {
  // (y1' + y2') = -y1, with y2 = sin t: the rate of an algebraic unknown counts.
  FunctionSystem mixed{{1, 0}, [](double t, auto y, auto dy, auto out) {
                         out[0] = dy[0] + dy[1] + y[0];
                         out[1] = y[1] - std::sin(t);
                       }};
  // y1' = -y1 - cos t, y1(0) = 1:  y1 = 3/2 e^-t - (cos t + sin t)/2
  const double exact = 1.5 * std::exp(-1.0) - 0.5 * (std::cos(1.0) + std::sin(1.0));
  for (const TimeScheme scheme : {TimeScheme::rk4, TimeScheme::dormand_prince, TimeScheme::theta,
                                  TimeScheme::bdf2, TimeScheme::bdf, TimeScheme::esdirk}) {
    const auto r =
        integrate({.system = mixed, .start = {1, 0}}, {.scheme = scheme, .tolerance = 1e-6});
    EXPECT_EQ(r.trouble, "") << name_of(scheme);
    EXPECT_NEAR(r.states.back()[0], exact, 1e-5) << name_of(scheme);
  }
}

TEST(TimeSchemes, OneJacobiSweepIsOneExplicitStepAtTheStabilityLimit) {
  // V_t = V_xx - f with step h^2/2 against V_i <- (V_{i-1} + V_{i+1} - h^2 f_i)/2.
  const std::size_t n = 24;
  const double h = 1.0 / (n + 1);
  const auto f = [&](std::size_t i) { return std::cos(3.0 * static_cast<double>(i) * h); };
  std::vector<char> differential(n + 2, 1);
  differential.front() = differential.back() = 0;
  FunctionSystem diffusion{differential, [&](double, auto y, auto dy, auto out) {
                             out[0] = y[0] - 1;
                             out[n + 1] = y[n + 1];
                             for (std::size_t i = 1; i <= n; ++i) {
                               out[i] = dy[i] - (y[i - 1] - 2 * y[i] + y[i + 1]) / (h * h) + f(i);
                             }
                           }};
  std::vector<double> v(n + 2, 0.0);
  v[0] = 1;
  const double step = h * h / 2;
  const detail::TimeTask task{.system = diffusion, .end = 30 * step, .start = v};
  EXPECT_NEAR(stable_step(task, {.scheme = TimeScheme::explicit_euler}) / step, 1, 0.005);
  const auto r = integrate(task, {.scheme = TimeScheme::explicit_euler, .step = step});
  ASSERT_EQ(r.states.size(), 31u);
  for (std::size_t k = 1; k <= 30; ++k) {
    std::vector<double> w = v;
    for (std::size_t i = 1; i <= n; ++i) w[i] = (v[i - 1] + v[i + 1] - h * h * f(i)) / 2;
    v = w;
    for (std::size_t i = 0; i < v.size(); ++i) {
      ASSERT_NEAR(r.states[k][i], v[i], 64 * 2.2e-16 * static_cast<double>(k)) << k << " " << i;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_time_schemes
