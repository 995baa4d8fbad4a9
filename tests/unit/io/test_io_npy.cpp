#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include <cauchy/io/files.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_io_npy {
namespace {

using ::testing::ElementsAre;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

std::string npy(std::string_view dict, std::string_view data, char version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  const auto n = static_cast<std::uint32_t>(dict.size());
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(n >> (8 * i));
  return bytes + std::string(dict) + std::string(data);
}

std::string dict(std::string_view type, std::string_view shape, std::string_view order = "False") {
  return "{'descr': '" + std::string(type) + "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }   \n";
}

// np.save of np.asfortranarray(np.arange(6, dtype='>i2').reshape(2, 3)), NumPy 1.24.
constexpr std::string_view kFortran =
    "934e554d5059010076007b276465736372273a20273e6932272c2027666f727472616e5f6f72646572273a20547275"
    "652c20277368617065273a2028322c2033292c207d2020202020202020202020202020202020202020202020202020"
    "2020202020202020202020202020202020202020202020202020202020202020200a00000003000100040002000"
    "5";

// np.savez_compressed of x = [1.5, -2] and n = [[1], [2]] (uint8), NumPy 1.24.
constexpr std::string_view kCompressed =
    "504b030414000000080000002100b098c5414d0000009000000005001400782e6e7079010010009000000000000000"
    "4d000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f54529498179f5f94"
    "920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e0630f8610fa1190e0000504b03041400000008"
    "00000021007877a0654800000082000000050014006e2e6e7079010010008200000000000000480000000000000"
    "09bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e536aa8aea3a09e965f54529498179f5f94920a12774bcc294"
    "e058a17672416a402f91a463a0a869a3a0ab50a64032e462600504b0102140314000000080000002100b098c5414d0"
    "0000090000000050000000000000000000000800100000000782e6e7079504b0102140314000000080000002100787"
    "7a06548000000820000000500000000000000000000008001840000006e2e6e7079504b05060000000002000200660"
    "00000030100000000";

TEST(ParseNpy, ReadsWhatNumpyWrote) {
  const Array a = parse_npy(from_hex(kFortran), "a.npy");
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_THAT(a.values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(ParseNpy, ReadsEveryTypeInBothByteOrders) {
  struct Case {
    const char* type;
    const char* hex;
    double value;
  };
  for (const Case& c : {Case{"<f8", "000000000000f8bf", -1.5},
                        Case{">f8", "bff8000000000000", -1.5},
                        Case{"<f4", "0000c0bf", -1.5},
                        Case{">f4", "bfc00000", -1.5},
                        Case{"|i1", "fe", -2},
                        Case{"<i2", "feff", -2},
                        Case{">i2", "fffe", -2},
                        Case{"<i4", "feffffff", -2},
                        Case{">i4", "fffffffe", -2},
                        Case{"<i8", "feffffffffffffff", -2},
                        Case{">i8", "fffffffffffffffe", -2},
                        Case{"|u1", "fe", 254},
                        Case{"<u2", "feff", 65534},
                        Case{">u2", "fffe", 65534},
                        Case{"<u4", "feffffff", 4294967294.0},
                        Case{">u4", "fffffffe", 4294967294.0},
                        Case{"<u8", "0000000000000080", 9223372036854775808.0},
                        Case{">u8", "8000000000000000", 9223372036854775808.0},
                        Case{"|b1", "01", 1},
                        Case{"=i2", "0300", 3}}) {
    const Array a = parse_npy(npy(dict(c.type, "(1,)"), from_hex(c.hex)), "a");
    EXPECT_THAT(a.values, ElementsAre(c.value)) << c.type;
  }
}

TEST(ParseNpy, ReadsAllVersionsAndShapes) {
  EXPECT_THAT(parse_npy(npy(dict("|u1", "(2,)"), "\1\2", 2), "a").values, ElementsAre(1, 2));
  EXPECT_THAT(parse_npy(npy(dict("|u1", "(2,)"), "\1\2", 3), "a").values, ElementsAre(1, 2));
  EXPECT_EQ(parse_npy(npy(dict("|u1", "()"), "\7"), "a"), (Array{{}, {7}}));
  EXPECT_EQ(parse_npy(npy(dict("|u1", "(0, 9)"), ""), "a"), (Array{{0, 9}, {}}));
}

TEST(ParseNpy, TurnsFortranOrderOfThreeAxesIntoCOrder) {
  // Value 100 i + 10 j + k at (i, j, k), written with i fastest.
  std::string data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
  const Array a = parse_npy(npy(dict("|u1", "(2, 4, 2)", "True"), data), "a");
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_EQ(a.values[(i * 4 + j) * 2 + k], static_cast<double>(100 * i + 10 * j + k));
}

TEST(ParseNpy, RefusesMalformedFiles) {
  const auto error = [](std::string_view bytes) {
    return error_of([&] { parse_npy(bytes, "a.npy"); });
  };
  const std::string damaged = "; the file is damaged or was cut off";
  EXPECT_EQ(error("x,y"), "a.npy: not an NPY file");
  EXPECT_EQ(error(std::string("\x93NUMPY\4\0\0\0\0\0", 12)),
            "a.npy: NPY version 4.0 is not supported");
  EXPECT_EQ(error(npy(dict("<f8", "(2,)"), std::string(15, '\0'))),
            "a.npy: shape (2) of 8-byte elements does not match the 15 bytes of data" + damaged);
  EXPECT_EQ(error(npy(dict("<f8", "(1,)"), std::string(16, '\0'))),
            "a.npy: shape (1) of 8-byte elements does not match the 16 bytes of data" + damaged);
  EXPECT_EQ(error(npy(dict("<f8", "(100000, 1000000)"), "")),
            "a.npy: shape (100000, 1000000) of 8-byte elements does not match the 0 bytes of data" +
                damaged);
  EXPECT_EQ(error(npy(dict("<f8", "(4294967296, 4294967296)"), "")),
            "a.npy: shape (4294967296, 4294967296) is too large");
  EXPECT_EQ(error(npy(dict("<f8", "(99999999999999999999,)"), "")),
            "a.npy: malformed NPY header: 'shape' must be a tuple of sizes");
  EXPECT_EQ(error(npy(dict("<f8", "(-1,)"), "")),
            "a.npy: malformed NPY header: 'shape' must be a tuple of sizes");
  for (const char* type : {"<c16", "|O", "<U5", "<f2", "<f3", "f8", "<M8[ns]", ""})
    EXPECT_EQ(error(npy(dict(type, "(1,)"), "")),
              "a.npy: element type '" + std::string(type) +
                  "' is not supported; save as float64, float32, integers or bool");
  EXPECT_EQ(error(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}", "")),
            "a.npy: the array has records, not numbers; save each field as an array");
  EXPECT_EQ(error(npy("{'descr': '<f8', 'shape': (1,)}", "")),
            "a.npy: malformed NPY header: one of the keys 'descr', 'fortran_order', 'shape' is "
            "missing");
  EXPECT_EQ(error(npy("{'descr': '<f8', 'descr': '<f8'}", "")),
            "a.npy: malformed NPY header: key 'descr' occurs twice");
  EXPECT_EQ(error(npy("{'other': '<f8'}", "")), "a.npy: malformed NPY header: unknown key 'other'");
  EXPECT_EQ(error(npy(dict("<f8", "(1,)", "Maybe"), "")),
            "a.npy: malformed NPY header: 'fortran_order' must be True or False");
  EXPECT_EQ(error(npy(dict("<f8", "(1,)") + "x", "")),
            "a.npy: malformed NPY header: text after the closing brace");
  EXPECT_EQ(error(npy("{'descr", "")), "a.npy: malformed NPY header: string is not closed");
}

TEST(ParseNpy, RefusesEveryTruncation) {
  const std::string bytes = to_npy({{2, 3}, {1, 2, 3, 4, 5, 6}});
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(error_of([&] { parse_npy(std::string_view(bytes).substr(0, n), "a"); }), "no error")
        << n;
}

TEST(ToNpy, ReadsBackAndStartsItsDataAtAMultipleOf64Bytes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Array& a : {Array{{2, 3}, {1, 2.5, -3, 1e300, 5, 6}}, Array{{}, {4}}, Array{{0}, {}},
                         Array{{3}, {-0.0, 5e-324, 7}}}) {
    const std::string bytes = to_npy(a);
    EXPECT_EQ((bytes.size() - a.values.size() * 8) % 64, 0U);
    EXPECT_EQ(parse_npy(bytes, "a"), a);
  }
  EXPECT_TRUE(std::isnan(parse_npy(to_npy({{1}, {nan}}), "a").values[0]));
  EXPECT_EQ(error_of([] {
              to_npy({{2, 2}, {1}});
            }),
            "[io.npy]: shape (2, 2) needs 4 numbers, got 1");
}

TEST(ReadNpz, ReadsWhatNumpyCompressed) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.npz", from_hex(kCompressed));
  const auto arrays = read_npz(folder / "a.npz");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays.at("x"), (Array{{2}, {1.5, -2}}));
  EXPECT_EQ(arrays.at("n"), (Array{{2, 1}, {1, 2}}));
}

