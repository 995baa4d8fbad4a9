#include <cauchy/operators/learn.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/training/training.hpp>

#include "data/sample_solver.hpp"  // output_channels
#include "io/crc32c.hpp"
#include "operators/operator_loss.hpp"
#include "operators/operator_target.hpp"
#include "operators/trained_field_operator.hpp"

namespace cauchy {
namespace {

constexpr std::uint64_t use_of_parameters = 0;

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

/// Throws Error unless the data have the inputs, the fields and the box of the problem.
void require_same_problem(const OperatorProblem& problem, const DataSet& data) {
  constexpr const char* place = "[operators]";
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
      const auto frame = detail::frame_in(name);
      return (frame ? frame->field : name) == output;
    };
    if (std::any_of(data.outputs.begin(), data.outputs.end(), is_it)) continue;
    throw Error(ErrorKind::not_found,
                fmt::format("the data are not of this problem: they have no output '{}'", output),
                place, fmt::format("their outputs are: {}", fmt::join(data.outputs, ", ")));
  }
  if (!problem.grid.empty()) detail::require_same_box(data.grid, grid_of(problem));
}

/// Everything that a checkpoint must agree with.
std::string fingerprint_of(const OperatorMethod& method, const DataSet& data,
                           const DataSplit& split) {
  return fmt::format("{}\ninputs {}\noutputs {}\ngrid {}\nin {:#010x} out {:#010x}\n{} {} {}\n",
                     option_text("train", method), fmt::join(data.inputs, " "),
                     fmt::join(data.outputs, " "), to_string(data.grid),
                     detail::crc32c(bytes_of(data.in)), detail::crc32c(bytes_of(data.out)),
                     split.train, split.validation, split.test);
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

/// The training of a field network, put together.
class FieldTraining final {
 public:
  FieldTraining(const OperatorProblem& problem, const DataSet& data, const FieldOperator& method,
                const RunOptions& options)
      : problem_(problem),
        method_(method),
        options_(options),
        split_(split_of(problem, data)),
        train_(data.part(0, split_.train)),
        validation_(data.part(split_.train, split_.validation)),
        test_(data.part(split_.train + split_.validation, split_.test)),
        data_size_(data.size()),
        fingerprint_(fingerprint_of(method, data, split_)),
        pool_(std::make_shared<Threads>(options.threads)) {
    map_.network = method.network;
    map_.channels = detail::channels_of(problem, data, method);
    map_.grid = data.grid;
    map_.precision = method.precision;
    auto [in, out] =
        detail::fit_normalizers(method.normalization, map_.channels, train_, split_.train);
    map_.input = std::move(in);
    map_.output = std::move(out);
  }

  OperatorResult run() {
    const std::size_t steps = method_.pushforward ? 1 : static_cast<std::size_t>(method_.unroll);
    const std::size_t skip = method_.pushforward ? static_cast<std::size_t>(method_.unroll) - 1 : 0;
    detail::OperatorSamples samples(map_.channels, train_, split_.train,
                                    detail::norm_of(method_.loss, map_.grid), steps, skip);
    std::optional<detail::PhysicsTerms> physics;
    if (method_.physics.weight > 0) physics = add_physics(samples);
    const detail::LossGraph loss = detail::make_loss(map_, method_, problem_, samples.table().times,
                                                     steps, physics ? &*physics : nullptr);
    const auto executor =
        make_tensor_executor(loss.graph, loss.terms,
                             {.pool = pool_, .precision = method_.precision, .seed = method_.seed});
    const std::size_t batch = std::min(method_.batch == 0 ? 20 : method_.batch, samples.size());
    require_memory(static_cast<double>(executor->bytes(batch)),
                   fmt::format("a batch of {} samples", batch), "use a smaller batch", "[train]");
    if (split_.validation > 0) {
      predictor_ = std::make_unique<detail::MapPredictor>(map_, validation_, pool_);
    }
    const detail::BatchOptions batches = batch_options(skip);
    detail::OperatorTarget target(*executor, samples, batches, validation(), method_.patience);
    TrainingSetup setup{.stages = method_.stages,
                        .parameters = loss.graph->parameters(),
                        .pool = pool_,
                        .fingerprint = fingerprint_};
    if (setup.stages.empty()) {
      setup.stages = default_operator_stages(method_.epochs, target.steps_per_epoch());
      setup.record.choices.push_back(fmt::format(
          "adam, {} epochs of {} steps, its rate grows to 2e-3 and falls along a cosine",
          method_.epochs, target.steps_per_epoch()));
    }
    if (batches.symmetries.any()) {
      setup.record.choices.push_back(
          fmt::format("symmetries of the equations: {}; every sample is met in all of them",
                      batches.symmetries.describe(batches.grid)));
    }
    for (const TensorTerm& t : loss.terms) setup.record.term_names.push_back(t.name);
    setup.record.has_reference = split_.validation > 0;
    if (split_.validation > 0) {
      setup.error = setup.rough_error = [&](std::span<const double> theta) {
        return target.validation_error(theta);
      };
    }
    setup.finished_every = 1;
    setup.finished = [&](std::span<const double> theta, std::uint64_t step) {
      return target.after_step(theta, step);
    };
    RunOptions options = options_;
    options.history_every = target.steps_per_epoch();
    options.error_share = std::numeric_limits<double>::infinity();
    if (options.target_error > 0 && split_.validation == 0) {
      throw Error("an error was asked for, but there are no samples for validation", "[operators]",
                  "give some, or leave out the target");
    }
    std::vector<double> theta =
        initial_parameters(loss.graph->parameters(), Rng(method_.seed).split(use_of_parameters));
    TrainingResult trained = train(target, std::move(theta), setup, options);
    return finish(std::move(trained), target);
  }

 private:
  /// What the parameters that were kept are worth.
  OperatorResult finish(TrainingResult trained, const detail::OperatorTarget& target) {
    OperatorResult r;
    r.split = split_;
    r.loss = method_.loss;
    r.epochs = target.epochs();
    r.best_epoch = target.best_epoch();
    r.seconds = trained.seconds;
    r.interrupted = trained.interrupted;
    std::vector<double> theta = std::move(trained.theta);
    if (r.best_epoch > 0) theta = target.best_theta();
    r.training = std::move(trained.record);
    r.training.parameters = theta;
    const auto finite = [](double x) { return std::isfinite(x); };
    OperatorGradeInput input{.finite = trained.outcome.finite,
                             .troubles = std::move(trained.outcome.troubles),
                             .tolerance = problem_.problem.tolerance.value_or(1e-2),
                             .data_error = error_of(test_),
                             .shared = shared_samples(train_, test_)};
    input.finite = input.finite && std::all_of(theta.begin(), theta.end(), finite);
    r.model = std::make_shared<detail::TrainedFieldOperator>(std::move(map_), std::move(theta));
    const int threads = pool_->size();
    r.train = measure(*r.model, train_, threads);
    r.validation = measure(*r.model, validation_, threads);
    r.test = measure(*r.model, test_, threads);
    grade(r, input);
    return r;
  }

  /// The equations as parts of the loss: what they are measured by, and their inputs.
  detail::PhysicsTerms add_physics(detail::OperatorSamples& samples) {
    detail::PhysicsTerms terms = detail::physics_terms(map_, method_);
    terms.sizes = detail::physics_sizes(map_, method_, problem_, samples, pool_);
    if (!terms.own_inputs) return terms;
    // Samples of the data have their own numbers; others come behind all that the problem has.
    const std::size_t labelled = split_.train, known = std::max(problem_.total(), data_size_);
    const std::size_t n = method_.physics.samples > 0 ? method_.physics.samples : labelled;
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < n; ++i) {
      numbers.push_back(i < labelled ? i : known + (i - labelled));
    }
    samples.set_physics_inputs(
        detail::physics_inputs(map_, problem_, train_, terms.grid, numbers, *pool_), n);
    return terms;
  }

  detail::OperatorTarget::Validation validation() {
    if (!predictor_) return {};
    return [this](std::span<const double> theta) {
      return measure((*predictor_)(theta, validation_), validation_, predictor_->given()).mean_l2();
    };
  }

  detail::BatchOptions batch_options(std::size_t skip) {
    detail::BatchOptions o{.batch = method_.batch, .seed = method_.seed};
    // Statistics of single points, and arrays beside the data, belong to one position.
    if (method_.augment && method_.normalization != Normalization::point && train_.more.empty()) {
      o.grid = train_.grid;
      o.symmetries = detail::symmetries_of(problem_, o.grid);
      if (!o.symmetries.any()) o.symmetries = {};
    }
    if (method_.noise > 0) {
      for (std::size_t c = 0; c < map_.n_in(); ++c) {
        o.noise.push_back(method_.noise * map_.input.deviation(c));
      }
    }
    if (!method_.pushforward) return o;
    pusher_ = std::make_unique<detail::MapPredictor>(map_, train_, pool_);
    const std::size_t F = map_.channels.fields.size(), points = map_.grid.n_points();
    o.push = [this, skip, F, points](std::span<const double> theta, std::size_t n,
                                     std::span<double> in) {
      frame_.resize(n * F * points);
      for (std::size_t k = 0; k < skip; ++k) {
        pusher_->step(theta, n, in, frame_);
        detail::push_frame(in, frame_, n, map_.channels.history, F, points);
      }
    };
    return o;
  }

  const OperatorProblem& problem_;
  const FieldOperator& method_;
  const RunOptions& options_;
  DataSplit split_;
  DataSet train_, validation_, test_;
  std::size_t data_size_;
  std::string fingerprint_;
  std::shared_ptr<Threads> pool_;
  detail::FieldMap map_;
  std::unique_ptr<detail::MapPredictor> predictor_, pusher_;
  std::vector<double> frame_;
};

}  // namespace

