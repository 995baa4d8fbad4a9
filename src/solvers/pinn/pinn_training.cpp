#include "solvers/pinn/pinn_training.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/expr/parse.hpp>

#include "solvers/pinn/boundary_distances.hpp"
#include "solvers/pinn/pinn_kan.hpp"
#include "solvers/pinn/pinn_last_layer.hpp"
#include "solvers/pinn/pinn_probe.hpp"
#include "solvers/pinn/pinn_start.hpp"
#include "solvers/trust/hidden_defects.hpp"
#include "training/checkpoints.hpp"
#include "training/point_schemes/point_look.hpp"  // rows_of

namespace cauchy::detail {
namespace {

ExecutorOptions executor_options(const PinnAssembly& pinn, const std::shared_ptr<Threads>& pool) {
  return {.precision = pinn.method.precision, .pool = pool};
}

PointSettings point_settings(const PinnAssembly& pinn) {
  const PinnPoints& p = pinn.method.points;
  const Time* time = pinn.problem->domain->time();
  PointSettings settings{
      .sampler = p.sampler, .seed = pinn.method.seed, .redraw = p.redraw, .batch = p.batch};
  if (time != nullptr) {
    settings.time = time->name;
    settings.begin = time->lower;
    settings.end = time->upper;
  }
  return settings;
}

/// What batches are drawn by, where the method gives an expression for it.
std::optional<Expr> measure_of(const PinnAssembly& pinn) {
  const auto* o = std::get_if<ImportancePoints>(&pinn.method.rules.point_scheme);
  if (o == nullptr || o->by != ImportancePoints::By::measure || o->measure.empty()) {
    return std::nullopt;
  }
  try {
    return parse(o->measure, pinn.problem->context(), {"measure", 1, 1});
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("{}: {}", e.place(), e.message()), "[training.point_scheme]",
                e.hint());
  }
}

bool holds_everywhere(const PinnAssembly& pinn, const PinnTerm& term) {
  if (!pinn.method.decompose.empty() || term.groups) return false;
  return std::ranges::none_of(pinn.problem->equation, [&](const ProblemEquation& e) {
    return !e.where.empty() &&
           std::ranges::any_of(term.parts, [&](const auto& p) { return p.first == name_of(e); });
  });
}

/// A term's points as rules see them before any are drawn.
PointSource plain_source(const PinnAssembly& pinn, const PinnTerm& term) {
  const Problem& problem = *pinn.problem;
  PointSource source{.name = term.term.name,
                     .n = term.n,
                     .redrawn = term.redrawn,
                     .divisible = !term.groups,
                     .kind = term.kind,
                     .draw = term.draw,
                     .use = {}};
  source.noise = term.noise;
  if (problem.domain->space() != nullptr) {
    source.distance = [&problem](const Points& p) { return boundary_distances(problem, p); };
  }
  if (term.kind == PointSource::Kind::equation && holds_everywhere(pinn, term)) {
    source.layers = [&problem, name = term.term.name] { return thin_layers(problem, name); };
  }
  return source;
}

double mean_square(std::span<const double> r, std::size_t first, std::size_t stride) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = first; i < r.size(); i += stride, ++n) sum += r[i] * r[i];
  return sum / static_cast<double>(n);
}

}  // namespace

void check_rules(const PinnAssembly& pinn) {
  std::vector<PointSource> sources;
  for (const PinnTerm& term : pinn.loss.terms) sources.push_back(plain_source(pinn, term));
  const TrainingPoints points(std::move(sources), point_settings(pinn));
  (void)measure_of(pinn);
  cauchy::check_rules(pinn.method.rules, points, pinn.stages.size());
}

PinnTraining::PinnTraining(const PinnAssembly& pinn, std::shared_ptr<Threads> pool)
    : pinn_(pinn),
      pool_(std::move(pool)),
      executor_(make_executor(pinn.graph, engine_terms(pinn.loss), executor_options(pinn, pool_))),
      loss_(*executor_),
      points_(sources(), point_settings(pinn)),
      evaluator_(pinn.evaluator({.pool = pool_})) {
  if (auto penalty = kan_penalty(pinn)) loss_.penalize(std::move(penalty));
}

std::vector<PointSource> PinnTraining::sources() {
  std::vector<PointSource> all;
  std::shared_ptr<const PointEvaluator> evaluator;
  const std::optional<Expr> measure = measure_of(pinn_);
  for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
    const PinnTerm& term = pinn_.loss.terms[i];
    const Problem& problem = *pinn_.problem;
    PointSource source = plain_source(pinn_, term);
    source.use = [this, &problem, &term, i](const Points& points,
                                            std::span<const std::size_t> rows) {
      set_term_points(*executor_, i, problem, term, points, rows);
    };
    source.weigh = [this, i](std::span<const double> weights) {
      if (!weights.empty()) return executor_->set_weights(i, weights);
      executor_->set_weights(i, std::vector<double>(executor_->n_groups(i), 1.0));
    };
    if (measure) {
      source.measure = [this, e = *measure](const Points& points, std::span<const std::size_t> rows,
                                            std::span<const double> theta) {
        const Points some = rows.empty() ? points : rows_of(points, rows);
        std::vector<double> values(some.size());
        (*evaluator_)(theta, {&e, 1}, some.values, values);
        return values;
      };
    }
    if (!term.weights.empty()) source.weights = [&term](const Points&) { return term.weights; };
    if (!term.point_weight.is_constant()) {
      if (!evaluator) evaluator = std::make_shared<const PointEvaluator>(problem);
      source.weights = [evaluator, &term](const Points& points) {
        return term_weights(term, *evaluator, points);
      };
    }
    all.push_back(std::move(source));
  }
  return all;
}

