#include "solvers/pinn/pinn_march.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>

#include "problem/surface.hpp"
#include "solvers/pinn/glued_training.hpp"
#include "solvers/pinn/pinn_features.hpp"
#include "solvers/pinn/pinn_training.hpp"
#include "solvers/pinn/window_guide.hpp"
#include "training/checkpoints.hpp"

namespace cauchy::detail {
namespace {

/// What is trained in a window: of the cuts those that go through it, with the conditions on them.
struct WindowTask {
  std::shared_ptr<const Problem> problem;
  Pinn method;
};
WindowTask task_of(const Problem& problem, const Pinn& method, const Window& window) {
  const Problem all = window_problem(problem, window);
  const auto passes_by = [&](const std::string& surface) {
    try {
      return InnerSurface(all, surface).points(1).size() == 0;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::not_found) throw;
      return true;
    }
  };
  WindowTask task{nullptr, method};
  std::erase_if(task.method.decompose, passes_by);
  Problem part = all;
  std::erase_if(part.condition, [&](const Condition& c) {
    return c.kind == Condition::Kind::interface && passes_by(c.where);
  });
  task.problem = std::make_shared<const Problem>(std::move(part));
  return task;
}

/// Terms of windows differ in their conditions: the common record has one row per kind.
constexpr std::size_t n_kinds = 4;
const char* const kind_names[n_kinds] = {"equations", "conditions", "start of the window", "data"};

std::vector<std::size_t> kinds_of(const PinnAssembly& pinn) {
  std::vector<std::size_t> kinds;
  for (const PinnTerm& t : pinn.loss.terms) kinds.push_back(static_cast<std::size_t>(t.kind));
  return kinds;
}

bool first_order_stage(const Stage& stage) {
  return entry_of(stage.method).kind == OptimizerKind::first_order;
}

/// The stages of one window: with a network from the window before, first-order stages are left
/// out where others follow; at most `most` steps in all, the last stage gives way first.
std::vector<Stage> window_stages(std::vector<Stage> stages, bool handed, std::uint64_t most) {
  if (handed && !first_order_stage(stages.back())) std::erase_if(stages, first_order_stage);
  std::uint64_t left = most;
  for (Stage& s : stages) {
    if (most > 0) s.steps = std::max<std::uint64_t>(1, std::min(s.steps, left));
    left -= std::min(left, s.steps);
  }
  return stages;
}

std::uint64_t total_steps(const std::vector<Stage>& stages) {
  std::uint64_t sum = 0;
  for (const Stage& s : stages) sum += s.steps;
  return sum;
}

class March final {
 public:
  March(const std::shared_ptr<const Problem>& problem, const Pinn& method,
        const RunOptions& options, const std::vector<std::string>& choices)
      : problem_(problem),
        method_(method),
        rule_(std::get<WindowCurriculum>(method.rules.curriculum)),
        options_(options),
        pool_(std::make_shared<Threads>(options.threads)),
        glue_(first_record(*problem, choices), options),
        time_(*problem->domain->time()),
        length_(time_.upper - time_.lower),
        next_(first_length()) {
    // Conditions of a problem in time alone are built in: nothing is lost between windows.
    alone_ = problem->domain->space() == nullptr && problem->domain->ranges().empty();
    if (!alone_) {
      if (!method_.features.counts.empty()) features_.emplace(method_, pool_);
      return;
    }
    method_.hard_initial = true;
    guide_ = WindowGuide(problem);
  }

  PreparedMethod::Answer run() {
    bool fresh = !resume();
    while (begin() < time_.upper && !interrupted_ && !ended_) {
      one_window(fresh);
      fresh = true;
    }
    return answer();
  }

 private:
  static TrainingRecord first_record(const Problem& problem,
                                     const std::vector<std::string>& choices) {
    TrainingRecord record;
    record.term_names.assign(kind_names, kind_names + n_kinds);
    record.choices = choices;
    record.has_reference = !problem.reference.empty();
    return record;
  }

  [[nodiscard]] double first_length() const {
    if (rule_.count > 0) return length_ / static_cast<double>(rule_.count);
    return rule_.first > 0 ? std::min(1.0, rule_.first) * length_ : length_;
  }

