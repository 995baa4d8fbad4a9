#include <cauchy/solvers/pinn.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/training/loss.hpp>

#include "files/problem_file_method.hpp"
#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_files.hpp"
#include "solvers/pinn/pinn_stages.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy {
namespace {

using Clock = std::chrono::steady_clock;

void check_method(const Problem& problem, const Pinn& method) {
  const auto require = [](bool good, const char* message) {
    if (!good) throw Error(message, "[solvers.pinn]");
  };
  require(method.points.interior > 0, "the number of interior points must be positive");
  require(method.points.boundary > 0, "the number of boundary points must be positive");
  require(method.points.initial > 0, "the number of initial points must be positive");
  for (const Stage& stage : method.stages) {
    require(stage.transform == LossTransform::none ||
                entry_of(stage.method).kind == OptimizerKind::quasi_newton,
            "only quasi-Newton methods minimise a transformed loss");
    require(stage.max_seconds >= 0 && stage.target_loss >= 0 && stage.gradient_tolerance >= 0,
            "limits and targets of a stage must not be negative");
    require(stage.relative_decrease >= 0 && stage.relative_decrease < 1,
            "the relative decrease of a stage must be in [0, 1)");
  }
  check(problem);
}

class PinnRun final {
 public:
  PinnRun(const Problem& problem, const Pinn& method, const RunOptions& options)
      : problem_(problem),
        method_(method),
        options_(options),
        lower_(problem),
        sizes_(detail::characteristic_sizes(problem, lower_, method.scale)),
        loss_(detail::make_loss(problem, method, lower_, sizes_)),
        graph_(std::make_shared<const Graph>(
            detail::make_pinn_graph(problem, method, lower_, sizes_))),
        executor_options_{.precision = method.precision,
                          .pool = std::make_shared<Threads>(options.threads)},
        executor_(make_executor(graph_, detail::engine_terms(loss_), executor_options_)),
        objective_(*executor_),
        theta_(initial_parameters(graph_->parameters(), Rng(method.seed))),
        stages_(method.stages.empty() ? default_stages(theta_.size(), method.precision)
                                      : method.stages) {}

  Solution run() {
    begin_ = Clock::now();
    prepare_solution();
    std::optional<Checkpoint> saved = load_checkpoint_of_run();
    draw_points(0);
    check_stages();
    const double first = objective_.value(theta_);
    if (saved) {
      resume(*saved);
    } else {
      record(0, "start", first);
    }
    for (; stage_ < stages_.size() && std::isfinite(first) && !stopped_ && !reached_; ++stage_) {
      run_stage(stages_[stage_], saved ? &*saved : nullptr);
      saved.reset();
      if (stopped_) break;
      rules_ = {};
    }
    use_all();
    const double last = objective_.value(theta_);
    record(solution_.steps, "end", last);
    solution_.interrupted = stopped_;
    const bool improved = last < first;
    finish({.finite = std::isfinite(last) && (troubles_.empty() || improved),
            .improved = improved,
            .troubles = troubles_});
    return std::move(solution_);
  }

 private:
  /// Whatever an optimiser would refuse is said before the first step of the first one.
  void check_stages() const {
    for (const Stage& stage : stages_) {
      detail::make_stage(stage, *graph_, options_.threads)->check_fits(objective_);
    }
  }

  void run_stage(const Stage& stage, const Checkpoint* saved) {
    const std::unique_ptr<Optimizer> optimizer =
        detail::make_stage(stage, *graph_, options_.threads);
    if (saved != nullptr) optimizer->restore(optimizer_state(*saved));
    const bool first_order = entry_of(stage.method).kind == OptimizerKind::first_order;
    // First-order methods report the point that they have just left.
    const bool goes_back = first_order && (stage.target_loss > 0 || stage.gradient_tolerance > 0);
    if (!first_order) use_all();
    TransformedObjective transformed(objective_, stage.transform);
    const bool plain = stage.transform == LossTransform::none;
    Objective& minimized = plain ? static_cast<Objective&>(objective_) : transformed;
    const double stage_begin = seconds() - rules_.seconds;
    std::vector<double> left;
    while (rules_.steps < stage.steps) {
      if (checkpoint_due()) save_run(*optimizer);
      if (change_points(stage, first_order)) {
        optimizer->objective_changed();
        rules_.objective_changed();
      }
      if (goes_back) left = theta_;
      const StepReport report = optimizer->step(minimized, theta_);
      const std::uint64_t done = ++solution_.steps;
      solution_.evaluations += report.evaluations;
      const double loss = transformed.invert(report.value);
      if (is_time(done)) record(done, optimizer->name(), loss);
      rules_.seconds = seconds() - stage_begin;
      const bool ended = rules_.ended_by(stage, report, loss);
      if (goes_back &&
          (loss <= stage.target_loss || report.gradient_norm <= stage.gradient_tolerance)) {
        theta_ = left;
      }
      note_trouble(report.status, optimizer->name(), done);
      reached_ = is_time(done) && accurate_enough();
      if (ended || reached_) rules_.steps = stage.steps;  // also for a run that is resumed
      if (show(done, loss)) {
        save_run(*optimizer);
        return;
      }
    }
  }

