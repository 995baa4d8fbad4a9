#include <cauchy/training/training.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/loss_transform.hpp>

#include "training/checkpoints.hpp"
#include "training/rule_set.hpp"
#include "training/stage_rules.hpp"

namespace cauchy {
namespace {

class TrainingRun final {
 public:
  TrainingRun(TrainingTarget& target, std::vector<double> theta, const TrainingSetup& setup,
              const RunOptions& options)
      : target_(target),
        loss_(target.objective()),
        setup_(setup),
        options_(options),
        limit_(begin_limit(options)),
        start_(theta),
        theta_(std::move(theta)),
        record_(setup.record) {}

  TrainingResult run() {
    const LimitScope no_scope({});  // steps are not torn apart: the loop asks between them
    std::optional<Checkpoint> saved;
    if (!setup_.fresh) {
      saved = detail::load_run_checkpoint(options_.checkpoint, setup_.fingerprint, options_.inputs);
    }
    target_.start();
    check_stages();
    const double first = loss_.value(theta_);
    if (saved) {
      try {
        resume(*saved);
      } catch (const Error& e) {
        throw e.at(options_.checkpoint.string());
      }
    } else {
      record(0, "start", first);
      if (setup_.look) setup_.look(theta_, 0);
    }
    for (; stage_ < setup_.stages.size() && std::isfinite(first) && !stopped_ && !reached_;
         ++stage_) {
      run_stage(setup_.stages[stage_], saved ? &*saved : nullptr);
      saved.reset();
      if (stopped_) break;
      rules_ = {};
    }
    target_.end(at_step(true));
    take_news();
    // Rules change the function: both ends of the run are seen with its last weights.
    const double before = target_.change_the_loss() ? loss_.value(start_) : first;
    const double last = loss_.value(theta_);
    record(record_.steps, "end", last);
    const bool improved = last < before;
    finish_progress(last);
    target_.finish(record_);
    record_.parameters = theta_;
    return {
        std::move(theta_),
        std::move(record_),
        {.finite = std::isfinite(last) && (troubles_.empty() || improved), .troubles = troubles_},
        stopped_,
        seconds(),
        work()};
  }

 private:
  /// Whatever an optimiser would refuse is said before the first step of the first one.
  void check_stages() const {
    for (const Stage& stage : setup_.stages) {
      check_options(stage);
      make_optimizer(stage, setup_.parameters, setup_.pool)->check_fits(loss_);
    }
  }

  void run_stage(const Stage& stage, const Checkpoint* saved) {
    std::unique_ptr<Optimizer> optimizer = optimizer_of(stage);
    if (saved != nullptr) optimizer->restore(detail::state_in(*saved, "optimizer/"));
    const bool first_order = entry_of(stage.method).kind == OptimizerKind::first_order;
    // First-order methods report the point that they have just left.
    const bool goes_back = first_order && (stage.target_loss > 0 || stage.gradient_tolerance > 0);
    if (saved == nullptr) target_.begin_stage(stage_, !first_order);
    TransformedObjective transformed(loss_, stage.transform);
    const bool plain = stage.transform == LossTransform::none;
    Objective& minimized = plain ? loss_ : transformed;
    const double stage_begin = seconds() - rules_.seconds;
    std::vector<double> left;
    while (rules_.steps < stage.steps) {
      if (checkpoint_due()) save_run(*optimizer);
      if (target_.ask(at_step(first_order, stage.redraw))) {
        optimizer->objective_changed();
        rules_.objective_changed();
      }
      left = theta_;
      StepReport report = optimizer->step(minimized, theta_);
      if (settling_ > 0 && --settling_ == 0) optimizer = optimizer_of(stage);
      if (report.status == StepStatus::diverged && !first_order && times_settled_ < 5) {
        // The loss falls along a line without end: towards a saturated network.
        ++times_settled_;
        settling_ = steps_to_settle;
        theta_ = left;
        optimizer = optimizer_of(stage);
        report = {.value = loss_.value(theta_), .gradient_norm = INFINITY};
        report.value = plain ? report.value : minimized.value(theta_);
        record_.events.push_back(
            {record_.steps, seconds(),
             fmt::format("a step of {} led beyond all bounds: {} steps of Adam come first",
                         entry_of(stage.method).name, steps_to_settle)});
      }
      const std::uint64_t done = ++record_.steps;
      record_.evaluations += report.evaluations;
      double loss = transformed.invert(report.value);
      if (report.status == StepStatus::not_finite && target_.blame(left, done)) {
        optimizer->objective_changed();
        rules_.objective_changed();
        report = {.gradient_norm = INFINITY};  // the stage goes on from the best finite point
        loss = loss_.value(theta_);
        if (!std::isfinite(loss)) loss = loss_.value(theta_ = left);
      }
      take_news();
      if (setup_.look) setup_.look(theta_, done);
      if (is_time(done)) record(done, optimizer->name(), loss);
      rules_.seconds = seconds() - stage_begin;
      const bool ended = rules_.ended_by(stage, report, loss);
      if (ended && rules_.out_of_time(stage)) limit_.mark_seconds_decided();
      if (goes_back && (detail::StageRules::reached_target(stage, loss) ||
                        report.gradient_norm <= stage.gradient_tolerance)) {
        theta_ = left;
      }
      note_trouble(report.status, optimizer->name(), done);
      reached_ = is_time(done) && options_.target_error > 0 && setup_.error &&
                 setup_.error(theta_) <= options_.target_error;
      if (setup_.finished && done % setup_.finished_every == 0 && setup_.finished(theta_, done)) {
        reached_ = true;
      }
      if (ended || reached_) rules_.steps = stage.steps;  // also for a run that is resumed
      if (show(done, loss, optimizer->name())) {
        save_run(*optimizer);
        return;
      }
    }
  }

