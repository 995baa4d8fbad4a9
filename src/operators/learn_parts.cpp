#include "operators/learn_parts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/option_text.hpp>

#include "io/crc32c.hpp"
#include "operators/channels.hpp"
#include "operators/trained_field_operator.hpp"  // require_same_box

namespace cauchy::detail {
namespace {

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

/// Samples of the test whose inputs are those of a training sample.
std::size_t shared_samples(const DataSet& train, const DataSet& test) {
  const auto row = [](const DataSet& d, std::size_t i) {
    return bytes_of(std::span(d.in).subspan(i * d.in_size(), d.in_size()));
  };
  std::set<std::string_view> known;
  for (std::size_t i = 0; i < train.size(); ++i) known.insert(row(train, i));
  std::size_t n = 0;
  for (std::size_t i = 0; i < test.size(); ++i) n += known.count(row(test, i));
  return n;
}

/// What the maker of the data knows of their error; 0: nothing.
double error_of(const DataSet& data) {
  const auto note = data.notes.find("error");
  double error = 0;
  if (note == data.notes.end()) return 0;
  const char* const end = note->second.data() + note->second.size();
  const auto read = std::from_chars(note->second.data(), end, error);
  return read.ec == std::errc() && error > 0 && std::isfinite(error) ? error : 0;
}

/// Adam with a rate that grows for a twentieth of the steps, so that it can be high, and falls to
/// nothing behind that: most of what is learnt is learnt near the end.
std::vector<Stage> default_operator_stages(std::uint64_t epochs, std::uint64_t steps_per_epoch) {
  Stage stage{AdamOptions{.learning_rate = 2e-3}, epochs * steps_per_epoch};
  const std::uint64_t warmup = stage.steps / 20;
  stage.schedule = {.shape = ScheduleShape::cosine,
                    .steps = stage.steps - warmup,
                    .final_factor = 1e-3,
                    .warmup_steps = warmup};
  return {stage};
}

}  // namespace

void require_equations(const OperatorProblem& problem, const OperatorMethod& method) {
  const bool asked = std::visit([](const auto& m) { return m.physics.weight > 0; }, method);
  if (!asked || !problem.source) return;
  if (problem.source->has_equations() && std::holds_alternative<FieldOperator>(method)) return;
  if (problem.source->has_equations()) {
    throw Error(ErrorKind::unsupported, "the equations of a simulator need a network on its grid",
                "[train.physics]", "use kind = \"field_network\", or leave the table out");
  }
  throw Error(ErrorKind::unsupported,
              "the samples come from a simulator: there are no equations for the loss",
              "[train.physics]", "leave the table out");
}

void require_same_problem(const OperatorProblem& problem, const DataSet& data) {
  constexpr const char* place = "[operators]";
  if (problem.source) {
    const auto same = [&](const std::vector<std::string>& mine,
                          const std::vector<std::string>& theirs, std::string_view what) {
      if (mine == theirs) return;
      throw Error(ErrorKind::not_found,
                  fmt::format("the data are not of this simulator: their {} are others", what),
                  place, fmt::format("theirs are: {}", fmt::join(theirs, ", ")));
    };
    same(problem.source->inputs(), data.inputs, "inputs");
    same(problem.source->outputs(), data.outputs, "outputs");
    return require_same_box(data.grid, problem.source->grid());
  }
  for (const InputFunction& input : problem.inputs) {
    const auto is_it = [&](const std::string& name) {
      return name == input.name || name.starts_with(input.name + "(");
    };
    if (std::any_of(data.inputs.begin(), data.inputs.end(), is_it)) continue;
    throw Error(
        ErrorKind::not_found,
        fmt::format("the data are not of this problem: they have no input '{}'", input.name), place,
        fmt::format("their inputs are: {}", fmt::join(data.inputs, ", ")));
  }
  for (const std::string& output : problem.outputs) {
    const auto is_it = [&](const std::string& name) {
      const auto frame = frame_in(name);
      return (frame ? frame->field : name) == output;
    };
    if (std::any_of(data.outputs.begin(), data.outputs.end(), is_it)) continue;
    throw Error(ErrorKind::not_found,
                fmt::format("the data are not of this problem: they have no output '{}'", output),
                place, fmt::format("their outputs are: {}", fmt::join(data.outputs, ", ")));
  }
  if (!problem.grid.empty()) require_same_box(data.grid, grid_of(problem));
}

std::string learning_fingerprint(const OperatorMethod& method, const DataSet& data,
                                 const DataSplit& split) {
  std::string out =
      fmt::format("{}\ninputs {}\noutputs {}\ngrid {}\nin {:#010x} out {:#010x}\n{} {} {}\n",
                  option_text("train", method), fmt::join(data.inputs, " "),
                  fmt::join(data.outputs, " "), to_string(data.grid), crc32c(bytes_of(data.in)),
                  crc32c(bytes_of(data.out)), split.train, split.validation, split.test);
  if (const Triples& t = data.triples; !t.empty()) {
    const std::vector<double> samples(t.sample.begin(), t.sample.end());
    out += fmt::format("triples {:#010x} {:#010x} {:#010x}\n", crc32c(bytes_of(samples)),
                       crc32c(bytes_of(t.points)), crc32c(bytes_of(t.values)));
  }
  return out;
}

LearningData cut_data(const DataSplit& split, const DataSet& data, std::size_t first) {
  const std::size_t labelled = split.train - std::min(split.train, first);
  return {split, data.part(0, labelled), data.part(labelled, split.validation),
          data.part(labelled + split.validation, split.test)};
}

void watch_epochs(TrainingSetup& setup, RunOptions& options, EpochLog& log,
                  std::uint64_t steps_per_epoch, std::size_t epochs, bool validation) {
  if (setup.stages.empty()) {
    setup.stages = default_operator_stages(epochs, steps_per_epoch);
    setup.record.choices.push_back(
        fmt::format("adam, {} epochs of {} steps, its rate grows to 2e-3 and falls along a cosine",
                    epochs, steps_per_epoch));
  }
  setup.record.has_reference = validation;
  if (validation) {
    setup.error = setup.rough_error = [&log](std::span<const double> theta) {
      return log.validation_error(theta);
    };
  }
  options.history_every = steps_per_epoch;
  options.error_share = std::numeric_limits<double>::infinity();
  if (options.target_error > 0 && !validation) {
    throw Error("an error was asked for, but there are no samples for validation", "[operators]",
                "give some, or leave out the target");
  }
}

OperatorResult finish_learning(const OperatorProblem& problem, const LearningData& data,
                               TrainingResult trained, const EpochLog& log, OperatorLoss loss,
                               int threads, const MakeModel& model) {
  OperatorResult r;
  r.split = data.split;
  r.loss = loss;
  r.epochs = log.epochs();
  r.best_epoch = log.best_epoch();
  r.seconds = trained.seconds;
  r.interrupted = trained.interrupted;
  std::vector<double> theta = std::move(trained.theta);
  if (r.best_epoch > 0) theta = log.best_theta();
  r.training = std::move(trained.record);
  r.training.parameters = theta;
  OperatorGradeInput input{.finite = trained.outcome.finite,
                           .troubles = std::move(trained.outcome.troubles),
                           .tolerance = problem.problem.tolerance.value_or(1e-2),
                           .data_error = error_of(data.test),
                           .shared = shared_samples(data.train, data.test)};
  input.finite = input.finite &&
                 std::all_of(theta.begin(), theta.end(), [](double x) { return std::isfinite(x); });
  r.model = model(std::move(theta));
  // All members of an ensemble answer: of no more samples than those of the test.
  const bool many = r.model->members() > 1 && data.test.size() > 0;
  const std::size_t shown =
      many ? std::min(data.train.size(), data.test.size()) : data.train.size();
  r.train = measure(*r.model, many ? data.train.part(0, shown) : data.train, threads);
  r.validation = measure(*r.model, data.validation, threads);
  r.test = measure(*r.model, data.test, threads);
  grade(r, input);
  return r;
}

}  // namespace cauchy::detail
