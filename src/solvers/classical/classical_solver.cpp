#include "solvers/classical/classical_solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/machine_rates.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/doubts.hpp"
#include "problem/narrow_sources.hpp"
#include "solvers/classical/family_field.hpp"
#include "solvers/classical/inverse.hpp"
#include "solvers/classical/refinement.hpp"

namespace cauchy::detail {
namespace {

/// A level that is thought to take more work than this, in nominal seconds, is not begun, nor one
/// that needs more memory: the same on every machine.
constexpr double longest_level = 120;
constexpr double largest_level_bytes = 8e9;
constexpr double default_tolerance = 1e-3;  // of a problem that names none
/// Numbers put in place that take as long as reading a problem and compiling its expressions.
constexpr double put_together = 1.2e4;
constexpr std::size_t n_compared = 4'000;            // points at which two levels are compared
constexpr std::size_t n_compared_at_jumps = 40'000;  // some of them on the cells of a jump

/// A problem with ranges: its members at the nodes of the ranges.
class FamilySolver final : public ClassicalSolver {
 public:
  FamilySolver(std::string kind, std::shared_ptr<const Problem> problem, MakeClassicalSolver make)
      : kind_(std::move(kind)), problem_(std::move(problem)), make_(std::move(make)) {
    std::vector<double> middle;
    for (const Range& r : ranges()) middle.push_back((r.lower + r.upper) / 2);
    middle_ = make_member(middle);
  }
  [[nodiscard]] int levels() const override { return middle_->levels(); }
  [[nodiscard]] double order() const override { return middle_->order(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return middle_->warnings(); }
  [[nodiscard]] MethodCost cost(int level) const override {
    MethodCost all = middle_->cost(level);
    const double n =
        std::pow(static_cast<double>(nodes_of(level)), static_cast<double>(ranges().size()));
    all.method = fmt::format("{}, at {:.0f} values of the parameters", all.method, n);
    all.unknowns = static_cast<std::size_t>(static_cast<double>(all.unknowns) * n);
    all.work.add(WorkKind::pieces, put_together);
    all.work = all.work.times(n);
    all.bytes *= n;  // every member is kept
    return all;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    std::vector<std::vector<double>> nodes;
    std::size_t total = 1;
    for (const Range& r : ranges()) {
      nodes.push_back(lobatto_points(r.lower, r.upper, nodes_of(level)));
      total *= nodes.back().size();
    }
    ClassicalAnswer all;
    std::vector<std::shared_ptr<const FieldModel>> members;
    for (std::size_t m = 0; m < total; ++m) {
      std::vector<double> values(nodes.size());
      std::size_t rest = m;
      for (std::size_t r = nodes.size(); r-- > 0; rest /= nodes[r].size()) {
        values[r] = nodes[r][rest % nodes[r].size()];
      }
      count_work(WorkKind::pieces, put_together);
      ClassicalAnswer one = make_member(values)->solve(level, options);
      if (m == 0) all = one;
      all.n_unknowns += m == 0 ? 0 : one.n_unknowns;
      all.finite = all.finite && one.finite;
      all.interrupted = all.interrupted || one.interrupted;
      if (!one.model || !one.troubles.empty() || one.interrupted) {
        all.troubles = one.troubles;
        all.model = nullptr;
        return all;
      }
      members.push_back(std::move(one.model));
    }
    all.method = fmt::format("{}, at {} values of the parameters", all.method, total);
    all.model =
        std::make_shared<FamilyField>(kind_, problem_, std::move(nodes), std::move(members));
    return all;
  }

 private:
  [[nodiscard]] const std::vector<Range>& ranges() const { return problem_->domain->ranges(); }
  [[nodiscard]] std::unique_ptr<ClassicalSolver> make_member(std::span<const double> values) const {
    return make_(std::make_shared<const Problem>(member_of(*problem_, values)));
  }
  /// Nodes of each range: more for fewer ranges.
  [[nodiscard]] std::size_t nodes_of(int level) const {
    const std::size_t first = ranges().size() == 1 ? 8 : 4;
    return std::min<std::size_t>(first << std::min(level, 4), ranges().size() == 1 ? 64 : 16) + 1;
  }

  std::string kind_;
  std::shared_ptr<const Problem> problem_;
  MakeClassicalSolver make_;
  std::unique_ptr<ClassicalSolver> middle_;
};

class PreparedClassical final : public PreparedMethod {
 public:
  PreparedClassical(std::shared_ptr<const Problem> problem, std::unique_ptr<ClassicalSolver> solver,
                    const ClassicalSettings& settings, int threads)
      : PreparedMethod(std::move(problem)),
        solver_(std::move(solver)),
        settings_(settings),
        threads_(threads) {}

