#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/mesh_file.hpp>

#include "base/xml_text.hpp"

namespace cauchy {
namespace {

/// Coordinates with zeros to three.
void append_point(fmt::memory_buffer& text, const Mesh& mesh, std::size_t i) {
  const auto out = std::back_inserter(text);
  for (int k = 0; k < 3; ++k) {
    fmt::format_to(out, "{}{}", k < mesh.dimension ? mesh.node(i)[k] : 0.0, k < 2 ? ' ' : '\n');
  }
}

int gmsh_type(int dimension) {
  static constexpr int types[] = {15, 1, 2, 4};
  return types[dimension];
}

void append_head(fmt::memory_buffer& text, const Mesh& mesh, const char* version) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "$MeshFormat\n{} 0 8\n$EndMeshFormat\n$PhysicalNames\n{}\n", version,
                 mesh.pieces.size() + mesh.parts.size());
  // Names of pieces may repeat; a group has one.
  for (std::size_t p = 0; p < mesh.pieces.size(); ++p) {
    fmt::format_to(out, "{} {} \"{}\"\n", mesh.dimension - 1, p + 1, mesh.pieces[p]);
  }
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    fmt::format_to(out, "{} {} \"{}\"\n", mesh.dimension, p + 1, mesh.parts[p]);
  }
  fmt::format_to(out, "$EndPhysicalNames\n");
}

std::string gmsh2_text(const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  append_head(text, mesh, "2.2");
  fmt::format_to(out, "$Nodes\n{}\n", mesh.n_nodes());
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    fmt::format_to(out, "{} ", i + 1);
    append_point(text, mesh, i);
  }
  fmt::format_to(out, "$EndNodes\n$Elements\n{}\n", mesh.n_facets() + mesh.n_cells());
  std::size_t tag = 0;
  const auto element = [&](int dimension, int group, std::span<const Mesh::Index> nodes) {
    fmt::format_to(out, "{} {} 2 {} {}", ++tag, gmsh_type(dimension), group, group);
    for (const Mesh::Index v : nodes) fmt::format_to(out, " {}", v + 1);
    text.push_back('\n');
  };
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    element(mesh.dimension - 1, mesh.facet_piece[f] + 1, mesh.facet(f));
  }
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    element(mesh.dimension, mesh.cell_part[c] + 1, mesh.cell(c));
  }
  fmt::format_to(out, "$EndElements\n");
  return fmt::to_string(text);
}

std::string gmsh4_text(const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const int d = mesh.dimension;
  append_head(text, mesh, "4.1");
  std::vector<std::vector<std::size_t>> by_piece(mesh.pieces.size()), by_part(mesh.parts.size());
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    by_piece[static_cast<std::size_t>(mesh.facet_piece[f])].push_back(f);
  }
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    by_part[static_cast<std::size_t>(mesh.cell_part[c])].push_back(c);
  }
  std::array<double, 6> box{};
  for (int k = 0; k < d; ++k) {
    double low = mesh.node(0)[k], high = low;
    for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
      low = std::min(low, mesh.node(i)[k]);
      high = std::max(high, mesh.node(i)[k]);
    }
    box[static_cast<std::size_t>(k)] = low;
    box[static_cast<std::size_t>(k) + 3] = high;
  }
  std::size_t counts[4] = {};
  counts[d - 1] = mesh.pieces.size();
  counts[d] = mesh.parts.size();
  fmt::format_to(out, "$Entities\n{} {} {} {}\n", counts[0], counts[1], counts[2], counts[3]);
  for (std::size_t p = 0; p < mesh.pieces.size(); ++p) {
    if (d == 1) {
      const double x = by_piece[p].empty() ? 0 : mesh.node(mesh.facet(by_piece[p][0])[0])[0];
      fmt::format_to(out, "{} {} 0 0 1 {}\n", p + 1, x, p + 1);
    } else {
      fmt::format_to(out, "{} {} 1 {} 0\n", p + 1, fmt::join(box, " "), p + 1);
    }
  }
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    fmt::format_to(out, "{} {} 1 {} 0\n", p + 1, fmt::join(box, " "), p + 1);
  }
  const std::size_t n = mesh.n_nodes();
  fmt::format_to(out, "$EndEntities\n$Nodes\n1 {} 1 {}\n{} 1 0 {}\n", n, n, d, n);
  for (std::size_t i = 1; i <= n; ++i) fmt::format_to(out, "{}\n", i);
  for (std::size_t i = 0; i < n; ++i) append_point(text, mesh, i);
  std::size_t blocks = 0;
  for (const auto& list : by_piece) blocks += list.empty() ? 0 : 1;
  for (const auto& list : by_part) blocks += list.empty() ? 0 : 1;
  const std::size_t total = mesh.n_facets() + mesh.n_cells();
  fmt::format_to(out, "$EndNodes\n$Elements\n{} {} 1 {}\n", blocks, total, total);
  std::size_t tag = 0;
  const auto block = [&](int dimension, std::size_t entity, const std::vector<std::size_t>& list,
                         auto nodes) {
    if (list.empty()) return;
    fmt::format_to(out, "{} {} {} {}\n", dimension, entity, gmsh_type(dimension), list.size());
    for (const std::size_t e : list) {
      fmt::format_to(out, "{}", ++tag);
      for (const Mesh::Index v : nodes(e)) fmt::format_to(out, " {}", v + 1);
      text.push_back('\n');
    }
  };
  for (std::size_t p = 0; p < by_piece.size(); ++p) {
    block(d - 1, p + 1, by_piece[p], [&](std::size_t f) { return mesh.facet(f); });
  }
  for (std::size_t p = 0; p < by_part.size(); ++p) {
    block(d, p + 1, by_part[p], [&](std::size_t c) { return mesh.cell(c); });
  }
  fmt::format_to(out, "$EndElements\n");
  return fmt::to_string(text);
}

