#include "geometry/mesh_io.hpp"

#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "base/regular_file.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;

std::string lower_ending(const fs::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return ending;
}

/// Binary when the size is what the count at byte 80 asks for, whatever the header says: for a text
/// those four characters would ask for more than 10 GB.
bool has_size_of_binary_stl(std::string_view bytes) {
  if (bytes.size() < 84) return false;
  std::size_t n = 0;
  for (unsigned i = 0; i < 4; ++i) {
    n |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[80 + i])) << (8 * i);
  }
  return bytes.size() == 84 + 50 * n;
}

std::string_view first_word(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\v\f");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n\v\f"));
}

void append(std::string& bytes, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xffu);
}

std::string binary_stl(const TriangleMesh& mesh, const std::string& name) {
  std::string bytes = "triangle surface";
  bytes.resize(80, ' ');
  bytes.reserve(84 + 50 * mesh.triangles.size());
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    const auto &a = mesh.vertices[triangle[0]], &b = mesh.vertices[triangle[1]],
               &c = mesh.vertices[triangle[2]];
    std::array<double, 3> n{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
    const double length = std::hypot(n[0], n[1], n[2]);
    for (const double x : n) {
      append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(length > 0 ? x / length : 0)));
    }
    for (const auto* p : {&a, &b, &c}) {
      for (const double x : *p) {
        const auto rounded = static_cast<float>(x);
        if (!std::isfinite(rounded)) {
          throw Error(fmt::format("the coordinate {} does not fit into single precision", x), name,
                      "write .obj instead");
        }
        append(bytes, std::bit_cast<std::uint32_t>(rounded));
      }
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string obj_text(const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const auto& p : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", p[0], p[1], p[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (t == 0 || mesh.group[t] != mesh.group[t - 1]) {
      fmt::format_to(out, "g {}\n", mesh.groups[mesh.group[t]]);
    }
    const auto& [a, b, c] = mesh.triangles[t];
    fmt::format_to(out, "f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  return fmt::to_string(text);
}

void check_mesh(const TriangleMesh& mesh, const std::string& name) {
  if (mesh.triangles.empty()) throw Error("the mesh has no triangles", name);
  if (mesh.group.size() != mesh.triangles.size()) {
    throw Error(fmt::format("the mesh has {} triangles, but group numbers for {}",
                            mesh.triangles.size(), mesh.group.size()),
                name);
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::uint32_t v : mesh.triangles[t]) {
      if (v >= mesh.vertices.size()) {
        throw Error(
            fmt::format("triangle {} has vertex {}, but there are {}", t, v, mesh.vertices.size()),
            name);
      }
    }
    if (mesh.group[t] >= mesh.groups.size()) {
      throw Error(fmt::format("triangle {} is in group {}, but there are {}", t, mesh.group[t],
                              mesh.groups.size()),
                  name);
    }
  }
  for (const auto& p : mesh.vertices) {
    for (const double x : p) {
      if (!std::isfinite(x)) throw Error(fmt::format("the coordinate {} is not finite", x), name);
    }
  }
}

}  // namespace

TriangleMesh read_mesh(const fs::path& file) {
  return detail::mesh_io::parse_mesh(detail::read_regular(file, detail::data_limit()), file);
}

TriangleMesh detail::mesh_io::parse_mesh(std::string_view bytes, const fs::path& file) {
  const std::string name = file.string();
  if (bytes.empty()) throw Error("the file is empty", name);
  if (has_size_of_binary_stl(bytes)) return read_binary_stl(bytes, name);
  const bool is_text = bytes.substr(0, 1024).find('\0') == std::string_view::npos;
  const std::string_view first = first_word(bytes);
  if (is_text && is_keyword(first, "solid")) return read_text_stl(bytes, name);
  const std::string ending = lower_ending(file);
  if (ending == ".obj") return read_obj(bytes, name);
  if (ending == ".stl") {
    return is_text ? read_text_stl(bytes, name) : read_binary_stl(bytes, name);
  }
  for (const char* keyword : {"v", "vn", "vt", "f", "g", "o", "mtllib"}) {
    if (is_text && first == keyword) return read_obj(bytes, name);
  }
  throw Error("the file is neither STL nor OBJ", name, "give it the ending .stl or .obj");
}

void write_mesh(const fs::path& file, const TriangleMesh& mesh) {
  const std::string name = file.string();
  const std::string ending = lower_ending(file);
  if (ending != ".stl" && ending != ".obj") {
    throw Error(fmt::format("meshes are written as .stl or .obj, not as '{}'", ending), name);
  }
  check_mesh(mesh, name);
  const std::string bytes = ending == ".stl" ? binary_stl(mesh, name) : obj_text(mesh);
  // Under a name of its own until it is complete, so that nobody sees half a file.
  static std::atomic<unsigned> written{0};
  fs::path temporary = file;
  temporary += fmt::format(".{}.{}.part", ::getpid(), written++);
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary);
    if (!out) throw Error("the file cannot be written", name, "check that the folder exists");
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      throw Error(ErrorKind::file, "the file could not be written completely", name,
                  "check the free space");
    }
  }
  fs::rename(temporary, file, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(temporary, error);
    throw Error(ErrorKind::file, fmt::format("the file cannot be put in place: {}", reason), name);
  }
}

}  // namespace cauchy
