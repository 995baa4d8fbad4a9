#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/refine_mesh.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/io/mesh_file.hpp>
#include <cauchy/report/mesh_picture.hpp>

#include "cli/command.hpp"
#include "cli/option_checks.hpp"
#include "cli/output_file.hpp"

namespace cauchy::cli {
namespace {

struct MeshCommand {
  std::string region, out, picture, format = "msh4";
  std::vector<std::string> interfaces;
  double size = 0, angle = 28, turn = 30, pixels = 560;
  std::uint64_t refine = 0;
  bool force = false;
};

bool is_mesh_file(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".msh" || ending == ".vtk" || ending == ".vtu" || ending == ".xdmf" ||
         ending == ".xmf";
}

struct MeshRegion {
  ShapePtr shape;
  std::vector<std::string> coordinates;
};

MeshRegion mesh_region(const std::string& region) {
  if (std::filesystem::path(region).extension() == ".toml") {
    const ProblemFile file = read_problem_file(region);
    const Region* const space = file.problem.domain->space();
    return {file.problem.domain->shape(),
            space != nullptr ? space->coordinates() : std::vector<std::string>()};
  }
  try {
    const Region parsed = parse_region(region);
    return {parsed.shape(), parsed.coordinates()};
  } catch (const Error& e) {
    throw e.place().starts_with('[') ? e.at("region") : e;
  }
}

/// "core: x^2 + y^2 < 0.25", "x = 0.5": the part of this name is where the condition holds, or left
/// is greater than right.
MeshInterface read_interface(const std::string& text, std::size_t number,
                             const std::vector<std::string>& coordinates) {
  Context names;
  for (const std::string& c : coordinates) names.add_space(c);
  std::string name = fmt::format("part{}", number), rest = text;
  int column = 1;
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    name = text.substr(0, colon);
    std::erase(name, ' ');
    rest = text.substr(colon + 1);
    column = static_cast<int>(colon) + 2;
    if (name.empty()) throw Error("the interface has no name before ':'", "--interface");
  }
  const std::size_t sign = rest.find_first_of("=<>");
  if (sign == std::string::npos) {
    throw Error(fmt::format("'{}' is no surface", text), "--interface",
                "write left = right, such as x^2 + y^2 = 0.25");
  }
  const std::size_t after = rest.find_first_not_of("=<>", sign);
  const auto side = [&](std::size_t first, std::size_t n) {
    const std::string part = rest.substr(std::min(first, rest.size()), n);
    return parse(part, names, {"--interface", 1, column + static_cast<int>(first)});
  };
  const Expr left = side(0, sign);
  const Expr right = side(after == std::string::npos ? rest.size() : after, std::string::npos);
  return mesh_interface(name, rest[sign] == '<' ? right - left : left - right, coordinates);
}

Mesh mesh_of(const MeshCommand& o) {
  if (is_mesh_file(o.region)) {
    if (!o.interfaces.empty()) {
      throw Error("a mesh that is read keeps its sides", "--interface", "give a region instead");
    }
    if (o.size != 0) {
      throw Error("a mesh that is read has its size", "--size", "use --refine to halve its cells");
    }
    return read_mesh_file(o.region);
  }
  if (o.size == 0) throw Error("the size of the cells is missing", "--size", "add --size 0.1");
  MeshOptions options;
  options.size = o.size;
  options.smallest_angle = o.angle;
  options.turn = o.turn;
  const MeshRegion region = mesh_region(o.region);
  for (const std::string& text : o.interfaces) {
    options.interfaces.push_back(
        read_interface(text, options.interfaces.size() + 1, region.coordinates));
  }
  try {
    return make_mesh(region.shape, options);
  } catch (const Error& e) {
    throw e.place().starts_with('[') ? e.at("mesh") : e;
  }
}

void run_mesh(const MeshCommand& o, Console& console) {
  check_output(o.out, o.force);
  check_output(o.picture, o.force);
  if (!o.out.empty() && !is_mesh_file(o.out)) {
    throw Error(fmt::format("meshes are written as .msh, .vtk, .vtu or .xdmf; got '{}'",
                            std::filesystem::path(o.out).extension().string()),
                "--out");
  }
  Mesh mesh = mesh_of(o);
  for (std::uint64_t i = 0; i < o.refine; ++i) mesh = refine(mesh);
  fmt::print(console.out, "{}", MeshQuality::report(mesh));
  if (!o.out.empty()) {
    const MeshFormat format = mesh_format(o.out);
    const bool old = format == MeshFormat::gmsh4 && o.format == "msh2";
    write_mesh_file(o.out, mesh, old ? MeshFormat::gmsh2 : format);
    fmt::print(console.out, "written: {}\n", o.out);
  }
  if (!o.picture.empty()) {
    try {
      save_picture(o.picture, draw_mesh(mesh, o.pixels));
    } catch (const Error& e) {
      throw e.place().starts_with('[') ? e.at("--picture " + o.picture) : e;
    }
    fmt::print(console.out, "drawn: {}\n", o.picture);
  }
}

}  // namespace

void add_mesh(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "mesh", "Cut a region into intervals, triangles or tetrahedra and say how good they are");
  auto o = std::make_shared<MeshCommand>();
  command
      ->add_option("region", o->region,
                   "a region such as \"disk((0, 0), 1)\", a problem file (.toml), or a mesh to "
                   "look at or to write in another format (.msh, .vtk, .vtu, .xdmf)")
      ->required();
  positive_number(command->add_option("--size", o->size, "sides of the cells"), 1e300);
  not_empty(command->add_option("--out", o->out, "mesh.msh (Gmsh), .vtk, .vtu or .xdmf"),
            "mesh.msh");
  command->add_option("--interface", o->interfaces,
                      "a curve or surface inside that sides of cells follow: \"core: x^2 + y^2 < "
                      "0.25\", \"x = 0.5\"; may be repeated");
  not_empty(command->add_option("--picture", o->picture, "mesh.svg or mesh.png"), "mesh.svg");
  one_of(command->add_option("--format", o->format, "of .msh files: msh4 (4.1) or msh2 (2.2)")
             ->capture_default_str(),
         {"msh4", "msh2"});
  whole_number(command->add_option("--refine", o->refine, "halve all sides so many times")
                   ->capture_default_str(),
               0, 20);
  positive_number(
      command
          ->add_option("--angle", o->angle, "no triangle gets a smaller angle, degrees, at most 30")
          ->capture_default_str(),
      30);
  positive_number(
      command->add_option("--turn", o->turn, "what an arc may turn along one side, degrees")
          ->capture_default_str(),
      90);
  positive_number(
      command->add_option("--pixels", o->pixels, "size of the picture")->capture_default_str(),
      8000);
  command->add_flag("--force", o->force, "replace files that exist");
  command->callback([o, &console] { run_mesh(*o, console); });
}

}  // namespace cauchy::cli
