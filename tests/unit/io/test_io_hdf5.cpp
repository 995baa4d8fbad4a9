#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_io_hdf5 {
namespace {

using ::testing::ElementsAre;

// tests/data/hdf5_kinds.h5, made with HDF5 1.10's C interface:
//   float32         2 x 3 big-endian float32 (0.5 1 2 3 4 5); attributes unit = "m/s" (fixed
//   length)
//                   and number = 3 (an integer)
//   group/deflated  1000 int16, i / 100, chunks of 100, deflated
//   words           a string; dangling: a soft link to nothing; group/loop: a link back to the root
// tests/data/hdf5_links.h5: u = 1, 2, 3; soft, a link to it; external_link, raw and virtual: arrays
// whose numbers lie in other files.
// tests/data/hdf5_chunks.h5, uint8, deflated: u = i % 5, 1,100,003 in chunks of 150,000; v(i, j) =
// i / 500 * 10 + j % 3, 2999 x 401 in chunks of 997 x 211.
// tests/data/hdf5_user_block.h5: u = 1, 2, 3 behind 512 bytes for other programs.
// tests/data/hdf5_absurd_shape.h5: "absurd", 1e9 x 1e6 float64 in chunks of which none is written.
const std::string kData = CAUCHY_TEST_DATA;

TEST(WriteHdf5, ReadsBack) {
  const TemporaryFolder folder;
  Hdf5Data data;
  data.arrays["u"] = {{2, 3}, {1, 2, 3, 4, 5, -0.1}};
  data.arrays["run/loss"] = Array::list({0.5, 0.25});
  data.arrays["run/deep/one"] = {{}, {7}};
  data.arrays["none"] = {{0, 4}, {}};
  data.attributes["/"]["problem"] = "Burgers' equation, ν = 0.01";
  data.attributes["u"]["unit"] = "";
  data.attributes["run"]["long"] = std::string(200000, 'x');
  write_hdf5(folder / "a.h5", data);
  const Hdf5Data back = read_hdf5(folder / "a.h5");
  EXPECT_EQ(back.arrays, data.arrays);
  EXPECT_EQ(back.attributes, data.attributes);
  EXPECT_EQ(read_hdf5_array(folder / "a.h5", "run/loss"), data.arrays["run/loss"]);
  EXPECT_THAT(list_hdf5(folder / "a.h5"), ElementsAre("none", "run/deep/one", "run/loss", "u"));
  EXPECT_THAT(list_hdf5(folder / "a.h5", "run"), ElementsAre("deep/one", "loss"));
  EXPECT_THAT(list_hdf5(folder / "a.h5", "/run"), ElementsAre("deep/one", "loss"));
  EXPECT_EQ(folder.n_entries(), 1U);
}

TEST(WriteHdf5, GivesTheSameBytesForTheSameData) {
  const TemporaryFolder folder;
  const Hdf5Data data{{{"g/u", Array::list({1, 2, 3})}}, {{"/", {{"a", "b"}}}}};
  write_hdf5(folder / "a.h5", data);
  write_hdf5(folder / "b.h5", data);
  EXPECT_EQ(read_file(folder / "a.h5"), read_file(folder / "b.h5"));
}

TEST(ReadHdf5, ConvertsOtherKindsOfNumbers) {
  const Hdf5Data data = read_hdf5(kData + "/hdf5_kinds.h5");
  ASSERT_EQ(data.arrays.size(), 2U);
  EXPECT_EQ(data.arrays.at("float32"), (Array{{2, 3}, {0.5, 1, 2, 3, 4, 5}}));
  const Array& deflated = data.arrays.at("group/deflated");
  ASSERT_EQ(deflated.values.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(deflated.values[i], std::floor(static_cast<double>(i) / 100));
  EXPECT_THAT(data.attributes.at("float32"), ElementsAre(std::pair("unit", "m/s")));
}

TEST(ReadHdf5, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](auto&& f) { return error_of(f, kData); };
  EXPECT_EQ(error([&] { read_hdf5(kData + "/none.h5"); }),
            "none.h5: file does not exist; check the name and the folder");
  EXPECT_EQ(error([&] { read_hdf5_array(kData + "/hdf5_kinds.h5", "float64"); }),
            "hdf5_kinds.h5: there is no array 'float64'; did you mean 'float32'? arrays are: "
            "float32, group/deflated");
  EXPECT_EQ(error([&] { read_hdf5(kData + "/hdf5_kinds.h5", "grup"); }),
            "hdf5_kinds.h5: there is no group 'grup'; did you mean 'group'? groups are: group, "
            "group/loop");
  EXPECT_EQ(error([&] { read_hdf5_array(kData + "/hdf5_kinds.h5", "words"); }),
            "hdf5_kinds.h5:words: the dataset does not hold numbers");
  EXPECT_EQ(error([&] { read_hdf5(kData + "/hdf5_absurd_shape.h5"); }),
            "hdf5_absurd_shape.h5:absurd: shape (1000000000, 1000000) is far larger than the 0 "
            "bytes stored; the file is damaged");
  write_file_atomically(folder / "text.h5", "x,y\n1,2\n");
  EXPECT_EQ(error_of([&] { read_hdf5(folder / "text.h5"); }, folder.path()),
            "text.h5: not a readable HDF5 file");
}

TEST(ReadHdf5, StaysWithinTheFile) {
  const std::string file = kData + "/hdf5_links.h5";
  EXPECT_THAT(list_hdf5(file), ElementsAre("raw", "soft", "u", "virtual"));
  EXPECT_THAT(read_hdf5_array(file, "soft").values, ElementsAre(1, 2, 3));
  const auto error = [&](const char* name) {
    return error_of([&] { read_hdf5_array(file, name); }, kData);
  };
  EXPECT_EQ(error("external_link"),
            "hdf5_links.h5:external_link: the array lies in another file (external link); copy it "
            "into this one");
  for (const char* name : {"raw", "virtual"})
    EXPECT_EQ(error(name), fmt::format("hdf5_links.h5:{}: the numbers of the array lie in other "
                                       "files; copy them into this one",
                                       name));
}

TEST(ReadHdf5, ReadsLargeArraysInPieces) {
  const TemporaryFolder folder;
  // More than one piece, the last one shorter, and single rows longer than a piece.
  for (const std::vector<std::size_t>& shape :
       {std::vector<std::size_t>{700'001}, {7, 100'003}, {2, 600'000}, {1, 2, 300'000}}) {
    Array array{shape, std::vector<double>(shape_size(shape))};
    for (std::size_t i = 0; i < array.values.size(); ++i) array.values[i] = static_cast<double>(i);
    write_hdf5(folder / "a.h5", {{{"u", array}}, {}});
    EXPECT_TRUE(read_hdf5(folder / "a.h5").arrays.at("u") == array);
  }
  const Hdf5Data chunks = read_hdf5(kData + "/hdf5_chunks.h5");
  const Array &u = chunks.arrays.at("u"), &v = chunks.arrays.at("v");
  ASSERT_EQ(u.shape, std::vector<std::size_t>{1'100'003});
  ASSERT_EQ(v.shape, (std::vector<std::size_t>{2999, 401}));
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < u.values.size(); ++i)
    n_wrong += u.values[i] != static_cast<double>(i % 5) ? 1 : 0;
  for (std::size_t i = 0; i < 2999; ++i)
    for (std::size_t j = 0; j < 401; ++j)
      n_wrong += v.values[i * 401 + j] != static_cast<double>(i / 500 * 10 + j % 3) ? 1 : 0;
  EXPECT_EQ(n_wrong, 0U);
}

