#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/files.hpp>

#include "io/crc32c.hpp"
#include "support/io_support.hpp"

namespace cauchy::test_io_checkpoint {
namespace {

Checkpoint sample() {
  Checkpoint c;
  c.arrays["theta"] = {{2, 2}, {1.0, -0.0, 0.1, 5e-324}};
  c.arrays["empty"] = {{0, 3}, {}};
  c.arrays["one"] = {{}, {2.5}};
  c.numbers["step"] = 12345;
  c.numbers["seed"] = std::numeric_limits<std::uint64_t>::max();
  c.texts["problem"] = "u_t = u_xx\nν = 0.01";
  c.texts[""] = std::string("\0", 1);
  return c;
}

TEST(Checkpoint, ReadsBack) {
  const TemporaryFolder folder;
  const Checkpoint c = sample();
  save_checkpoint(folder / "c.ckpt", c);
  save_checkpoint(folder / "c.ckpt", c);
  EXPECT_EQ(load_checkpoint(folder / "c.ckpt"), c);
  EXPECT_EQ(parse_checkpoint(checkpoint_bytes({}), "c"), Checkpoint{});
  EXPECT_EQ(folder.n_entries(), 1U);
}

TEST(Checkpoint, KeepsEveryBitOfItsNumbers) {
  Checkpoint c;
  // A signalling NaN with a payload, infinity, minus zero.
  const std::vector<std::uint64_t> bits{0x7FF0000000000123U, 0xFFF8000000000001U,
                                        0x7FF0000000000000U, 0x8000000000000000U};
  Array& a = c.arrays["a"];
  a.shape = {bits.size()};
  a.values.resize(bits.size());
  std::memcpy(a.values.data(), bits.data(), bits.size() * 8);
  const Checkpoint back = parse_checkpoint(checkpoint_bytes(c), "c");
  EXPECT_EQ(std::memcmp(back.array("a").values.data(), bits.data(), bits.size() * 8), 0);
}

TEST(Checkpoint, RefusesEveryTruncationAndAddition) {
  const std::string bytes = checkpoint_bytes(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(error_of([&] { parse_checkpoint(std::string_view(bytes).substr(0, n), "c"); }),
              "no error")
        << n;
  EXPECT_NE(error_of([&] { parse_checkpoint(bytes + '\0', "c"); }), "no error");
  EXPECT_NE(error_of([&] { parse_checkpoint(bytes + bytes, "c"); }), "no error");
}

TEST(Checkpoint, RefusesEveryFlippedBit) {
  std::string bytes = checkpoint_bytes(sample());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(before ^ (1 << bit));
      EXPECT_NE(error_of([&] { parse_checkpoint(bytes, "c"); }), "no error") << i << " " << bit;
      bytes[i] = before;
    }
  EXPECT_EQ(parse_checkpoint(bytes, "c"), sample());
}

// Writes a checksum over bytes [begin, end) behind them.
void seal(std::string& bytes, std::size_t begin, std::size_t end) {
  const std::uint32_t crc = detail::crc32c(std::string_view(bytes).substr(begin, end - begin));
  std::memcpy(bytes.data() + end, &crc, 4);
}

TEST(Checkpoint, RefusesHugeSizesUnderAValidChecksum) {
  Checkpoint c;
  c.arrays["a"] = Array::list({1.0, 2.0});
  const std::string good = checkpoint_bytes(c);
  // Head of 28 bytes; then kind, name length, axes (4 each), content length (8), axis (8), "a",
  // CRC.
  for (const std::size_t offset : {28 + 12, 28 + 20}) {
    std::string bytes = good;
    const std::uint64_t huge = std::uint64_t{1} << 62;
    std::memcpy(bytes.data() + offset, &huge, 8);
    seal(bytes, 28, 28 + 29);
    EXPECT_NE(error_of([&] { parse_checkpoint(bytes, "c"); }), "no error") << offset;
  }
  std::string bytes = good;
  const std::uint32_t many = 0xFFFFFFFFU;
  std::memcpy(bytes.data() + 28 + 8, &many, 4);  // axes
  seal(bytes, 28, 28 + 29);
  EXPECT_EQ(error_of([&] { parse_checkpoint(bytes, "c"); }),
            "c: checkpoint is damaged: a block is cut off; use an older checkpoint");
  bytes = good;
  std::memcpy(bytes.data() + 12, &many, 4);  // blocks
  seal(bytes, 0, 24);
  EXPECT_EQ(error_of([&] { parse_checkpoint(bytes, "c"); }),
            "c: checkpoint is damaged: a block is cut off; use an older checkpoint");
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  std::string bytes = checkpoint_bytes(sample());
  EXPECT_EQ(error_of([&] { parse_checkpoint("x,y\n1,2\n", "c"); }), "c: not a checkpoint");
  EXPECT_EQ(error_of([&] { parse_checkpoint(bytes.substr(0, 20), "c"); }),
            "c: checkpoint is cut off; use an older checkpoint");
  const std::string size = std::to_string(bytes.size());
  EXPECT_EQ(error_of([&] { parse_checkpoint(bytes.substr(0, 100), "c"); }),
            "c: checkpoint is cut off: 100 of " + size + " bytes; use an older checkpoint");
  std::string damaged = bytes;
  damaged[damaged.size() - 5] ^= 1;
  EXPECT_EQ(error_of([&] { parse_checkpoint(damaged, "c"); }),
            "c: checkpoint is damaged: wrong checksum of 'problem'; use an older checkpoint");
  std::string newer = bytes;
  newer[8] = 2;
  seal(newer, 0, 24);
  EXPECT_EQ(error_of([&] { parse_checkpoint(newer, "c"); }),
            "c: checkpoint has version 2, this program reads version 1");
  EXPECT_EQ(error_of([&] { load_checkpoint(folder / "none"); }, folder.path()),
            "none: file does not exist; check the name and the folder");
  EXPECT_EQ(error_of([&] { save_checkpoint(folder / "no/c", {}); }, folder.path()),
            "no/c: cannot write: folder 'no' does not exist; create it, or name another");
  Checkpoint wrong;
  wrong.arrays["a"] = {{3}, {1}};
  EXPECT_EQ(error_of([&] { checkpoint_bytes(wrong); }),
            "[io.checkpoint]: shape (3) needs 3 numbers, got 1");
  EXPECT_EQ(error_of([&] { (void)sample().number("stp"); }),
            "[io.checkpoint]: there is no entry 'stp' among the numbers; did you mean 'step'? "
            "numbers are: seed, step");
  EXPECT_EQ(error_of([&] { (void)sample().array("x"); }),
            "[io.checkpoint]: there is no entry 'x' among the arrays; arrays are: empty, one, "
            "theta");
  EXPECT_EQ(sample().text("problem"), "u_t = u_xx\nν = 0.01");
}

}  // namespace
}  // namespace cauchy::test_io_checkpoint
