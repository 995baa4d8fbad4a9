#include "solvers/pinn/pinn_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/blas.hpp>
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
constexpr std::size_t most_numbers = 10'000'000;  // of parameters that wait
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

std::string kept_entry(std::uint64_t step) { return fmt::format("diagnosis/kept/{}", step); }

double rms_of(std::span<const double> r) {
  return r.empty() ? not_known : std::sqrt(dot(r, r) / static_cast<double>(r.size()));
}

/// The leading principal components of rows (n x units), as n x components; `values` loses its
/// mean.
Matrix leading_components(std::vector<double>& values, std::size_t units) {
  const std::size_t n = values.size() / units, k = std::min(plane_components, units);
  std::vector<double> mean(units, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % units] += values[i];
  for (double& m : mean) m /= static_cast<double>(n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mean[i % units];
  Matrix covariance(units, units);
  syrk(Half::lower, Transpose::yes, 1, {values.data(), n, units}, 0, covariance);
  const SymmetricEigen<double> eigen = symmetric_eigen(covariance);
  Matrix out(n, k);
  if (eigen.status != Factorization::ok) return out;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t a = 0; a < units; ++a) {
        out(i, c) += values[i * units + a] * eigen.vectors(a, units - 1 - c);
      }
    }
  }
  return out;
}

}  // namespace

PinnProbe::PinnProbe(const PinnAssembly& pinn, TrainingLoss& loss, const TrainingPoints& points,
                     std::shared_ptr<Threads> pool)
    : pinn_(pinn),
      loss_(loss),
      points_(points),
      plan_(std::max<std::size_t>(
          1, most_numbers / std::max<std::size_t>(1, pinn.graph->n_parameters()))) {
  const Work before = work_of_thread();
  for (const PinnTerm& t : pinn.loss.terms) {
    found_.terms.push_back(t.term.name);
    found_.conditions.push_back(t.kind != PointSource::Kind::equation);
    found_.spectra.push_back({t.term.name});
  }
  found_.balancer = rule_name(pinn.method.rules.balancer, all_balancers());
  found_.first_order = std::all_of(pinn.stages.begin(), pinn.stages.end(), [](const Stage& s) {
    return entry_of(s.method).kind == OptimizerKind::first_order;
  });
  const ExecutorOptions options{.precision = pinn.method.precision, .pool = std::move(pool)};
  const std::vector<Term> terms = engine_terms(pinn.loss);
  probe_ = make_executor(pinn.graph, terms, options);
  kernel_ = make_executor(pinn.graph, terms, options);
  fresh_ = make_executor(pinn.graph, terms, options);
  make_terms();
  hidden_ = make_executor(make_layers(), {}, options);
  find_outputs();
  plan_.add_probe(work_of_thread().since(before));
}

/// The points of kernels, some of those that the training starts with, and fresh ones; the number
/// of batches.
void PinnProbe::make_terms() {
  SamplerOptions sampler{.kind = SamplerKind::uniform};
  sampler.seed = pinn_.method.seed + 6007;
  std::size_t batches = most_batches;
  for (std::size_t t = 0; t < pinn_.loss.terms.size(); ++t) {
    const PinnTerm& term = pinn_.loss.terms[t];
    const Points first = points_.sample(t, points_.source(t).n, 0);
    if (term.kind == PointSource::Kind::equation) batches = std::min(batches, first.size() / 2);
    if (!is_collocation(t)) continue;
    const std::size_t rows = std::max<std::size_t>(1, kernel_rows / term.term.residuals.size());
    set_term_points(*kernel_, t, *pinn_.problem, term, first,
                    random_rows(first.size(), rows, 71 + t));
    set_term_points(*fresh_, t, *pinn_.problem, term,
                    term.draw(term.redrawn ? std::min(term.n, fresh_points) : term.n, sampler));
  }
  found_.batches = std::max<std::size_t>(2, batches);
}

/// The network with its hidden layers as outputs.
std::shared_ptr<const Graph> PinnProbe::make_layers() {
  auto graph = std::make_shared<Graph>(*pinn_.graph);
  const auto& ops = pinn_.graph->ops();
  for (std::size_t v = 0; v < ops.size() && units_.size() < most_layers; ++v) {
    if (ops[v].code != OpCode::activation || ops[v].rows < 2) continue;
    units_.emplace_back();
    found_.layers.push_back(fmt::format("layer {}, {} units", units_.size(), ops[v].rows));
    for (int r = 0; r < ops[v].rows; ++r) {
      const std::string name = fmt::format("hidden#{}_{}", units_.size(), r + 1);
      graph->output(name, static_cast<int>(v), r);
      units_.back().emplace_back(Field(name));
    }
  }
  return graph;
}

/// The points of the information plane and, where a reference has them, the values there.
void PinnProbe::find_outputs() {
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

bool PinnProbe::is_collocation(std::size_t term) const {
  const PinnTerm& t = pinn_.loss.terms[term];
  return !t.groups && t.term.form == TermForm::square;
}

PinnProbe::Kept PinnProbe::kept(std::span<const double> theta) const {
  Kept now{{theta.begin(), theta.end()}, {}};
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    now.weights.push_back(loss_.executor().weight(t));
  }
  return now;
}

void PinnProbe::look(std::span<const double> theta, std::uint64_t step, const Work& work) {
  plan_.add_training(work);
  if (plan_.take(step)) kept_.emplace(step, kept(theta));
  catch_up();
}