  [[nodiscard]] double begin() const {
    return parts_.empty() ? time_.lower : parts_.back().window.end;
  }

  /// The end of the next window; the last one is not to be a splinter.
  [[nodiscard]] double next_end() const {
    const double left = time_.upper - begin();
    if (rule_.count > 0) {
      const auto k = static_cast<double>(parts_.size() + 1), n = static_cast<double>(rule_.count);
      return k >= n ? time_.upper : time_.lower + k / n * length_;
    }
    if (left <= 1.2 * next_) return time_.upper;
    return begin() + (left < 2 * next_ ? left / 2 : next_);
  }

  [[nodiscard]] Window next_window() {
    Window window{.begin = begin(), .end = next_end()};
    if (!alone_) {
      const double beyond = rule_.overlap * (window.end - window.begin);
      window.beyond = std::min(beyond, time_.upper - window.end);
    }
    if (!parts_.empty()) window.sizes = sizes_;
    if (!parts_.empty() && alone_) window.start = handed_state();
    if (guide_) guide_.plan(window, parts_, rule_.count > 0);
    return window;
  }

  /// The state at the end of the last window, in a problem of time alone.
  [[nodiscard]] std::vector<double> handed_state() const {
    const WindowField::Part& last = parts_.back();
    const double at[] = {last.window.end};
    std::vector<Expr> quantities;
    for (const HandedOn& h : handed_on(*problem_)) quantities.push_back(h.expression(time_.name));
    std::vector<double> state(quantities.size());
    last.field->evaluate(quantities, at, state);
    if (guide_) guide_.correct(last, state);
    return state;
  }

  /// How far a network is from the solution of its window: its estimated error, else its residuals
  /// on fresh points in units of their terms.
  [[nodiscard]] double miss_of(const Window& window, PinnTraining& training,
                               std::span<const double> theta) const {
    if (!guide_) return training.fresh_residual(theta);
    return guide_.error_of(window, *training.field({theta.begin(), theta.end()}));
  }

  [[nodiscard]] double shortest() const {
    return std::max(rule_.shortest * length_, least_window(time_));
  }

  /// A window below this many steps tells nothing about its length.
  [[nodiscard]] std::uint64_t least_steps() const { return alone_ ? 200 : 1500; }

  /// Steps of a window of this length: its share of what is left of the budget.
  [[nodiscard]] std::uint64_t steps_of(double length) const {
    if (rule_.budget == 0) return 0;
    const std::uint64_t used = glue_.steps();
    const double left = used < rule_.budget ? static_cast<double>(rule_.budget - used) : 0;
    const double share = length / (time_.upper - begin());
    return std::max(least_steps(), static_cast<std::uint64_t>(left * share));
  }

  /// A limit of time is shared like the steps, so that the run gets to its end; in time alone the
  /// first windows may be very short and cost as much as the others. Never 0, which is no limit.
  [[nodiscard]] double seconds_of(const Window& window) const {
    const double share = (window.end - window.begin) / (time_.upper - begin());
    const double left = std::max(glue_.limit().seconds_left(), 1e-3);
    return left * std::max(share, alone_ ? 0.05 : 0.0);
  }

  /// Whether the budget has room for another window after so many steps more.
  [[nodiscard]] bool affordable(std::uint64_t steps) const {
    return rule_.budget == 0 || glue_.steps() + steps + least_steps() < rule_.budget;
  }

  /// Of the next window, where each takes so long as the last: there is time for all that follow.
  /// When it is over, one is left, for an answer at all times.
  [[nodiscard]] double affordable_length(double length, double seconds) const {
    if (!glue_.limit().timed()) return 0;
    const double rest = time_.upper - begin(), left = glue_.limit().seconds_left();
    const double affordable = left > seconds ? std::max(length, rest * seconds / left) : rest;
    if (affordable > length) glue_.limit().mark_seconds_decided();
    return affordable;
  }

