#include "solvers/pinn/pinn_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/entropy.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/training/diagnosis.hpp>

#include "optimizers/vector_ops.hpp"
#include "training/rule_table.hpp"

namespace cauchy::detail {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
// Of the time: on the way, and in all.
constexpr double share_on_the_way = 0.1, share_in_all = 0.18;
constexpr std::size_t most_batches = 16;
constexpr std::size_t kernel_rows = 64;  // of the kernel of a term
constexpr std::size_t fresh_points = 500, landscape_points = 200;
// Of the information plane: samples, and cells per principal component.
constexpr std::size_t plane_points = 1024, plane_components = 2, plane_bins = 16;
constexpr std::size_t most_layers = 8;

std::vector<std::size_t> random_rows(std::size_t n, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> rows(n);
  Rng(seed).permutation(rows);
  rows.resize(std::min(n, most));
  std::sort(rows.begin(), rows.end());
  return rows;
}

double rms_of(std::span<const double> r) {
  return r.empty() ? not_known : std::sqrt(dot(r, r) / static_cast<double>(r.size()));
}

/// The leading principal components of rows (n x units), as n x components.
Matrix leading_components(std::span<const double> values, std::size_t units) {
  const std::size_t n = values.size() / units, k = std::min(plane_components, units);
  std::vector<double> mean(units, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % units] += values[i];
  for (double& m : mean) m /= static_cast<double>(n);
  Matrix covariance(units, units);
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = &values[i * units];
    for (std::size_t a = 0; a < units; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        covariance(a, b) += (row[a] - mean[a]) * (row[b] - mean[b]);
      }
    }
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(covariance);
  Matrix out(n, k);
  if (eigen.status != Factorization::ok) return out;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t a = 0; a < units; ++a) {
        out(i, c) += (values[i * units + a] - mean[a]) * eigen.vectors(a, units - 1 - c);
      }
    }
  }
  return out;
}

}  // namespace

PinnProbe::PinnProbe(const PinnAssembly& pinn, TrainingLoss& loss, const TrainingPoints& points,
                     std::shared_ptr<Threads> pool)
    : pinn_(pinn), loss_(loss), points_(points), pool_(std::move(pool)) {
  for (const PinnTerm& t : pinn.loss.terms) {
    found_.terms.push_back(t.term.name);
    found_.conditions.push_back(t.kind != PointSource::Kind::equation);
    found_.spectra.push_back({t.term.name});
  }
  found_.balancer = rule_name(pinn.method.rules.balancer, all_balancers());
  found_.first_order = std::all_of(pinn.stages.begin(), pinn.stages.end(), [](const Stage& s) {
    return entry_of(s.method).kind == OptimizerKind::first_order;
  });
  for (const Operation& op : pinn.graph->ops()) {
    if (op.code != OpCode::activation || op.rows < 2 || found_.layers.size() == most_layers) {
      continue;
    }
    found_.layers.push_back(fmt::format("layer {}, {} units", found_.layers.size() + 1, op.rows));
  }
}

double PinnProbe::seconds() const {
  return before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
}

/// The mean so far; before the first one by the steps of the training.
double PinnProbe::expected_cost(std::uint64_t steps) const {
  constexpr double in_steps = 30, fixed = 0.01;
  if (found_.entries.empty()) {
    return steps == 0 ? INFINITY : in_steps * seconds() / static_cast<double>(steps) + fixed;
  }
  double sum = 0;
  for (const DiagnosisEntry& e : found_.entries) sum += e.cost;
  return sum / static_cast<double>(found_.entries.size());
}

bool PinnProbe::is_collocation(std::size_t term) const {
  const PinnTerm& t = pinn_.loss.terms[term];
  return !t.groups && t.term.form == TermForm::square;
}

std::vector<double> PinnProbe::weights_now() const {
  std::vector<double> weights;
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    weights.push_back(loss_.executor().weight(t));
  }
  return weights;
}

void PinnProbe::look(std::span<const double> theta, std::uint64_t step) {
  if (start_.empty()) start_.assign(theta.begin(), theta.end());
  constexpr std::size_t most_numbers = 10'000'000;  // of parameters that wait
  if (step >= next_ && (pending_.size() + 1) * theta.size() <= most_numbers) {
    pending_.push_back({step, {theta.begin(), theta.end()}, weights_now()});
    next_ = std::max(step + 1, static_cast<std::uint64_t>(1.5 * static_cast<double>(step)));
  }
  catch_up(share_on_the_way, step);
}