  [[nodiscard]] MethodCost cost() const override {
    MethodCost cost = solver_->cost(std::max(0, settings_.level));
    cost.threads = threads_;
    return cost;
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all = solver_->warnings();
    if (settings_.weak) return all;
    for (std::string& shock : lost_shocks(problem())) all.push_back(std::move(shock));
    return all;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_; }
  [[nodiscard]] std::vector<LevelCost> levels() const override { return levels_; }

  [[nodiscard]] Answer run(const RunOptions& options) override {
    const RunLimit limit = begin_limit(options);
    const RunOptions inside = within(options, limit);
    remarks_.clear();
    levels_.clear();
    guess_factor_ = 1;
    const Points points =
        interior_points(domain_of(problem()), solver_->jumps() ? n_compared_at_jumps : n_compared);
    if (settings_.level >= 0) {
      ClassicalAnswer only = solve_level(settings_.level, inside);
      if (only.interrupted && !only.model) {
        only.troubles.push_back(nothing_yet(settings_.level, limit));
      }
      std::optional<ErrorEstimate> estimate;
      if (options.estimate && !options.improve && is_good(only)) {
        const std::string method = only.method;
        LevelSeries series = new_series();
        if (add_coarser(series, 2, points, limit, inside) == 2) {
          series.add(method, values_of(*only.model, points));
          if (series.falls()) estimate = series.estimate(only.error);
        }
      }
      return finished(std::move(only), std::move(estimate), limit);
    }
    const double target = settings_.tolerance > 0
                              ? settings_.tolerance
                              : problem().tolerance.value_or(default_tolerance) / 10;
    LevelSeries series = new_series();
    std::optional<ClassicalAnswer> best;
    std::optional<ErrorEstimate> estimate;
    const std::vector<NarrowSource> sources = narrow_sources(problem());
    bool seen = false;  // the present answer sees all sources
    int first = 0;      // level of the series
    for (int level = 0; level < solver_->levels(); ++level) {
      const std::string hindrance = level == 0 ? "" : hindrance_of(level, limit);
      if (!hindrance.empty()) {
        remarks_.push_back(hindrance);
        const RunLimit::End end = limit.end();
        best->interrupted = end == RunLimit::End::asked || end == RunLimit::End::seconds;
        break;
      }
      report(level, estimate, limit);
      ClassicalAnswer next = solve_level(level, inside);
      if (!is_good(next)) {
        if (best) {  // what there is stays; why it is not better is told
          for (const std::string& t : next.troubles) remarks_.push_back(next.method + ": " + t);
          best->interrupted = next.interrupted;
          if (next.interrupted) break;
          continue;
        }
        if (next.interrupted) next.troubles.push_back(nothing_yet(level, limit));
        if (next.interrupted || level + 1 == solver_->levels()) {
          return finished(std::move(next), {}, limit);
        }
        failed_ = std::move(next);
        continue;
      }
      // Grids that do not see a source say nothing of each other.
      if (!seen) {
        series = new_series();
        first = level;
      }
      series.add(next.method, values_of(*next.model, points));
      seen = sees(next, sources);
      estimate = seen ? series.estimate(next.error) : std::nullopt;
      best = std::move(next);
      if (estimate && estimate->judged_stated() <= target) break;
    }
    if (!best) return finished(std::move(failed_), {}, limit);
    if (estimate && series.size() == 2 && first == 0) {
      LevelSeries longer = new_series();
      if (add_coarser(longer, 1, points, limit, inside) == 1) {
        longer.append(series);
        if (longer.falls()) estimate = longer.estimate(best->error);
      }
    }
    return finished(std::move(*best), estimate, limit);
  }

