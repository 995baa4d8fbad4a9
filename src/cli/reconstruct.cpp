#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/ostream.h>

#include <cauchy/applications/surface_reconstruction.hpp>
#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/report/surface_picture.hpp>

#include "cli/command.hpp"
#include "cli/grid_option.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct ReconstructOptions : CommonOptions {
  std::string input, model, out, picture, box;
  std::size_t points = 3000;
  int nodes = 64;
  double width = 0, noise = 0;
  std::uint64_t draw_seed = 1;
  bool force = false;
};

/// Points, and the solid that they were drawn from where it is known.
struct Scanned {
  OrientedPoints cloud;
  ShapePtr truth;
};

std::string ending_of(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

Scanned read_input(const ReconstructOptions& o) {
  const std::string ending = ending_of(o.input);
  std::error_code failure;
  const bool is_mesh = ending == ".stl" || ending == ".obj";
  if (!is_mesh && (fs::exists(o.input, failure) || o.input.find('(') == std::string::npos)) {
    return {read_oriented_points(o.input), nullptr};
  }
  Scanned s;
  try {
    s.truth = is_mesh ? triangle_surface_shape(read_mesh(o.input)) : parse_region(o.input).shape();
    s.cloud = surface_points(*s.truth, o.points, Rng(o.draw_seed));
  } catch (const Error& e) {
    throw e.place().starts_with('[') ? e.at(is_mesh ? o.input : "region") : e;
  }
  return s;
}

/// "lower,upper" for all axes, or the lower corner and the side: "x,y,z,side".
UnitCube read_box(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : split_list(text)) {
    char* end = nullptr;
    numbers.push_back(std::strtod(word.c_str(), &end));
    if (end != word.c_str() + word.size() || !std::isfinite(numbers.back())) numbers.clear();
  }
  if (numbers.size() == 2) numbers = {numbers[0], numbers[0], numbers[0], numbers[1] - numbers[0]};
  if (numbers.size() != 4 || !(numbers[3] > 0)) {
    throw Error(fmt::format("'{}' is no cube", text), "--box",
                "give its lower and upper end, -1,1, or its lower corner and side, 0,0,0,2");
  }
  return {{numbers[0], numbers[1], numbers[2]}, numbers[3]};
}

/// The occupancy by a network that was trained on solids.
std::vector<double> by_network(const ReconstructOptions& o, const OrientedPoints& cloud,
                               std::string& described) {
  const LoadedOperator run = load_operator_run(o.model);
  const auto* trained = dynamic_cast<const SurfaceSource*>(run.file.problem.source.get());
  if (trained == nullptr) {
    throw Error("the run did not learn to reconstruct surfaces", o.model,
                "train one with: cauchy train npsr");
  }
  SurfaceSimulator simulator = trained->simulator();
  simulator.resolution = o.nodes;
  const SurfaceSource source(simulator);
  DataSet data;
  data.grid = source.grid();
  data.inputs = source.inputs();
  data.outputs = source.outputs();
  data.in = source.input_of(cloud);
  run.model->check_fits(data);
  described = fmt::format("{}, trained on {}", run.model->describe(), to_string(run.model->grid()));
  return run.model->predict(data, o.threads);
}

/// Occupancy 0 or 1 and the surface of a solid on the same nodes.
struct Truth {
  std::vector<double> inside;
  TriangleMesh surface;
};
Truth truth_of(const Shape& solid, const UnitCube& cube, int n) {
  Truth t;
  std::vector<double> distances;
  const double h = cube.side / n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Point3 x = {cube.lower[0] + h * i, cube.lower[1] + h * j, cube.lower[2] + h * k};
        distances.push_back(solid.distance(x.data()));
        t.inside.push_back(distances.back() > 0 ? 1 : 0);
      }
    }
  }
  const auto m = static_cast<std::size_t>(n);
  t.surface = isosurface(distances, {.n = {m, m, m}, .lower = cube.lower, .spacing = {h, h, h}}, 0);
  return t;
}

