#include <gtest/gtest.h>

#include <cauchy/base/log.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace cauchy {
namespace {

TEST(Log, WritesLevelAndMessage) {
  std::ostringstream out;
  StreamLog sink(out);
  log(&sink, LogLevel::warning, "matrix is nearly singular");
  log(&sink, LogLevel::error, "disk full");
  EXPECT_EQ(out.str(), "warning: matrix is nearly singular\nerror: disk full\n");
}

TEST(Log, DropsWhatIsBelowTheLeastLevel) {
  std::ostringstream out;
  StreamLog sink(out, LogLevel::warning);
  log(&sink, LogLevel::info, "a");
  sink.write(LogLevel::debug, "b");
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(sink.enabled(LogLevel::info));
  EXPECT_TRUE(sink.enabled(LogLevel::warning));
  std::ostringstream all;
  StreamLog chatty(all, LogLevel::debug);
  log(&chatty, LogLevel::debug, "c");
  EXPECT_EQ(all.str(), "debug: c\n");
}

TEST(Log, IsSilentWithoutASink) {
  log(nullptr, LogLevel::error, "nobody listens");
  NullLog null;
  EXPECT_FALSE(null.enabled(LogLevel::error));
}

TEST(Log, IndentsFurtherLines) {
  std::ostringstream out;
  StreamLog sink(out);
  sink.write(LogLevel::info, "first\nsecond");
  EXPECT_EQ(out.str(), "info: first\n  second\n");
}

TEST(Log, KeepsLinesOfSeveralThreadsWhole) {
  std::ostringstream out;
  StreamLog sink(out);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) log(&sink, LogLevel::info, "0123456789");
    });
  }
  for (std::thread& t : threads) t.join();
  std::istringstream in(out.str());
  int n_lines = 0;
  for (std::string line; std::getline(in, line); ++n_lines) ASSERT_EQ(line, "info: 0123456789");
  EXPECT_EQ(n_lines, 600);
}

}  // namespace
}  // namespace cauchy