 private:
  [[nodiscard]] bool sees(const ClassicalAnswer& answer,
                          std::span<const NarrowSource> sources) const {
    if (sources.empty()) return true;
    Solution s;
    s.problem = problem();
    s.model = answer.model;
    s.unknowns = answer.unknowns;
    return unseen_source(s, sources).empty();
  }

  [[nodiscard]] LevelSeries new_series() const {
    return {solver_->order(), problem().fields.size(), solver_->jumps()};
  }

  static bool is_good(const ClassicalAnswer& answer) {
    return answer.model && answer.finite && answer.troubles.empty() && !answer.interrupted;
  }

  /// Answers of so many levels below the first one, for the series.
  ///   returns  how many there are: none where one of them fails, or nothing is left for it
  int add_coarser(LevelSeries& series, int count, const Points& points, const RunLimit& limit,
                  const RunOptions& inside) {
    count = std::min(count, solver_->coarser());
    const std::vector<NarrowSource> sources = narrow_sources(problem());
    for (int level = -count; level < 0; ++level) {
      if (!limit.fits(nominal_seconds(solver_->cost(level).work))) return 0;
      try {
        const ClassicalAnswer answer = solve_level(level, inside);
        if (!is_good(answer) || !sees(answer, sources)) return 0;
        series.add(answer.method, values_of(*answer.model, points));
      } catch (const Error&) {  // too few cells for something: the answer stays what it is
        return 0;
      }
    }
    return count;
  }

  /// A level, ended where it is when the limit comes first.
  ClassicalAnswer solve_level(int level, const RunOptions& inside) {
    const Work before = work_of_thread(), foreseen = foreseen_work(level);
    const double began = inside.limit.seconds();
    const LimitScope scope(inside.limit);
    ClassicalAnswer answer;
    try {
      answer = solver_->solve(level, inside);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::interrupted) throw;
      answer.method = solver_->cost(level).method;
      answer.remarks.push_back(e.message());
      answer.interrupted = true;
    }
    const Work counted = work_of_thread().since(before);
    const double guessed = nominal_seconds(solver_->cost(level).work);
    guess_factor_ = guessed > 0 ? std::max(nominal_seconds(counted) / guessed, 1e-3) : 1;
    levels_.push_back(
        {answer.method, foreseen, counted, inside.limit.seconds() - began, answer.interrupted});
    return answer;
  }

  /// Of a level, with what the levels before it have taught.
  [[nodiscard]] Work foreseen_work(int level) const {
    return solver_->cost(level).work.times(guess_factor_);
  }

  [[nodiscard]] std::vector<double> values_of(const FieldModel& model, const Points& points) const {
    std::vector<Expr> fields;
    for (const std::string& f : problem().fields) fields.emplace_back(Field(f));
    std::vector<double> values(points.size() * fields.size());
    model.evaluate(fields, points.values, values);
    return values;
  }

  /// What people are told of a run that ended before its first answer, with the least it takes.
  [[nodiscard]] std::string nothing_yet(int level, const RunLimit& limit) const {
    const MethodCost least = solver_->cost(level);
    if (limit.end() == RunLimit::End::asked) return "it was stopped before the first answer";
    return fmt::format("the limit came before the first answer: {} takes about {:.2g} s",
                       least.method, std::max(shown_seconds(least.work), limit.seconds()));
  }

  /// Why the next level is not begun; empty: it is.
  [[nodiscard]] std::string hindrance_of(int level, const RunLimit& limit) const {
    switch (limit.end()) {
      case RunLimit::End::none:
        break;
      case RunLimit::End::asked:
        return "it was stopped";
      case RunLimit::End::seconds:
        return "the time that was given ended before the next level";
      case RunLimit::End::work:
        return "the work that was planned ended before the next level";
    }
    const MethodCost next = solver_->cost(level);
    const double nominal = nominal_seconds(foreseen_work(level));
    if (nominal > longest_level || !limit.fits(nominal)) {
      return fmt::format("the next level, {}, would take about {:.2g} s, more than is left",
                         next.method, nominal);
    }
    if (next.bytes > largest_level_bytes) {
      return fmt::format("the next level, {}, would take {} of memory", next.method,
                         bytes_to_string(next.bytes));
    }
    if (next.bytes > 64e6 && next.bytes > process_memory().total) {
      return fmt::format("the next level, {}, would take {} of memory, more than this machine has",
                         next.method, bytes_to_string(next.bytes));
    }
    return {};
  }

