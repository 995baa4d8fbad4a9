#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>

namespace cauchy::test_cpu {
namespace {

TEST(Cpu, ThePortableTargetIsAvailableAndLast) {
  const auto targets = available_targets();
  ASSERT_FALSE(targets.empty());
#if defined(__x86_64__) && !defined(__AVX2__)
  EXPECT_EQ(targets.back(), Target::portable);
#endif
}

TEST(Cpu, TheBestTargetIsUsedUntilAnotherIsForced) {
  const auto targets = available_targets();
  EXPECT_EQ(current_target(), targets.front());
  for (const Target target : targets) {
    force_target(target);
    EXPECT_EQ(current_target(), target) << to_string(target);
    EXPECT_EQ(available_targets(), targets);
  }
  reset_target();
  EXPECT_EQ(current_target(), targets.front());
}

#if defined(__x86_64__)
TEST(Cpu, Avx512IsAvailableWhereTheProcessorHasIt) {
#ifdef CAUCHY_SANITIZED
  GTEST_SKIP() << "sanitizer builds leave AVX-512 out";
#endif
  const auto targets = available_targets();
  const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  EXPECT_EQ(std::count(targets.begin(), targets.end(), Target::avx512), has ? 1 : 0);
}

TEST(Cpu, ForcingATargetOfAnotherArchitectureIsAnError) {
  try {
    force_target(Target::neon);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'neon' is not available"), std::string::npos);
    EXPECT_NE(error.hint().find(to_string(current_target())), std::string::npos);
  }
}
#endif

}  // namespace
}  // namespace cauchy::test_cpu