  /// Random features as the answer of a window: taken, or the next window is a shorter one to try
  /// them on. False where the network is to be trained on this window.
  bool by_features(const Window& window, bool fresh) {
    constexpr std::uint64_t most_feature_halvings = 4;
    if (!features_ || !fresh) return false;
    const WindowTask task = task_of(*problem_, method_, window);
    if (task.method.decompose.size() < method_.decompose.size()) return false;
    HandedStart start;
    if (!parts_.empty()) start = {parts_.back().field, handed_on(*problem_), {}};
    RunOptions options = within(options_, glue_.limit());
    if (glue_.limit().timed()) options.max_seconds = 2 * seconds_of(window);
    const double before = features_->seconds();
    auto found = (*features_)(task.problem, start, options);
    interrupted_ = glue_.limit().end() == RunLimit::End::asked;
    if (interrupted_) return true;
    const double length = window.end - window.begin;
    const double spent = features_->seconds() - before;
    // Where no shorter window is tried, features that are far better than what is accepted of a
    // network are taken too.
    const bool divisible = rule_.count == 0 && length / 2 >= shortest();
    const bool last = !divisible || attempt_ >= most_feature_halvings || features_->late();
    const double enough = std::max(method_.features.accept, last ? 0.1 * rule_.accept : 0.0);
    const bool good = found && found->residual <= enough;
    // One that is good but far from the goal is halved too, while this pays and there is time.
    const bool pays = halving_pays_ && found && !(found->residual > 0.25 * of_whole_);
    const bool time = !glue_.limit().timed() || 2 * spent < seconds_of(window);
    if (!time) glue_.limit().mark_seconds_decided();
    const bool near = found && found->residual <= 10 * method_.features.goal;
    if (good && (last || near || !pays || !time)) {
      (void)glue_.train([&](const TrainingSetup&, const RunOptions&) { return found->trained; },
                        found->training->setup(), kinds_of(*found->pinn), "");
      glue_.note(fmt::format("{} in [{:.4g}, {:.4g}]: {}", time_.name, window.begin, window.end,
                             detail::describe(*found)));
      take_part(window, *found->training, found->trained);
      const bool in_vain = halving_pays_ && !pays;
      const double easily = (halved_ ? 0.1 : 1) * method_.features.goal;
      const bool longer = in_vain || (attempt_ == 0 && found->residual <= easily);
      halving_pays_ = halving_pays_ && pays;
      next_ = std::max(length * (longer ? 2 : 1), affordable_length(length, spent));
      attempt_ = 0;
      of_whole_ = std::numeric_limits<double>::infinity();
      return true;
    }
    glue_.add_seconds(spent);
    if (attempt_ == 0) whole_ = length;
    const std::string tried =
        fmt::format("{} in [{:.4g}, {:.4g}]: {}", time_.name, window.begin, window.end,
                    found ? detail::describe(*found) : "no random features");
    if (found && !last) {
      next_ = length / 2;
      ++attempt_;
      if (good) of_whole_ = found->residual;
      halved_ = true;
      glue_.note(tried + ", the window is halved");
      return true;
    }
    glue_.note(tried + ", networks are trained");
    features_.reset();
    next_ = whole_;
    attempt_ = 0;
    return next_ != length;
  }