  bool is_time(std::uint64_t step) const {
    return options_.history_every > 0 && step % options_.history_every == 0;
  }

  /// The optimiser kept the best finite point, so that the next one may go on from there.
  void note_trouble(StepStatus status, std::string_view optimizer, std::uint64_t step) {
    if (status == StepStatus::not_finite) {
      troubles_.push_back(fmt::format(
          "{} ended at step {}: the loss or its gradient was NaN or infinite; smaller steps or "
          "another start may help",
          optimizer, step));
    } else if (status == StepStatus::diverged) {
      troubles_.push_back(
          fmt::format("{} ended at step {}: the parameters or the steps grew beyond all bounds",
                      optimizer, step));
    }
  }

  double seconds() const {
    return before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  // --- interrupted runs ---

  /// What a checkpoint must agree with to be continued.
  std::string fingerprint() const {
    std::string text =
        fmt::format("{} parameters, seed {}\n", graph_->n_parameters(), method_.seed);
    for (const auto& t : loss_.terms) {
      text += fmt::format("{} at {} points, weight {}\n", t.term.name, t.n, t.term.weight);
      for (const Expr& r : t.term.residuals) text += to_string(r) + "\n";
    }
    Pinn method = method_;
    method.stages = stages_;
    return text + detail::write_method(method);
  }

  bool checkpoint_due() {
    if (options_.checkpoint.empty()) return false;
    const double now = seconds();
    if (now - last_save_ < options_.checkpoint_seconds) return false;
    last_save_ = now;
    return true;
  }

  void save_run(const Optimizer& optimizer) {
    if (options_.checkpoint.empty()) return;
    Checkpoint c;
    c.texts["run"] = fingerprint();
    c.numbers["stage"] = stage_;
    rules_.save(c);
    c.numbers["done"] = solution_.steps;
    c.numbers["round"] = round_;
    c.numbers["batch"] = batch_number_;
    c.numbers["evaluations"] = solution_.evaluations;
    c.arrays["theta"] = Array::list(theta_);
    c.arrays["seconds"] = Array::list({seconds()});
    OptimizerState state;
    optimizer.save(state);
    for (auto& [name, values] : state.arrays) {
      c.arrays["optimizer/" + name] = Array::list(std::move(values));
    }
    for (const auto& [name, value] : state.numbers) c.numbers["optimizer/" + name] = value;
    detail::save_history(c, solution_.history);
    save_checkpoint(options_.checkpoint, c);
  }

  std::optional<Checkpoint> load_checkpoint_of_run() const {
    if (options_.checkpoint.empty() || !std::filesystem::exists(options_.checkpoint)) {
      return std::nullopt;
    }
    Checkpoint c = load_checkpoint(options_.checkpoint);
    if (c.text("run") != fingerprint()) {
      throw Error("the checkpoint belongs to another problem or other settings",
                  options_.checkpoint.string(), "remove it, or choose another folder");
    }
    return c;
  }

  void resume(const Checkpoint& c) {
    stage_ = c.number("stage");
    rules_.restore(c);
    solution_.steps = c.number("done");
    solution_.evaluations = c.number("evaluations");
    batch_number_ = c.number("batch");
    const std::vector<double>&theta = c.array("theta").values, &time = c.array("seconds").values;
    if (theta.size() != theta_.size() || time.size() != 1) {
      throw Error("the checkpoint is damaged", options_.checkpoint.string(),
                  "remove it, or choose another folder");
    }
    theta_ = theta;
    before_ = last_save_ = time[0];
    solution_.history = detail::load_history(c);
    round_ = c.number("round");
    if (round_ > 0) draw_points(round_);
  }

  static OptimizerState optimizer_state(const Checkpoint& c) {
    OptimizerState state;
    const std::string prefix = "optimizer/";
    for (const auto& [name, array] : c.arrays) {
      if (name.starts_with(prefix)) state.arrays[name.substr(prefix.size())] = array.values;
    }
    for (const auto& [name, value] : c.numbers) {
      if (name.starts_with(prefix)) state.numbers[name.substr(prefix.size())] = value;
    }
    return state;
  }

  void prepare_solution() {
    solution_.problem = problem_;
    solution_.method = fmt::format("pinn, {} x {}, {} parameters", method_.network.width,
                                   method_.network.depth, graph_->n_parameters());
    for (const auto& t : loss_.terms) solution_.term_names.push_back(t.term.name);
    if (method_.scale) {
      for (const auto& axis : sizes_.axes) solution_.scales[axis.name] = axis.half;
      for (const auto& [name, size] : sizes_.fields) solution_.scales[name] = size;
      for (const auto& t : loss_.terms) {
        if (!t.groups) solution_.scales[t.term.name] = t.size;
      }
    }
  }

  /// Points of the sampler's set number `round`; others keep theirs.
  void draw_points(std::uint64_t round) {
    if (round == 0) points_.resize(loss_.terms.size());
    for (std::size_t i = 0; i < loss_.terms.size(); ++i) {
      const auto& term = loss_.terms[i];
      if (round > 0 && !term.redrawn) continue;
      points_[i] = term.draw(term.n, sampler_for(term.n, round));
      set_points(i, points_[i]);
    }
    batched_ = false;
  }

  void set_points(std::size_t term, const Points& points, std::span<const std::size_t> rows = {}) {
    detail::set_term_points(*executor_, term, problem_, loss_.terms[term], points, rows);
  }

  /// A sequence goes on where the last round ended; other sets get a new seed.
  SamplerOptions sampler_for(std::size_t n, std::uint64_t round) const {
    SamplerOptions options = method_.points.sampler;
    const bool sequence =
        options.kind == SamplerKind::sobol || options.kind == SamplerKind::halton ||
        options.kind == SamplerKind::faure || options.kind == SamplerKind::r_sequence;
    options.seed += method_.seed + (sequence ? 0 : round);
    if (sequence) options.skip += round * n;
    return options;
  }

  void use_all() {
    if (!batched_) return;
    for (std::size_t i = 0; i < points_.size(); ++i) set_points(i, points_[i]);
    batched_ = false;
  }

  /// New points or a new batch before a step; true when the objective changed.
  bool change_points(const Stage& stage, bool first_order) {
    bool changed = false;
    const std::uint64_t redraw =
        stage.redraw > 0 ? stage.redraw : (first_order ? method_.points.redraw : 0);
    if (redraw > 0 && rules_.steps > 0 && rules_.steps % redraw == 0) {
      draw_points(++round_);
      changed = true;
    }
    if (first_order && method_.points.batch > 0) {
      Rng rng = Rng(method_.seed).split(1000 + batch_number_++);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::size_t n = points_[i].size();
        if (n <= method_.points.batch || loss_.terms[i].groups) continue;
        std::vector<std::size_t> order(n);
        rng.permutation(order);
        order.resize(method_.points.batch);
        set_points(i, points_[i], order);
        batched_ = changed = true;
      }
    }
    return changed;
  }