/// Cells, then facets, one line each.
void append_types(fmt::memory_buffer& text, const Mesh& mesh) {
  static constexpr int types[] = {1, 3, 5, 10};
  const auto out = std::back_inserter(text);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    fmt::format_to(out, "{}\n", types[mesh.dimension]);
  }
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    fmt::format_to(out, "{}\n", types[mesh.dimension - 1]);
  }
}

/// Numbers of part or piece of cells, then facets; -1 for those that have none.
void append_groups(fmt::memory_buffer& text, const Mesh& mesh, bool part) {
  const auto out = std::back_inserter(text);
  for (const int p : mesh.cell_part) fmt::format_to(out, "{}\n", part ? p : -1);
  for (const int p : mesh.facet_piece) fmt::format_to(out, "{}\n", part ? -1 : p);
}

std::string vtk_text(const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const std::size_t n_cells = mesh.n_cells(), n_facets = mesh.n_facets();
  fmt::format_to(out, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
  fmt::format_to(out, "FIELD names 2\n");
  for (const bool part : {true, false}) {
    const auto& names = part ? mesh.parts : mesh.pieces;
    fmt::format_to(out, "{} 1 {} string\n{}\n", part ? "parts" : "pieces", names.size(),
                   fmt::join(names, "\n"));
  }
  fmt::format_to(out, "POINTS {} double\n", mesh.n_nodes());
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) append_point(text, mesh, i);
  fmt::format_to(out, "CELLS {} {}\n", n_cells + n_facets,
                 mesh.cells.size() + n_cells + mesh.facets.size() + n_facets);
  for (std::size_t c = 0; c < n_cells; ++c) {
    fmt::format_to(out, "{} {}\n", mesh.dimension + 1, fmt::join(mesh.cell(c), " "));
  }
  for (std::size_t f = 0; f < n_facets; ++f) {
    fmt::format_to(out, "{} {}\n", mesh.dimension, fmt::join(mesh.facet(f), " "));
  }
  fmt::format_to(out, "CELL_TYPES {}\n", n_cells + n_facets);
  append_types(text, mesh);
  fmt::format_to(out, "CELL_DATA {}\n", n_cells + n_facets);
  fmt::format_to(out, "SCALARS part int 1\nLOOKUP_TABLE default\n");
  append_groups(text, mesh, true);
  fmt::format_to(out, "SCALARS piece int 1\nLOOKUP_TABLE default\n");
  append_groups(text, mesh, false);
  return fmt::to_string(text);
}

std::string vtu_text(const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                 "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                 "<FieldData>\n");
  for (const bool part : {true, false}) {
    const auto& names = part ? mesh.parts : mesh.pieces;
    fmt::format_to(out,
                   "<DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" "
                   "format=\"ascii\">\n",
                   part ? "parts" : "pieces", names.size());
    for (const std::string& name : names) {
      for (const char c : name) fmt::format_to(out, "{} ", static_cast<int>(c) & 255);
      fmt::format_to(out, "0\n");
    }
    fmt::format_to(out, "</DataArray>\n");
  }
  fmt::format_to(out,
                 "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n"
                 "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
                 mesh.n_nodes(), mesh.n_cells() + mesh.n_facets());
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) append_point(text, mesh, i);
  const auto array = [&](const char* type, const char* name) {
    fmt::format_to(out, "<DataArray type=\"{}\" Name=\"{}\" format=\"ascii\">\n", type, name);
  };
  fmt::format_to(out, "</DataArray>\n</Points>\n<Cells>\n");
  array("Int64", "connectivity");
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    fmt::format_to(out, "{}\n", fmt::join(mesh.cell(c), " "));
  }
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    fmt::format_to(out, "{}\n", fmt::join(mesh.facet(f), " "));
  }
  fmt::format_to(out, "</DataArray>\n");
  array("Int64", "offsets");
  const auto d = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t c = 1; c <= mesh.n_cells(); ++c) fmt::format_to(out, "{}\n", c * (d + 1));
  for (std::size_t f = 1; f <= mesh.n_facets(); ++f) {
    fmt::format_to(out, "{}\n", mesh.cells.size() + f * d);
  }
  fmt::format_to(out, "</DataArray>\n");
  array("UInt8", "types");
  append_types(text, mesh);
  fmt::format_to(out, "</DataArray>\n</Cells>\n<CellData>\n");
  for (const bool part : {true, false}) {
    array("Int32", part ? "part" : "piece");
    append_groups(text, mesh, part);
    fmt::format_to(out, "</DataArray>\n");
  }
  fmt::format_to(out, "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
  return fmt::to_string(text);
}

