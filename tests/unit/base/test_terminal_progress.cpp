#include <gtest/gtest.h>

#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/base/terminal_progress.hpp>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace cauchy {
namespace {

// A sink on a string with a clock that is moved by hand.
struct Fixture {
  double time = 100.0;
  std::ostringstream out;
  TerminalProgress sink;

  explicit Fixture(ProgressStyle style, int width = 80)
      : sink(out, {.style = style, .width = width, .clock = [this] { return time; }}) {}
  // What was written since the last call.
  std::string take() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(TerminalProgress, DrawsABarWithRateTimeLeftValuesAndMessage) {
  Fixture f(ProgressStyle::bar);
  f.sink.update({.step = 0, .total = 200});
  EXPECT_EQ(f.take(), "\r[>                   ]   0% 0/200");
  f.time += 10.0;
  const std::array values = {ProgressValue{"loss", 3.14159e-4}};
  f.sink.update(
      {.step = 50, .total = 200, .elapsed_s = 10.0, .values = values, .message = "fitting"});
  EXPECT_EQ(f.take(),
            "\r[=====>              ]  25% 50/200 | 5/s | ETA 0:30 | loss 0.000314 | fitting");
}

TEST(TerminalProgress, RedrawsTheBarAtMostTenTimesASecond) {
  Fixture f(ProgressStyle::bar);
  int n_drawn = 0;
  for (std::uint64_t step = 0; step < 1000; ++step) {
    f.sink.update({.step = step, .total = 1000});
    n_drawn += f.take().empty() ? 0 : 1;
    f.time += 1.0 / 1024;
  }
  // The first at 0 s, then one per 0.1 s (rounded up to whole ticks) of 0.98 s.
  EXPECT_EQ(n_drawn, 10);
}

TEST(TerminalProgress, EndsTheBarWithTheFinalStateAndANewline) {
  Fixture f(ProgressStyle::bar);
  f.sink.update({.step = 1, .total = 2, .elapsed_s = 1.0, .message = "a long message"});
  f.take();
  f.sink.finish({.step = 2, .total = 2, .elapsed_s = 2.0});
  const std::string text = f.take();
  EXPECT_EQ(text.substr(0, 38), "\r[====================] 100% 2/2 | 1/s");
  // The rest of the longer line before is blanked.
  EXPECT_EQ(text.find_first_not_of(' ', 38), text.size() - 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(TerminalProgress, KeepsTheBarWithinTheWidthAndCutsBetweenCharacters) {
  Fixture f(ProgressStyle::bar, 40);
  f.sink.update(
      {.step = 1, .total = 9, .message = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"});
  const std::string text = f.take().substr(1);
  // "[==>                 ]  11% 1/9 | " has 34 columns; 39 are allowed.
  EXPECT_EQ(text, "[==>                 ]  11% 1/9 | \u00e9\u00e9\u00e9\u00e9\u00e9");
}

TEST(TerminalProgress, ShowsStepsWhenTheTotalIsUnknown) {
  Fixture f(ProgressStyle::bar);
  f.sink.update({.step = 12, .elapsed_s = 61.0});
  EXPECT_EQ(f.take(), "\rstep 12 | 1:01");
}

TEST(TerminalProgress, CountsTheRateFromTheFirstUpdateOfAResumedRun) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 900, .total = 1000, .elapsed_s = 1.0});
  f.time += 5.0;
  f.take();
  f.sink.update({.step = 950, .total = 1000, .elapsed_s = 6.0});
  EXPECT_EQ(f.take(), "step 950/1000 95% | 0:06 | 10/s | ETA 0:05\n");
}

TEST(TerminalProgress, PrintsALineEveryFiveSecondsOrTenPercent) {
  Fixture f(ProgressStyle::lines);
  const auto shown_at = [&](double time, std::uint64_t step) {
    f.time = 100.0 + time;
    f.sink.update({.step = step, .total = 1000});
    return !f.take().empty();
  };
  EXPECT_TRUE(shown_at(0.0, 0));       // the first
  EXPECT_FALSE(shown_at(4.75, 99));    // neither
  EXPECT_TRUE(shown_at(5.0, 99));      // time
  EXPECT_FALSE(shown_at(5.25, 300));   // a part, but too soon
  EXPECT_TRUE(shown_at(5.5, 300));     // a part
  EXPECT_FALSE(shown_at(10.25, 399));  // neither
  EXPECT_TRUE(shown_at(10.25, 400));   // a part
}

TEST(TerminalProgress, LinesHoldNoControlCharacters) {
  Fixture f(ProgressStyle::lines);
  const std::array values = {ProgressValue{"lo\tss", 1.0}};
  f.sink.finish({.step = 3, .elapsed_s = 4000.0, .values = values, .message = "a\n\x1b[2Jb"});
  EXPECT_EQ(f.take(), "step 3 | 1:06:40 | lo ss 1 | a  [2Jb\n");
}

TEST(TerminalProgress, StartsAnewAfterFinish) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 1, .total = 10, .elapsed_s = 1.0});
  f.sink.finish({.step = 10, .total = 10, .elapsed_s = 2.0});
  f.take();
  f.sink.update({.step = 0, .total = 10});
  EXPECT_EQ(f.take(), "step 0/10 0% | 0:00\n");
}