  void record(std::uint64_t step, std::string_view stage, double loss) {
    // A line search may have looked at another point last: the terms must belong to this loss.
    double sum = 0;
    for (const double part : objective_.parts()) sum += part;
    if (!(std::abs(sum - loss) <= 1e-9 * std::abs(loss))) (void)objective_.value(theta_);
    HistoryEntry entry{step, std::string(stage), seconds(), loss, {}, unknown_values()};
    entry.terms.assign(objective_.parts().begin(), objective_.parts().end());
    solution_.history.push_back(std::move(entry));
    if (options_.on_history) options_.on_history(solution_);
  }

  std::vector<double> unknown_values() const {
    std::vector<double> values;
    for (const auto& free : lower_.unknowns()) {
      const auto at = static_cast<std::size_t>(graph_->find_constant(free.name));
      Values known;
      known.set(Parameter(free.name), theta_[at]);
      values.push_back(evaluate(free.value, known));
    }
    return values;
  }

  /// Whether the error against the reference is what the caller asked for; looked at now and then.
  bool accurate_enough() {
    if (!(options_.target_error > 0)) return false;
    if (!meter_) meter_.emplace(problem_);
    return meter_->largest(*field()) <= options_.target_error;
  }

  std::shared_ptr<const FieldModel> field() {
    return std::make_shared<detail::PinnField>(graph_, theta_, lower_, executor_options_);
  }