TEST(WriteNpz, ReadsBackStoredAndDeflated) {
  const TemporaryFolder folder;
  const std::map<std::string, Array> arrays{{"u", {{2, 2}, {1, 2, 3, 4.5}}},
                                            {"group/x", {{3}, {0.1, 0.2, 0.3}}},
                                            {"zeros", {{1000}, std::vector<double>(1000)}}};
  write_npz(folder / "a.npz", arrays);
  write_npz(folder / "b.npz", arrays, Compression::deflate);
  EXPECT_EQ(read_npz(folder / "a.npz"), arrays);
  EXPECT_EQ(read_npz(folder / "b.npz"), arrays);
  EXPECT_LT(std::filesystem::file_size(folder / "b.npz"),
            std::filesystem::file_size(folder / "a.npz") / 4);
  write_npz(folder / "empty.npz", {});
  EXPECT_TRUE(read_npz(folder / "empty.npz").empty());
  EXPECT_EQ(folder.n_entries(), 3U);
}

TEST(ReadNpz, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  const auto error = [&](std::string_view bytes) {
    write_file_atomically(folder / "a.npz", bytes);
    return error_of([&] { read_npz(folder / "a.npz"); }, folder.path());
  };
  EXPECT_EQ(error("not a zip file at all"), "a.npz: not an NPZ file: Not a zip archive");
  EXPECT_EQ(error_of([&] { read_npz(folder / "none.npz"); }, folder.path()),
            "none.npz: file does not exist; check the name and the folder");
  std::string bytes = from_hex(kCompressed);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(error(std::string_view(bytes).substr(0, n)), "no error") << n;
  bytes[60] = static_cast<char>(bytes[60] ^ 4);  // in the deflated data of x
  const std::string message = error(bytes);
  EXPECT_TRUE(message.starts_with("a.npz:x.npy: ")) << message;
}