  void one_window(bool fresh) {
    const Window window = next_window();
    // Where time itself is not resolved any more, a solution has come to its end.
    ended_ = !(window.end - window.begin >= least_window(time_));
    if (ended_) return;
    if (by_features(window, fresh)) return;
    const double length = window.end - window.begin;
    WindowTask task = task_of(*problem_, method_, window);
    Pinn& method = task.method;
    const bool handed = !parts_.empty();
    const std::vector<Stage> all =
        method.stages.empty() ? default_stages(1, method.precision) : method.stages;
    method.stages = window_stages(all, handed, steps_of(length));
    HandedStart start;
    if (handed && !alone_) start = {parts_.back().field, handed_on(*problem_), {}};
    if (guide_) start.errors = guide_.errors();
    const PinnAssembly pinn(task.problem, method, start);
    PinnTraining training(pinn, pool_);
    TrainingSetup setup = training.setup();
    setup.fresh = fresh;
    const bool divisible = rule_.count == 0 && length / 2 >= shortest();
    setup.fingerprint += fmt::format("window {}, attempt {}\n", parts_.size(), attempt_);
    const std::uint64_t steps = total_steps(method.stages);
    // First-order stages prepare the others: what comes out of them says nothing yet.
    const std::uint64_t before = steps - method.stages.back().steps;
    const std::uint64_t early = std::max(steps / 4, before > 0 ? before + 250 : 0);
    setup.finished = [&, early](std::span<const double> theta, std::uint64_t step) {
      const double miss = miss_of(window, training, theta);
      const bool hopeless = step >= early && !(miss <= rule_.give_up);
      return miss <= rule_.goal || (hopeless && divisible && affordable(step));
    };
    setup.save_more = [this](Checkpoint& c) { save(c); };
    const double seconds = glue_.limit().timed() ? 1.1 * seconds_of(window) : 0.0;
    TrainingResult trained = glue_.train(
        [&](const TrainingSetup& s, const RunOptions& o) {
          return training.train(first_theta(training, pinn.graph->n_parameters()), s, o);
        },
        setup, kinds_of(pinn),
        fmt::format("{} in [{:.4g}, {:.4g}]", time_.name, window.begin, window.end), seconds);
    const bool stopped = glue_.limit().end() == RunLimit::End::asked;
    interrupted_ = trained.interrupted && (stopped || glue_.out_of_time());
    const double miss = miss_of(window, training, trained.theta);
    const bool good = miss <= rule_.accept;
    // Where the last halving of a fair window did not help, the next one would not either.
    const bool helped =
        attempt_ < (guide_ ? 3u : 1u) || !(miss > 0.5 * last_miss_) || !(miss <= rule_.give_up);
    if (!good && divisible && affordable(0) && helped && !interrupted_) {
      next_ = length / 2;
      ++attempt_;
      last_miss_ = miss;
      glue_.note(
          fmt::format("{} in [{:.4g}, {:.4g}]: {} {:.1e} after {} steps, the window is halved",
                      time_.name, window.begin, window.end, measure(), miss, trained.record.steps));
      return;
    }
    take(window, training, trained, miss);
    afresh_ = attempt_ >= 3;
    // The next one aims at a tenth of what is accepted; it is not longer than one that failed a
    // moment ago, or, judged by residuals, than one that had to work for its goal. Where rounding
    // and not the length sets the residual, it may well be longer.
    const double aim = std::pow(0.1 * rule_.accept / std::max(miss, 1e-300), 1.0 / 6);
    const bool easily = guide_ || (miss <= rule_.goal && 4 * trained.record.steps <= steps);
    const double longest = attempt_ == 0 && easily ? (guide_ ? 5.0 : 2.0) : 1.0;
    const double change = good ? std::clamp(aim, 0.5, longest) : 2.0;
    next_ = std::max(length * change, shortest());
    // Where the steps are spent, and the rest would take many times the windows so far, each is
    // longer than the one before, for an answer at all times.
    constexpr double most_windows = 3;  // times those so far
    const double rest = time_.upper - begin();
    endless_ = endless_ || (!affordable(0) &&
                            rest > most_windows * static_cast<double>(parts_.size()) * length);
    if (endless_) next_ = std::max(next_, 2 * length);
    attempt_ = 0;
  }

  void take(const Window& window, PinnTraining& training, TrainingResult& trained, double miss) {
    glue_.note(fmt::format("{} in [{:.4g}, {:.4g}]: {} {:.1e} after {} steps", time_.name,
                           window.begin, window.end, measure(), miss, trained.record.steps));
    if (!(miss <= rule_.accept)) {
      troubles_.push_back(fmt::format(
          "the window {} in [{:.4g}, {:.4g}] ended with {} {:.1e} of its {}", time_.name,
          window.begin, window.end, guide_ ? "an estimated error of" : "a residual of", miss,
          guide_ ? "size" : "terms"));
    }
    last_theta_ = trained.theta;
    take_part(window, training, trained);
  }

