#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/operators/deeponet.hpp>

namespace cauchy {
namespace {

constexpr std::uint64_t most_products = 100'000, most_passes = 1'000'000'000, most_head = 10'000;
constexpr double most_sensors = 1e6;

/// Options of the network inside of a branch, without its kind.
template <class Any, class Custom>
void visit_inner(Any& network, OptionVisitor& v) {
  std::visit(
      [&](auto& options) {
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(options)>, Custom>) {
          v.custom("kind", describe(network));
        } else {
          visit_options(options, v);
        }
      },
      network);
}

}  // namespace

const std::vector<BranchEntry>& all_branch_networks() {
  static const std::vector<BranchEntry> all = [] {
    std::vector<BranchEntry> entries;
    for (const NetworkEntry& e : all_networks()) {
      entries.push_back({e.name, e.description, e.options});
    }
    for (const FieldNetworkEntry& e : all_field_networks()) {
      if (!e.sphere) entries.push_back({e.name, e.description, e.options});
    }
    return entries;
  }();
  return all;
}

void visit_options(BranchNetwork& network, OptionVisitor& v) {
  const auto is_it = [&](const BranchEntry& e) {
    if (e.options.index() != network.index()) return false;
    const auto* points = std::get_if<Network>(&network);
    return points != nullptr ? std::get<Network>(e.options).index() == points->index()
                             : std::get<FieldNetwork>(e.options).index() ==
                                   std::get<FieldNetwork>(network).index();
  };
  const std::vector<BranchEntry>& all = all_branch_networks();
  const auto now = std::find_if(all.begin(), all.end(), is_it);
  if (now != all.end()) v.alternative("kind", "branch network", network, all, *now);
  if (auto* points = std::get_if<Network>(&network)) {
    visit_inner<Network, CustomNetwork>(*points, v);
  } else {
    visit_inner<FieldNetwork, CustomFieldNetwork>(std::get<FieldNetwork>(network), v);
  }
}

std::string describe(const BranchNetwork& network) {
  return std::visit([](const auto& n) { return describe(n); }, network);
}

void visit_options(DeepOnetPhysics& o, OptionVisitor& v) {
  v.number("weight", o.weight, NumberRange::not_negative);
  v.number("data", o.data, NumberRange::not_negative);
  v.count("interior", o.interior, 1);
  v.count("boundary", o.boundary, 1);
  v.count("initial", o.initial, 1);
  v.count("samples", o.samples, 0);
}

void visit_options(DeepOnet& o, OptionVisitor& v) {
  v.flag("pod", o.pod);
  v.section("branch", o.branch);
  // With principal functions they have no meaning, and are not written.
  if (!o.pod) v.section("trunk", o.trunk);
  if (!o.pod) v.flag("bias", o.bias);
  v.count("width", o.width, 1, most_products);
  v.flag("stacked", o.stacked);
  v.flag("product", o.product);
  v.flag("shortcut", o.shortcut);
  v.count("head", o.head, 0, most_head);
  std::vector<double> sensors(o.sensors.begin(), o.sensors.end());
  v.numbers("sensors", sensors, NumberRange::positive);
  v.numbers("sensor_points", o.sensor_points, NumberRange::any);
  v.flag("relative", o.relative);
  v.flag("augment", o.augment);
  // Beside stages it has no meaning, and is not written.
  if (o.stages.empty()) v.count("epochs", o.epochs, 1, most_passes);
  v.count("batch", o.batch, 0);
  v.count("points", o.points, 0);
  v.count("patience", o.patience, 0, most_passes);
  visit_options(o.initialize, v);
  v.seed("seed", o.seed);
  v.word("precision", o.precision,
         Words<Precision>{{"f64", Precision::f64}, {"f32", Precision::f32}});
  v.section("physics", o.physics);
  v.section("balancer", o.balancer);
  v.list("stage", o.stages);
  v.check([&] {
    for (const double n : sensors) {
      if (n == std::floor(n) && n >= 2 && n <= most_sensors) continue;
      throw Error(fmt::format("a number of sensors along an axis must be whole and at least 2, got "
                              "{}",
                              n),
                  "[train]", "sensors = [100]");
    }
    if (v.gives("epochs") && !o.stages.empty()) {
      throw Error("stages have numbers of steps: 'epochs' has no meaning beside them", "[train]",
                  "remove it, or the stages");
    }
    check_options(o);
  });
  o.sensors.clear();
  for (const double n : sensors) o.sensors.push_back(static_cast<int>(std::min(n, most_sensors)));
}

