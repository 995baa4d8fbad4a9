#include "operators/trained_field_operator.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "training/checkpoints.hpp"  // lines_of

namespace cauchy::detail {
namespace {

constexpr const char* model_place = "[operators]";
constexpr const char* increment_prefix = "normalizer/increment/";

/// "x in [0, 1], y in [0, 1] (periodic)".
std::string box_text(const FieldGrid& grid) {
  std::vector<std::string> parts;
  for (const FieldGrid::Axis& a : grid.axes) {
    parts.push_back(fmt::format("{} in [{:.6g}, {:.6g}]{}", a.name, a.lower, a.upper,
                                a.periodic ? " (periodic)" : ""));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void require_same_box(const FieldGrid& grid, const FieldGrid& wanted) {
  bool same = grid.axes.size() == wanted.axes.size();
  for (std::size_t k = 0; same && k < grid.axes.size(); ++k) {
    const FieldGrid::Axis &a = grid.axes[k], &b = wanted.axes[k];
    const double slack = 1e-9 * (b.upper - b.lower);
    same = a.periodic == b.periodic && std::abs(a.lower - b.lower) <= slack &&
           std::abs(a.upper - b.upper) <= slack;
  }
  if (same) return;
  throw Error(fmt::format("the data lie on another box: {}", box_text(grid)), model_place,
              fmt::format("it must be {}", box_text(wanted)));
}

TrainedFieldOperator::TrainedFieldOperator(FieldMap map, std::vector<double> theta)
    : map_(std::move(map)), theta_(std::move(theta)) {}

TrainedFieldOperator::~TrainedFieldOperator() = default;

std::string_view TrainedFieldOperator::kind() const noexcept {
  return entry_of(OperatorMethod(FieldOperator{})).name;
}

std::string TrainedFieldOperator::describe() const { return cauchy::describe(map_.network); }

void TrainedFieldOperator::require_grid(const FieldGrid& grid) const {
  require_same_box(grid, map_.grid);
  const auto* custom = std::get_if<CustomFieldNetwork>(&map_.network);
  if (grid.sizes() == map_.grid.sizes() || custom != nullptr) return;
  if (entry_of(map_.network).any_grid) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{} answers on the grid of its training alone, {}", describe(),
                          to_string(map_.grid)),
              model_place, "give data on that grid, or train another network");
}

void TrainedFieldOperator::require_parameters(std::size_t n, const FieldGrid& grid) const {
  if (n == theta_.size()) return;
  throw Error(fmt::format("the network has {} parameters on the grid {}, {} were trained", n,
                          to_string(grid), theta_.size()),
              model_place, "give data on the grid of the training");
}

MapPredictor& TrainedFieldOperator::predictor(const DataSet& data, int threads) const {
  const int n = Threads::size_of(threads);
  if (predictor_ && threads_ == n && predictor_->serves(data)) return *predictor_;
  require_grid(data.grid);
  auto made = std::make_unique<MapPredictor>(map_, data, std::make_shared<Threads>(n));
  require_parameters(made->n_parameters(), data.grid);
  predictor_ = std::move(made);
  threads_ = n;
  return *predictor_;
}

std::vector<std::size_t> TrainedFieldOperator::given(const DataSet& data) const {
  return given_outputs(map_.channels, table_of(map_.channels, data));
}

void TrainedFieldOperator::check_fits(const DataSet& data) const {
  require_grid(data.grid);
  const ChannelTable table = table_of(map_.channels, data);
  TensorGraph graph;
  const int in = graph.input("in", {static_cast<int>(map_.n_in()), data.grid.sizes()});
  (void)map_.add(graph, in, data.grid, table.times);
  require_parameters(graph.n_parameters(), data.grid);
}

std::vector<double> TrainedFieldOperator::predict(const DataSet& data, int threads) const {
  const std::lock_guard lock(mutex_);
  return predictor(data, threads)(theta_, data);
}

std::size_t TrainedFieldOperator::members() const noexcept { return members_of(map_.ensemble); }

std::vector<double> TrainedFieldOperator::predict_member(const DataSet& data, std::size_t member,
                                                         int threads) const {
  if (member >= members()) {
    throw Error(fmt::format("there is no member {}, the forecast has {}", member, members()),
                model_place, "members are counted from 0");
  }
  if (!map_.ensemble) return predict(data, threads);
  const std::lock_guard lock(mutex_);
  return predictor(data, threads).member(theta_, data, member);
}

void save_grid(Checkpoint& c, const FieldGrid& grid) {
  std::vector<double> numbers;
  std::string names;
  for (const FieldGrid::Axis& a : grid.axes) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(a.n), a.lower, a.upper, a.periodic ? 1.0 : 0.0});
    names += a.name + "\n";
  }
  c.arrays["grid/axes"] = Array::list(std::move(numbers));
  c.texts["grid/names"] = names;
  c.arrays["grid/cloud"] = Array::list(grid.cloud);
  c.arrays["grid/cloud_weights"] = Array::list(grid.cloud_weights);
}