  void report(int level, const std::optional<ErrorEstimate>& estimate,
              const RunLimit& limit) const {
    const std::string message = solver_->cost(level).method;
    const ProgressValue values[] = {{"error", estimate ? estimate->relative_l2 : 1}};
    limit.show({.step = static_cast<std::uint64_t>(level),
                .total = static_cast<std::uint64_t>(solver_->levels()),
                .values = {values, estimate ? 1u : 0u},
                .message = message,
                .stage = "refinement"});
  }

  [[nodiscard]] Answer finished(ClassicalAnswer answer, std::optional<ErrorEstimate> estimate,
                                const RunLimit& limit) {
    Answer out;
    Solution& s = out.solution;
    s.method = std::move(answer.method);
    s.model = std::move(answer.model);
    s.n_unknowns = answer.n_unknowns;
    s.interrupted = answer.interrupted;
    s.estimate = std::move(estimate);
    s.unknowns = std::move(answer.unknowns);
    s.intervals = std::move(answer.intervals);
    s.seconds = limit.seconds();
    s.work = limit.work();
    for (std::string& r : answer.remarks) remarks_.push_back(std::move(r));
    out.known_error = answer.error;
    out.outcome.finite = answer.finite && s.model != nullptr;
    out.outcome.troubles = std::move(answer.troubles);
    if (!s.model) s.model = std::make_shared<NoField>();
    return out;
  }

  std::unique_ptr<ClassicalSolver> solver_;
  ClassicalSettings settings_;
  int threads_;
  ClassicalAnswer failed_;
  double guess_factor_ = 1;  // counted work of the last level, of what was guessed
  std::vector<LevelCost> levels_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::unique_ptr<PreparedMethod> prepare_classical(std::string kind,
                                                  std::shared_ptr<const Problem> problem,
                                                  MakeClassicalSolver make,
                                                  const ClassicalSettings& settings, int threads) {
  const bool fits = settings.constants && problem->domain->ranges().empty();
  if ((!problem->unknowns.empty() && !fits) || !problem->coefficients.empty()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} does not find unknown constants or coefficients", kind),
                "[solvers." + kind + "]", "use pinn");
  }
  for (const Condition& c : problem->condition) {
    if (c.kind != Condition::Kind::interface || settings.interfaces) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("{} has no jumps inside the domain: condition '{}'", kind, name_of(c)),
                "[solvers." + kind + "]", "use pinn with decompose");
  }
  if (!settings.weak) {
    if (const std::vector<std::string> kinks = lost_kinks(*problem); !kinks.empty()) {
      throw Error(ErrorKind::unsupported, kinks[0], "[solvers." + kind + "]",
                  "use fvm, which takes the viscosity solution");
    }
  }
  std::unique_ptr<ClassicalSolver> solver;
  if (!problem->unknowns.empty()) {
    solver = make_inverse(std::move(kind), problem, std::move(make));
  } else if (problem->domain->ranges().empty()) {
    solver = make(problem);
  } else {
    solver = std::make_unique<FamilySolver>(std::move(kind), problem, std::move(make));
  }
  return std::make_unique<PreparedClassical>(std::move(problem), std::move(solver), settings,
                                             threads);
}

std::shared_ptr<const FieldModel> load_classical(const std::string& kind,
                                                 const Checkpoint& checkpoint,
                                                 const Problem& problem, const LoadField& own) {
  const std::string field = checkpoint.text("field");
  auto shared = std::make_shared<const Problem>(problem);
  if (field == "grid") return GridField::load(kind, std::move(shared), checkpoint);
  if (field == "family") return load_family(kind, std::move(shared), checkpoint, own);
  if (own) return own(checkpoint, std::move(shared));
  throw Error(ErrorKind::file, fmt::format("a field of the kind '{}' is not known", field),
              "[solvers." + kind + "]");
}

}  // namespace cauchy::detail