void PinnProbe::catch_up(double share, std::uint64_t steps) {
  const auto distance = [&](const Pending& p) {
    double least = p.step == 0 ? 2e9 : 1e9;  // the start before all others
    for (const DiagnosisEntry& e : found_.entries) {
      least = std::min(least, std::abs(std::log((static_cast<double>(p.step) + 1) /
                                                (static_cast<double>(e.step) + 1))));
    }
    return least;
  };
  while (!pending_.empty() && found_.seconds + expected_cost(steps) <= share * seconds()) {
    const auto next = std::max_element(
        pending_.begin(), pending_.end(),
        [&](const Pending& a, const Pending& b) { return distance(a) < distance(b); });
    measure(*next);
    pending_.erase(next);
  }
}

/// Executors, points of kernels, hidden layers.
void PinnProbe::prepare() {
  if (probe_) return;
  const ExecutorOptions options{.precision = pinn_.method.precision, .pool = pool_};
  const std::vector<Term> terms = engine_terms(pinn_.loss);
  probe_ = make_executor(pinn_.graph, terms, options);
  kernel_ = make_executor(pinn_.graph, terms, options);
  fresh_ = make_executor(pinn_.graph, terms, options);
  SamplerOptions sampler{.kind = SamplerKind::uniform};
  sampler.seed = pinn_.method.seed + 6007;
  std::size_t least = most_batches;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const PinnTerm& term = pinn_.loss.terms[t];
    const std::size_t n = points_[t].size();
    samples_.push_back(
        {points_[t],
         random_rows(n, std::max<std::size_t>(1, kernel_rows / terms[t].residuals.size()),
                     71 + t)});
    const bool some = is_collocation(t) && samples_[t].rows.size() < n;
    set_term_points(
        *kernel_, t, *pinn_.problem, term, samples_[t].points,
        some ? std::span<const std::size_t>(samples_[t].rows) : std::span<const std::size_t>());
    set_term_points(*fresh_, t, *pinn_.problem, term,
                    term.draw(term.redrawn ? std::min(term.n, fresh_points) : term.n, sampler));
    if (term.kind == PointSource::Kind::equation) least = std::min(least, n / 2);
  }
  found_.batches = std::max<std::size_t>(2, least);

  Graph graph = *pinn_.graph;
  const auto& ops = pinn_.graph->ops();
  for (std::size_t v = 0; v < ops.size() && units_.size() < found_.layers.size(); ++v) {
    if (ops[v].code != OpCode::activation || ops[v].rows < 2) continue;
    units_.emplace_back();
    for (int r = 0; r < ops[v].rows; ++r) {
      const std::string name = fmt::format("hidden#{}_{}", units_.size(), r + 1);
      graph.output(name, static_cast<int>(v), r);
      units_.back().emplace_back(Field(name));
    }
  }
  hidden_ = make_executor(std::make_shared<const Graph>(std::move(graph)), {}, options);
  const Problem& problem = *pinn_.problem;
  inputs_ = interior_points(domain_of(problem), plane_points).values;
  if (units_.empty()) return;
  try {
    if (auto reference = reference_values(problem, inputs_)) {
      outputs_ = std::move(reference->values);
      output_columns_ = reference->fields.size();
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;  // scattered points
  }
  found_.binning = fmt::format(
      "{} points of the domain; of every layer the {} leading principal components, of Y ({}) "
      "every field, {} equal intervals each",
      inputs_.size() / problem.coordinates().size(), plane_components,
      outputs_.empty() ? "the answer itself" : "the reference", plane_bins);
}

void PinnProbe::use(std::size_t term, std::span<const std::size_t> rows) {
  const PinnTerm& t = pinn_.loss.terms[term];
  set_term_points(*probe_, term, *pinn_.problem, t, points_[term], rows);
  // While the training takes batches the weights are those of other points.
  const std::span<const double> all = loss_.executor().weights(term);
  const std::size_t groups = t.groups ? t.groups->size() : points_[term].size();
  if (all.size() != groups || !points_.rows(term).empty()) return;
  std::vector<double> some;
  for (const std::size_t r : rows) some.push_back(all[r]);
  probe_->set_weights(term, rows.empty() ? all : std::span<const double>(some));
}

void PinnProbe::measure(const Pending& at) {
  const Clock::time_point begin = Clock::now();
  prepare();
  for (std::size_t t = 0; t < at.weights.size(); ++t) probe_->set_weight(t, at.weights[t]);
  DiagnosisEntry entry{.step = at.step};
  compare_batches(at.theta, entry);
  compare_terms(at.theta, entry);
  look_at_kernels(at.theta, entry);
  look_at_layers(at.theta, entry);
  look_between(at.theta, entry);
  entry.cost = std::chrono::duration<double>(Clock::now() - begin).count();
  found_.seconds += entry.cost;
  const auto place =
      std::upper_bound(found_.entries.begin(), found_.entries.end(), at.step,
                       [](std::uint64_t step, const DiagnosisEntry& e) { return step < e.step; });
  found_.entries.insert(place, std::move(entry));
}

