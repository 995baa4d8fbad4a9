#include "operators/deeponet/trained_deeponet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/math/blas.hpp>

#include "operators/channels.hpp"                // channel_of
#include "operators/trained_field_operator.hpp"  // require_same_box

namespace cauchy::detail {
namespace {

/// Functions that are answered together.
constexpr std::size_t functions_at_once = 64;

}  // namespace

DeepOnetPredictor::DeepOnetPredictor(const DeepOnetMap& map, std::shared_ptr<Threads> pool)
    : map_(map),
      pool_(std::move(pool)),
      branch_(make_branch(map, pool_, map.method.precision)),
      trunk_(make_executor(std::make_shared<const Graph>(map.trunk_graph()), {},
                           {.precision = map.method.precision, .pool = pool_})) {}

DeepOnetPredictor::~DeepOnetPredictor() = default;

std::size_t DeepOnetPredictor::n_parameters() const {
  return branch_->n_parameters() + trunk_->n_parameters();
}

std::vector<double> DeepOnetPredictor::operator()(std::span<const double> theta,
                                                  std::span<const double> sensors,
                                                  std::span<const Expr> expressions,
                                                  std::span<const double> points) {
  const std::size_t p = map_.width(), E = expressions.size(), P = points.size() / map_.axes.size();
  const std::size_t n = sensors.size() / map_.branch_inputs();
  // Trunk: [point][expression][1 + p].
  std::vector<Expr> rows;
  std::vector<std::size_t> field;
  for (const Expr& e : expressions) {
    const auto at = std::find_if(map_.fields.begin(), map_.fields.end(),
                                 [&](const auto& f) { return f.name == e.name(); });
    field.push_back(static_cast<std::size_t>(at - map_.fields.begin()));
    rows.push_back(field_derivative(DeepOnetMap::offset_name(at->name), e.index()));
    for (std::size_t k = 0; k < p; ++k) {
      rows.push_back(field_derivative(DeepOnetMap::product_name(at->name, k), e.index()));
    }
  }
  const std::size_t n_branch = branch_->n_parameters(), products = map_.n_products();
  std::vector<double> trunk(P * rows.size()), b(n * products), out(n * E * P);
  if (map_.method.pod) trunk_->set_input(Executor::prediction, "pod", map_.pod_at(points));
  trunk_->predict(rows, theta.subspan(n_branch), points, trunk);
  branch_->set(sensors);
  branch_->forward(theta.first(n_branch), b);
  const std::size_t n_chunks = chunk_count(n, functions_at_once), leading = rows.size();
  pool_->run(n_chunks, [&](std::size_t c, int) {
    const IndexRange range = chunk_range(n, n_chunks, c);
    for (std::size_t e = 0; e < E; ++e) {
      double* const to = &out[(range.begin * E + e) * P];
      for (std::size_t s = 0; s < range.size(); ++s) {
        for (std::size_t i = 0; i < P; ++i) to[s * E * P + i] = trunk[i * leading + e * (1 + p)];
      }
      gemm(Transpose::no, Transpose::yes, 1.0,
           MatrixView<const double>(&b[range.begin * products + field[e] * p], range.size(), p,
                                    products),
           MatrixView<const double>(&trunk[e * (1 + p) + 1], P, p, leading), 1.0,
           MatrixView<double>(to, range.size(), P, E * P));
    }
  });
  return out;
}

std::vector<double> DeepOnetPredictor::operator()(std::span<const double> theta,
                                                  const DataSet& data) {
  const AnswerPoints answers = answer_points(map_, data);
  std::vector<Expr> fields;
  for (const std::size_t f : answers.field) fields.push_back(Field(map_.fields[f].name));
  std::vector<double> made = (*this)(theta, map_.at_sensors(data, *pool_), fields, answers.points);
  const std::size_t K = answers.times.size(), nodes = data.grid.n_points(), F = fields.size();
  std::vector<double> out(made.size());
  add_lifts(data, fields, answers.points, made);
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (std::size_t f = 0; f < F; ++f) {
      for (std::size_t k = 0; k < K; ++k) {
        std::copy_n(
            made.begin() + static_cast<std::ptrdiff_t>(((s * F + f) * K + k) * nodes), nodes,
            out.begin() +
                static_cast<std::ptrdiff_t>((s * F * K + answers.channel[f * K + k]) * nodes));
      }
    }
  }
  return out;
}

void DeepOnetPredictor::add_lifts(const DataSet& data, std::span<const Expr> expressions,
                                  std::span<const double> points, std::span<double> values) const {
  const std::size_t E = expressions.size(), P = points.size() / map_.axes.size();
  std::vector<Expr> lifts(E, 0);
  bool any = false;
  for (std::size_t e = 0; e < E; ++e) {
    for (const DeepOnetMap::FieldForm& f : map_.fields) {
      if (f.name != expressions[e].name() || f.lift.is_constant(0)) continue;
      lifts[e] = f.lift;
      for (const auto& [axis, order] : expressions[e].index()) {
        for (int k = 0; k < order; ++k) lifts[e] = d(lifts[e], Coordinate(axis));
      }
      any = true;
    }
  }
  if (!any) return;
  pool_->run(data.size(), [&](std::size_t s, int) {
    std::vector<TabulatedFunction> tables;
    for (std::size_t i = 0; i < map_.inputs.size(); ++i) {
      const auto at = std::find(data.inputs.begin(), data.inputs.end(), map_.inputs[i]);
      const auto channel = static_cast<std::size_t>(at - data.inputs.begin());
      tables.push_back(input_function(data.grid, channel_of(data, s, {true, channel}),
                                      map_.inputs[i], map_.arguments[i], map_.interpolation[i]));
    }
    for (std::size_t e = 0; e < E; ++e) {
      if (lifts[e].is_constant(0)) continue;
      const std::vector<double> lift = map_.lift_at(lifts[e], tables, points);
      for (std::size_t i = 0; i < P; ++i) values[(s * E + e) * P + i] += lift[i];
    }
  });
}

