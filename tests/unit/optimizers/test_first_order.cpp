#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/rmsprop.hpp>
#include <cauchy/optimizers/soap.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/coupled_problem.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_first_order {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
using minimization::coupled;
using Span = std::span<const double>;

using Maker = std::function<std::unique_ptr<Optimizer>(const Schedule&, double clip_norm)>;
std::vector<Maker> makers() {
  return {[](const Schedule& s, double clip) {
            return std::make_unique<GradientDescent>(
                GradientDescentOptions{.learning_rate = 0.05, .clip_norm = clip}, s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<Momentum>(
                MomentumOptions{.learning_rate = 0.02, .momentum = 0.7, .clip_norm = clip}, s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<Nesterov>(
                MomentumOptions{.learning_rate = 0.02, .momentum = 0.7, .clip_norm = clip}, s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<RmsProp>(
                RmsPropOptions{.learning_rate = 0.05, .clip_norm = clip}, s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<Adam>(AdamOptions{.learning_rate = 0.05, .clip_norm = clip}, s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<AdamW>(AdamWOptions{.learning_rate = 0.05, .clip_norm = clip},
                                           s);
          },
          [](const Schedule& s, double clip) {
            return std::make_unique<Soap>(SoapOptions{.learning_rate = 0.05,
                                                      .clip_norm = clip,
                                                      .precondition_frequency = 3,
                                                      .blocks = {{1, 2, 2}}},
                                          s);
          }};
}

TEST(FirstOrder, ClippingShortensLongGradientsExactly) {
  // Gradient (6, -8) of length 10, clipped to 5: exactly (3, -4).
  FunctionObjective f(2, [](Span, std::span<double> g) {
    g[0] = 6;
    g[1] = -8;
    return 1.0;
  });
  for (const double clip : {0.0, 5.0, 10.0, 20.0}) {
    GradientDescent method({.learning_rate = 0.5, .clip_norm = clip});
    std::vector<double> x(2, 0.0);
    const auto r = method.step(f, x);
    const double scale = clip == 5 ? 0.5 : 1;
    EXPECT_EQ(x, (std::vector<double>{-3 * scale, 4 * scale})) << clip;
    EXPECT_EQ(r.gradient_norm, 10);  // the gradient of the objective is reported
    EXPECT_EQ(r.step_norm, 5 * scale);
  }
}

TEST(FirstOrder, EachMethodTakesTheStepsOfTheClippedGradient) {
  // The clipped method on f equals the method on an objective whose gradient is clipped already.
  for (const Maker& make : makers()) {
    FunctionObjective f(5, coupled), clipped(5, [](Span x, std::span<double> g) {
      const double v = coupled(x, g);
      double square = 0;
      for (const double e : g) square += e * e;
      const double scale = std::min(1.0, 0.7 / std::sqrt(square));
      for (double& e : g) e *= scale;
      return v;
    });
    const auto a = make({}, 0.7), b = make({}, 0), c = make({}, 0);
    std::vector<double> x{1, -1, 2, 0.5, 3}, y = x, z = x;
    double from_free = 0;
    for (int k = 0; k < 15; ++k) {
      (void)a->step(f, x);
      (void)b->step(clipped, y);
      (void)c->step(f, z);
      // Two orders of summation in the norm; SOAP amplifies by 1 / sqrt of small squares.
      for (std::size_t i = 0; i < 5; ++i) ASSERT_LT(std::abs(x[i] - y[i]), 1e-9) << a->name() << k;
      for (std::size_t i = 0; i < 5; ++i) from_free = std::max(from_free, std::abs(x[i] - z[i]));
    }
    EXPECT_GT(from_free, 1e-3) << a->name();
  }
}

TEST(FirstOrder, SavedAndRestoredEachMethodContinuesWithTheSameBits) {
  const Schedule schedules[] = {
      {.shape = ScheduleShape::cosine, .steps = 40, .warmup_steps = 3},
      {.shape = ScheduleShape::plateau,
       .plateau = {.patience = 1, .threshold = 0.3, .cooldown = 1, .min_factor = 1e-3}}};
  for (const Maker& make : makers()) {
    for (const Schedule& schedule : schedules) {
      for (const int stop : {0, 1, 7, 13}) {
        FunctionObjective f(5, coupled);
        const auto whole = make(schedule, 2), first = make(schedule, 2), second = make(schedule, 2);
        std::vector<double> x{1, -1, 2, 0.5, 3}, y = x;
        for (int k = 0; k < stop; ++k) {
          (void)whole->step(f, x);
          (void)first->step(f, y);
        }
        OptimizerState state;
        first->save(state);
        second->restore(state);
        for (int k = 0; k < 14; ++k) {
          const auto a = whole->step(f, x), b = second->step(f, y);
          ASSERT_EQ(x, y) << whole->name() << ' ' << stop << ' ' << k;
          ASSERT_EQ(a.value, b.value);
          ASSERT_EQ(a.step_norm, b.step_norm);
        }
        OptimizerState of_whole, of_second;
        whole->save(of_whole);
        second->save(of_second);
        EXPECT_TRUE(of_whole == of_second) << whole->name();
        if (schedule.shape == ScheduleShape::plateau) {
          EXPECT_LT(of_whole.arrays.at("plateau")[0], 1) << whole->name();  // it did cut the rate
        }
      }
    }
  }
}

TEST(FirstOrder, RefusesStatesThatDoNotFit) {
  const Schedule plateau{.shape = ScheduleShape::plateau};
  const auto all = makers();
  for (std::size_t k = 0; k < all.size(); ++k) {
    FunctionObjective f(5, coupled);
    const auto method = all[k](plateau, 0), other = all[(k + 1) % all.size()](plateau, 0);
    std::vector<double> x{1, -1, 2, 0.5, 3}, y = x;
    (void)method->step(f, x);
    (void)other->step(f, y);
    OptimizerState good, foreign;
    method->save(good);
    other->save(foreign);
    EXPECT_NE(message_of([&] { method->restore(foreign); }).find("the saved state has no"),
              std::string::npos)
        << method->name();
    for (const auto& [key, values] : good.arrays) {
      OptimizerState bad = good;
      bad.arrays.erase(key);
      EXPECT_THROW(method->restore(bad), Error) << method->name() << key;
      bad = good;
      bad.arrays[key].push_back(1);
      EXPECT_THROW(method->restore(bad), Error) << method->name() << key;
    }
    for (const auto& [key, value] : good.numbers) {
      OptimizerState bad = good;
      bad.numbers.erase(key);
      EXPECT_THROW(method->restore(bad), Error) << method->name() << key;
    }
    OptimizerState now;
    method->save(now);
    EXPECT_TRUE(now == good) << method->name();  // refusals changed nothing
  }
}

TEST(FirstOrder, ANonFiniteValueGivesTheBestFinitePointOfEachMethod) {
  for (const Maker& make : makers()) {
    int calls = 0;
    double lowest = infinity;
    FunctionObjective f(5, [&](Span x, std::span<double> g) {
      const double v = coupled(x, g);
      if (++calls > 6) return nan;
      lowest = std::min(lowest, v);
      return v;
    });
    const auto method = make({}, 0);
    std::vector<double> x{1, -1, 2, 0.5, 3};
    const auto r = minimize(*method, f, x, {.max_iterations = 100});
    EXPECT_EQ(r.status, Status::not_finite) << method->name();
    EXPECT_EQ(r.value, lowest) << method->name();
    EXPECT_EQ(coupled(x, {}), lowest) << method->name();
  }
}

TEST(FirstOrder, APointThatBecomesNonFiniteDoesNotStayTheBest) {
  for (const Maker& make : makers()) {
    bool broken = false;
    FunctionObjective f(5, [&](Span x, std::span<double> g) {
      const double v = coupled(x, g);
      return broken ? nan : v;
    });
    const auto method = make({}, 0);
    std::vector<double> x{1, -1, 2, 0.5, 3};
    (void)method->step(f, x);
    broken = true;
    method->objective_changed();
    const auto lost = method->step(f, x);
    EXPECT_EQ(lost.status, StepStatus::not_finite) << method->name();
    EXPECT_TRUE(std::isnan(lost.value));
    x = {0.5, 0.5, 0.5, 0.5, 0.5};
    broken = false;
    const std::vector<double> best = x;
    EXPECT_EQ(method->step(f, x).status, StepStatus::progress) << method->name();
    broken = true;
    const auto r = method->step(f, x);
    EXPECT_EQ(r.status, StepStatus::not_finite);
    EXPECT_EQ(x, best) << method->name();
    EXPECT_EQ(r.value, coupled(best, {})) << method->name();
  }
}

TEST(FirstOrder, AnOverflowOfXIsDivergedAndLeavesAFinitePoint) {
  FunctionObjective f(5, [](Span x, std::span<double> g) {
    for (double& e : g) e = -1;
    return -x[0];
  });
  GradientDescent descent({.learning_rate = 1.5e308});
  Momentum momentum({.learning_rate = 1.5e308});
  Nesterov nesterov({.learning_rate = 1.5e308});
  RmsProp rmsprop({.learning_rate = 1.5e308});
  AdamW adamw({.learning_rate = 1.5e308, .weight_decay = 0});
  Soap soap({.learning_rate = 1.5e308, .blocks = {{0, 2, 2}}});
  for (Optimizer* method :
       std::initializer_list<Optimizer*>{&descent, &momentum, &nesterov, &rmsprop, &adamw, &soap}) {
    std::vector<double> x(5, 0.0);
    auto r = method->step(f, x);
    if (r.status == StepStatus::progress) r = method->step(f, x);
    EXPECT_EQ(r.status, StepStatus::diverged) << method->name();
    for (const double e : x) EXPECT_TRUE(std::isfinite(e)) << method->name();
    EXPECT_EQ(r.value, -x[0]) << method->name();
  }
}

TEST(FirstOrder, RestoresTheStateOfARunThatNeverHadAFinitePoint) {
  for (const Maker& make : makers()) {
    FunctionObjective f(5, [](Span, std::span<double>) { return nan; });
    const auto method = make({}, 0), fresh = make({}, 0);
    std::vector<double> x(5, 1.0);
    EXPECT_EQ(method->step(f, x).status, StepStatus::not_finite);
    EXPECT_EQ(x, std::vector<double>(5, 1.0));
    OptimizerState state;
    method->save(state);
    EXPECT_NO_THROW(method->restore(state)) << method->name();
    EXPECT_NO_THROW(fresh->restore(state)) << method->name();
    FunctionObjective good(5, coupled);
    EXPECT_EQ(fresh->step(good, x).status, StepStatus::progress);
  }
}

TEST(FirstOrder, RefusesBadOptionsWithOneSentence) {
  const auto expect = [](const std::function<void()>& action, const std::string& sentence) {
    const std::string message = message_of(action);
    EXPECT_NE(message.find(sentence), std::string::npos) << message;
  };
  for (const double bad : {0.0, -1.0, infinity, nan}) {
    const std::string rate = "learning_rate must be positive and finite, got ";
    expect([&] { GradientDescent m({.learning_rate = bad}); }, rate);
    expect([&] { Momentum m({.learning_rate = bad}); }, rate);
    expect([&] { Nesterov m({.learning_rate = bad}); }, rate);
    expect([&] { RmsProp m({.learning_rate = bad}); }, rate);
    expect([&] { Adam m({.learning_rate = bad}); }, rate);
    expect([&] { AdamW m({.learning_rate = bad}); }, rate);
    expect([&] { RmsProp m({.epsilon = bad}); }, "epsilon must be positive and finite, got ");
    expect([&] { AdamW m({.epsilon = bad}); }, "epsilon must be positive and finite, got ");
  }
  for (const double bad : {-0.1, 1.0, nan}) {
    expect([&] { Momentum m({.momentum = bad}); }, "momentum must be in [0, 1), got ");
    expect([&] { Nesterov m({.momentum = bad}); }, "momentum must be in [0, 1), got ");
    expect([&] { RmsProp m({.beta = bad}); }, "beta must be in [0, 1), got ");
    expect([&] { AdamW m({.beta1 = bad}); }, "beta1 must be in [0, 1), got ");
    expect([&] { AdamW m({.beta2 = bad}); }, "beta2 must be in [0, 1), got ");
  }
  for (const double bad : {-1.0, infinity, nan}) {
    const std::string clip = "clip_norm must be finite and not negative, got ";
    expect([&] { GradientDescent m({.clip_norm = bad}); }, clip);
    expect([&] { Momentum m({.clip_norm = bad}); }, clip);
    expect([&] { Nesterov m({.clip_norm = bad}); }, clip);
    expect([&] { RmsProp m({.clip_norm = bad}); }, clip);
    expect([&] { Adam m({.clip_norm = bad}); }, clip);
    expect([&] { AdamW m({.clip_norm = bad}); }, clip);
    expect([&] { AdamW m({.weight_decay = bad}); },
           "weight_decay must be finite and not negative, got ");
  }
  expect([] { Momentum m({}, {.drop_factor = 2}); }, "drop_factor must be in (0, 1), got 2");
  expect([] { Momentum m({.momentum = 2}); }, "[optimizers.momentum]");
}

TEST(FirstOrder, NamesItsMethods) {
  const char* names[] = {
      "gradient_descent", "momentum", "nesterov", "rmsprop", "adam", "adamw", "soap"};
  const auto all = makers();
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k]({}, 0)->name(), names[k]);
}

TEST(FirstOrder, LongVectorsMoveInPiecesToTheSameBitsForAnyThreads) {
  // Pieces of a long vector against short vectors, each of which is one piece.
  constexpr std::size_t n = 100'000, part = 1000, first = 37'000;
  const auto bowl = [](std::size_t offset, std::size_t size) {
    return FunctionObjective(size, [=](std::span<const double> x, std::span<double> g) {
      double value = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const double k = 1 + static_cast<double>((i + offset) % 7);
        value += 0.5 * k * x[i] * x[i];
        if (!g.empty()) g[i] = k * x[i];
      }
      return value;
    });
  };
  const auto run = [&](const OptimizerOptions& options, std::size_t offset, std::size_t size,
                       int threads) {
    const auto method = make_optimizer(options, {});
    if (threads > 0) {
      dynamic_cast<FirstOrder&>(*method).share(std::make_shared<Threads>(threads));
    }
    auto objective = bowl(offset, size);
    std::vector<double> x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(i + offset));
    for (int k = 0; k < 5; ++k) (void)method->step(objective, x);
    return x;
  };
  const std::vector<OptimizerOptions> methods = {AdamOptions{}, AdamWOptions{}, RmsPropOptions{},
                                                 GradientDescentOptions{}, MomentumOptions{}};
  for (const OptimizerOptions& options : methods) {
    const std::vector<double> alone = run(options, 0, n, 0), piece = run(options, first, part, 0);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), alone.begin() + first));
    for (const int threads : {1, 2, 3}) EXPECT_EQ(run(options, 0, n, threads), alone);
  }
}

}  // namespace
}  // namespace cauchy::test_first_order
