#include <cauchy/operators/learn.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/training/training.hpp>

#include "data/sample_solver.hpp"  // output_channels
#include "io/crc32c.hpp"
#include "operators/deeponet/learn_deeponet.hpp"
#include "operators/deeponet/sensor_check.hpp"
#include "operators/learn_parts.hpp"
#include "operators/operator_loss.hpp"
#include "operators/operator_target.hpp"
#include "operators/trained_field_operator.hpp"

namespace cauchy {
namespace {

constexpr std::uint64_t use_of_parameters = 0;

/// The training of a field network, put together.
class FieldTraining final {
 public:
  FieldTraining(const OperatorProblem& problem, const DataSet& data, const FieldOperator& method,
                const RunOptions& options)
      : problem_(problem),
        method_(method),
        options_(options),
        all_(detail::cut_data(split_of(problem, data), data, 0)),
        split_(all_.split),
        train_(all_.train),
        validation_(all_.validation),
        data_size_(data.size()),
        fingerprint_(detail::learning_fingerprint(method, data, split_)),
        pool_(std::make_shared<Threads>(options.threads)) {
    map_.network = method.network;
    map_.channels = detail::channels_of(problem, data, method);
    map_.grid = data.grid;
    map_.precision = method.precision;
    if (method.loss == OperatorLoss::crps) map_.ensemble = method.ensemble;
    // Arrays beside the data belong to one position.
    if (method.augment && train_.more.empty()) {
      symmetries_ = detail::symmetries_of(problem, data.grid);
      // Numbers of points that are the same wherever an axis begins are numbers of channels.
      if (method.normalization == Normalization::point) {
        symmetries_.shifts.assign(symmetries_.shifts.size(), false);
      }
      if (!symmetries_.any()) symmetries_ = {};
      order_symmetries();
    }
    auto [in, out] = detail::fit_normalizers(method.normalization, map_.channels, train_,
                                             split_.train, symmetries_);
    map_.input = std::move(in);
    map_.output = std::move(out);
    if (method.increments) {
      map_.increment =
          detail::fit_increments(method.normalization, map_.channels, train_, split_.train);
    }
    if (!method.start.empty()) begin_with(method.start);
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
    RunOptions options = options_;
    detail::watch_epochs(setup, options, target.log(), target.steps_per_epoch(), method_.epochs,
                         split_.validation > 0);
    if (batches.symmetries.any()) {
      setup.record.choices.push_back(
          fmt::format("symmetries of the equations: {}; every sample is met in all of them",
                      batches.symmetries.describe(batches.grid)));
    }
    for (const TensorTerm& t : loss.terms) setup.record.term_names.push_back(t.name);
    setup.finished_every = 1;
    setup.finished = [&](std::span<const double> theta, std::uint64_t step) {
      return target.after_step(theta, step);
    };
    std::vector<double> theta = first_;
    if (theta.empty()) {
      theta =
          initial_parameters(loss.graph->parameters(), Rng(method_.seed).split(use_of_parameters));
    }
    TrainingResult trained = train(target, std::move(theta), setup, options);
    return detail::finish_learning(problem_, all_, std::move(trained), target.log(), method_.loss,
                                   pool_->size(), [&](std::vector<double> found) {
                                     return std::make_shared<detail::TrainedFieldOperator>(
                                         std::move(map_), std::move(found));
                                   });
  }

 private:
  /// Outputs that are no scalars, in the order that the channels of the network have.
  void order_symmetries() {
    const std::vector<std::size_t> order = detail::table_of(map_.channels, train_).outputs;
    const std::size_t points = train_.grid.n_points();
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::vector<std::int32_t>& picks : symmetries_.outputs) {
      const std::vector<std::int32_t> given = picks;
      for (std::size_t i = 0; i < picks.size(); ++i) {
        const std::int32_t k = given[order[i / points] * points + i % points];
        if (k == 0) {
          picks[i] = 0;
          continue;
        }
        const auto from = static_cast<std::size_t>(std::abs(k)) - 1;
        const auto to = static_cast<std::int32_t>(place[from / points] * points + from % points);
        picks[i] = k < 0 ? -to - 1 : to + 1;
      }
    }
  }

