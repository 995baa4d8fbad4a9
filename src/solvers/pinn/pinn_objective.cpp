#include "solvers/pinn/pinn_objective.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

std::vector<Term> terms_of(const PinnLoss& loss) {
  std::vector<Term> terms;
  for (const PinnTerm& t : loss.terms) terms.push_back(t.term);
  return terms;
}

}  // namespace

PinnObjective::PinnObjective(const Problem& problem, const PinnLoss& loss,
                             std::shared_ptr<const Graph> graph, ExecutorOptions options)
    : problem_(problem),
      loss_(loss),
      executor_(make_executor(graph, terms_of(loss), options)),
      parts_(loss.terms.size() + loss.integrals.size()) {
  if (loss.integrals.empty()) return;
  std::vector<Term> terms;
  for (const PinnIntegral& i : loss.integrals) terms.push_back({i.name, {i.integrand}});
  options.pool = executor_->pool();
  integrals_ = make_executor(graph, std::move(terms), options);
  for (std::size_t k = 0; k < loss.integrals.size(); ++k) {
    integrals_->set_points(k, loss.integrals[k].points.values);
  }
  slope_.resize(executor_->n_parameters());
}

double PinnObjective::value(std::span<const double> x) {
  const double sum = executor_->loss(x);
  std::copy(executor_->last_terms().begin(), executor_->last_terms().end(), parts_.begin());
  return sum + add_integrals(x, {});
}

double PinnObjective::gradient(std::span<const double> x, std::span<double> g) {
  const double sum = executor_->gradient(x, g);
  std::copy(executor_->last_terms().begin(), executor_->last_terms().end(), parts_.begin());
  return sum + add_integrals(x, g);
}

double PinnObjective::add_integrals(std::span<const double> x, std::span<double> g) {
  double total = 0;
  for (std::size_t k = 0; k < loss_.integrals.size(); ++k) {
    const PinnIntegral& integral = loss_.integrals[k];
    const std::size_t n = integral.points.weights.size(), per_time = n / integral.n_times;
    residuals_.resize(n);
    seeds_.resize(n);
    integrals_->residuals(k, x, residuals_);
    const double factor = integral.weight / static_cast<double>(integral.n_times);
    double part = 0;
    for (std::size_t j = 0; j < integral.n_times; ++j) {
      double sum = -integral.targets[j];
      for (std::size_t i = j * per_time; i < (j + 1) * per_time; ++i) {
        sum += integral.points.weights[i] * residuals_[i];
      }
      part += factor * sum * sum;
      for (std::size_t i = j * per_time; i < (j + 1) * per_time; ++i) {
        seeds_[i] = 2 * factor * sum * integral.points.weights[i];
      }
    }
    if (!g.empty()) {
      integrals_->jacobian_transposed_times(k, x, seeds_, slope_);
      for (std::size_t p = 0; p < g.size(); ++p) g[p] += slope_[p];
    }
    parts_[loss_.terms.size() + k] = part;
    total += part;
  }
  return total;
}

double PinnObjective::row_factor(std::size_t term) const {
  return std::sqrt(loss_.terms[term].term.weight / static_cast<double>(executor_->n_points(term)));
}

double PinnObjective::row_factor(const PinnIntegral& integral) {
  return std::sqrt(integral.weight / static_cast<double>(integral.n_times));
}

std::size_t PinnObjective::n_residuals() const {
  std::size_t n = executor_->n_residuals();
  for (const PinnIntegral& i : loss_.integrals) n += i.n_times;
  return n;
}

void PinnObjective::residuals(std::span<const double> x, std::span<double> r) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < loss_.terms.size(); ++k) {
    const auto rows = r.subspan(at, executor_->n_residuals(k));
    executor_->residuals(k, x, rows);
    const double factor = row_factor(k);
    parts_[k] = 0;
    for (double& v : rows) {
      v *= factor;
      parts_[k] += v * v;
    }
    at += rows.size();
  }
  for (std::size_t k = 0; k < loss_.integrals.size(); ++k) {
    const PinnIntegral& integral = loss_.integrals[k];
    const std::size_t n = integral.points.weights.size(), per_time = n / integral.n_times;
    double& part = parts_[loss_.terms.size() + k];
    part = 0;
    residuals_.resize(n);
    integrals_->residuals(k, x, residuals_);
    for (std::size_t j = 0; j < integral.n_times; ++j) {
      double sum = -integral.targets[j];
      for (std::size_t i = j * per_time; i < (j + 1) * per_time; ++i) {
        sum += integral.points.weights[i] * residuals_[i];
      }
      r[at] = row_factor(integral) * sum;
      part += r[at] * r[at];
      ++at;
    }
  }
}

