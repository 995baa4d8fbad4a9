// Damaged files of every format of this layer; see support/mutations.hpp.
#include <fcntl.h>

#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/io/table.hpp>

#include "base/regular_file.hpp"
#include "io/hdf5_stream.hpp"
#include "support/io_support.hpp"
#include "support/mutations.hpp"
#include "support/stored_archive.hpp"

namespace cauchy::test_io_mutations {
namespace {

/// A reader of files for bytes.
std::function<void(const std::string&)> by_file(
    const TemporaryFolder& folder, const std::string& name,
    const std::function<void(const std::filesystem::path&)>& read) {
  return [path = folder / name, read](const std::string& bytes) {
    write_file_atomically(path, bytes);
    read(path);
  };
}

const std::map<std::string, Array> kArrays{{"t", Array::list(std::vector<double>(50, 0.25))},
                                           {"u", Array::list(std::vector<double>(50, -1e-3))}};

/// The bytes of an HDF5 file with all that we write.
std::string hdf5_seed() {
  const TemporaryFolder folder;
  Hdf5Data data;
  data.arrays["u"] = {{2, 3}, {1, 2, 3, 4, 5, -0.1}};
  data.arrays["x"] = Array::list(std::vector<double>(200, 0.5));
  data.arrays["run/loss"] = Array::list({0.5, 0.25});
  data.arrays["run/deep/one"] = {{}, {7}};
  data.attributes["/"]["problem"] = "Burgers";
  data.attributes["u"]["unit"] = "m";
  data.attributes["run"]["long"] = std::string(3000, 'x');
  write_hdf5(folder / "seed.h5", data);
  return read_file(folder / "seed.h5");
}

TEST(Mutations, Hdf5) {
  const TemporaryFolder folder;
  expect_answers(60, {hdf5_seed(), read_file(CAUCHY_TEST_DATA "/hdf5_kinds.h5")},
                 by_file(folder, "a.h5", [](const auto& path) { read_hdf5(path); }));
}

TEST(Mutations, Hdf5ThatCrashesTheLibrary) {
  const TemporaryFolder folder;
  // Each of these ends HDF5 1.10.8 by a signal; another version may well read it or refuse it.
  for (const std::uint64_t number : {424u, 567u, 579u}) {
    write_file_atomically(folder / "a.h5", mutated(hdf5_seed(), number));
    const std::string message = error_of([&] { read_hdf5(folder / "a.h5"); }, folder.path());
    EXPECT_TRUE(message == "no error" || message.starts_with("a.h5")) << message;
  }
}

TEST(Mutations, Npz) {
  const TemporaryFolder folder;
  write_npz(folder / "stored", kArrays);
  write_npz(folder / "deflated", kArrays, Compression::deflate);
  expect_answers(100, {read_file(folder / "stored"), read_file(folder / "deflated")},
                 by_file(folder, "a.npz", [](const auto& path) { read_npz(path); }));
}

TEST(Mutations, NpzMembers) {
  const TemporaryFolder folder;
  // Damaged arrays in a sound archive: its checksums are right.
  const auto read = by_file(folder, "a.npz", [](const auto& path) { read_npz(path); });
  const std::string seed = to_npy(kArrays.at("t"));
  expect_answers(100, {seed},
                 [&](const std::string& bytes) { read(stored_archive("t.npy", bytes)); });
}

TEST(Mutations, Npy) {
  std::string fortran = to_npy({{2, 3, 4}, std::vector<double>(24, 0.5)});
  fortran.replace(fortran.find("False"), 5, "True ");
  expect_answers(500, {to_npy(kArrays.at("t")), fortran},
                 [](const std::string& bytes) { parse_npy(bytes, "a.npy"); });
}

TEST(Mutations, Csv) {
  const std::string plain = "t,x,u\n0,1e-3,-5\n1.5,2,3\n2,0.5,7e300\n";
  const std::string quoted = "# a comment\n\"a \"\"b\"\"\";c\n1;2\n\n3;4\n";
  const std::string blanks = "  x y\n 1 2\n 3   4\n";
  expect_answers(500, std::vector{plain, quoted, blanks}, mutated_text,
                 [](const std::string& bytes) { parse_csv(bytes, "a.csv"); });
}

TEST(Mutations, CheckpointBytes) {
  const Checkpoint c{kArrays, {{"stage", 3}, {"step", 12}}, {{"run", "heat"}, {"empty", ""}}};
  expect_answers(500, {checkpoint_bytes(c)},
                 [](const std::string& bytes) { parse_checkpoint(bytes, "a.bin"); });
}

TEST(Mutations, AnswersAboutHdf5) {
  const TemporaryFolder folder;
  {
    const detail::Descriptor file(
        ::open((folder / "answer").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    detail::Hdf5Sender to(file.get());
    to.name("u");
    to.array("u", {2, 3});
    to.values(std::vector<double>(6, 1.5));
    to.attribute("u", "unit", "m/s");
    to.array("none", {0, 7});
    to.stored_array("zeros", {3}, 8);
    to.done();
  }
  const auto receive = [](const std::string& bytes) {
    std::size_t at = 0;
    const auto read = [&](void* to, std::size_t n) {
      if (n > bytes.size() - at) return false;
      std::memcpy(to, bytes.data() + at, n);
      at += n;
      return true;
    };
    // The file holds 100 bytes.
    const auto stored = [](void* to, std::size_t n, std::uint64_t offset) {
      if (offset > 100 || n > 100 - offset) return false;
      std::memset(to, 0, n);
      return true;
    };
    return detail::receive_hdf5(read, stored, std::size_t{1} << 20, "a.h5");
  };
  const std::string seed = read_file(folder / "answer");
  const detail::Hdf5Answer answer = receive(seed);
  EXPECT_EQ(answer.names, std::vector<std::string>{"u"});
  EXPECT_EQ(answer.data.arrays.at("u"), (Array{{2, 3}, std::vector<double>(6, 1.5)}));
  EXPECT_EQ(answer.data.arrays.at("none"), (Array{{0, 7}, {}}));
  EXPECT_EQ(answer.data.arrays.at("zeros"), Array::list({0, 0, 0}));
  EXPECT_EQ(answer.data.attributes.at("u").at("unit"), "m/s");
  expect_answers(500, {seed}, [&](const std::string& bytes) { (void)receive(bytes); });
}

}  // namespace
}  // namespace cauchy::test_io_mutations
