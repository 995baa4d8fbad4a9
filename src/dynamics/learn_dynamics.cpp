#include <cauchy/dynamics/learn_dynamics.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/training/training.hpp>

#include "dynamics/flow_target.hpp"
#include "dynamics/latent_ode.hpp"
#include "dynamics/ode_rnn.hpp"
#include "dynamics/trained_neural_ode.hpp"
#include "io/crc32c.hpp"

namespace cauchy {
namespace {

constexpr std::uint64_t use_of_first_values = 0;
/// An answer is off by more than any use could bear.
constexpr double beyond_use = 1e3;
constexpr double usual_tolerance = 5e-2;

/// Rows that are learnt from, and rows that are not.
struct DynamicsSplit {
  TrajectoryData train, test;
  TrajectoryData known;   ///< for every trajectory of `test` the rows that a prediction starts from
  std::string tested_on;  ///< for people
};

const Trajectory* find_trajectory(const TrajectoryData& data, const std::string& name) {
  for (const Trajectory& t : data.trajectories) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

DynamicsSplit split_of(const DynamicsProblem& p) {
  DynamicsSplit s;
  const std::size_t n = p.data.trajectories.size(), kept = n - p.test;
  TrajectoryData first{p.data.columns, {}}, last{p.data.columns, {}};
  for (std::size_t i = 0; i < n; ++i) {
    (i < kept ? first : last).trajectories.push_back(p.data.trajectories[i]);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  s.train = part_of(first, -infinity, p.train_until);
  const TrajectoryData& truth = p.reference ? *p.reference : p.data;
  s.test.columns = s.known.columns = p.data.columns;
  std::vector<std::string> kinds;
  bool later = false, others = false;
  for (const Trajectory& t : truth.trajectories) {
    const Trajectory* own = find_trajectory(s.train, t.name);
    TrajectoryData one{p.data.columns, {t}};
    if (own != nullptr) {
      one = part_of(one, std::nextafter(own->times.back(), infinity), infinity);
    }
    if (one.trajectories.empty()) continue;
    (own != nullptr ? later : others) = true;
    s.test.trajectories.push_back(one.trajectories.front());
    const Trajectory* seen = own != nullptr ? own : find_trajectory(p.data, t.name);
    s.known.trajectories.push_back(seen != nullptr ? *seen : t);
  }
  if (later) kinds.push_back("times behind those of the training");
  if (others) kinds.push_back("trajectories that were held back");
  s.tested_on = fmt::format("{}", fmt::join(kinds, " and "));
  if (p.reference && !kinds.empty()) s.tested_on += ", against the reference";
  return s;
}

std::vector<std::vector<double>> times_of(const TrajectoryData& data) {
  std::vector<std::vector<double>> times;
  for (const Trajectory& t : data.trajectories) times.push_back(t.times);
  return times;
}

/// Pieces first, so that the field is right in the small; then all of every trajectory at once.
void choose_stages(NeuralOde& m, const TrajectoryData& train, std::vector<std::string>& choices) {
  if (!m.stages.empty()) return;
  Stage first{AdamOptions{.learning_rate = 1e-2}, 600};
  first.schedule = {.shape = ScheduleShape::cosine, .steps = 600, .final_factor = 0.05};
  Stage second{LbfgsOptions{}, 400};
  m.stages = {first, second};
  std::size_t longest = 0;
  for (const Trajectory& t : train.trajectories) longest = std::max(longest, t.times.size());
  if (m.windows.empty() && longest > 20) m.windows = {10, 0};
  choices.push_back(
      fmt::format("adam 600 with a rate that falls along a cosine{}, then lbfgs 400{}",
                  m.windows.empty() ? "" : " on pieces of 10 rows",
                  m.windows.empty() ? "" : " on whole trajectories"));
}

std::string fingerprint_of(const DynamicsProblem& p, const DynamicsMethod& method,
                           const TrajectoryData& train) {
  std::string out = option_text("train", method);
  for (const Expr& e : p.field.slopes) out += to_string(e) + "\n";
  for (const FieldEvent& event : p.field.events) {
    out += fmt::format("{} {}\n", to_string(event.when), event.direction);
    for (const auto& [name, value] : event.then) {
      out += fmt::format("{} {}\n", name, to_string(value));
    }
  }
  const Table table = table_of(train, "", p.field.time);
  const std::string_view bytes(reinterpret_cast<const char*>(table.values.data()),
                               table.values.size() * sizeof(double));
  return out + fmt::format("{}\n{} {:#010x}\n", fmt::join(p.field.states, " "),
                           fmt::join(table.columns, " "), detail::crc32c(bytes));
}

/// Sets grade and findings.
void grade_dynamics(const DynamicsProblem& p, DynamicsResult& r, bool finite,
                    const std::string& trouble) {
  const auto say = [&](std::string text) { r.findings.push_back(std::move(text)); };
  const double tolerance = p.tolerance.value_or(usual_tolerance);
  const double train = r.train.mean(), test = r.test.mean();
  r.grade = Grade::diverged;
  if (!trouble.empty()) say(trouble);
  if (!finite) return say("the loss is NaN or infinite");
  if (!(train <= beyond_use)) {
    return say(fmt::format("the answers are off by {:.1e} of what was seen", train));
  }
  say(fmt::format("relative L2 error {:.2e} on {} trajector{} of the training", train,
                  r.train.relative_l2.size(), r.train.relative_l2.size() == 1 ? "y" : "ies"));
  if (r.test.empty()) {
    r.grade = train <= tolerance ? Grade::unverified : Grade::stalled;
    return say(
        "nothing was held back: the error at other times and on other trajectories is not "
        "known; give train_until, test or a reference");
  }
  if (!(test <= beyond_use)) {
    return say(fmt::format("the answers are off by {:.1e} of the truth on {}", test, r.tested_on));
  }
  const bool reached = test <= tolerance;
  say(fmt::format("relative L2 error {:.2e} on {}, {} {}", test, r.tested_on,
                  reached ? "within" : "above", number_to_string(tolerance)));
  if (reached) {
    r.grade = Grade::converged;
  } else if (train <= tolerance) {
    r.grade = Grade::suspicious;
    say("the training is fitted, the test is not: more trajectories, more known terms or a smaller "
        "network may help");
  } else {
    r.grade = Grade::stalled;
  }
}

using MakeModel =
    std::function<std::shared_ptr<const TrainedDynamics>(std::span<const double> theta)>;

/// Trains, then measures and grades what has come of it.
DynamicsResult train_and_grade(const DynamicsProblem& problem, const DynamicsSplit& split,
                               TrainingTarget& target, const MakeModel& make_model,
                               TrainingSetup setup, std::uint64_t seed, const RunOptions& options) {
  const int threads = setup.pool->size();
  if (!split.test.trajectories.empty()) {
    setup.record.has_reference = true;
    setup.error = setup.rough_error = [&](std::span<const double> theta) {
      return measure(make_model(theta)->predict(split.known, times_of(split.test), threads),
                     split.test)
          .mean();
    };
  } else if (options.target_error > 0) {
    throw Error("an error was asked for, but nothing is held back", "[dynamics]",
                "give train_until, test or a reference, or leave out the target");
  }
  std::vector<double> theta =
      initial_parameters(setup.parameters, Rng(seed).split(use_of_first_values));
  TrainingResult trained = train(target, std::move(theta), setup, options);
  DynamicsResult r;
  r.seconds = trained.seconds;
  r.interrupted = trained.interrupted;
  r.training = std::move(trained.record);
  r.training.parameters = trained.theta;
  r.findings = std::move(trained.outcome.troubles);
  const bool numbers = std::all_of(trained.theta.begin(), trained.theta.end(),
                                   [](double x) { return std::isfinite(x); });
  const bool finite = trained.outcome.finite && numbers;
  r.model = make_model(trained.theta);
  std::string trouble;
  if (numbers) {  // also where the loss is none: the integration says why
    r.train = measure(r.model->predict(split.train, times_of(split.train), threads, &trouble),
                      split.train);
    std::string more;
    if (!split.test.trajectories.empty()) {
      r.test =
          measure(r.model->predict(split.known, times_of(split.test), threads, &more), split.test);
    }
    if (trouble.empty()) trouble = more;
  }
  r.tested = split.test;
  r.tested_on = split.tested_on;
  grade_dynamics(problem, r, finite, trouble);
  return r;
}

DynamicsResult learn_with(const DynamicsProblem& problem, NeuralOde method,
                          const RunOptions& options) {
  const DynamicsSplit split = split_of(problem);
  TrainingSetup setup;
  setup.fingerprint = fingerprint_of(problem, method, split.train);
  choose_stages(method, split.train, setup.record.choices);
  const detail::NeuralOdeForm form = detail::make_form(problem, method, split.train);
  setup.pool = std::make_shared<Threads>(options.threads);
  detail::FlowTarget target(form, method, split.train, setup.pool);
  const std::vector<ParameterBlock> blocks = form.parameters(split.train);
  setup.stages = method.stages;
  setup.parameters = blocks;
  setup.record.term_names = {"data"};
  const std::size_t first = form.n_field() - form.field.constants.size();
  for (const FieldConstant& c : form.field.constants) setup.record.unknown_names.push_back(c.name);
  if (!form.field.constants.empty()) {
    setup.unknowns = [&](std::span<const double> theta) {
      const auto part = theta.subspan(first, form.field.constants.size());
      return std::vector<double>(part.begin(), part.end());
    };
  }
  const auto make_model = [&](std::span<const double> theta) {
    return std::make_shared<detail::TrainedNeuralOde>(
        form, std::vector<double>(theta.begin(), theta.end()));
  };
  return train_and_grade(problem, split, target, make_model, std::move(setup), method.seed,
                         options);
}

/// A method of rows alone: `Form` is it without parameters, `Loss` a BlockLoss.
template <class Form, class Loss, class Model, class Options>
DynamicsResult learn_rows(const DynamicsProblem& problem, Options method, const char* name,
                          std::vector<std::string> terms, const RunOptions& options) {
  if (!problem.field.slopes.empty() || !problem.field.constants.empty() ||
      !problem.field.events.empty() || problem.field.states.size() != problem.data.columns.size()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} has no equations, unknown constants, events or hidden fields of "
                            "its own",
                            name),
                "[train]", "use kind = \"neural_ode\", or remove them");
  }
  const DynamicsSplit split = split_of(problem);
  TrainingSetup setup;
  setup.fingerprint = fingerprint_of(problem, method, split.train);
  if (method.stages.empty()) {
    Stage stage{AdamOptions{.learning_rate = 1e-2}, 1500};
    stage.schedule = {.shape = ScheduleShape::cosine, .steps = 1500, .final_factor = 0.02};
    method.stages = {stage};
    setup.record.choices.push_back("adam 1,500 with a rate that falls along a cosine");
  }
  const Form form{method, detail::row_units(split.train)};
  setup.pool = std::make_shared<Threads>(options.threads);
  Loss loss(form, split.train);
  detail::BlockTarget target(loss, setup.pool);
  setup.stages = method.stages;
  setup.parameters = loss.parameters();
  setup.record.term_names = std::move(terms);
  const auto make_model = [&](std::span<const double> theta) {
    return std::make_shared<Model>(form, std::vector<double>(theta.begin(), theta.end()));
  };
  return train_and_grade(problem, split, target, make_model, std::move(setup), method.seed,
                         options);
}

DynamicsResult learn_with(const DynamicsProblem& problem, const LatentOde& method,
                          const RunOptions& options) {
  return learn_rows<detail::LatentForm, detail::LatentLoss, detail::TrainedLatentOde>(
      problem, method, "a latent ODE", {"data", "divergence of the starts"}, options);
}

DynamicsResult learn_with(const DynamicsProblem& problem, const OdeRnn& method,
                          const RunOptions& options) {
  return learn_rows<detail::OdeRnnForm, detail::OdeRnnLoss, detail::TrainedOdeRnn>(
      problem, method, "an ODE-RNN", {"data"}, options);
}

}  // namespace