void check_options(const DeepOnet& o) {
  const auto require = [](bool good, std::string_view message, std::string_view fix) {
    if (!good) throw Error(message, "[train]", fix);
  };
  const bool on_grid = std::holds_alternative<FieldNetwork>(o.branch);
  require(o.width >= 1, "a DeepONet needs at least one product", "width = 64");
  require(o.epochs > 0, "epochs must be positive, got 0", "leave it out");
  require(o.sensors.empty() || o.sensor_points.empty(),
          "sensors are given twice: as a grid and as points", "remove one of them");
  require(!on_grid || o.sensor_points.empty(),
          fmt::format("{} as a branch needs sensors on a grid, not at scattered points",
                      describe(o.branch)),
          "give sensors = [32, 32], or a branch of kind \"mlp\"");
  require(!(on_grid && (o.stacked || o.product)),
          "a branch on a grid is one network with all outputs",
          "leave out 'stacked' and 'product', or take a branch of kind \"mlp\"");
  require(o.head == 0 || on_grid,
          "a head belongs to a branch on a grid: other networks have layers of their own",
          "remove 'head', or give the branch more layers");
  require(!(o.shortcut && o.product),
          "branches that are multiplied are not linear in their inputs: they have no shortcut",
          "remove 'shortcut' or 'product'");
  require(o.physics.weight >= 0 && o.physics.data >= 0, "weights must not be negative",
          "leave them out");
  require(o.physics.data > 0 || o.physics.weight > 0, "nothing is left of the loss",
          "give [train.physics] a weight, or data = 1");
  require(!(o.pod && o.physics.weight > 0),
          "principal functions of data have no derivatives that equations could use",
          "leave out pod, or the physics");
  require(!(o.pod && o.physics.data == 0), "principal functions are those of data",
          "leave out pod, or give data = 1");
  require(!std::holds_alternative<NtkBalancer>(o.balancer),
          "the balancer 'ntk' needs the gradient of every residual, which a DeepONet does not have",
          "take kind = \"gradient-norms\"");
  for (const Stage& stage : o.stages) {
    check_options(stage);
    const OptimizerEntry& entry = entry_of(stage.method);
    require(entry.kind != OptimizerKind::least_squares,
            fmt::format("{} needs the gradient of every residual, which a DeepONet does not have",
                        entry.name),
            "use adam, soap, lbfgs or ss_broyden");
    require(stage.schedule.shape != ScheduleShape::plateau || o.batch == 0,
            "the schedule 'plateau' compares losses of steps, which belong to different samples",
            "use schedule = \"cosine\", or batch = 0: all functions in every step");
    require(stage.redraw == 0, "the points of an operator are not drawn anew", "remove redraw");
  }
}

std::string describe(const DeepOnet& o) {
  std::string extra;
  if (o.head > 0) extra += fmt::format(" with a head of {}", o.head);
  if (o.shortcut) extra += " beside a linear one";
  const std::string trunk = o.pod ? "principal functions of the data" : describe(o.trunk);
  return fmt::format("DeepONet{}, branch {}{}, trunk {}, {} products",
                     o.stacked ? " (stacked)" : "", describe(o.branch), extra, trunk, o.width);
}

}  // namespace cauchy
