// Is what a network has learnt a function of functions, or of numbers on one grid? Every field
// network learns how a ring cools, on 32 nodes, and is asked on finer grids without further
// training.
//
// Runs:    resolutions [PICTURE.svg]
// Expects: the errors of networks that have a limit stay what they are, within a factor of 1.5, on
//          grids up to 8 times as fine; those of the others at least double; exit code 0.
#include <fmt/format.h>

#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/report/figure.hpp>

using namespace cauchy;

const std::string ring = R"toml(
name = "ring"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
[[equation]]
form = "u_t = 0.005*u_xx"
[[condition]]
where = "t = 0"
form = "u = a"
[[condition]]
periodic = "x"
[operator]
inputs = { a = { field = "grf(alpha = 3, tau = 5)" } }
grid = 32
samples = 128
validation = 16
test = 32
[train]
epochs = 20
batch = 8
[train.network]
width = 16
)toml";

int main(int argc, char** argv) {
  bool good = true;
  PlotOptions options{.title = "learnt on 32 nodes"};
  options.x = {.label = "nodes", .scale = AxisScale::log};
  options.y = {.label = "mean relative L2 error", .scale = AxisScale::log};
  Plot plot(options);
  for (const FieldNetworkEntry& entry : all_field_networks()) {
    if (entry.sphere) continue;
    std::string text = ring + fmt::format("kind = \"{}\"\n", entry.name);
    // All points of an integral, and few of the next level.
    if (entry.name == "kernel") text += "samples = 0\nkernel_width = 16\n";
    if (entry.name == "gno") text += "neighbours = 0\nradius = 0.4\nkernel_width = 16\n";
    if (entry.name == "unet") text += "levels = 2\n";
    if (entry.name == "multipole") text += "neighbours = 0\nsamples = 16\n";
    const OperatorFile file = parse_operator_file(text, "ring.toml");
    const OperatorResult learnt = learn(file.problem, make_data(file.problem), file.method);
    const std::size_t first = file.problem.samples + file.problem.validation;
    std::vector<double> nodes, errors;
    for (const int n : {32, 64, 128, 256}) {
      OperatorProblem finer = file.problem;  // the same functions on more nodes
      finer.grid = {n};
      const DataSet data = make_data(finer, IndexRange{first, first + finer.test});
      nodes.push_back(n);
      errors.push_back(measure(*learnt.model, data).mean_l2());
    }
    fmt::print("{:<12} {:.1e}   {:.1f} s\n", entry.name, fmt::join(errors, "  "), learnt.seconds);
    const bool repeats = &entry - all_field_networks().data() >= 8;  // the colours
    plot.line(nodes, errors,
              {.name = std::string(entry.name),
               .width = repeats ? 3.2 : 1.6,
               .dashed = !entry.invariant});
    const double growth = errors.back() / errors.front();
    good = good && (entry.invariant ? growth < 1.5 : growth > 2);
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 640}));
  return good ? 0 : 1;
}