void PinnObjective::jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) {
  const std::size_t P = size();
  residuals(x, r);
  std::size_t at = 0;
  for (std::size_t k = 0; k < loss_.terms.size(); ++k) {
    const std::size_t n = executor_->n_residuals(k);
    const auto rows = j.subspan(at * P, n * P);
    executor_->jacobian(k, x, rows);
    const double factor = row_factor(k);
    for (double& v : rows) v *= factor;
    at += n;
  }
  for (std::size_t k = 0; k < loss_.integrals.size(); ++k) {
    const PinnIntegral& integral = loss_.integrals[k];
    const std::size_t n = integral.points.weights.size(), per_time = n / integral.n_times;
    for (std::size_t t = 0; t < integral.n_times; ++t) {
      seeds_.assign(n, 0);
      for (std::size_t i = t * per_time; i < (t + 1) * per_time; ++i) {
        seeds_[i] = row_factor(integral) * integral.points.weights[i];
      }
      integrals_->jacobian_transposed_times(k, x, seeds_, j.subspan(at++ * P, P));
    }
  }
}

void PinnObjective::jacobian_times(std::span<const double> x, std::span<const double> v,
                                   std::span<double> out) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < loss_.terms.size(); ++k) {
    const auto rows = out.subspan(at, executor_->n_residuals(k));
    executor_->jacobian_times(k, x, v, rows);
    const double factor = row_factor(k);
    for (double& value : rows) value *= factor;
    at += rows.size();
  }
  for (std::size_t k = 0; k < loss_.integrals.size(); ++k) {
    const PinnIntegral& integral = loss_.integrals[k];
    const std::size_t n = integral.points.weights.size(), per_time = n / integral.n_times;
    residuals_.resize(n);
    integrals_->jacobian_times(k, x, v, residuals_);
    for (std::size_t j = 0; j < integral.n_times; ++j) {
      double sum = 0;
      for (std::size_t i = j * per_time; i < (j + 1) * per_time; ++i) {
        sum += integral.points.weights[i] * residuals_[i];
      }
      out[at++] = row_factor(integral) * sum;
    }
  }
}

void PinnObjective::jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                              std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  part_slope_.resize(size());
  const auto add = [&] {
    for (std::size_t p = 0; p < out.size(); ++p) out[p] += part_slope_[p];
  };
  std::size_t at = 0;
  for (std::size_t k = 0; k < loss_.terms.size(); ++k) {
    seeds_.resize(executor_->n_residuals(k));
    const double factor = row_factor(k);
    for (double& s : seeds_) s = factor * w[at++];
    executor_->jacobian_transposed_times(k, x, seeds_, part_slope_);
    add();
  }
  for (std::size_t k = 0; k < loss_.integrals.size(); ++k) {
    const PinnIntegral& integral = loss_.integrals[k];
    const std::size_t n = integral.points.weights.size(), per_time = n / integral.n_times;
    seeds_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      seeds_[i] = row_factor(integral) * w[at + i / per_time] * integral.points.weights[i];
    }
    at += integral.n_times;
    integrals_->jacobian_transposed_times(k, x, seeds_, part_slope_);
    add();
  }
}

void PinnObjective::set_points(std::size_t term, const Points& points,
                               std::span<const std::size_t> rows) {
  const PinnTerm& t = loss_.terms[term];
  const std::size_t D = points.columns.size(), K = t.term.data.size();
  const std::vector<double> data = K == 0 ? std::vector<double>{} : point_data(problem_, t, points);
  if (rows.empty()) {
    executor_->set_points(term, {.points = points.values, .data = data});
    return;
  }
  std::vector<double> some, some_data;
  for (const std::size_t r : rows) {
    some.insert(some.end(), points.values.begin() + static_cast<std::ptrdiff_t>(r * D),
                points.values.begin() + static_cast<std::ptrdiff_t>((r + 1) * D));
    some_data.insert(some_data.end(), data.begin() + static_cast<std::ptrdiff_t>(r * K),
                     data.begin() + static_cast<std::ptrdiff_t>((r + 1) * K));
  }
  executor_->set_points(term, {.points = some, .data = some_data});
}

}  // namespace cauchy::detail
