#include "solvers/pinn/pinn_march.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn/glued_training.hpp"
#include "solvers/pinn/pinn_training.hpp"
#include "training/checkpoints.hpp"

namespace cauchy::detail {
namespace {

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
    if (alone_) method_.hard_initial = true;
  }

  PreparedMethod::Answer run() {
    bool fresh = !resume();
    while (begin() < time_.upper && !interrupted_) {
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

  [[nodiscard]] Window next_window() const {
    Window window{.begin = begin(), .end = next_end()};
    if (parts_.empty()) return window;
    window.sizes = sizes_;
    if (!alone_) return window;
    const double at[] = {window.begin};
    std::vector<Expr> quantities;
    for (const HandedOn& h : handed_on(*problem_)) quantities.push_back(h.expression(time_.name));
    window.start.resize(quantities.size());
    parts_.back().field->evaluate(quantities, at, window.start);
    return window;
  }

  /// Steps of a window of this length: its share of what is left of the budget.
  [[nodiscard]] std::uint64_t steps_of(double length) const {
    if (rule_.budget == 0) return 0;
    const std::uint64_t used = glue_.steps();
    const double left = used < rule_.budget ? static_cast<double>(rule_.budget - used) : 0;
    const double share = length / (time_.upper - begin());
    return std::max<std::uint64_t>(least_steps, static_cast<std::uint64_t>(left * share));
  }

  void one_window(bool fresh) {
    const Window window = next_window();
    const double length = window.end - window.begin;
    Pinn method = method_;
    const bool handed = !parts_.empty();
    const std::vector<Stage> all =
        method.stages.empty() ? default_stages(1, method.precision) : method.stages;
    method.stages = window_stages(all, handed, steps_of(length));
    HandedStart start;
    if (handed && !alone_) start = {parts_.back().field, handed_on(*problem_)};
    const PinnAssembly pinn(std::make_shared<const Problem>(window_problem(*problem_, window)),
                            method, start);
    PinnTraining training(pinn, pool_);
    TrainingSetup setup = training.setup();
    setup.fresh = fresh;
    const bool divisible = rule_.count == 0 && length / 2 >= rule_.shortest * length_;
    setup.fingerprint += fmt::format("window {}, attempt {}\n", parts_.size(), attempt_);
    setup.finished = [&](std::span<const double> theta, std::uint64_t step) {
      const double residual = training.fresh_residual(theta);
      const bool hopeless = 4 * step >= total_steps(method.stages) && residual > rule_.give_up;
      return residual <= rule_.goal || (hopeless && divisible);
    };
    setup.save_more = [this](Checkpoint& c) { save(c); };
    // A limit of time is shared like the steps, so that the run gets to its end.
    const double left = options_.max_seconds - glue_.seconds();
    const double seconds =
        options_.max_seconds > 0 ? 1.1 * left * length / (time_.upper - begin()) : 0.0;
    TrainingResult trained = glue_.train(
        [&](const TrainingSetup& s, const RunOptions& o) {
          return training.train(first_theta(training), s, o);
        },
        setup, kinds_of(pinn),
        fmt::format("{} in [{:.4g}, {:.4g}]", time_.name, window.begin, window.end), seconds);
    const bool stopped = options_.progress != nullptr && options_.progress->stop_requested();
    interrupted_ = trained.interrupted && (stopped || glue_.out_of_time());
    const double miss = training.fresh_residual(trained.theta);
    const bool good = miss <= rule_.accept;
    const bool affordable = rule_.budget == 0 || glue_.steps() + least_steps < rule_.budget;
    // Where the last halving of a fair window did not help, the next one would not either.
    const bool helped = attempt_ == 0 || !(miss > 0.5 * last_miss_) || !(miss <= rule_.give_up);
    if (!good && divisible && affordable && helped && !interrupted_) {
      next_ = length / 2;
      ++attempt_;
      last_miss_ = miss;
      glue_.note(
          fmt::format("{} in [{:.4g}, {:.4g}]: residual {:.1e} after {} steps, the window "
                      "is halved",
                      time_.name, window.begin, window.end, miss, trained.record.steps));
      return;
    }
    take(window, training, trained, miss);
    // The next one aims at a tenth of what is accepted; it is not longer than one that failed a
    // moment ago. Where rounding and not the length sets the residual, it may well be longer.
    const double aim = std::pow(0.1 * rule_.accept / std::max(miss, 1e-300), 1.0 / 6);
    const double longest = attempt_ == 0 ? 2.0 : 1.0;
    const double change = good ? std::clamp(aim, 0.5, longest) : 2.0;
    next_ = std::max(length * change, rule_.shortest * length_);
    attempt_ = 0;
  }

  void take(const Window& window, PinnTraining& training, TrainingResult& trained, double miss) {
    glue_.note(fmt::format("{} in [{:.4g}, {:.4g}]: residual {:.1e} after {} steps", time_.name,
                           window.begin, window.end, miss, trained.record.steps));
    if (!(miss <= rule_.accept)) {
      troubles_.push_back(
          fmt::format("the window {} in [{:.4g}, {:.4g}] ended with a residual of "
                      "{:.1e} of its terms",
                      time_.name, window.begin, window.end, miss));
    }
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
    last_theta_ = trained.theta;
    parts_.push_back({window, training.field(std::move(trained.theta))});
    measure_sizes();
  }

  /// Sizes of the fields in the last window, for the next one.
  void measure_sizes() {
    const Problem part = window_problem(*problem_, parts_.back().window);
    const Domain domain = domain_of(part);
    const Points points = interior_points(domain, 256);
    std::vector<Expr> fields;
    for (const std::string& f : problem_->fields) fields.push_back(Field(f));
    std::vector<double> values(points.size() * fields.size());
    parts_.back().field->evaluate(fields, points.values, values);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      double largest = 0;
      for (std::size_t i = k; i < values.size(); i += fields.size()) {
        largest = std::max(largest, std::abs(values[i]));
      }
      if (largest > 0 && std::isfinite(largest)) sizes_[problem_->fields[k]] = largest;
    }
  }

  [[nodiscard]] std::vector<double> first_theta(PinnTraining& training) const {
    return last_theta_.empty() ? training.first_parameters() : last_theta_;
  }

  PreparedMethod::Answer answer() {
    PreparedMethod::Answer made{.solution = {}, .outcome = {finite_, troubles_}};
    Solution& s = made.solution;
    if (begin() < time_.upper) {
      made.outcome.troubles.push_back(
          fmt::format("the run ended at {} = {:.4g}: beyond it there "
                      "is no answer",
                      time_.name, begin()));
    }
    // Equations at fresh points do not see a jump between windows: where no error is measured, a
    // window that failed stands against the answer.
    if (problem_->reference.empty()) s.warnings = made.outcome.troubles;
    s.method = fmt::format("pinn, {} window{} of {}", parts_.size(), parts_.size() == 1 ? "" : "s",
                           cauchy::describe(method_.network));
    s.interrupted = interrupted_;
    s.n_unknowns = unknowns_;
    s.seconds = glue_.seconds();
    TrainingRecord& record = glue_.record();
    record.parameters = last_theta_;
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
  GluedTraining glue_;
  Time time_;
  double length_, next_, last_miss_ = 0;
  bool alone_ = false, interrupted_ = false, finite_ = true;
  std::uint64_t attempt_ = 0;
  std::size_t unknowns_ = 0;
  std::vector<WindowField::Part> parts_;
  std::map<std::string, double> sizes_;
  std::vector<double> last_theta_;
  std::vector<std::string> troubles_;
  static constexpr std::uint64_t least_steps = 200;
};

/// The network of a saved window.
std::shared_ptr<const PinnField> field_of(const SavedWindow& saved, const Problem& problem,
                                          const Pinn& method,
                                          const std::shared_ptr<Threads>& pool) {
  const PinnAssembly pinn(std::make_shared<const Problem>(window_problem(problem, saved.window)),
                          method);
  if (saved.theta.size() != pinn.graph->n_parameters()) {
    throw Error(fmt::format("a window of it holds {} parameters, the network has {}",
                            saved.theta.size(), pinn.graph->n_parameters()),
                "[solvers.pinn]", "use the settings of the run that made it");
  }
  const ExecutorOptions options{.precision = method.precision, .pool = pool};
  return std::make_shared<PinnField>(
      std::make_shared<FieldEvaluator>(pinn.graph, pinn.lower, options), saved.theta);
}

bool March::resume() {
  if (options_.checkpoint.empty() || !std::filesystem::exists(options_.checkpoint)) return false;
  const Checkpoint c = load_checkpoint(options_.checkpoint);
  try {
    glue_.restore(c);
    attempt_ = c.number("march/attempt");
    finite_ = c.number("march/finite") != 0;
    const std::vector<double>& next = c.array("march/next").values;
    if (next.size() != 2 || !(next[0] > 0)) {
      throw Error(ErrorKind::file, "the windows of time in it are damaged");
    }
    next_ = next[0];
    last_miss_ = next[1];
    for (const SavedWindow& saved : load_windows(c)) {
      parts_.push_back({saved.window, field_of(saved, *problem_, method_, pool_)});
      unknowns_ += saved.theta.size();
      last_theta_ = saved.theta;
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