/// A random partition of the points, the same at every measurement as long as they are. Terms of
/// fewer points than batches, and integrals, belong to every batch.
void PinnProbe::compare_batches(std::span<const double> theta, DiagnosisEntry& entry) {
  const std::size_t B = found_.batches, T = found_.terms.size();
  std::vector<std::vector<std::vector<std::size_t>>> rows(T);
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t n = points_[t].size();
    if (!is_collocation(t) || n < B) {
      use(t, {});
      continue;
    }
    std::vector<std::size_t> order(n);
    Rng(101 + t).permutation(order);
    rows[t].resize(B);
    for (std::size_t i = 0; i < n; ++i) rows[t][i % B].push_back(order[i]);
  }
  Matrix gradients(B, theta.size());
  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t t = 0; t < T; ++t) {
      if (!rows[t].empty()) use(t, rows[t][b]);
    }
    (void)probe_->gradient(theta, gradients.row(b).span());
  }
  entry.snr = signal_to_noise(gradients);
  const Matrix cosines = cosines_between(gradients);
  double sum = 0;
  for (std::size_t i = 0; i < B; ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += cosines(i, j);
  }
  entry.batch_cosine = 2 * sum / static_cast<double>(B * (B - 1));
}

void PinnProbe::compare_terms(std::span<const double> theta, DiagnosisEntry& entry) {
  const std::size_t T = found_.terms.size();
  for (std::size_t t = 0; t < T; ++t) use(t, {});
  Matrix gradients(T, theta.size());
  std::vector<double> sum(theta.size()), residuals(probe_->n_residuals());
  (void)probe_->gradient(theta, sum,
                         {.terms = {gradients.data(), gradients.size()}, .residuals = residuals});
  std::span<const double> rest = residuals;
  for (std::size_t t = 0; t < T; ++t) {
    entry.gradients.push_back(norm(gradients.row(t).span()));
    const std::span<const double> r = rest.first(probe_->n_residuals(t));
    const bool judged = is_collocation(t) && !pinn_.loss.terms[t].parts.empty();
    entry.residuals.push_back(judged ? rms_of(r) : not_known);
    rest = rest.subspan(r.size());
  }
  const Matrix cosines = cosines_between(gradients);
  entry.cosines.assign(cosines.data(), cosines.data() + cosines.size());
}

void PinnProbe::look_at_kernels(std::span<const double> theta, DiagnosisEntry& entry) {
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    if (kernels_.size() == t) {
      kernels_.push_back(is_collocation(t) ? tangent_kernel(*kernel_, t, start_) : Matrix());
    }
    if (!is_collocation(t)) {
      entry.traces.push_back(not_known);
      entry.conditions.push_back(not_known);
      continue;
    }
    const Matrix k = tangent_kernel(*kernel_, t, theta);
    std::vector<double> r(k.rows());
    kernel_->residuals(t, theta, r);
    double trace = 0;
    for (std::size_t i = 0; i < k.rows(); ++i) trace += k(i, i);
    entry.traces.push_back(probe_->weight(t) * trace / static_cast<double>(kernel_->n_points(t)));
    KernelModes modes = kernel_modes(k, r);
    for (double& v : modes.values) v /= static_cast<double>(k.rows());
    entry.conditions.push_back(modes.condition);
    KernelSpectrum& spectrum = found_.spectra[t];
    if (entry.step == 0) spectrum.first = modes.values;
    const bool latest = found_.entries.empty() || found_.entries.back().step <= entry.step;
    if (latest) {
      spectrum.last = std::move(modes.values);
      spectrum.shares = std::move(modes.shares);
    }
    entry.drift = std::max(entry.drift, kernel_drift(k, kernels_[t]));
  }
}

void PinnProbe::look_at_layers(std::span<const double> theta, DiagnosisEntry& entry) {
  const std::size_t n = inputs_.size() / pinn_.problem->coordinates().size();
  std::vector<double> y = outputs_;
  std::size_t columns = output_columns_;
  if (y.empty() && !units_.empty()) {
    std::vector<Expr> fields;
    for (const Graph::Output& o : pinn_.graph->outputs()) {
      if (!o.field.starts_with("contracted#")) fields.emplace_back(Field(o.field));
    }
    columns = fields.size();
    y.resize(n * columns);
    hidden_->predict(fields, theta, inputs_, y);
  }
  const auto finite = [](std::span<const double> v) { return all_finite(v); };
  for (const std::vector<Expr>& layer : units_) {
    std::vector<double> values(n * layer.size());
    hidden_->predict(layer, theta, inputs_, values);
    if (!finite(values) || !finite(y)) {
      entry.input_bits.push_back(not_known);
      entry.output_bits.push_back(not_known);
      continue;
    }
    const auto t = bin_rows(leading_components(values, layer.size()), plane_bins);
    const auto labels = bin_rows({y.data(), n, columns}, plane_bins);
    // T is a function of X: I(X;T) is the entropy of its cells.
    entry.input_bits.push_back(entropy_of(t) / std::log(2.0));
    entry.output_bits.push_back(mutual_information(t, labels) / std::log(2.0));
  }
}