  void take_part(const Window& window, PinnTraining& training, TrainingResult& trained) {
    finite_ = finite_ && trained.outcome.finite;
    for (const auto& [name, rms] : training.trained_residuals(trained.theta)) {
      double& worst = glue_.record().trained[name];
      worst = std::max(worst, rms);
    }
    for (auto& [name, points] : trained.record.points) {
      Points& all = glue_.record().points[name];
      all.columns = points.columns;
      all.values.insert(all.values.end(), points.values.begin(), points.values.end());
    }
    unknowns_ += trained.theta.size();
    parts_.push_back({window, training.field(std::move(trained.theta))});
    for (const auto& [field, size] : field_sizes(*problem_, parts_.back())) sizes_[field] = size;
  }

  [[nodiscard]] const char* measure() const { return guide_ ? "error" : "residual"; }

  /// Those of the window before, unless it was hard: what bends around a kink is a bad start.
  [[nodiscard]] std::vector<double> first_theta(PinnTraining& training, std::size_t n) const {
    const bool fits = last_theta_.size() == n;  // other windows may have other cuts
    return !fits || afresh_ ? training.first_parameters() : last_theta_;
  }

  PreparedMethod::Answer answer() {
    PreparedMethod::Answer made{.solution = {}, .outcome = {finite_, troubles_}};
    Solution& s = made.solution;
    if (begin() < time_.upper) {
      made.outcome.troubles.push_back(
          ended_ ? fmt::format("the solution cannot be followed beyond {0} = {1:.6g}: windows of "
                               "time became as short as numbers resolve; end the time before",
                               time_.name, begin())
                 : fmt::format("the run ended at {} = {:.4g}: beyond it there is no answer",
                               time_.name, begin()));
    }
    // Equations at fresh points do not see a jump between windows: where no error is measured, a
    // window that failed stands against the answer.
    if (problem_->reference.empty()) s.warnings = made.outcome.troubles;
    s.method = fmt::format("pinn, {} window{} of {}", parts_.size(), parts_.size() == 1 ? "" : "s",
                           parts_.empty() ? cauchy::describe(method_.network)
                                          : cauchy::describe(parts_.back().field->network()));
    s.interrupted = interrupted_;
    s.n_unknowns = unknowns_;
    s.seconds = glue_.seconds();
    TrainingRecord& record = glue_.record();
    record.parameters = parts_.empty() ? last_theta_ : parts_.back().field->parameters();
    if (options_.progress != nullptr) {
      const ProgressValue values[] = {{"loss", record.loss()}};
      options_.progress->finish({record.steps, record.steps, s.seconds, values, {}});
    }
    s.model = std::make_shared<WindowField>(parts_, 0, problem_->coordinates().size());
    s.training = std::move(record);
    return made;
  }

  // --- interrupted runs ---

  void save(Checkpoint& c) const {
    save_windows(c, parts_);
    c.numbers["march/attempt"] = attempt_;
    c.numbers["march/finite"] = finite_ ? 1 : 0;
    c.numbers["march/afresh"] = afresh_ ? 1 : 0;
    c.numbers["march/endless"] = endless_ ? 1 : 0;
    c.arrays["march/next"] = Array::list({next_, last_miss_});
    for (const auto& [field, size] : sizes_) c.arrays["march/size/" + field] = Array::list({size});
    for (const auto& [name, rms] : glue_.record().trained) {
      c.arrays["march/trained/" + name] = Array::list({rms});
    }
    c.texts["march/troubles"] = fmt::format("{}", fmt::join(troubles_, "\n"));
  }

  bool resume();