TEST(ReadHdf5, FindsNumbersBehindAUserBlock) {
  EXPECT_THAT(read_hdf5_array(kData + "/hdf5_user_block.h5", "u").values, ElementsAre(1, 2, 3));
}

TEST(ReadHdf5, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(kData + "/hdf5_kinds.h5");
  for (std::size_t n = 0; n < bytes.size(); n += 97) {
    write_file_atomically(folder / "a.h5", std::string_view(bytes).substr(0, n));
    EXPECT_EQ(error_of([&] { read_hdf5(folder / "a.h5"); }, folder.path()),
              "a.h5: not a readable HDF5 file")
        << n;
  }
}

TEST(WriteHdf5, RefusesBadNamesAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto error = [&](const Hdf5Data& data) {
    return error_of([&] { write_hdf5(folder / "a.h5", data); }, folder.path());
  };
  const Array one{{}, {1}};
  for (const char* name : {"", "/u", "u/", "a//b", ".", "a/.."})
    EXPECT_EQ(error({{{name, one}}, {}}), "a.h5: '" + std::string(name) +
                                              "' is not a name of an array; write names such as "
                                              "'u' or 'group/u'");
  EXPECT_EQ(error({{{"u", one}, {"u/v", one}}, {}}),
            "a.h5: cannot write array 'u/v'; is there space left, and is the name free?");
  EXPECT_EQ(error({{{"u", one}}, {{"v", {{"a", "b"}}}}}),
            "a.h5: attribute 'a' belongs to 'v', which is not written");
  EXPECT_EQ(error({{{"u", {{2}, {1}}}}, {}}), "a.h5:u: shape (2) needs 2 numbers, got 1");
  EXPECT_EQ(error_of([&] { write_hdf5(folder / "no/a.h5", {}); }, folder.path()),
            "no/a.h5: cannot write: folder 'no' does not exist; create it, or name another");
  EXPECT_EQ(folder.n_entries(), 0U);
}

TEST(WriteHdf5, WorksFromSeveralThreads) {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto path = folder / ("t" + std::to_string(t) + ".h5");
      for (int i = 0; i < 5; ++i) {
        const Hdf5Data data{{{"u", Array::list({static_cast<double>(t), i * 1.0})}}, {}};
        write_hdf5(path, data);
        good[t] += read_hdf5(path).arrays == data.arrays ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(good, ElementsAre(5, 5, 5, 5));
}

}  // namespace
}  // namespace cauchy::test_io_hdf5