  /// Takes parameters and normalisation of a model.
  void begin_with(const std::string& file) {
    std::shared_ptr<const TrainedOperator> model;
    try {
      model = detail::load_field_operator(load_checkpoint(file), method_);
    } catch (const Error& e) {
      throw Error(e.kind(), e.message(), "[train.start] " + file,
                  e.hint().empty() ? "give model.bin of a run with the same network" : e.hint());
    }
    const auto& from = dynamic_cast<const detail::TrainedFieldOperator&>(*model);
    const detail::Channels &mine = map_.channels, &its = from.map().channels;
    if (its.inputs != mine.inputs || its.fields != mine.fields || its.kind != mine.kind ||
        its.history != mine.history) {
      throw Error("its inputs, fields or frames are others", "[train.start] " + file,
                  "give model.bin of a run on the same data");
    }
    map_.input = from.map().input;
    map_.output = from.map().output;
    map_.increment = from.map().increment;
    first_ = from.theta();
    fingerprint_ += fmt::format(
        "start {:#010x}\n",
        detail::crc32c({reinterpret_cast<const char*>(first_.data()), 8 * first_.size()}));
  }

  /// The equations as parts of the loss: what they are measured by, and their inputs.
  detail::PhysicsTerms add_physics(detail::OperatorSamples& samples) {
    detail::PhysicsTerms terms = detail::physics_terms(map_, method_, problem_);
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
        detail::physics_inputs(map_, problem_, train_, terms.grid, numbers, false, *pool_), n);
    if (terms.values) {
      samples.set_physics_values(
          detail::physics_inputs(map_, problem_, train_, terms.grid, numbers, true, *pool_));
    }
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
    if (symmetries_.any()) {
      o.grid = train_.grid;
      o.symmetries = symmetries_;
    }
    if (method_.noise > 0) {
      for (std::size_t c = 0; c < map_.n_in(); ++c) {
        o.noise.push_back(method_.noise * map_.input.deviation(c));
      }
    }
    if (map_.ensemble) {
      noise_.emplace(*map_.ensemble, map_.grid, map_.channels.step);
      const auto members = static_cast<std::size_t>(map_.ensemble->members);
      const auto steps = static_cast<std::size_t>(method_.unroll);
      o.noise_width = members * steps * noise_->size();
      o.draw_noise = [this, members, steps](const Rng& rng, std::span<double> out) {
        noise_->of_item(rng, members, steps, out);
      };
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
  detail::LearningData all_;
  const DataSplit& split_;
  const DataSet &train_, &validation_;
  std::size_t data_size_;
  std::string fingerprint_;
  std::shared_ptr<Threads> pool_;
  detail::FieldMap map_;
  detail::Symmetries symmetries_;
  std::unique_ptr<detail::MapPredictor> predictor_, pusher_;
  std::optional<detail::EnsembleNoise> noise_;
  std::vector<double> frame_, first_;  // first_: parameters to begin with; empty: random ones
};

/// Data of a problem without numbers.
DataSet shape_of(const OperatorProblem& problem) {
  DataSet shape;
  shape.grid = grid_of(problem);
  for (const InputFunction& input : problem.inputs) shape.inputs.push_back(input.name);
  if (problem.source) shape.inputs = problem.source->inputs();
  shape.outputs = detail::output_channels(problem);
  return shape;
}

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

std::size_t unlabelled(const OperatorProblem& problem, const OperatorMethod& method,
                       const DataSet& data) {
  const bool needless = is_physics_only(method) || !data.triples.empty();
  return needless && data.size() < problem.total() ? problem.samples : 0;
}

DataSplit split_of(const OperatorProblem& problem, const DataSet& data,
                   const OperatorMethod& method) {
  if (unlabelled(problem, method, data) == 0) return split_of(problem, data);
  DataSplit split{problem.samples, problem.validation, problem.test};
  if (data.size() < split.validation + split.test) {
    split.validation = std::min(split.validation, data.size() / 3);
    split.test = std::min(split.test, data.size() - split.validation);
  }
  return split;
}

std::vector<std::string> cautions(const OperatorProblem& problem, const OperatorMethod& method) {
  const auto* deeponet = std::get_if<DeepOnet>(&method);
  if (deeponet == nullptr) return {};
  const DataSet shape = shape_of(problem);
  return detail::sensor_cautions(detail::make_deeponet_map(problem, shape, *deeponet), problem,
                                 shape);
}

namespace {

/// The loss of a field network for the data of a problem, without numbers.
detail::LossGraph loss_without_data(const OperatorProblem& problem, const FieldOperator& options) {
  const DataSet shape = shape_of(problem);
  detail::FieldMap map;
  map.network = options.network;
  map.channels = detail::channels_of(problem, shape, options);
  map.grid = shape.grid;
  map.input = detail::Normalizer(map.n_in());
  map.output = detail::Normalizer(map.n_out());
  if (options.increments) map.increment = map.output;
  if (options.loss == OperatorLoss::crps) map.ensemble = options.ensemble;
  std::optional<detail::PhysicsTerms> physics;
  if (options.physics.weight > 0) physics = detail::physics_terms(map, options, problem);
  return detail::make_loss(map, options, problem, detail::table_of(map.channels, shape).times,
                           options.pushforward ? 1 : static_cast<std::size_t>(options.unroll),
                           physics ? &*physics : nullptr);
}

}  // namespace

void check_fits(const OperatorProblem& problem, const OperatorMethod& method) {
  check_options(method);
  detail::require_equations(problem, method);
  if (const auto* deeponet = std::get_if<DeepOnet>(&method)) {
    return detail::check_deeponet(problem, shape_of(problem), *deeponet);
  }
  (void)loss_without_data(problem, std::get<FieldOperator>(method));
}

std::optional<OperatorCost> cost_of(const OperatorProblem& problem, const OperatorMethod& method) {
  const auto* options = std::get_if<FieldOperator>(&method);
  if (options == nullptr) return std::nullopt;
  const detail::LossGraph loss = loss_without_data(problem, *options);
  const auto executor =
      make_tensor_executor(loss.graph, loss.terms,
                           {.pool = std::make_shared<Threads>(1), .precision = options->precision});
  const std::size_t batch = options->batch == 0 ? 20 : options->batch;
  OperatorCost cost{loss.graph->n_parameters(), loss.graph->flops(), batch, executor->bytes(batch)};
  for (const Stage& stage : options->stages) cost.steps += static_cast<double>(stage.steps);
  if (options->stages.empty()) {
    double items = static_cast<double>(problem.samples);
    if (options->history > 0) {
      const DataSet shape = shape_of(problem);
      const auto frames =
          detail::table_of(detail::channels_of(problem, shape, *options), shape).frames.size();
      items *= static_cast<double>(frames) - options->history - options->unroll + 1;
    }
    cost.steps =
        static_cast<double>(options->epochs) * std::ceil(items / static_cast<double>(batch));
  }
  cost.training = 3 * cost.flops * static_cast<double>(batch) * cost.steps;
  return cost;
}

OperatorResult learn(const OperatorProblem& problem, const DataSet& data,
                     const OperatorMethod& method, const RunOptions& options) {
  check_options(method);
  check(data);
  detail::require_same_problem(problem, data);
  detail::require_equations(problem, method);
  if (const auto* deeponet = std::get_if<DeepOnet>(&method)) {
    return detail::learn_deeponet(problem, data, *deeponet, options);
  }
  if (!data.triples.empty()) {
    throw Error(ErrorKind::unsupported, "a network on a grid learns from answers on that grid",
                "[train]", "use kind = \"deeponet\" for triples");
  }
  return FieldTraining(problem, data, std::get<FieldOperator>(method), options).run();
}

}  // namespace cauchy