FieldGrid load_grid(const Checkpoint& c) {
  FieldGrid grid;
  const std::vector<double>& numbers = c.array("grid/axes").values;
  const std::vector<std::string> names = lines_of(c.text("grid/names"));
  bool whole = !names.empty() && numbers.size() == 4 * names.size();
  for (std::size_t k = 0; whole && k < names.size(); ++k) {
    const double* a = &numbers[4 * k];
    whole = a[0] >= 1 && a[0] <= 1e9 && a[1] < a[2];
    if (whole) grid.axes.push_back({names[k], static_cast<int>(a[0]), a[1], a[2], a[3] != 0});
  }
  grid.cloud = c.array("grid/cloud").values;
  grid.cloud_weights = c.array("grid/cloud_weights").values;
  if (whole) return grid;
  throw Error(ErrorKind::file, "the grid in the model is damaged", model_place, "train it again");
}

void TrainedFieldOperator::save(Checkpoint& c) const {
  save_grid(c, map_.grid);
  map_.channels.save(c);
  map_.input.save(c, "normalizer/in/");
  map_.output.save(c, "normalizer/out/");
  if (map_.increment) map_.increment->save(c, increment_prefix);
  c.arrays["theta"] = Array::list(theta_);
}

std::shared_ptr<const TrainedOperator> load_field_operator(const Checkpoint& c,
                                                           const FieldOperator& method) {
  FieldMap map;
  map.network = method.network;
  map.precision = method.precision;
  map.grid = load_grid(c);
  if (method.loss == OperatorLoss::crps) map.ensemble = method.ensemble;
  map.channels = Channels::load(c);
  map.input = Normalizer::load(c, "normalizer/in/", map.grid);
  map.output = Normalizer::load(c, "normalizer/out/", map.grid);
  const bool by_increments = c.numbers.contains(std::string(increment_prefix) + "kind");
  if (by_increments != method.increments) {
    throw Error(fmt::format("the model answers by {}", by_increments ? "increments" : "frames"),
                model_place, fmt::format("give increments = {}", by_increments));
  }
  if (by_increments) map.increment = Normalizer::load(c, increment_prefix, map.grid);
  if (map.increment && map.increment->channels() != map.n_out()) {
    throw Error(ErrorKind::file, "the normalisation in the model is damaged", model_place,
                "train it again");
  }
  if (map.input.channels() != map.n_in() || map.output.channels() != map.n_out()) {
    throw Error(ErrorKind::file, "the normalisation in the model is damaged", model_place,
                "train it again");
  }
  // What the network lacks is said now, not when it is asked.
  TensorGraph graph;
  const int in = graph.input("in", {static_cast<int>(map.n_in()), map.grid.sizes()});
  std::vector<double> times;
  if (map.channels.kind == Channels::Kind::axis) {
    times =
        table_of(map.channels, {.name = "", .grid = map.grid, .inputs = map.channels.inputs}).times;
  }
  (void)map.add(graph, in, map.grid, times);
  std::vector<double> theta = c.array("theta").values;
  if (theta.size() != graph.n_parameters()) {
    throw Error(fmt::format("it holds {} parameters, the network has {}", theta.size(),
                            graph.n_parameters()),
                model_place, "use the settings of the run that made it");
  }
  return std::make_shared<TrainedFieldOperator>(std::move(map), std::move(theta));
}

}  // namespace cauchy::detail