TEST(ReadNpz, RefusesBombsBeforeTheyInflate) {
  const TemporaryFolder folder;
  // 4 MB of zeros are 4 kB deflated; the size that the archive tells is read before anything
  // else.
  write_npz(folder / "a.npz", {{"zeros", {{500'000}, std::vector<double>(500'000)}}},
            Compression::deflate);
  EXPECT_EQ(read_npz(folder / "a.npz").at("zeros").values.size(), 500'000U);
  std::string bytes = read_file(folder / "a.npz");
  // Its size in the local head, and in the directory at the end.
  const std::string told("\x80\x09\x3d\x00", 4);  // 4,000,128
  std::size_t n_found = 0;
  for (std::size_t at = 0; (at = bytes.find(told, at)) != std::string::npos; ++at, ++n_found)
    bytes[at + 3] = '\x7F';  // 2 GB
  ASSERT_GE(n_found, 1U);
  write_file_atomically(folder / "a.npz", bytes);
  EXPECT_EQ(error_of([&] { read_npz(folder / "a.npz"); }, folder.path()),
            "a.npz:zeros.npy: the arrays take far more memory than the file has bytes; save them "
            "without compression, or mend the file");
}

TEST(WriteNpz, RefusesBadNamesAndPlaces) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(
                [&] {
                  write_npz(folder / "a.npz", {{"", {{}, {1}}}});
                },
                folder.path()),
            "a.npz: array name must not be empty or contain a zero byte");
  EXPECT_EQ(error_of(
                [&] {
                  write_npz(folder / "no/a.npz", {{"x", {{}, {1}}}});
                },
                folder.path()),
            "no/a.npz: cannot write: folder 'no' does not exist; create it, or name another");
  EXPECT_EQ(folder.n_entries(), 0U);
}

}  // namespace
}  // namespace cauchy::test_io_npy