DataSplit split_of(const OperatorProblem& problem, const DataSet& data) {
  const std::size_t n = data.size();
  DataSplit split{problem.samples, problem.validation, problem.test};
  if (n < split.train + split.validation + split.test) {
    split.test = std::min(split.test, n / 3);
    split.validation = std::min(split.validation, n / 6);
    split.train = n - split.test - split.validation;
  }
  if (split.train > 0) return split;
  throw Error(ErrorKind::not_found, "there is no sample to train on", "[operators]",
              n == 0 ? "give data with samples" : "give [operator] samples = 1 or more");
}

void check_fits(const OperatorProblem& problem, const OperatorMethod& method) {
  check_options(method);
  const FieldOperator& options = std::get<FieldOperator>(method);
  DataSet shape;
  shape.grid = grid_of(problem);
  for (const InputFunction& input : problem.inputs) shape.inputs.push_back(input.name);
  shape.outputs = detail::output_channels(problem);
  detail::FieldMap map;
  map.network = options.network;
  map.channels = detail::channels_of(problem, shape, options);
  map.grid = shape.grid;
  map.input = detail::Normalizer(map.n_in());
  map.output = detail::Normalizer(map.n_out());
  TensorGraph graph;
  const int in = graph.input("in", {static_cast<int>(map.n_in()), shape.grid.sizes()});
  (void)map.add(graph, in, shape.grid, detail::table_of(map.channels, shape).times);
}

OperatorResult learn(const OperatorProblem& problem, const DataSet& data,
                     const OperatorMethod& method, const RunOptions& options) {
  check_options(method);
  check(data);
  require_same_problem(problem, data);
  return FieldTraining(problem, data, std::get<FieldOperator>(method), options).run();
}

}  // namespace cauchy
