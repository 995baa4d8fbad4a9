#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <sstream>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/grid_distance.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/points_picture.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "cli/command.hpp"
#include "cli/option_checks.hpp"
#include "cli/output_file.hpp"

namespace cauchy::cli {
namespace {

struct PointsOptions {
  std::string region, sampler = "sobol", randomize = "none", where, time, distance, out, title;
  std::vector<std::string> ranges, values;
  std::size_t n = 1000;
  std::uint64_t seed = 0, skip = 0;
  double size = 560;
  bool initial = false, normals = false, force = false;
};

/// "t=0,1" and the like: a name and its numbers, which are expressions of numbers.
std::pair<std::string, std::vector<double>> assignment(const std::string& text,
                                                       const std::string& option,
                                                       std::size_t count) {
  const auto equal = text.find('=');
  std::vector<double> numbers;
  if (equal != std::string::npos) {
    std::size_t first = equal + 1;
    while (first <= text.size()) {
      const std::size_t comma = std::min(text.find(',', first), text.size());
      numbers.push_back(evaluate(
          parse(text.substr(first, comma - first), {}, {option, 1, static_cast<int>(first) + 1})));
      first = comma + 1;
    }
  }
  if (equal == 0 || numbers.size() != count) {
    throw Error(fmt::format("'{}' is not NAME=NUMBER{}", text, count == 2 ? ",NUMBER" : ""), option,
                fmt::format("write it like {} {}", option, count == 2 ? "R=0.1,0.5" : "R=0.3"));
  }
  return {text.substr(0, equal), numbers};
}

Domain domain_of(const PointsOptions& o) {
  Context context;
  ParameterValues values;
  std::vector<Range> ranges;
  for (const std::string& text : o.values) {
    const auto [name, numbers] = assignment(text, "--value", 1);
    context.add_parameter(name);
    values[name] = numbers[0];
  }
  for (const std::string& text : o.ranges) {
    const auto [name, numbers] = assignment(text, "--range", 2);
    context.add_parameter(name);
    ranges.emplace_back(Parameter(name), numbers[0], numbers[1]);
  }
  Domain domain = parse_region(o.region, context);
  if (!o.time.empty()) {
    const auto [name, numbers] = assignment(o.time, "--time", 2);
    domain = domain * Time(Coordinate(name), numbers[0], numbers[1]);
  }
  for (const Range& r : ranges) domain = domain * r;
  return domain.with(values);
}

SamplerOptions sampler_of(const PointsOptions& o) {
  static const std::map<std::string, Randomize> randomizations{
      {"none", Randomize::none}, {"shift", Randomize::shift}, {"scramble", Randomize::scramble}};
  return {sampler_kind(o.sampler), randomizations.at(o.randomize), o.seed, o.skip};
}

/// The signed distance of each point to the boundary: of the shape, or on a grid by the screened
/// Poisson equation. Empty unless asked for.
std::vector<double> distances_of(const PointsOptions& o, const Domain& domain,
                                 const Points& points) {
  if (o.distance.empty()) return {};
  if (domain.shape_varies()) {
    throw Error("the shape changes with a range", "--distance", "use --value instead of --range");
  }
  const ShapePtr shape = domain.shape();
  std::optional<GridDistance> grid;
  if (o.distance == "grid" && grid.emplace(*shape).status() != Status::converged) {
    throw Error("the distance on the grid did not converge", "--distance", "use --distance shape");
  }
  std::vector<double> distances(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double* x = points.row(i).data() + domain.space_column();
    distances[i] = grid ? grid->distance(x) : shape->distance(x);
  }
  return distances;
}

void write_table(std::ostream& out, const Points& points, std::span<const double> distances) {
  fmt::print(out, "{}", fmt::join(points.columns, ","));
  const std::size_t d = points.size() == 0 ? 0 : points.normals.size() / points.size();
  for (std::size_t k = 0; k < d; ++k) fmt::print(out, ",normal{}", k + 1);
  if (!distances.empty()) fmt::print(out, ",distance");
  if (!points.piece.empty()) fmt::print(out, ",piece");
  fmt::print(out, "\n");
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string line;
    for (const double v : points.row(i)) line += number_to_string(v) + ",";
    for (std::size_t k = 0; k < d; ++k) line += number_to_string(points.normals[i * d + k]) + ",";
    if (!distances.empty()) line += number_to_string(distances[i]) + ",";
    if (!points.piece.empty()) line += points.pieces[points.piece[i]] + ",";
    line.back() = '\n';
    out << line;
  }
}

/// Runs something for the region or the points; what is deeper than the words of the call is about
/// one of them.
template <class Run>
auto at_words(const PointsOptions& o, Run run) {
  try {
    return run();
  } catch (const Error& e) {
    const std::string& place = e.place();
    if (place.starts_with("where:")) throw e.at("--on" + place.substr(5));
    if (!o.where.empty() && place.starts_with("[sampling.boundary")) throw e.at("--on");
    if (place.starts_with("[sampling.slice")) throw e.at("--initial");
    if (place.starts_with("[sampling")) throw e.at("--sampler " + o.sampler);
    throw place.starts_with('[') ? e.at("region") : e;
  }
}

void run_points(const PointsOptions& o, Console& console) {
  if (o.initial && !o.where.empty()) {
    throw Error("points are on the boundary or at the initial time, not both", "--initial",
                "leave out --on or --initial");
  }
  check_output(o.out, o.force);
  const Domain domain = at_words(o, [&] { return domain_of(o); });
  const SamplerOptions sampler = sampler_of(o);
  const Points points = at_words(o, [&] {
    return o.initial          ? initial_points(domain, o.n, sampler)
           : !o.where.empty() ? boundary_points(domain, o.where, o.n, sampler)
                              : interior_points(domain, o.n, sampler);
  });
  const std::vector<double> distances = distances_of(o, domain, points);
  if (o.out.empty()) {
    write_table(console.out, points, distances);
    return;
  }
  if (std::filesystem::path(o.out).extension() == ".csv") {
    std::ostringstream text;
    write_table(text, points, distances);
    write_file_atomically(o.out, text.str());
  } else {
    try {
      save_picture(o.out, draw_points(domain, points, {o.title, o.size, o.normals}));
    } catch (const Error& e) {
      throw e.place().starts_with('[') ? e.at("--out " + o.out) : e;
    }
  }
  fmt::print(console.out, "{} points of {} by {}: {}\n", points.size(), domain.space()->str(),
             o.sampler, o.out);
}

}  // namespace

