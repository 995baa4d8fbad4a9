#include <cauchy/operators/operator_method.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/operators/trained_operator.hpp>

#include "operators/deeponet/trained_deeponet.hpp"
#include "operators/trained_field_operator.hpp"

namespace cauchy {
namespace {

const Words<OperatorLoss> loss_words = {{"relative_l2", OperatorLoss::relative_l2},
                                        {"relative_h1", OperatorLoss::relative_h1},
                                        {"mean_square", OperatorLoss::mean_square},
                                        {"sphere", OperatorLoss::sphere},
                                        {"crps", OperatorLoss::crps}};
const Words<Normalization> normalization_words = {{"none", Normalization::none},
                                                  {"channel", Normalization::channel},
                                                  {"point", Normalization::point}};
const Words<GridDerivative> derivative_words = {{"difference_3", GridDerivative::difference_3},
                                                {"difference_5", GridDerivative::difference_5},
                                                {"difference_7", GridDerivative::difference_7},
                                                {"fourier", GridDerivative::fourier},
                                                {"exact", GridDerivative::exact}};
constexpr std::uint64_t most_epochs = 1'000'000'000;
constexpr std::uint64_t most_frames = 10'000;
constexpr double most_nodes = 1e9;

template <class T>
std::string_view word_for(T value, const Words<T>& words) noexcept {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return word;
  }
  return "unknown";
}

void check_field_operator(const FieldOperator& o) {
  const auto require = [](bool good, std::string_view message, std::string_view fix) {
    if (!good) throw Error(message, "[train]", fix);
  };
  require(o.epochs > 0, "epochs must be positive, got 0", "leave it out");
  require(o.history >= 0, "history must not be negative", "history = 0: no roll-out");
  require(o.history == 0 || !o.time_axis, "a roll-out has no axis of time",
          "give history or time_axis, not both");
  require(o.unroll >= 1, "unroll must be at least 1", "unroll = 1: one step");
  require(o.history > 0 || (o.unroll == 1 && !o.pushforward),
          "unroll and pushforward belong to a roll-out", "give history = 1 as well");
  require(o.history > 0 || !o.increments, "increments belong to a roll-out",
          "give history = 1 as well");
  require(!o.increments || o.physics.weight == 0,
          "increments and equations in the loss exclude each other", "leave one of them out");
  require(o.loss == OperatorLoss::crps || o.ensemble == Ensemble{},
          "an ensemble is trained by its score",
          "give loss = \"crps\", or remove [train.ensemble]");
  if (o.loss == OperatorLoss::crps) {
    check_options(o.ensemble);
    require(o.history > 0, "an ensemble belongs to a roll-out", "give history = 1 as well");
    require(!o.pushforward, "pushforward and loss = \"crps\" exclude each other",
            "leave one of them out");
    require(o.physics.weight == 0, "equations and loss = \"crps\" exclude each other",
            "leave one of them out");
  }
  require(!o.pushforward || o.unroll > 1, "pushforward needs more than one step",
          "give unroll = 2 or more");
  require(o.noise >= 0 && std::isfinite(o.noise), "noise must not be negative", "noise = 0: none");
  require(o.physics.weight >= 0 && o.physics.data >= 0, "weights must not be negative",
          "leave them out");
  require(o.physics.data > 0 || o.physics.weight > 0, "nothing is left of the loss",
          "give [train.physics] a weight, or data = 1");
  require(o.physics.margin >= 1, "the margin of the equations must be at least 1",
          "on the boundary conditions hold");
  require(
      (o.physics.smoothing >= 0 || o.physics.smoothing == -1) && std::isfinite(o.physics.smoothing),
      "smoothing must not be negative", "smoothing = 0: none; -1: as the equation asks");
  for (const Stage& stage : o.stages) {
    check_options(stage);
    const OptimizerEntry& entry = entry_of(stage.method);
    const bool first_order = entry.kind == OptimizerKind::first_order;
    require(
        entry.kind != OptimizerKind::least_squares,
        fmt::format("{} needs residuals, which the loss of an operator does not have", entry.name),
        "use adam, adamw, soap or lbfgs");
    require(first_order || (o.noise == 0 && !o.pushforward),
            fmt::format("noise and pushforward change the loss at every step, which {} cannot bear",
                        entry.name),
            "use adam, adamw or soap");
    require(stage.schedule.shape != ScheduleShape::plateau || o.batch == 0,
            "the schedule 'plateau' compares losses of steps, which belong to different samples",
            "use schedule = \"cosine\", or batch = 0: all samples in every step");
    require(stage.redraw == 0, "an operator has no points to be drawn anew", "remove redraw");
  }
}

void visit_options(FieldOperator& o, OptionVisitor& v) {
  v.section("network", o.network);
  // Beside stages it has no meaning, and is not written.
  if (o.stages.empty()) v.count("epochs", o.epochs, 1, most_epochs);
  v.count("batch", o.batch, 0);
  v.word("loss", o.loss, loss_words);
  v.word("normalization", o.normalization, normalization_words);
  v.count("patience", o.patience, 0, most_epochs);
  v.flag("time_axis", o.time_axis);
  v.count("history", o.history, 0, most_frames);
  v.count("unroll", o.unroll, 1, most_frames);
  v.flag("pushforward", o.pushforward);
  v.flag("increments", o.increments);
  v.flag("augment", o.augment);
  v.number("noise", o.noise, NumberRange::not_negative);
  v.seed("seed", o.seed);
  const Words<Precision> precisions = {{"f64", Precision::f64}, {"f32", Precision::f32}};
  v.word("precision", o.precision, precisions);
  v.text("start", o.start);
  v.section("physics", o.physics);
  v.section("ensemble", o.ensemble);
  v.list("stage", o.stages);
  v.check([&] {
    if (v.gives("epochs") && !o.stages.empty()) {
      throw Error("stages have numbers of steps: 'epochs' has no meaning beside them", "[train]",
                  "remove it, or the stages");
    }
    check_field_operator(o);
  });
}

}  // namespace

