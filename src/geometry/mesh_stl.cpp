#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/mesh_io.hpp"

namespace cauchy::detail::mesh_io {
namespace {

/// Gives equal points the same number: open addressing, at most half full.
class Welder {
 public:
  explicit Welder(std::vector<std::array<double, 3>>& vertices)
      : vertices_(vertices), slots_(1024, none) {}

  std::uint32_t number(std::array<double, 3> p) {
    for (double& c : p) c += 0.0;  // -0 becomes 0
    if (2 * vertices_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[find(p)];
    if (slot == none) {
      slot = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(p);
    }
    return slot;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::size_t find(const std::array<double, 3>& p) const {
    std::uint64_t h = 0;
    for (const double c : p) {
      h = (h ^ std::bit_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(h) & mask;
    while (slots_[at] != none && vertices_[slots_[at]] != p) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) slots_[find(vertices_[v])] = v;
  }

  std::vector<std::array<double, 3>>& vertices_;
  std::vector<std::uint32_t> slots_;
};

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

constexpr std::size_t header_size = 84, record_size = 50;

}  // namespace

TriangleMesh read_binary_stl(std::string_view bytes, const std::string& file) {
  const auto at_byte = [&](std::size_t byte) { return fmt::format("{}: byte {}", file, byte); };
  if (bytes.size() < header_size) {
    throw Error(fmt::format("truncated, the header of a binary STL file has {} bytes, the file {}",
                            header_size, bytes.size()),
                at_byte(bytes.size()), "export or copy the file again");
  }
  // The size of the file, not the header, decides how much memory is taken.
  const std::size_t promised = little_endian(bytes.data() + 80);
  const std::size_t present = (bytes.size() - header_size) / record_size;
  if (promised > present) {
    throw Error(fmt::format("truncated, the header promises {} triangles, the file ends after {}",
                            promised, present),
                at_byte(bytes.size()), "export or copy the file again");
  }
  const std::size_t end = header_size + record_size * promised;
  if (bytes.size() > end) {
    throw Error(fmt::format("{} bytes follow after the {} triangles that the header promises",
                            bytes.size() - end, promised),
                at_byte(end), "export the file again");
  }
  if (promised == 0) throw Error("the file has no triangles", file);
  if (promised > std::numeric_limits<std::uint32_t>::max() / 3) {
    throw Error(fmt::format("{} triangles are too many", promised), file);
  }
  TriangleMesh mesh;
  mesh.source = file;
  GroupIndex(mesh).number({});
  mesh.triangles.resize(promised);
  mesh.group.assign(promised, 0);
  mesh.vertices.reserve(promised / 2 + 2);
  Welder welder(mesh.vertices);
  for (std::size_t t = 0; t < promised; ++t) {
    const std::size_t record = header_size + record_size * t + 12;  // after the normal
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<double, 3> p{};
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t byte = record + 12 * k + 4 * i;
        p[i] = static_cast<double>(std::bit_cast<float>(little_endian(bytes.data() + byte)));
        if (!std::isfinite(p[i])) {
          throw Error(
              fmt::format("triangle {} has the coordinate {}, which is not finite", t, p[i]),
              at_byte(byte));
        }
      }
      mesh.triangles[t][k] = welder.number(p);
    }
  }
  return mesh;
}

TriangleMesh read_text_stl(std::string_view text, const std::string& file) {
  TriangleMesh mesh;
  mesh.source = file;
  WordScanner scanner(text, file);
  GroupIndex groups(mesh);
  Welder welder(mesh.vertices);

  const auto expect = [&](std::string_view word, const char* keyword) {
    if (word.empty()) {
      throw Error(fmt::format("truncated, the file ends where '{}' should follow", keyword),
                  scanner.place(), "export or copy the file again");
    }
    if (!is_keyword(word, keyword)) {
      throw Error(fmt::format("'{}' should stand here, not '{}'", keyword, shown(word)),
                  scanner.place(word));
    }
  };
  const auto next = [&](const char* keyword) { expect(scanner.word_anywhere(), keyword); };

  std::string_view word = scanner.word_anywhere();
  expect(word, "solid");
  for (; !word.empty(); word = scanner.word_anywhere()) {
    expect(word, "solid");
    const std::uint32_t group = groups.number(scanner.rest());
    for (;;) {
      word = scanner.word_anywhere();
      if (is_keyword(word, "endsolid")) {
        scanner.rest();  // the name again
        break;
      }
      if (word.empty()) expect(word, "endsolid");
      expect(word, "facet");
      next("normal");
      for (int i = 0; i < 3; ++i) scanner.word();  // not needed, and often wrong
      next("outer");
      next("loop");
      std::array<std::uint32_t, 3> triangle{};
      for (std::uint32_t& v : triangle) {
        next("vertex");
        std::array<double, 3> p{};
        for (double& c : p) c = scanner.number(scanner.word());
        v = welder.number(p);
      }
      next("endloop");
      next("endfacet");
      mesh.triangles.push_back(triangle);
      mesh.group.push_back(group);
    }
  }
  if (mesh.triangles.empty()) throw Error("the file has no triangles", file);
  return mesh;
}

}  // namespace cauchy::detail::mesh_io