  /// That of the stage, or Adam while the stage is being settled.
  [[nodiscard]] std::unique_ptr<Optimizer> optimizer_of(const Stage& stage) const {
    return make_optimizer(settling_ > 0 ? Stage{AdamOptions{}} : stage, setup_.parameters,
                          setup_.pool);
  }

  /// What the rules did; troubles belong to the findings as well.
  void take_news() {
    for (auto& news : target_.take_news()) {
      std::ranges::replace(news.text, '\n', ' ');
      if (news.trouble) troubles_.push_back(news.text);
      record_.events.push_back({record_.steps, seconds(), std::move(news.text)});
    }
  }

  [[nodiscard]] TrainingStep at_step(bool first_order, std::uint64_t redraw = 0) const {
    return {.stage = stage_,
            .step_in_stage = rules_.steps,
            .step = record_.steps,
            .first_order = first_order,
            .redraw = redraw,
            .theta = theta_};
  }

  [[nodiscard]] bool is_time(std::uint64_t step) const {
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

  [[nodiscard]] double seconds() const { return before_ + limit_.seconds(); }
  [[nodiscard]] double work() const { return work_before_ + limit_.work(); }

  void record(std::uint64_t step, std::string_view stage, double loss) {
    // A line search may have looked at another point last: the terms must belong to this loss.
    double sum = 0;
    for (const double part : target_.parts()) sum += part;
    if (!(std::abs(sum - loss) <= 1e-9 * std::abs(loss))) (void)loss_.value(theta_);
    HistoryEntry entry{step, std::string(stage), seconds(), loss, {}, {}};
    entry.terms.assign(target_.parts().begin(), target_.parts().end());
    if (setup_.unknowns) entry.unknowns = setup_.unknowns(theta_);
    entry.error = watched_error();
    record_.history.push_back(std::move(entry));
    if (options_.on_history) options_.on_history(record_);
  }

  /// The error against the reference where its share of the work has room, otherwise NaN.
  double watched_error() {
    const double now = work();
    const bool always = std::isinf(options_.error_share);
    if (!setup_.rough_error || !(always || watching_ <= options_.error_share * now)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    error_ = setup_.rough_error(theta_);
    error_step_ = record_.steps;
    watching_ += work() - now;
    return error_;
  }

  [[nodiscard]] std::uint64_t total_steps() const {
    std::uint64_t total = 0;
    for (const Stage& s : setup_.stages) total += std::min(s.steps, ~std::uint64_t{0} - total);
    return total;
  }

  /// Progress, limit of time; true when the run is to end.
  bool show(std::uint64_t done, double loss, std::string_view stage) {
    if (options_.progress != nullptr) {
      // What was measured longer ago is not shown any more.
      const bool known = error_step_ && done <= *error_step_ + 4 * options_.history_every;
      const ProgressValue values[] = {{"loss", loss}, {"error", error_}};
      options_.progress->update({done,
                                 total_steps(),
                                 seconds(),
                                 std::span(values).first(known ? 2 : 1),
                                 {},
                                 stage,
                                 limit_.max_seconds() > 0 ? before_ + limit_.max_seconds() : 0});
    }
    stopped_ = limit_.reached();
    return stopped_;
  }

  void finish_progress(double loss) {
    if (options_.progress == nullptr) return;
    const ProgressValue values[] = {{"loss", loss}};
    options_.progress->finish({record_.steps, record_.steps, seconds(), values, {}});
  }

  // --- interrupted runs ---

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
    c.texts["run"] = setup_.fingerprint;
    detail::put_inputs(c, options_.inputs);
    c.numbers["stage"] = stage_;
    rules_.save(c);
    c.numbers["done"] = record_.steps;
    c.numbers["evaluations"] = record_.evaluations;
    c.numbers["reached"] = reached_ ? 1 : 0;
    c.numbers["settling"] = settling_;
    c.numbers["times_settled"] = times_settled_;
    c.texts["troubles"] = fmt::format("{}", fmt::join(troubles_, "\n"));
    c.arrays["theta"] = Array::list(theta_);
    c.arrays["seconds"] = Array::list({seconds()});
    c.arrays["work"] = Array::list({work(), watching_});
    TrainingState state;
    optimizer.save(state);
    detail::put_state(c, "optimizer/", std::move(state));
    target_.save(c);
    detail::save_history(c, record_.history);
    detail::save_events(c, record_.events);
    if (setup_.save_more) setup_.save_more(c);
    save_checkpoint(options_.checkpoint, c);
  }

  void resume(const Checkpoint& c) {
    stage_ = c.number("stage");
    rules_.restore(c);
    record_.steps = c.number("done");
    record_.evaluations = c.number("evaluations");
    const std::vector<double>&theta = c.array("theta").values, &time = c.array("seconds").values,
          &work = c.array("work").values;
    // Right checksums do not make the contents right.
    if (stage_ >= setup_.stages.size() || rules_.steps > setup_.stages[stage_].steps ||
        record_.steps > total_steps() || theta.size() != theta_.size() || time.size() != 1 ||
        !(time[0] >= 0) || std::isinf(time[0]) || work.size() != 2 || !(work[0] >= 0) ||
        std::isinf(work[0])) {
      throw Error(ErrorKind::file, "the checkpoint is damaged", options_.checkpoint.string(),
                  "remove it, or choose another folder");
    }
    theta_ = theta;
    before_ = last_save_ = time[0];
    work_before_ = work[0] - limit_.work();  // what this part has counted so far is in it
    watching_ = work[1];
    record_.history = detail::load_history(c, record_);
    record_.events = detail::load_events(c);
    reached_ = c.number("reached") != 0;
    settling_ = c.number("settling");
    times_settled_ = c.number("times_settled");
    troubles_ = detail::lines_of(c.text("troubles"));
    target_.restore(c, stage_);
  }

  TrainingTarget& target_;
  Objective& loss_;  // of the target
  const TrainingSetup& setup_;
  const RunOptions& options_;
  RunLimit limit_;
  std::vector<double> start_, theta_;
  TrainingRecord record_;
  std::size_t stage_ = 0;
  double before_ = 0, last_save_ = 0;  // seconds of earlier parts of the run, and at the last save
  double work_before_ = 0;             // of earlier parts
  detail::StageRules rules_;           // when the current stage ends
  std::vector<std::string> troubles_;  // sentences for the findings
  // Steps of Adam in place of a quasi-Newton method that ran away, and how often that was so.
  static constexpr std::uint64_t steps_to_settle = 300;
  std::uint64_t settling_ = 0, times_settled_ = 0;
  bool stopped_ = false;
  bool reached_ = false;  // the error that the caller asked for
  // Work that went into errors, in nominal seconds, and 10 ms in advance: the shortest runs are not
  // to be slowed down by the first one.
  double watching_ = 0.01;
  double error_ = 0;  // the last one measured, and when
  std::optional<std::uint64_t> error_step_;
};

}  // namespace

TrainingResult train(TrainingLoss& loss, TrainingPoints& points, std::vector<double> theta,
                     const TrainingSetup& setup, const RunOptions& options) {
  detail::RuleSet rules(setup.rules, setup.stages.size(), loss, points);
  return train(rules, std::move(theta), setup, options);
}

TrainingResult train(TrainingTarget& target, std::vector<double> theta, const TrainingSetup& setup,
                     const RunOptions& options) {
  return TrainingRun(target, std::move(theta), setup, options).run();
}

}  // namespace cauchy