std::string_view to_string(OperatorLoss loss) noexcept { return word_for(loss, loss_words); }
std::string_view to_string(Normalization n) noexcept { return word_for(n, normalization_words); }

std::string_view to_string(GridDerivative d) noexcept { return word_for(d, derivative_words); }

void visit_options(PhysicsLoss& o, OptionVisitor& v) {
  v.number("weight", o.weight, NumberRange::not_negative);
  v.number("data", o.data, NumberRange::not_negative);
  v.word("derivative", o.derivative, derivative_words);
  std::vector<double> grid(o.grid.begin(), o.grid.end());
  v.numbers("grid", grid, NumberRange::positive);
  v.count("margin", o.margin, 1, most_frames);
  v.number("smoothing", o.smoothing, NumberRange::any);
  v.count("samples", o.samples, 0);
  v.check([&] {
    for (const double n : grid) {
      if (n == std::floor(n) && n <= most_nodes) continue;
      throw Error(fmt::format("a number of nodes must be whole, got {}", n), "[train.physics]");
    }
  });
  o.grid.clear();
  for (const double n : grid) o.grid.push_back(static_cast<int>(std::min(n, most_nodes)));
}

const std::vector<OperatorMethodEntry>& all_operator_methods() {
  static const std::vector<OperatorMethodEntry> all = {
      {"field_network", "a network on grids, trained on pairs of functions", FieldOperator{}},
      {"deeponet", "sums of products of a network of the input and one of the point", DeepOnet{}}};
  return all;
}

const OperatorMethodEntry& entry_of(const OperatorMethod& method) {
  return all_operator_methods()[method.index()];
}

void visit_options(OperatorMethod& method, OptionVisitor& v) {
  v.alternative("kind", "operator method", method, all_operator_methods(), entry_of(method));
  std::visit([&](auto& options) { visit_options(options, v); }, method);
}

std::string describe(const OperatorMethod& method) {
  if (const auto* field = std::get_if<FieldOperator>(&method)) return describe(field->network);
  return describe(std::get<DeepOnet>(method));
}

void check_options(const OperatorMethod& method) {
  if (const auto* field = std::get_if<FieldOperator>(&method)) return check_field_operator(*field);
  check_options(std::get<DeepOnet>(method));
}

std::uint64_t seed_of(const OperatorMethod& method) {
  return std::visit([](const auto& m) { return m.seed; }, method);
}
Precision precision_of(const OperatorMethod& method) {
  return std::visit([](const auto& m) { return m.precision; }, method);
}
bool is_physics_only(const OperatorMethod& method) {
  const auto* deeponet = std::get_if<DeepOnet>(&method);
  return deeponet != nullptr && deeponet->physics.data == 0;
}

std::vector<double> TrainedOperator::predict_at(const DataSet& /*data*/,
                                                std::span<const Expr> /*expressions*/,
                                                std::span<const double> /*points*/,
                                                int /*threads*/) const {
  throw Error(ErrorKind::unsupported, "this operator answers on grids, not at points",
              "[operators]", "ask for a grid, or train a DeepONet");
}

std::vector<double> TrainedOperator::predict_member(const DataSet& data, std::size_t member,
                                                    int threads) const {
  if (member == 0) return predict(data, threads);
  throw Error("there is one answer alone", "[operators]", "ask for member 0");
}

std::shared_ptr<const TrainedOperator> load_operator(const Checkpoint& checkpoint,
                                                     const OperatorMethod& method) {
  if (const auto* deeponet = std::get_if<DeepOnet>(&method)) {
    return detail::load_deeponet(checkpoint, *deeponet);
  }
  return detail::load_field_operator(checkpoint, std::get<FieldOperator>(method));
}

}  // namespace cauchy