void run_reconstruct(const ReconstructOptions& o, Console& console) {
  check_output(o.out, o.force);
  check_output(o.picture, o.force);
  if (!o.out.empty() && ending_of(o.out) != ".stl" && ending_of(o.out) != ".obj") {
    throw Error("surfaces are written as .stl or .obj", "--out " + o.out);
  }
  // The field of normals with its transforms, the occupancy, and the distances of a known solid.
  require_memory(120 * std::pow(o.nodes, 3), fmt::format("a cube of {}^3 nodes", o.nodes),
                 "use fewer nodes", "--grid");
  const auto [cloud, truth] = read_input(o);
  // Solids of the training take as much of their cube.
  const UnitCube cube = o.box.empty() ? cube_around(cloud, 0.65) : read_box(o.box);
  OrientedPoints inside;
  std::string method;
  std::vector<double> occupancy;
  try {
    inside = in_cube(cloud, cube);
    if (o.noise > 0) {
      inside = scanned(std::move(inside), {.noise = o.noise, .tilt = 0, .holes = 0},
                       Rng(o.draw_seed, 1));
    }
    if (o.model.empty()) {
      const PoissonSurface found = poisson_surface(inside, {.n = o.nodes, .width = o.width});
      occupancy = found.occupancy;
      method = "Poisson's equation by Fourier transforms";
    } else {
      occupancy = by_network(o, inside, method);
    }
  } catch (const Error& e) {
    throw e.place().starts_with('[') ? e.at(o.input) : e;
  }
  const TriangleMesh surface = occupancy_surface(occupancy, o.nodes, cube);
  if (surface.triangles.empty()) {
    throw Error("no surface was found", o.input, "give more points, or look at their normals");
  }
  if (!o.out.empty()) write_mesh(o.out, surface);
  std::optional<Truth> known;
  if (truth) known = truth_of(*truth, cube, o.nodes);
  const double area = surface_area(surface), volume = enclosed_volume(surface);
  Json json = {{"points", cloud.size()}, {"method", method},
               {"nodes", o.nodes},       {"triangles", surface.triangles.size()},
               {"area", area},           {"volume", volume}};
  if (known && !known->surface.triangles.empty()) {
    json["iou"] = intersection_over_union(occupancy, known->inside);
    json["chamfer"] = chamfer_distance(surface, known->surface);
  }
  if (!o.picture.empty()) {
    OrientedPoints shown = inside;
    for (Point3& x : shown.points) {
      for (std::size_t k = 0; k < 3; ++k) x[k] = cube.lower[k] + cube.side * x[k];
    }
    std::vector<SurfacePanel> panels;
    panels.push_back({.title = fmt::format("{} points", cloud.size()), .points = shown});
    panels.push_back({.title = o.model.empty() ? "classical" : "network", .mesh = surface});
    if (known) panels.push_back({.title = "truth", .mesh = known->surface});
    save_picture(o.picture, draw_surfaces(panels));
  }
  if (!o.out.empty()) json["out"] = o.out;
  if (!o.picture.empty()) json["picture"] = o.picture;
  if (o.json) return print_json(console.out, json);
  fmt::print(console.out, "{} points, {}^3 nodes, by {}\n", grouped(cloud.size()), o.nodes, method);
  fmt::print(console.out, "  {} triangles, closed; area {:.6g}, volume {:.6g}\n",
             grouped(surface.triangles.size()), area, volume);
  if (json.contains("iou")) {
    fmt::print(console.out, "  against the solid itself: IoU {:.4f}, Chamfer {:.3g}\n",
               json["iou"].get<double>(), json["chamfer"].get<double>());
  }
  if (!o.out.empty()) fmt::print(console.out, "  written: {}\n", o.out);
  if (!o.picture.empty()) fmt::print(console.out, "  drawn: {}\n", o.picture);
}

}  // namespace

void add_reconstruct(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "reconstruct",
      "Find the closed surface through points with normals, by Poisson's equation or "
      "a network");
  auto o = std::make_shared<ReconstructOptions>();
  not_empty(command
                ->add_option("points", o->input,
                             "a table x y z nx ny nz (.txt, .csv, .xyz), PLY as text, a closed "
                             "mesh (.stl, .obj), or a region such as \"torus((0, 0, 0), (0, 0, 1), "
                             "1, 0.4)\"")
                ->required(),
            "points.csv");
  not_empty(command->add_option("--model", o->model,
                                "folder of a run of `cauchy train npsr`; without it the classical "
                                "method"),
            "runs/npsr");
  not_empty(command->add_option("--out", o->out, "surface.stl or surface.obj"), "surface.stl");
  whole_number(command->add_option("--grid", o->nodes, "nodes along each axis of the cube around")
                   ->capture_default_str(),
               8, 512);
  positive_number(
      command->add_option("--width", o->width,
                          "of the Gaussian that smooths normals, share of the cube; without it 1.5 "
                          "distances of nodes"),
      0.5);
  not_empty(command->add_option("--box", o->box,
                                "the cube: its ends -1,1 or lower corner and side 0,0,0,2; without "
                                "it one around the points"),
            "-1,1");
  whole_number(command->add_option("--points", o->points, "drawn from a mesh or a region")
                   ->capture_default_str(),
               16, 10'000'000);
  positive_number(
      command->add_option("--noise", o->noise, "on points, standard deviation, share of the cube"),
      0.5);
  whole_number(command->add_option("--seed", o->draw_seed, "of points that are drawn")
                   ->capture_default_str());
  not_empty(command->add_option("--picture", o->picture, "points and surface, .png or .svg"),
            "surface.png");
  add_threads_option(*command, *o);
  command->add_flag("--force", o->force, "replace files that exist");
  add_json_option(*command, *o);
  command->callback([o, &console] { run_reconstruct(*o, console); });
}

}  // namespace cauchy::cli
