#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include <cauchy/geometry/shapes/triangle_surface.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/table.hpp>

#include "io/temporary_name.hpp"
#include "support/io_support.hpp"

namespace cauchy::test_io_files {
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
            "d: this is a folder, not a file; name a file in it");
  write_file_atomically(folder / "a", "12345");
  EXPECT_EQ(error_of([&] { read_file(folder / "a", 4); }, folder.path()),
            "a: file is larger than the limit of 4 bytes; cut it into smaller ones");
  std::filesystem::resize_file(folder / "a", std::uintmax_t{1} << 42);  // takes no space
  EXPECT_TRUE(error_of([&] { read_file(folder / "a"); }, folder.path())
                  .starts_with("a: file is larger than the limit of "));
}

TEST(ReadFile, RefusesWhatIsNoRegularFileAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);  // without a writer: a reader waits
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = folder.file("socket");
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(listener);
  for (const char* target : {"pipe", "socket", "/dev/zero", "/dev/random"})
    std::filesystem::create_symlink(
        target, folder / ("to_" + std::filesystem::path(target).filename().string()));
  const auto message = [&](const std::filesystem::path& path) {
    return error_of([&] { read_file(path); }, folder.path());
  };
  const auto refusal = [](std::string_view kind) {
    return fmt::format(": this is a {}, not a file; name a regular file", kind);
  };
  EXPECT_EQ(message(folder / "pipe"), "pipe" + refusal("pipe"));
  EXPECT_EQ(message(folder / "to_pipe"), "to_pipe" + refusal("pipe"));
  EXPECT_EQ(message(folder / "socket"), "socket" + refusal("socket"));
  EXPECT_EQ(message(folder / "to_socket"), "to_socket" + refusal("socket"));
  EXPECT_EQ(message("/dev/zero"), "/dev/zero" + refusal("device"));
  EXPECT_EQ(message(folder / "to_zero"), "to_zero" + refusal("device"));
  EXPECT_EQ(message(folder / "to_random"), "to_random" + refusal("device"));
  // Every other reader of files, by the endings that it knows.
  for (const char* ending : {"csv", "npy", "npz", "h5"}) {
    std::filesystem::create_symlink("pipe", folder / (std::string("a.") + ending));
    EXPECT_EQ(error_of([&] { read_table(folder / (std::string("a.") + ending)); }, folder.path()),
              fmt::format("a.{}{}", ending, refusal("pipe")));
  }
  EXPECT_EQ(error_of([&] { load_checkpoint(folder / "to_zero"); }, folder.path()),
            "to_zero" + refusal("device"));
  EXPECT_EQ(error_of([&] { return read_mesh(folder / "to_zero"); }, folder.path()),
            "to_zero" + refusal("device"));
}

TEST(ReadFile, ReadsFilesWhoseSizeIsNotTold) {
  EXPECT_FALSE(read_file("/proc/self/status").empty());
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
}  // namespace cauchy::test_io_files