void PinnProbe::catch_up() {
  while (const auto step = plan_.next()) measure(*step, kept_.extract(*step).mapped());
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

void PinnProbe::measure(std::uint64_t step, const Kept& at) {
  const Work before = work_of_thread();
  if (start_.empty()) start_ = at.theta;
  for (std::size_t t = 0; t < at.weights.size(); ++t) probe_->set_weight(t, at.weights[t]);
  DiagnosisEntry entry{.step = step};
  compare_batches(at.theta, entry);
  compare_terms(at.theta, entry);
  look_at_kernels(at.theta, entry);
  look_at_layers(at.theta, entry);
  look_between(at.theta, entry);
  const Work work = work_of_thread().since(before);
  plan_.measured(step, work);
  entry.cost = nominal_seconds(work);
  const auto place =
      std::upper_bound(found_.entries.begin(), found_.entries.end(), step,
                       [](std::uint64_t s, const DiagnosisEntry& e) { return s < e.step; });
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

Matrix PinnProbe::kernel_at(std::size_t term, std::span<const double> theta) {
  return is_collocation(term) ? tangent_kernel(*kernel_, term, theta) : Matrix();
}

void PinnProbe::look_at_kernels(std::span<const double> theta, DiagnosisEntry& entry) {
  for (std::size_t t = 0; t < found_.terms.size(); ++t) {
    const Matrix k = kernel_at(t, theta);
    const bool first = kernels_.size() == t;
    if (first) kernels_.push_back(k);
    if (!is_collocation(t)) {
      entry.traces.push_back(not_known);
      entry.conditions.push_back(not_known);
      continue;
    }
    std::vector<double> r(k.rows());
    kernel_->residuals(t, theta, r);
    double trace = 0;
    for (std::size_t i = 0; i < k.rows(); ++i) trace += k(i, i);
    entry.traces.push_back(probe_->weight(t) * trace / static_cast<double>(kernel_->n_points(t)));
    KernelModes modes = kernel_modes(k, r);
    for (double& v : modes.values) v /= static_cast<double>(k.rows());
    entry.conditions.push_back(modes.condition);
    KernelSpectrum& spectrum = found_.spectra[t];
    if (first) spectrum.first = modes.values;
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
  std::vector<std::size_t> labels;
  if (!y.empty() && all_finite(y)) labels = bin_rows({y.data(), n, columns}, plane_bins);
  for (const std::vector<Expr>& layer : units_) {
    std::vector<double> values(n * layer.size());
    hidden_->predict(layer, theta, inputs_, values);
    if (labels.empty() || !all_finite(values)) {
      entry.input_bits.push_back(not_known);
      entry.output_bits.push_back(not_known);
      continue;
    }
    const auto t = bin_rows(leading_components(values, layer.size()), plane_bins);
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

/// The landscape, as finely as the plan has room for.
void PinnProbe::survey(std::span<const double> theta) {
  const Work before = work_of_thread();
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
  const Work begin = work_of_thread();
  (void)loss_at(0, 0);
  const double one = nominal_seconds(work_of_thread().since(begin));
  const double left = plan_.left() - nominal_seconds(work_of_thread().since(before));
  const auto fits = [&](std::size_t n) { return static_cast<double>(n * n) * one < left; };
  const std::size_t fineness[] = {25, 17, 11};
  const auto* const n = std::ranges::find_if(fineness, fits);
  if (n != std::end(fineness)) {
    found_.landscape.n = *n;
    const double step = 2 / static_cast<double>(*n - 1);
    for (std::size_t i = 0; i < *n * *n; ++i) {
      found_.landscape.values.push_back(loss_at(-1 + step * static_cast<double>(i % *n),
                                                -1 + step * static_cast<double>(i / *n)));
    }
  }
  plan_.add_probe(work_of_thread().since(before));
}

std::shared_ptr<const TrainingDiagnosis> PinnProbe::finish(std::span<const double> theta,
                                                           std::uint64_t step) {
  if (!plan_.was_measured(step) && plan_.expected() <= plan_.left()) measure(step, kept(theta));
  if (plan_.left() > 0) survey(theta);
  catch_up();
  found_.steps = step;
  found_.seconds = plan_.spent();
  found_.share = plan_.share();
  return std::make_shared<const TrainingDiagnosis>(std::move(found_));
}

void PinnProbe::save(Checkpoint& c) const {
  save_diagnosis(c, found_);
  plan_.save(c);
  c.arrays["diagnosis/start"] = Array::list(start_);
  for (const auto& [step, at] : kept_) {
    const std::string name = kept_entry(step);
    c.arrays[name + "/theta"] = Array::list(at.theta);
    c.arrays[name + "/weights"] = Array::list(at.weights);
  }
}

void PinnProbe::restore(const Checkpoint& c) {
  const auto saved = load_diagnosis(c);
  if (!saved) return;
  plan_.restore(c);
  start_ = c.array("diagnosis/start").values;
  const std::size_t n = pinn_.graph->n_parameters(), T = found_.terms.size();
  bool fits = saved->terms == found_.terms && saved->layers == found_.layers && start_.size() == n;
  for (const std::uint64_t step : plan_.waiting()) {
    const std::string name = kept_entry(step);
    Kept at{c.array(name + "/theta").values, c.array(name + "/weights").values};
    fits = fits && at.theta.size() == n && at.weights.size() == T;
    kept_.emplace(step, std::move(at));
  }
  if (!fits) {
    throw Error(ErrorKind::file, "the diagnosis in the checkpoint is damaged", "[training]",
                "start the run anew");
  }
  found_ = *saved;
  for (std::size_t t = 0; t < T; ++t) kernels_.push_back(kernel_at(t, start_));
}

}  // namespace cauchy::detail