TEST(TerminalProgress, PrintsTextAboveTheBar) {
  Fixture f(ProgressStyle::bar);
  f.sink.print_line("before");
  EXPECT_EQ(f.take(), "before\n");
  f.sink.update({.step = 1});
  f.take();
  f.sink.print_line("warning: slow");
  EXPECT_EQ(f.take(), "\r             \rwarning: slow\nstep 1 | 0:00");
}

TEST(TerminalProgress, ChoosesLinesForOutputsThatAreNoTerminal) {
  Fixture f(ProgressStyle::automatic);
  EXPECT_EQ(f.sink.style(), ProgressStyle::lines);
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    TerminalProgress sink(file);
    EXPECT_EQ(sink.style(), ProgressStyle::lines);
    sink.finish({.step = 7});
  }
  std::rewind(file);
  std::array<char, 32> text{};
  EXPECT_NE(std::fgets(text.data(), static_cast<int>(text.size()), file), nullptr);
  EXPECT_STREQ(text.data(), "step 7 | 0:00\n");
  std::fclose(file);
}

TEST(TerminalProgress, PassesOnTheRequestToStop) {
  Fixture f(ProgressStyle::lines);
  const Progress& seen_by_solver = f.sink;
  EXPECT_FALSE(seen_by_solver.stop_requested());
  std::thread([&] { f.sink.request_stop(); }).join();
  EXPECT_TRUE(seen_by_solver.stop_requested());
  EXPECT_FALSE(NullProgress().stop_requested());
}

TEST(TerminalProgress, RefusesBadOptions) {
  std::ostringstream out;
  EXPECT_THROW(TerminalProgress(out, {.width = 19}), Error);
  EXPECT_THROW(TerminalProgress(out, {.bar_interval_s = -1.0}), Error);
  EXPECT_THROW(TerminalProgress(static_cast<std::FILE*>(nullptr)), Error);
}

TEST(TerminalProgress, TakesUpdatesFromSeveralThreads) {
  std::ostringstream out;
  TerminalProgress sink(out, {.line_interval_s = 0.0, .line_least_s = 0.0});
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 100; ++i) sink.update({.step = i, .message = "x"});
    });
  }
  for (std::thread& t : threads) t.join();
  std::istringstream in(out.str());
  int n_lines = 0;
  for (std::string line; std::getline(in, line); ++n_lines) {
    ASSERT_EQ(line.substr(0, 5), "step ");
    ASSERT_EQ(line.substr(line.size() - 4), " | x");
  }
  EXPECT_EQ(n_lines, 300);
}

}  // namespace
}  // namespace cauchy