  /// Progress, limit of time; true when the run is to end.
  bool show(std::uint64_t done, double loss) {
    std::uint64_t total = 0;
    for (const Stage& s : stages_) total += s.steps;
    const double elapsed = seconds();
    if (options_.progress != nullptr) {
      const ProgressValue values[] = {{"loss", loss}};
      options_.progress->update({done, total, elapsed, values, {}});
      stopped_ = options_.progress->stop_requested();
    }
    if (options_.max_seconds > 0 && elapsed >= options_.max_seconds) stopped_ = true;
    return stopped_;
  }

  void finish(const GradeInput& input) {
    solution_.parameters = theta_;
    solution_.model = field();
    const auto values = unknown_values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      solution_.unknowns[lower_.unknowns()[i].value.kind() == Kind::parameter
                             ? lower_.unknowns()[i].name
                             : problem_.unknowns[i].name] = values[i];
    }
    check_terms();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (loss_.terms[i].groups) continue;  // nodes of a quadrature
      solution_.points[loss_.terms[i].term.name] = points_[i];
    }
    solution_.error = measure_error(solution_);
    solution_.seconds = seconds();
    grade(solution_, input);
    if (options_.progress != nullptr) {
      const ProgressValue values_shown[] = {{"loss", solution_.history.back().loss}};
      options_.progress->finish({solution_.steps, solution_.steps, seconds(), values_shown, {}});
    }
  }

  /// Residuals on the training points and on fresh ones.
  void check_terms() {
    for (std::size_t i = 0; i < loss_.terms.size(); ++i) {
      const auto& term = loss_.terms[i];
      if (term.groups) continue;  // what an integrand is at a point says nothing
      TermCheck check{term.term.name, rms(i), 0, term.size};
      check.fresh = check.trained;
      if (term.redrawn && term.n > 1) {
        SamplerOptions other{SamplerKind::uniform};
        other.seed = method_.seed + 7919;
        set_points(i, term.draw(std::min<std::size_t>(term.n, 1000), other));
        check.fresh = rms(i);
        set_points(i, points_[i]);
      }
      solution_.checks.push_back(check);
    }
  }

  /// Root mean square of the residuals of a term, in units of their size.
  double rms(std::size_t i) {
    std::vector<double> r(executor_->n_residuals(i));
    executor_->residuals(i, theta_, r);
    double sum = 0;
    for (const double v : r) sum += v * v;
    return std::sqrt(sum / static_cast<double>(r.size()));
  }

  const Problem& problem_;
  const Pinn& method_;
  const RunOptions& options_;
  detail::Lowering lower_;
  detail::Sizes sizes_;
  detail::PinnLoss loss_;
  std::shared_ptr<const Graph> graph_;
  ExecutorOptions executor_options_;  // one pool for the loss and all fields
  std::unique_ptr<Executor> executor_;
  TrainingLoss objective_;
  std::vector<double> theta_;
  std::vector<Stage> stages_;
  std::vector<Points> points_;
  Solution solution_;
  Clock::time_point begin_;
  std::uint64_t round_ = 0, batch_number_ = 0;
  std::size_t stage_ = 0;
  double before_ = 0, last_save_ = 0;  // seconds of earlier parts of the run, and at the last save
  detail::StageRules rules_;           // of the current stage
  std::vector<std::string> troubles_;  // sentences for the findings
  std::optional<detail::ErrorMeter> meter_;
  bool batched_ = false, stopped_ = false;
  bool reached_ = false;  // the error that the caller asked for
};

}  // namespace

Solution solve(const Problem& problem, const Pinn& method, const RunOptions& options) {
  check_method(problem, method);
  if (options.target_error > 0 && problem.reference.empty()) {
    throw Error("an error was asked for, but the problem has no reference", "[solvers.pinn]",
                "add one, or leave out the target");
  }
  return PinnRun(problem, method, options).run();
}

}  // namespace cauchy
