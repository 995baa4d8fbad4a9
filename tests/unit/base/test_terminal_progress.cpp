#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/base/terminal_progress.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cauchy::test_terminal_progress {
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
  EXPECT_EQ(f.take(), "\rstep [>                   ] 0% 0/200  0:00");
  f.time += 10.0;
  const std::array values = {ProgressValue{"loss", 3.14159e-4}};
  f.sink.update(
      {.step = 50, .total = 200, .elapsed_s = 10.0, .values = values, .message = "fitting"});
  EXPECT_EQ(f.take(),
            "\rstep [=====>              ] 25% 50/200  loss 0.00031  0:10, 0:30 left  5/s  fit");
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
  const std::string line = "\rstep [====================] 100% 2/2  0:02  1/s";
  EXPECT_EQ(text.substr(0, line.size()), line);
  // The rest of the longer line before is blanked.
  EXPECT_EQ(text.find_first_not_of(' ', line.size()), text.size() - 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(TerminalProgress, KeepsTheBarWithinTheWidthAndCutsBetweenCharacters) {
  Fixture f(ProgressStyle::bar, 50);
  f.sink.update(
      {.step = 1, .total = 9, .message = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"});
  const std::string text = f.take().substr(1);
  // "step [==>                 ] 11% 1/9  0:00  " has 43 columns; 49 are allowed.
  EXPECT_EQ(text,
            "step [==>                 ] 11% 1/9  0:00  \u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");
}

/// A state with everything that a training shows.
ProgressState training(std::span<const ProgressValue> values) {
  return {.step = 5000,
          .total = 20000,
          .elapsed_s = 10,
          .values = values,
          .stage = "adam",
          .limit_s = 55};
}

TEST(TerminalProgress, LeavesOutTheLeastImportantFirst) {
  const std::array values = {ProgressValue{"loss", 3.14e-4}, ProgressValue{"error", 1.23e-3}};
  const std::pair<int, std::string> lines[] = {
      {20, "adam 5000/20000"},
      {40, "adam 5000/20000  0:10 of at most 0:55"},
      {60, "adam 5000/20000  loss 0.00031  0:10 of at most 0:55"},
      {80, "adam 5000/20000  loss 0.00031  error 0.0012  0:10 of at most 0:55, 0:30 left"},
      {100,
       "adam [====>           ] 25% 5000/20000  loss 0.00031  error 0.0012  "
       "0:10 of at most 0:55, 0:30 left"},
      {120,
       "adam [=====>              ] 25% 5000/20000  loss 0.00031  error 0.0012  "
       "0:10 of at most 0:55, 0:30 left  500/s"},
  };
  for (const auto& [width, line] : lines) {
    Fixture f(ProgressStyle::bar, width);
    f.sink.update({.step = 0, .total = 20000, .stage = "adam"});
    f.time += 10;
    f.take();
    f.sink.update(training(values));
    const std::string text = f.take();
    EXPECT_EQ(text.substr(1, text.find_last_not_of(' ')), line);
    EXPECT_LT(text.size() - 1, static_cast<std::size_t>(width));
  }
}

TEST(TerminalProgress, TimeLeftEndsAtTheLimit) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 0, .total = 1000, .stage = "adam", .limit_s = 20});
  f.time += 10;
  f.take();
  f.sink.update({.step = 10, .total = 1000, .elapsed_s = 10, .stage = "adam", .limit_s = 20});
  EXPECT_EQ(f.take(), "adam 1% 10/1000  0:10 of at most 0:20, 0:10 left  1/s\n");
}

TEST(TerminalProgress, TheRateIsThatOfTheStage) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 0, .total = 1000, .stage = "adam"});
  f.sink.update({.step = 500, .total = 1000, .elapsed_s = 1, .stage = "adam"});
  f.sink.update({.step = 500, .total = 1000, .elapsed_s = 1, .stage = "lbfgs"});
  f.time += 10;
  f.take();
  f.sink.update({.step = 510, .total = 1000, .elapsed_s = 11, .stage = "lbfgs"});
  EXPECT_EQ(f.take(), "lbfgs 51% 510/1000  0:11, 8:10 left  1/s\n");
}

/// A terminal that a program can ask for its size.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
    if (slave >= 0) out_ = fdopen(slave, "w");
  }
  ~PseudoTerminal() {
    if (out_ != nullptr) std::fclose(out_);
    if (master_ >= 0) close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  std::FILE* out() const { return out_; }
  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    ASSERT_EQ(ioctl(master_, TIOCSWINSZ, &size), 0);
  }
  std::string read_all() const {
    std::array<char, 4096> text{};
    const auto n = read(master_, text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }

 private:
  int master_;
  std::FILE* out_ = nullptr;
};

TEST(TerminalProgress, FollowsTheWidthOfTheTerminal) {
  const PseudoTerminal terminal;
  if (terminal.out() == nullptr) GTEST_SKIP() << "the system gives no terminal";
  const std::array values = {ProgressValue{"loss", 3.14e-4}, ProgressValue{"error", 1.23e-3}};
  TerminalProgress sink(terminal.out(), {.bar_interval_s = 0});
  EXPECT_EQ(sink.style(), ProgressStyle::bar);
  for (const unsigned short width : std::array<unsigned short, 5>{100, 40, 7, 60, 200}) {
    terminal.resize(width);
    sink.update(training(values));
    const std::string line = terminal.read_all();
    EXPECT_EQ(line.front(), '\r');
    EXPECT_LT(line.size() - 1, width) << line;
    EXPECT_GT(line.size() - 1, width < 100 ? width / 2 - 3 : 50u) << line;
  }
}

TEST(TerminalProgress, ShowsStepsWhenTheTotalIsUnknown) {
  Fixture f(ProgressStyle::bar);
  f.sink.update({.step = 12, .elapsed_s = 61.0});
  EXPECT_EQ(f.take(), "\rstep 12  1:01");
}

TEST(TerminalProgress, CountsTheRateFromTheFirstUpdateOfAResumedRun) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 900, .total = 1000, .elapsed_s = 1.0});
  f.time += 5.0;
  f.take();
  f.sink.update({.step = 950, .total = 1000, .elapsed_s = 6.0});
  EXPECT_EQ(f.take(), "step 95% 950/1000  0:06, 0:05 left  10/s\n");
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
  EXPECT_EQ(f.take(), "step 3  lo ss 1  1:06:40  a  [2Jb\n");
}

TEST(TerminalProgress, StartsAnewAfterFinish) {
  Fixture f(ProgressStyle::lines);
  f.sink.update({.step = 1, .total = 10, .elapsed_s = 1.0});
  f.sink.finish({.step = 10, .total = 10, .elapsed_s = 2.0});
  f.take();
  f.sink.update({.step = 0, .total = 10});
  EXPECT_EQ(f.take(), "step 0% 0/10  0:00\n");
}

TEST(TerminalProgress, PrintsTextAboveTheBar) {
  Fixture f(ProgressStyle::bar);
  f.sink.print_line("before");
  EXPECT_EQ(f.take(), "before\n");
  f.sink.update({.step = 1});
  f.take();
  f.sink.print_line("warning: slow");
  EXPECT_EQ(f.take(), "\r            \rwarning: slow\nstep 1  0:00");
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
  EXPECT_STREQ(text.data(), "step 7  0:00\n");
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
    ASSERT_EQ(line.substr(line.size() - 3), "  x");
  }
  EXPECT_EQ(n_lines, 300);
}

}  // namespace
}  // namespace cauchy::test_terminal_progress
