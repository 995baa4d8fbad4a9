#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/io/events.hpp>
#include <cauchy/io/files.hpp>

#include "io/crc32c.hpp"
#include "support/io_support.hpp"

namespace cauchy::test_io_events {
namespace {

TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(detail::crc32c("123456789"), 0xE3069283U);
  // RFC 3720, appendix B.4: 32 bytes of zeros, of ones, and 0 to 31.
  EXPECT_EQ(detail::crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(detail::crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  EXPECT_EQ(detail::crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(detail::crc32c(""), 0U);
}

TEST(Crc32c, EqualsTheDefinitionForEveryLength) {
  Rng rng(3);
  std::string bytes;
  for (int n = 0; n < 200; ++n) {
    ASSERT_EQ(detail::crc32c(bytes), detail::crc32c_reference(bytes)) << n;
    bytes += static_cast<char>(rng.bits32());
  }
}

struct Event {
  double wall_time = 0.0;
  std::uint64_t step = 0;
  std::string file_version, tag;
  float value = 0.0F;
};

// A reader of its own: fails the test on anything unexpected.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }
  std::string_view take(std::size_t n) {
    if (n > rest_.size()) throw std::runtime_error("cut off");
    const std::string_view piece = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return piece;
  }
  template <class T>
  T raw() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = raw<unsigned char>();
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string_view record() {
    const std::string_view length_bytes = take(8);
    const auto unmask = [](std::uint32_t m) {
      const std::uint32_t r = m - 0xA282EAD8U;
      return r << 15 | r >> 17;
    };
    EXPECT_EQ(unmask(raw<std::uint32_t>()), detail::crc32c_reference(length_bytes));
    std::uint64_t length = 0;
    std::memcpy(&length, length_bytes.data(), 8);
    const std::string_view data = take(length);
    EXPECT_EQ(unmask(raw<std::uint32_t>()), detail::crc32c_reference(data));
    return data;
  }

 private:
  std::string_view rest_;
};

Event decode(std::string_view data) {
  Event event;
  for (Reader r(data); !r.done();) switch (r.varint()) {
      case 1 << 3 | 1:
        event.wall_time = r.raw<double>();
        break;
      case 2 << 3 | 0:
        event.step = r.varint();
        break;
      case 3 << 3 | 2:
        event.file_version = r.take(r.varint());
        break;
      case 5 << 3 | 2: {
        Reader summary(r.take(r.varint()));
        EXPECT_EQ(summary.varint(), 1U << 3 | 2U);
        Reader point(summary.take(summary.varint()));
        EXPECT_TRUE(summary.done());
        EXPECT_EQ(point.varint(), 1U << 3 | 2U);
        event.tag = point.take(point.varint());
        EXPECT_EQ(point.varint(), 2U << 3 | 5U);
        event.value = point.raw<float>();
        EXPECT_TRUE(point.done());
        break;
      }
      default:
        throw std::runtime_error("unknown field");
    }
  return event;
}

TEST(EventWriter, WritesRecordsThatDecode) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  const std::string long_tag(300, 'x');
  writer.scalar("loss/total", 0, 0.5, 1.7e9);
  writer.scalar("loss/total", 1234567890123, std::nan(""), 1.7e9 + 0.25);
  writer.scalar(long_tag, 127, -1e-3);
  writer.flush();

  const std::string bytes = read_file(writer.path());
  Reader reader(bytes);
  const Event version = decode(reader.record());
  EXPECT_EQ(version.file_version, "brain.Event:2");
  EXPECT_GT(version.wall_time, 1.6e9);
  const Event a = decode(reader.record());
  EXPECT_EQ(a.tag, "loss/total");
  EXPECT_EQ(a.step, 0U);
  EXPECT_EQ(a.value, 0.5F);
  EXPECT_EQ(a.wall_time, 1.7e9);
  const Event b = decode(reader.record());
  EXPECT_EQ(b.step, 1234567890123U);
  EXPECT_TRUE(std::isnan(b.value));
  EXPECT_EQ(b.wall_time, 1.7e9 + 0.25);
  const Event c = decode(reader.record());
  EXPECT_EQ(c.tag, long_tag);
  EXPECT_EQ(c.value, -1e-3F);
  EXPECT_TRUE(reader.done());
}

TEST(EventWriter, NamesItsFileAsTensorBoardExpects) {
  const TemporaryFolder folder;
  const EventWriter a(folder.path()), b(folder.path());
  EXPECT_TRUE(a.path().filename().string().starts_with("events.out.tfevents."));
  EXPECT_NE(a.path(), b.path());
  EXPECT_EQ(folder.n_entries(), 2U);
}

TEST(EventWriter, RefusesAMissingFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { EventWriter writer(folder / "none"); }, folder.path()),
            "none: folder does not exist; create it first");
}

}  // namespace
}  // namespace cauchy::test_io_events