void PinnProbe::look_between(std::span<const double> theta, DiagnosisEntry& entry) {
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    if (std::isnan(entry.residuals[t]) || !pinn_.loss.terms[t].redrawn) {
      entry.fresh.push_back(entry.residuals[t]);
      continue;
    }
    std::vector<double> r(fresh_->n_residuals(t));
    fresh_->residuals(t, theta, r);
    entry.fresh.push_back(rms_of(r));
  }
}

/// The landscape, as finely as the time allows.
void PinnProbe::survey(std::span<const double> theta, double seconds_left) {
  const Clock::time_point begin = Clock::now();
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    const std::size_t n = points_[t].size();
    if (!is_collocation(t) || n <= landscape_points) {
      use(t, {});
    } else {
      use(t, random_rows(n, landscape_points, 503 + t));
    }
  }
  const auto& blocks = pinn_.graph->parameters();
  const std::vector<double> a = filter_direction(blocks, theta, Rng(17)),
                            b = filter_direction(blocks, theta, Rng(19));
  std::vector<double> at(theta.size());
  const auto loss_at = [&](double x, double y) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = theta[i] + x * a[i] + y * b[i];
    return probe_->loss(at);
  };
  (void)loss_at(0.5, 0.5);
  const Clock::time_point warm = Clock::now();
  (void)loss_at(-0.5, 0.5);
  const double one = std::chrono::duration<double>(Clock::now() - warm).count();
  for (const std::size_t n : {25, 17, 11}) {
    if (found_.landscape.n > 0 || !(static_cast<double>(n * n + 2) * one < seconds_left)) continue;
    found_.landscape.n = n;
    const double step = 2 / static_cast<double>(n - 1);
    for (std::size_t i = 0; i < n * n; ++i) {
      found_.landscape.values.push_back(
          loss_at(-1 + step * static_cast<double>(i % n), -1 + step * static_cast<double>(i / n)));
    }
  }
  found_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

std::shared_ptr<const TrainingDiagnosis> PinnProbe::finish(std::span<const double> theta,
                                                           std::uint64_t step) {
  const auto reached = [&](const auto& at) { return at.step == step; };
  std::erase_if(pending_, reached);
  if (std::none_of(found_.entries.begin(), found_.entries.end(), reached)) {
    if (start_.empty()) start_.assign(theta.begin(), theta.end());
    const Pending last{step, {theta.begin(), theta.end()}, weights_now()};
    if (found_.seconds + expected_cost(step) <= share_in_all * seconds()) measure(last);
  }
  const double all = share_in_all * seconds();
  if (!found_.entries.empty() && found_.seconds < all) survey(theta, all - found_.seconds);
  catch_up(share_on_the_way, step);
  found_.share = found_.seconds / seconds();
  return std::make_shared<const TrainingDiagnosis>(found_);
}

void PinnProbe::save(Checkpoint& c) const {
  save_diagnosis(c, found_);
  c.arrays["diagnosis/start"] = Array::list(start_);
  c.arrays["diagnosis/spent"] = Array::list({seconds()});
  c.numbers["diagnosis/next"] = next_;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const std::string name = fmt::format("diagnosis/pending/{:04}", i);
    c.numbers[name] = pending_[i].step;
    c.arrays[name] = Array::list(pending_[i].theta);
    c.arrays[name + "/weights"] = Array::list(pending_[i].weights);
  }
}

void PinnProbe::restore(const Checkpoint& c) {
  const auto saved = load_diagnosis(c);
  if (!saved || saved->terms != found_.terms || saved->layers != found_.layers) return;
  found_ = *saved;
  start_ = c.array("diagnosis/start").values;
  if (start_.size() != pinn_.graph->n_parameters()) start_.clear();
  const std::vector<double>& spent = c.array("diagnosis/spent").values;
  if (spent.size() == 1 && spent[0] >= 0) before_ = spent[0];
  next_ = c.number("diagnosis/next");
  for (std::size_t i = 0; c.numbers.contains(fmt::format("diagnosis/pending/{:04}", i)); ++i) {
    const std::string name = fmt::format("diagnosis/pending/{:04}", i);
    Pending p{c.number(name), c.array(name).values, c.array(name + "/weights").values};
    if (p.theta.size() == pinn_.graph->n_parameters() && p.weights.size() == found_.terms.size()) {
      pending_.push_back(std::move(p));
    }
  }
}

}  // namespace cauchy::detail