void check(const DynamicsProblem& p) {
  constexpr const char* place = "[dynamics]";
  check(p.field);
  const std::vector<std::string>& states = p.field.states;
  for (const TrajectoryData* data : {&p.data, p.reference ? &*p.reference : &p.data}) {
    for (const std::string& c : data->columns) {
      if (std::find(states.begin(), states.end(), c) != states.end()) continue;
      throw Error(ErrorKind::not_found, fmt::format("column '{}' of the data is no field", c),
                  place, fmt::format("fields are: {}", fmt::join(states, ", ")));
    }
    for (const Trajectory& t : data->trajectories) {
      if (t.values.size() == t.times.size() * data->columns.size()) continue;
      throw Error(fmt::format("{} values are given for {} times and {} columns", t.values.size(),
                              t.times.size(), data->columns.size()),
                  fmt::format("trajectory {}", t.name));
    }
  }
  if (p.reference && p.reference->columns != p.data.columns) {
    throw Error("the reference has other columns than the data", place);
  }
  if (p.test >= p.data.trajectories.size()) {
    throw Error(
        fmt::format("{} trajectories are held back of {}", p.test, p.data.trajectories.size()),
        place, "leave at least one to learn from");
  }
  const DynamicsSplit split = split_of(p);
  const bool any = std::any_of(split.train.trajectories.begin(), split.train.trajectories.end(),
                               [](const Trajectory& t) { return t.times.size() > 1; });
  if (!any) {
    throw Error("no trajectory has two rows to learn from", place,
                "give more rows, or a later train_until");
  }
}

std::shared_ptr<const TrainedDynamics> load_dynamics(const Checkpoint& checkpoint,
                                                     const DynamicsProblem& problem,
                                                     const DynamicsMethod& method) {
  if (const auto* latent = std::get_if<LatentOde>(&method)) {
    return detail::TrainedLatentOde::load(checkpoint, problem, *latent);
  }
  if (const auto* rnn = std::get_if<OdeRnn>(&method)) {
    return detail::TrainedOdeRnn::load(checkpoint, problem, *rnn);
  }
  return detail::TrainedNeuralOde::load(checkpoint, problem, std::get<NeuralOde>(method));
}

DynamicsResult learn_dynamics(const DynamicsProblem& problem, const DynamicsMethod& method,
                              const RunOptions& options) {
  check(problem);
  check_options(method);
  return std::visit([&](const auto& m) { return learn_with(problem, m, options); }, method);
}

}  // namespace cauchy
