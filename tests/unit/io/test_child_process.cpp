#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>

#include "io/child_process.hpp"

namespace cauchy::detail::test_child_process {
namespace {

constexpr ChildLimits kLimits{std::size_t{1} << 30, 10};

std::string answer_of(FunctionRef<void(int)> work, const ChildLimits& limits = kLimits) {
  ChildProcess child(limits, work);
  std::string answer;
  for (char c = 0; child.read(&c, 1);) answer += c;
  return answer;
}

TEST(ChildProcess, GivesWhatTheChildWrote) {
  std::string text(3'000'000, 'x');  // more than a pipe holds
  text += "end";
  ChildProcess child(kLimits, [&](int to) { (void)write_all(to, text.data(), text.size()); });
  std::string answer(text.size(), '\0');
  EXPECT_TRUE(child.read(answer.data(), 5));
  EXPECT_TRUE(child.read(answer.data() + 5, answer.size() - 5));
  EXPECT_EQ(answer, text);
  EXPECT_FALSE(child.read(answer.data(), 1));
  EXPECT_EQ(answer_of([](int) {}), "");
}

TEST(ChildProcess, OutlivesACrashAnExceptionAndGreed) {
  const auto say = [](int to) { (void)write_all(to, "a", 1); };
  EXPECT_EQ(answer_of([&](int to) {
              say(to);
              std::raise(SIGSEGV);
            }),
            "a");
  EXPECT_EQ(answer_of([&](int to) {
              say(to);
              std::abort();
            }),
            "a");
  EXPECT_EQ(answer_of([&](int to) {
              say(to);
              throw std::runtime_error("b");
            }),
            "a");
  const ChildLimits small{std::size_t{1} << 26, 10};
  EXPECT_EQ(answer_of(
                [&](int to) {
                  say(to);
                  std::vector<char> much(std::size_t{1} << 30, 'x');
                  (void)write_all(to, &much[7], 1);
                },
                small),
            "a");
}

TEST(ChildProcess, EndsAfterItsProcessorTime) {
  // A second is the smallest limit that systems know.
  EXPECT_EQ(answer_of(
                [](int to) {
                  (void)write_all(to, "a", 1);
                  for (const volatile bool forever = true; forever;) continue;
                },
                {std::size_t{1} << 30, 1}),
            "a");
}

TEST(ChildProcess, DoesNotWaitForAChildThatDoesNothing) {
  const auto wait = [](int to) {
    (void)write_all(to, "a", 1);
    for (;;) ::pause();
  };
  EXPECT_EQ(answer_of(wait, {std::size_t{1} << 30, 10, 20}), "a");
  const ChildProcess child(kLimits, wait);
}  // the destructor ends it

TEST(ChildProcess, IsGivenUpWithTheLimitOfTheThread) {
  ChildProcess child(kLimits, [](int to) {
    (void)write_all(to, "a", 1);
    for (;;) ::pause();
  });
  char c = 0;
  ASSERT_TRUE(child.read(&c, 1));
  const LimitScope over(RunLimit().with_work(0));
  try {
    (void)child.read(&c, 1);  // else a minute
    FAIL() << "nothing came";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::interrupted) << e.what();
  }
}

}  // namespace
}  // namespace cauchy::detail::test_child_process
