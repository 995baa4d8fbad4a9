#include "solvers/pinn/pinn_field.hpp"

#include <algorithm>

#include "solvers/pinn/pinn_features.hpp"
#include "solvers/pinn/pinn_kan.hpp"
#include "training/point_schemes/point_look.hpp"

namespace cauchy::detail {

FieldEvaluator::FieldEvaluator(std::shared_ptr<const Graph> graph, Lowering lower,
                               ExecutorOptions options, std::size_t n_fields, std::string shape,
                               Network network, std::shared_ptr<const Pieces> pieces)
    : graph_(std::move(graph)),
      n_fields_(n_fields),
      lower_(std::move(lower)),
      shape_(std::move(shape)),
      network_(std::move(network)),
      pieces_(std::move(pieces)) {
  for (std::size_t i = n_fields; i < graph_->outputs().size(); ++i) {
    parts_.push_back(graph_->outputs()[i].field);
  }
  executor_ = make_executor(graph_, {}, std::move(options));
}

void FieldEvaluator::operator()(std::span<const double> theta, std::span<const Expr> expressions,
                                std::span<const double> points, std::span<double> out) const {
  std::vector<Expr> lowered;
  for (const Expr& e : expressions) lowered.push_back(lower_(e));
  const std::lock_guard lock(mutex_);
  if (!pieces_) return executor_->predict(lowered, theta, points, out);
  Points all;
  all.columns = executor_->graph().coordinate_names();
  all.values.assign(points.begin(), points.end());
  const std::vector<std::size_t> where = pieces_->at(all);
  const std::size_t m = expressions.size();
  for (std::size_t p = 0; p < pieces_->size(); ++p) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] == p) rows.push_back(i);
    }
    if (rows.empty()) continue;
    std::vector<Expr> own;
    for (const Expr& e : lowered) own.push_back(Pieces::of(e, p));
    const Points some = rows_of(all, rows);
    std::vector<double> values(rows.size() * m);
    executor_->predict(own, theta, some.values, values);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::copy_n(&values[k * m], m, &out[rows[k] * m]);
    }
  }
}

std::vector<TrainedNetwork> FieldEvaluator::networks(const std::vector<double>& theta) const {
  std::vector<TrainedNetwork> all;
  const std::size_t n_pieces = pieces_ ? pieces_->size() : 1, n = n_fields_ / n_pieces;
  for (std::size_t p = 0; p < n_pieces; ++p) {
    all.push_back({.graph = graph_, .theta = theta});
    if (p + 1 < n_pieces) all.back().where = pieces_->inside(p);
    for (std::size_t i = p * n; i < (p + 1) * n; ++i) {  // "u", or "u#2" of a piece
      const std::string& name = graph_->outputs()[i].field;
      all.back().outputs.emplace_back(name.substr(0, name.find('#')), name);
    }
  }
  return all;
}

void PinnField::save(Checkpoint& checkpoint) const {
  checkpoint.arrays["theta"] = Array::list(theta_);
  checkpoint.texts["shape"] = evaluator_->shape();
  save_grids(checkpoint, evaluator_->network());
  save_features(checkpoint, "", evaluator_->network());
}

std::map<std::string, Array> PinnField::other_arrays() const {
  Checkpoint grids;
  save_grids(grids, evaluator_->network());
  return std::move(grids.arrays);
}

}  // namespace cauchy::detail