TrainingSetup PinnTraining::setup() const {
  TrainingSetup setup{.stages = pinn_.stages,
                      .rules = pinn_.method.rules,
                      .parameters = pinn_.graph->parameters(),
                      .pool = pool_,
                      .fingerprint = pinn_.fingerprint()};
  setup.unknowns = [this](std::span<const double> theta) { return pinn_.unknowns(theta); };
  TrainingRecord& record = setup.record;
  for (const PinnTerm& t : pinn_.loss.terms) record.term_names.push_back(t.term.name);
  for (const Unknown& u : pinn_.problem->unknowns) record.unknown_names.push_back(u.name);
  if (!pinn_.method.scale) return setup;
  for (const auto& axis : pinn_.sizes.axes) record.scales[axis.name] = axis.half;
  for (const auto& [name, size] : pinn_.sizes.fields) record.scales[name] = size;
  for (const PinnTerm& t : pinn_.loss.terms) {
    if (!t.groups) record.scales[t.term.name] = t.size;
  }
  return setup;
}

std::vector<double> PinnTraining::first_parameters() {
  std::vector<double> theta = detail::first_parameters(pinn_);
  if (pinn_.method.last_layer == LastLayerStart::random) return theta;
  points_.draw(0);
  LastLayerFit fit = fit_last_layer(pinn_, *executor_, std::move(theta));
  start_ = std::move(fit.text);
  return fit.theta;
}

TrainingResult PinnTraining::train(std::vector<double> theta, TrainingSetup setup,
                                   const RunOptions& options) {
  if (!pinn_.method.diagnose) {
    return cauchy::train(loss_, points_, std::move(theta), setup, options);
  }
  PinnProbe probe(pinn_, loss_, points_, pool_);
  if (!setup.fresh) {
    const auto saved = load_run_checkpoint(options.checkpoint, setup.fingerprint, options.inputs);
    if (saved) probe.restore(*saved);
  }
  setup.look = [&](std::span<const double> now, std::uint64_t step, const Work& work) {
    probe.look(now, step, work);
  };
  setup.save_more = [&probe, more = std::move(setup.save_more)](Checkpoint& c) {
    probe.save(c);
    if (more) more(c);
  };
  TrainingResult result = cauchy::train(loss_, points_, std::move(theta), setup, options);
  result.record.diagnosis = probe.finish(result.theta, result.record.steps);
  return result;
}

std::map<std::string, double> PinnTraining::trained_residuals(std::span<const double> theta) {
  // An equation on several pieces has several terms.
  std::map<std::string, SumOfSquares> sums;
  for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
    const PinnTerm& term = pinn_.loss.terms[i];
    if (term.groups) continue;  // what an integrand is at a point says nothing
    if (term.mixed) {
      add_equation_residuals(theta, points_[i], sums);
      continue;
    }
    std::vector<double> r(executor_->n_residuals(i));
    executor_->residuals(i, theta, r);
    const std::size_t m = term.parts.size();
    for (std::size_t k = 0; k < m; ++k) {
      const double n = static_cast<double>(r.size() / m), size = term.parts[k].second;
      sums[term.parts[k].first].add(n, size * size * mean_square(r, k, m));
    }
  }
  std::map<std::string, double> all;
  for (const auto& [name, part] : sums) all[name] = std::sqrt(part.sum / part.n);
  return all;
}

void PinnTraining::add_equation_residuals(std::span<const double> theta, const Points& points,
                                          std::map<std::string, SumOfSquares>& sums) const {
  std::vector<Expr> residuals;
  for (const ProblemEquation& e : pinn_.problem->equation) {
    residuals.push_back(e.form.residual());
  }
  const std::size_t m = residuals.size();
  std::vector<double> r(points.size() * m);
  (*evaluator_)(theta, residuals, points.values, r);
  for (std::size_t k = 0; k < m; ++k) {
    const auto n = static_cast<double>(points.size());
    sums[name_of(pinn_.problem->equation[k])].add(n, mean_square(r, k, m));
  }
}

double PinnTraining::fresh_residual(std::span<const double> theta) {
  constexpr std::size_t most_points = 2000;
  if (!fresh_) {
    fresh_ = make_executor(pinn_.graph, engine_terms(pinn_.loss), executor_options(pinn_, pool_));
    SamplerOptions sampler = pinn_.method.points.sampler;
    sampler.kind = SamplerKind::uniform;
    sampler.randomize = Randomize::none;
    sampler.skip = 0;
    sampler.seed = pinn_.method.seed + 7919;
    for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
      const PinnTerm& term = pinn_.loss.terms[i];
      set_term_points(*fresh_, i, *pinn_.problem, term,
                      term.draw(std::min(term.n, most_points), sampler));
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
    const PinnTerm& term = pinn_.loss.terms[i];
    if (term.groups) continue;
    std::vector<double> r(fresh_->n_residuals(i));
    fresh_->residuals(i, theta, r);
    for (std::size_t k = 0; k < term.parts.size(); ++k) {
      const double rms = std::sqrt(mean_square(r, k, term.parts.size()));
      if (!(rms <= worst)) worst = rms;  // NaN too
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

}  // namespace cauchy::detail
