#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include <cauchy/io/files.hpp>

#include "io/temporary_name.hpp"
#include "support/io_support.hpp"

namespace cauchy {
namespace {

TEST(ReadFile, ReturnsAllBytes) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i % 251);
  write_file_atomically(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a"), bytes);
  EXPECT_EQ(read_file(folder / "a", bytes.size()), bytes);
  write_file_atomically(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, SaysWhyItCannotRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_file(folder / "none"); }, folder.path()),
            "none: file does not exist; check the name and the folder");
  std::filesystem::create_directory(folder / "d");
  EXPECT_EQ(error_of([&] { read_file(folder / "d"); }, folder.path()),
            "d: cannot read: is a directory");
  write_file_atomically(folder / "a", "12345");
  EXPECT_EQ(error_of([&] { read_file(folder / "a", 4); }, folder.path()),
            "a: file is larger than the limit of 4 bytes");
  EXPECT_EQ(error_of([&] { read_file("/dev/zero", 10000); }),
            "/dev/zero: file is larger than the limit of 10000 bytes");
}

TEST(AtomicFile, KeepsTheOldFileUntilCommit) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("ne");
    file.write("w");
    EXPECT_EQ(read_file(path), "old");
    file.commit(Durable::yes);
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(error_of([&] { file.commit(); }), "[io.AtomicFile]: file was committed twice");
  }
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(folder.n_entries(), 1U);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
}

TEST(AtomicFile, RefusesSymbolicLinksWhereTheyAreNotWanted) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  EXPECT_EQ(
      error_of([&] { write_file_atomically(folder / "link", "x", Durable::no, Links::refuse); },
               folder.path()),
      "link: cannot write: is a symbolic link; remove the link");
  EXPECT_EQ(read_file(folder / "target"), "old");
  EXPECT_EQ(folder.n_entries(), 2U);
}

TEST(TemporaryName, NamesItsTarget) {
  const std::string name = detail::temporary_name("a.csv");
  EXPECT_NE(name, detail::temporary_name("a.csv"));
  EXPECT_EQ(detail::target_of_temporary(name), "a.csv");
  EXPECT_EQ(detail::target_of_temporary(".a.7.12.0.tmp"), "a.7");
  for (const char* other : {"", ".tmp", "a.csv", "a.csv.1.2.tmp", ".a.csv.1.tmp", ".a.csv.1.x.tmp",
                            ".a.csv.1.2.tm", ".a.csv..2.tmp", ".a.csv.1..tmp", ".1.2.tmp"}) {
    EXPECT_EQ(detail::target_of_temporary(other), "") << other;
  }
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  const auto error = [&](const std::filesystem::path& path) {
    return error_of([&] { write_file_atomically(path, "x"); }, folder.path());
  };
  EXPECT_EQ(error(folder / "none/a"),
            "none/a: cannot write: folder 'none' does not exist; create it, or name another");
  EXPECT_EQ(error(folder.path()), ": cannot write: is a directory; name a file in it");
  EXPECT_EQ(error(""), "[io]: cannot write: the file name is empty");
  EXPECT_EQ(error("/dev/null"), "/dev/null: cannot write: is not a regular file");
  write_file_atomically(folder / "file", "x");
  EXPECT_EQ(error(folder / "file/a"), "file/a: cannot write: 'file' is not a folder");
  EXPECT_TRUE(error("/proc/a").starts_with("/proc/a: cannot write: ")) << error("/proc/a");
}

TEST(AtomicFile, ReportsAFailedWriteAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  // A limit on file sizes stands in for a full disk: both fail in the system call that writes.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      error_of([&] { write_file_atomically(folder / "a", std::string(5000, 'x')); }, folder.path());
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "a: cannot write: File too large");
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(folder.n_entries(), 1U);
}

}  // namespace
}  // namespace cauchy