  std::shared_ptr<const Problem> problem_;
  Pinn method_;
  WindowCurriculum rule_;
  const RunOptions& options_;
  std::shared_ptr<Threads> pool_;
  WindowGuide guide_;                      // in a problem of time alone
  std::optional<FeatureSearch> features_;  // while random features are good enough
  GluedTraining glue_;
  Time time_;
  double length_, next_, last_miss_ = 0, whole_ = 0;
  bool alone_ = false, interrupted_ = false, finite_ = true, afresh_ = false;
  bool endless_ = false;      // windows would be too many
  bool ended_ = false;        // the windows have become as short as time resolves
  bool halved_ = false;       // a window of random features
  bool halving_pays_ = true;  // of those that are good,
  double of_whole_ = std::numeric_limits<double>::infinity();  // with this residual of the last one
  std::uint64_t attempt_ = 0;
  std::size_t unknowns_ = 0;
  std::vector<WindowField::Part> parts_;
  std::map<std::string, double> sizes_;
  std::vector<double> last_theta_;
  std::vector<std::string> troubles_;
};

/// The network of a saved window.
std::shared_ptr<const PinnField> field_of(const SavedWindow& saved, const Problem& problem,
                                          const Pinn& method,
                                          const std::shared_ptr<Threads>& pool) {
  Pinn settings = method;
  const bool tried = !method.features.counts.empty();
  if (tried && saved.features) settings.network = *saved.features;
  const WindowTask task = task_of(problem, settings, saved.window);
  const PinnAssembly pinn(task.problem, task.method);
  if (saved.theta.size() != pinn.graph->n_parameters()) {
    throw Error(fmt::format("a window of it holds {} parameters, the network has {}",
                            saved.theta.size(), pinn.graph->n_parameters()),
                "[solvers.pinn]", "use the settings of the run that made it");
  }
  return std::make_shared<PinnField>(pinn.evaluator({.pool = pool}), saved.theta);
}

bool March::resume() {
  if (options_.checkpoint.empty() || !std::filesystem::exists(options_.checkpoint)) return false;
  const Checkpoint c = load_checkpoint(options_.checkpoint);
  try {
    glue_.restore(c);
    attempt_ = c.number("march/attempt");
    finite_ = c.number("march/finite") != 0;
    afresh_ = c.number("march/afresh") != 0;
    endless_ = c.numbers.contains("march/endless") && c.number("march/endless") != 0;
    const std::vector<double>& next = c.array("march/next").values;
    if (next.size() != 2 || !(next[0] > 0)) {
      throw Error(ErrorKind::file, "the windows of time in it are damaged");
    }
    next_ = next[0];
    last_miss_ = next[1];
    features_.reset();  // networks are trained: they have been given up
    for (const SavedWindow& saved : load_windows(c)) {
      parts_.push_back({saved.window, field_of(saved, *problem_, method_, pool_)});
      unknowns_ += saved.theta.size();
      if (!saved.features) last_theta_ = saved.theta;
    }
    const auto take = [&](const std::string& prefix, std::map<std::string, double>& to) {
      for (const auto& [name, array] : c.arrays) {
        if (!name.starts_with(prefix) || array.values.size() != 1) continue;
        to[name.substr(prefix.size())] = array.values[0];
      }
    };
    take("march/size/", sizes_);
    take("march/trained/", glue_.record().trained);
    troubles_ = lines_of(c.text("march/troubles"));
  } catch (const Error& e) {
    throw e.at(options_.checkpoint.string());
  }
  return true;
}

}  // namespace

PreparedMethod::Answer march(const std::shared_ptr<const Problem>& problem, const Pinn& method,
                             const RunOptions& options, const std::vector<std::string>& choices) {
  return March(problem, method, options, choices).run();
}

std::shared_ptr<const FieldModel> load_march(const Checkpoint& checkpoint, const Problem& problem,
                                             const Pinn& method, int threads) {
  Pinn settings = method;
  const Domain& domain = *problem.domain;
  if (domain.space() == nullptr && domain.ranges().empty()) settings.hard_initial = true;
  const auto pool = std::make_shared<Threads>(threads);
  std::vector<WindowField::Part> parts;
  for (const SavedWindow& saved : load_windows(checkpoint)) {
    parts.push_back({saved.window, field_of(saved, problem, settings, pool)});
  }
  if (parts.empty()) {
    throw Error(ErrorKind::file, "it holds no window of time", "[solvers.pinn]",
                "start the run anew");
  }
  return std::make_shared<WindowField>(std::move(parts), 0, problem.coordinates().size());
}

}  // namespace cauchy::detail
