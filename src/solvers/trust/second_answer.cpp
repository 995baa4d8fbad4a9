#include <cauchy/solvers/second_answer.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/restarts.hpp>

namespace cauchy {
namespace {

constexpr const char* second_place = "[solvers.second_answer]";
constexpr std::size_t compared_points = 2000;
/// Seeds of restarts are the next ones: this one is far from them.
constexpr std::uint64_t seed_step = 7717;
/// Residuals say less about errors the more they differ.
constexpr double largest_ratio = 2;
/// Of the errors of two trainings: they share what networks of a kind find hard.
constexpr double error_correlation = 0.5;

int wider(int width) { return std::max(width + 2, static_cast<int>(std::lround(1.25 * width))); }

/// Changes widths and the seeds of features that are drawn once; false where it has none.
bool widen(Network& network) {
  return std::visit(
      [](auto& n) {
        bool changed = false;
        if constexpr (requires { n.fourier_seed; }) n.fourier_seed += seed_step;
        if constexpr (requires { n.seed; }) n.seed += seed_step;
        if constexpr (requires { n.widths; }) {
          for (int& w : n.widths) w = wider(w);
          changed = !n.widths.empty();
        }
        if constexpr (requires {
                        n.features;
                        n.seed;
                      }) {
          n.features = wider(n.features);
          return true;
        } else if constexpr (requires {
                               n.width;
                               n.heads;
                             }) {
          return changed;  // widths that heads divide
        } else if constexpr (requires { n.width; }) {
          if (!changed) n.width = wider(n.width);
          return true;
        } else {
          return changed;
        }
      },
      static_cast<Network::variant&>(network));
}

/// Root mean square of the residuals of equations and conditions on fresh points.
double fresh_residual(const std::vector<TermCheck>& checks) {
  double sum = 0;
  std::size_t n = 0;
  for (const TermCheck& c : checks) {
    if (c.kind == TermCheck::Kind::observation) continue;
    sum += c.fresh * c.fresh;
    ++n;
  }
  return n == 0 ? 0 : std::sqrt(sum / static_cast<double>(n));
}

}  // namespace

std::optional<Method> second_method(const Problem& problem, const Method& method, double share,
                                    std::vector<std::string>* changes) {
  if (!(share > 0 && share <= 1)) {
    throw Error(fmt::format("the share must be above 0 and at most 1, got {}", share),
                second_place);
  }
  Method made = method;
  if (!training_settings(made)) return std::nullopt;
  const auto say = [&](std::string text) {
    if (changes != nullptr) changes->push_back(std::move(text));
  };
  made = restart_of(std::move(made), seed_step);
  say("another seed");
  // A recipe is written out, so that its network can be changed.
  if (const std::optional<Expanded> expanded = expand(made, problem)) made = expanded->pinn;
  Pinn* trial = trial_of(made);
  if (trial == nullptr) return made;
  // A run that goes on from another one would not be independent.
  trial->start.clear();
  if (widen(trial->network)) say("another width");
  for (double& count : trial->features.counts) count = std::round(1.25 * count);
  if (trial->points.rule == PointRule::sampler) {
    SamplerOptions& sampler = trial->points.sampler;
    sampler.seed += seed_step;
    if (sampler.randomize == Randomize::none) sampler.randomize = Randomize::shift;
    say("other points");
  }
  if (share < 1) {
    if (trial->stages.empty()) {
      const MethodCost cost = prepare(problem, made)->cost();
      if (cost.training) trial->stages = cost.training->stages;
    }
    for (Stage& stage : trial->stages) {
      stage.steps = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(stage.steps))));
    }
    say(fmt::format("{:.3g} % of the steps", 100 * share));
  }
  return made;
}

SecondAnswer compare_answers(const Solution& first, const Solution& second) {
  SamplerOptions sampler{SamplerKind::uniform};
  sampler.seed = 0x5851f42d4c957f2d;
  const Domain domain = domain_of(first.problem);
  const bool single = domain.space() == nullptr && domain.ranges().empty();
  const Points points =
      interior_points(domain, single ? compared_points / 2 : compared_points, sampler);
  const std::vector<std::string> names = first.problem.all_fields();
  std::vector<Expr> fields;
  for (const std::string& name : names) fields.push_back(Field(name));
  const std::vector<double> a = first.evaluate(fields, points.values);
  const std::vector<double> b = second.evaluate(fields, points.values);

  SecondAnswer made;
  const double own = fresh_residual(first.checks.empty() ? check_terms(first) : first.checks);
  const double other = fresh_residual(check_terms(second));
  if (own > 0 && other > 0) made.ratio = std::clamp(other / own, 1 / largest_ratio, largest_ratio);
  const double q = made.ratio;
  made.factor = 1 / std::sqrt(1 + q * q - 2 * error_correlation * q);
  made.relative_l2 = 0;
  for (std::size_t f = 0; f < names.size(); ++f) {
    FieldError e{names[f]};
    double off = 0, size = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double u = a[i * names.size() + f], v = b[i * names.size() + f];
      off += (u - v) * (u - v);
      size += u * u;
      if (!std::isnan(e.max) && !(std::abs(u - v) <= e.max)) {
        e.max = std::abs(u - v);
        at = i;
      }
    }
    e.max *= made.factor;
    e.relative_l2 = off == 0 ? 0 : made.factor * std::sqrt(off / size);
    e.where.assign(points.row(at).begin(), points.row(at).end());
    if (!(e.relative_l2 <= made.relative_l2)) made.relative_l2 = e.relative_l2;
    made.fields.push_back(std::move(e));
  }
  for (const auto& [name, value] : first.unknowns) {
    const auto found = second.unknowns.find(name);
    if (found == second.unknowns.end()) continue;
    const double apart = std::abs(value - found->second);
    made.unknowns_disagreement[name] = apart == 0 ? 0 : made.factor * apart / std::abs(value);
  }
  made.interrupted = second.interrupted;
  made.how = fmt::format(
      "two independent answers differ by {:.2g}; the fresh residuals of the second are {:.2g} "
      "times "
      "those of the first",
      made.relative_l2 / made.factor, own > 0 ? other / own : 1);
  return made;
}

std::optional<SecondAnswer> second_answer(const Solution& solution, const Method& method,
                                          const RunOptions& options, double share) {
  std::vector<std::string> changes;
  const std::optional<Method> other = second_method(solution.problem, method, share, &changes);
  if (!other || !solution.model) return std::nullopt;
  for (const auto& [name, value] : solution.unknowns) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  RunOptions run;
  run.threads = options.threads;
  run.progress = options.progress;
  run.limit = options.limit;
  run.max_seconds = share * options.max_seconds;
  run.error_share = 0;
  Problem problem = solution.problem;
  problem.reference = {};
  PreparedMethod::Answer answer = prepare(problem, *other, options.threads)->run(run);
  answer.solution.problem = problem;
  if (!answer.solution.model) return std::nullopt;
  SecondAnswer made = compare_answers(solution, answer.solution);
  std::string list;
  for (const std::string& c : changes) list += (list.empty() ? "" : ", ") + c;
  made.how += " (" + list + ")";
  if (made.interrupted) made.how += "; the second training was interrupted";
  return made;
}

}  // namespace cauchy