void add_points(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("points", "Draw points of any sampler on any region, or print them");
  auto o = std::make_shared<PointsOptions>();
  command
      ->add_option("region", o->region,
                   "for example \"rectangle((0, 0), (2, 1)) - disk((1, 0.5), 0.3)\"; "
                   "`cauchy list regions` shows all")
      ->required();
  constexpr std::uint64_t most_points = 1'000'000'000'000'000;  // and what memory holds
  whole_number(command->add_option("-n,--n", o->n, "number of points")->capture_default_str(), 1,
               most_points);
  one_of(command->add_option("-s,--sampler", o->sampler, "`cauchy list samplers` shows all")
             ->capture_default_str(),
         sampler_names());
  whole_number(command->add_option("--seed", o->seed, "of random points and randomisations")
                   ->capture_default_str());
  one_of(command->add_option("--randomize", o->randomize, "none, shift or scramble")
             ->capture_default_str(),
         {"none", "shift", "scramble"});
  whole_number(command->add_option("--skip", o->skip, "leave out the first points of a sequence"));
  not_empty(command->add_option("--on", o->where,
                                "points of the boundary: boundary, left, \"y = 0 and x > 0.3\""),
            "boundary");
  not_empty(command->add_option("--time", o->time, "time and its ends: t=0,1"), "t=0,1");
  command->add_flag("--initial", o->initial, "points at the initial time");
  not_empty(command->add_option("--range", o->ranges, "a parameter and its range: R=0.1,0.5"),
            "R=0.1,0.5");
  not_empty(command->add_option("--value", o->values, "a parameter and its value: R=0.3"), "R=0.3");
  one_of(command->add_option(
             "--distance", o->distance,
             "column with the signed distance to the boundary: shape (exact, a bound for "
             "combinations in space) or grid (screened Poisson equation)"),
         {"shape", "grid"});
  not_empty(
      command->add_option("--out", o->out,
                          "picture.png, picture.svg or table.csv; without it the table is printed"),
      "points.svg");
  command->add_flag("--force", o->force, "replace a file that exists");
  command->add_option("--title", o->title, "of the picture");
  positive_number(
      command->add_option("--size", o->size, "of the picture, pixels")->capture_default_str(),
      8000);
  command->add_flag("--normals", o->normals, "draw the normals of boundary points");
  command->callback([o, &console] { run_points(*o, console); });
}

}  // namespace cauchy::cli