std::string xdmf_text(const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const std::size_t n = mesh.n_cells() + mesh.n_facets();
  fmt::format_to(out,
                 "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
                 "<Grid Name=\"mesh\" GridType=\"Uniform\">\n");
  for (const bool part : {true, false}) {
    const auto& names = part ? mesh.parts : mesh.pieces;
    fmt::format_to(out, "<Information Name=\"{}\" Value=\"{}\"/>\n", part ? "parts" : "pieces",
                   detail::xml_escaped(fmt::format("{}", fmt::join(names, " "))));
  }
  // Vertices and lines carry their number of nodes.
  static constexpr const char* codes[] = {"1 1", "2 2", "4", "6"};
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const auto width = [](std::size_t k) { return k + 1 + (k < 2 ? 2 : 1); };
  fmt::format_to(out,
                 "<Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\">\n<DataItem "
                 "Dimensions=\"{}\" NumberType=\"Int\" Precision=\"8\" Format=\"XML\">\n",
                 n, mesh.n_cells() * width(d) + mesh.n_facets() * width(d - 1));
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    fmt::format_to(out, "{} {}\n", codes[d], fmt::join(mesh.cell(c), " "));
  }
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    fmt::format_to(out, "{} {}\n", codes[d - 1], fmt::join(mesh.facet(f), " "));
  }
  fmt::format_to(out,
                 "</DataItem>\n</Topology>\n<Geometry GeometryType=\"XYZ\">\n<DataItem "
                 "Dimensions=\"{} 3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">\n",
                 mesh.n_nodes());
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) append_point(text, mesh, i);
  fmt::format_to(out, "</DataItem>\n</Geometry>\n");
  for (const bool part : {true, false}) {
    fmt::format_to(out,
                   "<Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Cell\">\n<DataItem "
                   "Dimensions=\"{}\" NumberType=\"Int\" Precision=\"8\" Format=\"XML\">\n",
                   part ? "part" : "piece", n);
    append_groups(text, mesh, part);
    fmt::format_to(out, "</DataItem>\n</Attribute>\n");
  }
  fmt::format_to(out, "</Grid>\n</Domain>\n</Xdmf>\n");
  return fmt::to_string(text);
}

}  // namespace

std::string mesh_file_text(const Mesh& mesh, MeshFormat format) {
  switch (format) {
    case MeshFormat::gmsh2:
      return gmsh2_text(mesh);
    case MeshFormat::gmsh4:
      return gmsh4_text(mesh);
    case MeshFormat::vtu:
      return vtu_text(mesh);
    case MeshFormat::xdmf:
      return xdmf_text(mesh);
    default:
      return vtk_text(mesh);
  }
}

void write_mesh_file(const std::filesystem::path& file, const Mesh& mesh, MeshFormat format) {
  write_file_atomically(file, mesh_file_text(mesh, format));
}

void write_mesh_file(const std::filesystem::path& file, const Mesh& mesh) {
  write_mesh_file(file, mesh, mesh_format(file));
}

MeshFormat mesh_format(const std::filesystem::path& file) {
  static constexpr std::pair<const char*, MeshFormat> endings[] = {{".msh", MeshFormat::gmsh4},
                                                                   {".vtk", MeshFormat::vtk},
                                                                   {".vtu", MeshFormat::vtu},
                                                                   {".xdmf", MeshFormat::xdmf},
                                                                   {".xmf", MeshFormat::xdmf}};
  const std::string ending = file.extension().string();
  for (const auto& [known, format] : endings) {
    if (ending == known) return format;
  }
  throw Error(fmt::format("the ending '{}' is none of a mesh", ending), file.string(),
              "meshes end with .msh, .vtk, .vtu or .xdmf");
}

}  // namespace cauchy