std::vector<double> DeepOnetPredictor::at_points(std::span<const double> theta, const DataSet& data,
                                                 std::span<const Expr> expressions,
                                                 std::span<const double> points) {
  const std::vector<std::string> names = map_.coordinates();
  const std::size_t d = names.size(), P = points.size() / d, M = expressions.size();
  const std::vector<Expr> fields = field_atoms(expressions);
  for (const Expr& f : fields) {
    const auto is_it = [&](const DeepOnetMap::FieldForm& form) { return form.name == f.name(); };
    if (std::any_of(map_.fields.begin(), map_.fields.end(), is_it)) continue;
    throw Error(ErrorKind::not_found, fmt::format("the operator knows no output '{}'", f.name()),
                "[operators]");
  }
  const std::size_t E = fields.size();
  std::vector<double> made = (*this)(theta, map_.at_sensors(data, *pool_), fields, points);
  add_lifts(data, fields, points, made);
  ProgramSpec spec;
  spec.outputs.assign(expressions.begin(), expressions.end());
  std::vector<std::vector<double>> coordinates;
  for (std::size_t k = 0; k < d; ++k) {
    spec.inputs.push_back(Coordinate(names[k]));
    std::vector<double>& row = coordinates.emplace_back(P);
    for (std::size_t i = 0; i < P; ++i) row[i] = points[i * d + k];
  }
  spec.inputs.insert(spec.inputs.end(), fields.begin(), fields.end());
  const Program<double> program(std::move(spec));
  std::vector<double> out(data.size() * P * M), rows(M * P), workspace(program.workspace_size());
  std::vector<const double*> in(d + E);
  std::vector<double*> to(M);
  for (std::size_t k = 0; k < d; ++k) in[k] = coordinates[k].data();
  for (std::size_t m = 0; m < M; ++m) to[m] = &rows[m * P];
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (std::size_t e = 0; e < E; ++e) in[d + e] = &made[(s * E + e) * P];
    program.run(P, in.data(), nullptr, to.data(), nullptr, workspace.data());
    for (std::size_t i = 0; i < P; ++i) {
      for (std::size_t m = 0; m < M; ++m) out[(s * P + i) * M + m] = rows[m * P + i];
    }
  }
  return out;
}

TrainedDeepOnet::TrainedDeepOnet(DeepOnetMap map, std::vector<double> theta)
    : map_(std::move(map)), theta_(std::move(theta)) {
  auto made = std::make_unique<DeepOnetPredictor>(map_, std::make_shared<Threads>(1));
  if (made->n_parameters() != theta_.size()) {
    throw Error(fmt::format("it holds {} parameters, the network has {}", theta_.size(),
                            made->n_parameters()),
                "[operators]", "use the settings of the run that made it");
  }
  predictor_ = std::move(made);
  threads_ = 1;
}

TrainedDeepOnet::~TrainedDeepOnet() = default;

std::string_view TrainedDeepOnet::kind() const noexcept {
  return entry_of(OperatorMethod(DeepOnet{})).name;
}

std::string TrainedDeepOnet::describe() const {
  return fmt::format("{}, {} sensors", cauchy::describe(map_.method), map_.n_sensors());
}

void TrainedDeepOnet::check_fits(const DataSet& data) const {
  require_same_box(data.grid, map_.grid);
  (void)answer_points(map_, data);
  Threads one(1);
  if (data.size() > 0) (void)map_.at_sensors(data.part(0, 1), one);
}

DeepOnetPredictor& TrainedDeepOnet::predictor(int threads) const {
  const int n = Threads::size_of(threads);
  if (threads_ != n) {
    predictor_ = std::make_unique<DeepOnetPredictor>(map_, std::make_shared<Threads>(n));
    threads_ = n;
  }
  return *predictor_;
}

std::vector<double> TrainedDeepOnet::predict(const DataSet& data, int threads) const {
  require_same_box(data.grid, map_.grid);
  const std::lock_guard lock(mutex_);
  return predictor(threads)(theta_, data);
}

std::vector<double> TrainedDeepOnet::predict_at(const DataSet& data,
                                                std::span<const Expr> expressions,
                                                std::span<const double> points, int threads) const {
  require_same_box(data.grid, map_.grid);
  if (points.size() % map_.axes.size() != 0) {
    throw Error(fmt::format("{} numbers are no whole number of points with {} coordinates",
                            points.size(), map_.axes.size()),
                "[operators]");
  }
  const std::lock_guard lock(mutex_);
  return predictor(threads).at_points(theta_, data, expressions, points);
}

void TrainedDeepOnet::save(Checkpoint& c) const {
  map_.save(c);
  c.arrays["theta"] = Array::list(theta_);
}

std::shared_ptr<const TrainedOperator> load_deeponet(const Checkpoint& c, const DeepOnet& method) {
  return std::make_shared<TrainedDeepOnet>(DeepOnetMap::load(c, method), c.array("theta").values);
}

}  // namespace cauchy::detail
