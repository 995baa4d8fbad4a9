#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <cauchy/applications/morph.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/training/training.hpp>

#include "applications/morph/morph_training.hpp"
#include "applications/morph/morph_window.hpp"
#include "io/crc32c.hpp"
#include "operators/epoch_log.hpp"

namespace cauchy {
namespace {

/// Entries of the history of a training.
constexpr std::uint64_t n_entries = 20;
/// Batches per family that the value at both ends of a run is the mean over.
constexpr std::size_t judged_batches = 4;
// Uses of random numbers, each with streams of its own.
constexpr std::uint64_t use_of_batches = 2, use_of_shifts = 3;

/// One family on its way through a training.
class FamilyBatches final {
 public:
  FamilyBatches(const MorphModel& model, const MorphFamily& family, const MorphTraining& training,
                std::shared_ptr<Threads> pool, std::uint64_t number)
      : data_(family.train),
        training_(training),
        window_(family.train, model.network, model.history),
        history_(static_cast<std::size_t>(model.history)),
        number_(number) {
    check(data_);
    if (data_.shape[1] <= history_) {
      throw Error(fmt::format("axis T has {} moments, {} are needed to learn", data_.shape[1],
                              history_ + 1),
                  "[morph]");
    }
    const detail::MorphGraph g =
        detail::make_morph_graph(model.network, window_.shape(), model.lora, window_.weights());
    executor_ = make_tensor_executor(g.graph, {{family.name, g.loss}},
                                     {.pool = std::move(pool), .precision = training.precision});
    order_.resize(data_.size() * (data_.shape[1] - history_));
    units_.resize(data_.shape[2]);
  }

  [[nodiscard]] TensorExecutor& executor() { return *executor_; }
  [[nodiscard]] std::size_t batch() const { return std::min(training_.batch, order_.size()); }

  /// The batch of its turn number `turn`: every moment once in a round, in an order drawn anew.
  void load(std::uint64_t turn) {
    const std::uint64_t per_round = order_.size() / batch(), round = turn / per_round;
    const Rng rng = Rng(training_.seed).split(use_of_batches).split(number_).split(round);
    if (round != round_) {
      Rng(rng).permutation(order_);
      round_ = round;
    }
    const auto first = static_cast<std::size_t>(turn % per_round) * batch();
    fill(std::span(order_).subspan(first, batch()), training_.shifts ? turn + 1 : 0);
  }
  /// Some batches in the order of the data, without shifts; false: there are no more.
  bool load_plain(std::size_t k) {
    if (k >= judged_batches || k * batch() >= order_.size()) return false;
    std::vector<std::size_t> items(std::min(batch(), order_.size() - k * batch()));
    // Spread over the trajectories.
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = (k * batch() + i) * order_.size() / (judged_batches * batch()) % order_.size();
    }
    fill(items, 0);
    return true;
  }

 private:
  void fill(std::span<const std::size_t> items, std::uint64_t shift) {
    const std::size_t per = data_.shape[1] - history_, frame = data_.frame_size();
    in_.resize(items.size() * window_.in_size());
    out_.resize(items.size() * window_.out_size());
    const std::span<double> in(in_), out(out_);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t n = items[i] / per, m = items[i] % per;
      std::span<const double> frames =
          std::span<const double>(data_.values)
              .subspan((n * data_.shape[1] + m) * frame, (history_ + 1) * frame);
      if (shift > 0) frames = shifted(frames, shift, i);
      window_.encode(frames.first(history_ * frame),
                     in.subspan(i * window_.in_size(), window_.in_size()), units_);
      window_.encode_next(frames.subspan((history_ - 1) * frame, frame),
                          frames.subspan(history_ * frame), units_,
                          out.subspan(i * window_.out_size(), window_.out_size()));
    }
    const std::span<const double> inputs[] = {in_, out_};
    executor_->set_batch(items.size(), inputs);
  }

  /// Moved along periodic axes by numbers of points that the turn and the place in it decide.
  std::span<const double> shifted(std::span<const double> frames, std::uint64_t turn,
                                  std::size_t place) {
    const Rng rng =
        Rng(training_.seed).split(use_of_shifts).split(number_).split(turn).split(place);
    std::array<std::size_t, 3> n = {}, by = {};
    for (std::size_t a = 0; a < 3; ++a) {
      n[a] = data_.shape[4 + a];
      if (data_.periodic[a]) by[a] = rng.bits64_at(a) % n[a];
    }
    moved_.resize(frames.size());
    const std::size_t points = n[0] * n[1] * n[2];
    for (std::size_t first = 0; first < frames.size(); first += points) {
      std::size_t p = first;
      for (std::size_t d = 0; d < n[0]; ++d) {
        for (std::size_t h = 0; h < n[1]; ++h) {
          const std::size_t row = first + ((d + by[0]) % n[0] * n[1] + (h + by[1]) % n[1]) * n[2];
          for (std::size_t w = 0; w < n[2]; ++w) moved_[p++] = frames[row + (w + by[2]) % n[2]];
        }
      }
    }
    return moved_;
  }

  const Uptf& data_;
  const MorphTraining& training_;
  detail::MorphWindow window_;
  std::size_t history_;
  std::uint64_t number_;
  std::unique_ptr<TensorExecutor> executor_;
  std::vector<std::size_t> order_;
  std::uint64_t round_ = ~std::uint64_t{0};
  std::vector<double> in_, out_, units_, moved_;
};

/// Families in turns as a target of the training loop, over the parameters that may change.
class FamiliesTarget final : public TrainingTarget, private Objective {
 public:
  FamiliesTarget(const MorphModel& model, std::span<const MorphFamily> families,
                 const MorphTraining& training, const std::shared_ptr<Threads>& pool,
                 detail::EpochLog::Validation validation, std::uint64_t entry)
      : log_(std::move(validation), 0), entry_(entry), theta_(model.theta) {
    for (std::size_t f = 0; f < families.size(); ++f) {
      try {
        families_.push_back(std::make_unique<FamilyBatches>(model, families[f], training, pool, f));
      } catch (const Error& e) {
        throw Error(e.kind(), fmt::format("family '{}': {}", families[f].name, e.message()),
                    e.place(), e.hint());
      }
    }
    for (const ParameterBlock& b : families_.front()->executor().graph().parameters()) {
      if (model.lora.rank > 0 && !is_lora(b)) continue;
      for (std::ptrdiff_t i = 0; i < b.size(); ++i) {
        free_.push_back(static_cast<std::size_t>(b.offset + i));
      }
    }
    gradient_.resize(theta_.size());
    parts_.assign(families_.size(), 0.0);
  }

  [[nodiscard]] detail::EpochLog& log() { return log_; }
  /// All parameters with these in place of the free ones.
  [[nodiscard]] const std::vector<double>& all(std::span<const double> x) {
    for (std::size_t i = 0; i < free_.size(); ++i) theta_[free_[i]] = x[i];
    return theta_;
  }
  [[nodiscard]] std::vector<double> free(std::span<const double> theta) const {
    std::vector<double> x(free_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) x[i] = theta[free_[i]];
    return x;
  }
  bool after_step(std::span<const double> x, std::uint64_t step) {
    log_.add_loss(last_);
    if (step % entry_ == 0) log_.end_epoch(x, step);
    return false;
  }

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return parts_; }
  void start() override { now_ = families_.size(); }
  void begin_stage(std::size_t, bool) override {}
  bool ask(const TrainingStep& step) override {
    now_ = static_cast<std::size_t>(step.step % families_.size());
    families_[now_]->load(step.step / families_.size());
    families_[now_]->executor().set_step(step.step);
    return true;
  }
  void end(const TrainingStep& step) override {
    if (log_.has_losses()) log_.end_epoch(step.theta, step.step);
    start();
  }
  [[nodiscard]] std::vector<News> take_news() override { return log_.take_news(); }
  void save(Checkpoint& c) const override { log_.save(c); }
  void restore(const Checkpoint& c, std::size_t) override { log_.restore(c, size()); }

 private:
  [[nodiscard]] std::size_t size() const override { return free_.size(); }
  [[nodiscard]] double value(std::span<const double> x) override {
    const std::vector<double>& theta = all(x);
    if (now_ < families_.size()) {
      last_ = families_[now_]->executor().loss(theta);
      std::ranges::fill(parts_, 0.0);
      return parts_[now_] = last_;
    }
    double sum = 0;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      double mean = 0;
      std::size_t n = 0;
      while (families_[f]->load_plain(n)) mean += families_[f]->executor().loss(theta), ++n;
      parts_[f] = mean / static_cast<double>(n * families_.size());
      sum += parts_[f];
    }
    return last_ = sum;
  }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    if (now_ >= families_.size()) throw Error("no family has a turn", "[morph]");
    last_ = families_[now_]->executor().gradient(all(x), gradient_);
    for (std::size_t i = 0; i < free_.size(); ++i) g[i] = gradient_[free_[i]];
    std::ranges::fill(parts_, 0.0);
    return parts_[now_] = last_;
  }

  std::vector<std::unique_ptr<FamilyBatches>> families_;
  detail::EpochLog log_;
  std::uint64_t entry_;
  std::vector<double> theta_, gradient_, parts_;
  std::vector<std::size_t> free_;
  std::size_t now_ = 0;  // the family of this step; their number: all of them
  double last_ = 0;
};

std::uint32_t sum_of(std::span<const double> numbers) {
  return detail::crc32c({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace

std::string detail::morph_fingerprint(const MorphModel& start,
                                      std::span<const MorphFamily> families,
                                      const MorphTraining& training) {
  std::string out =
      fmt::format("morph {} history {} rank {} alpha {} start {:#010x}\n{}\n",
                  describe(start.network), start.history, start.lora.rank, start.lora.alpha,
                  sum_of(start.theta), option_text("train", training));
  for (const MorphFamily& f : families) {
    out += fmt::format("{} {} {:#010x}\n", f.name, shape_text(f.train), sum_of(f.train.values));
  }
  return out;
}

void visit_options(MorphTraining& t, OptionVisitor& v) {
  v.count("steps", t.steps, 1);
  v.count("batch", t.batch, 1);
  v.number("learning_rate", t.learning_rate, NumberRange::positive);
  v.flag("shifts", t.shifts);
  v.seed("seed", t.seed);
  v.word("precision", t.precision, {{"f32", Precision::f32}, {"f64", Precision::f64}});
}

MorphResult train_morph(const MorphModel& start, std::span<const MorphFamily> families,
                        const MorphTraining& training, const RunOptions& options) {
  if (families.empty()) throw Error("there is no family to learn from", "[morph]");
  const auto pool = std::make_shared<Threads>(options.threads);
  const bool validated = std::all_of(families.begin(), families.end(), [](const MorphFamily& f) {
    return !f.validation.values.empty();
  });
  std::vector<std::unique_ptr<detail::MorphStepper>> steppers;
  FamiliesTarget* all = nullptr;
  detail::EpochLog::Validation validation;
  if (validated) {
    for (const MorphFamily& f : families) {
      steppers.push_back(std::make_unique<detail::MorphStepper>(start, f.validation, pool));
    }
    validation = [&](std::span<const double> x) {
      double mean = 0;
      const std::size_t h = static_cast<std::size_t>(start.history);
      for (std::size_t f = 0; f < families.size(); ++f) {
        const Uptf& u = families[f].validation;
        const Uptf v = detail::all_next_moments(*steppers[f], all->all(x), u, start.history);
        mean += detail::relative_error(v, 0, u, h, u.shape[1] - h);
      }
      return mean / static_cast<double>(families.size());
    };
  }
  const std::uint64_t entry = std::max<std::uint64_t>(1, training.steps / n_entries);
  FamiliesTarget target(start, families, training, pool, std::move(validation), entry);
  all = &target;
  Stage stage{AdamOptions{.learning_rate = training.learning_rate}, training.steps};
  const std::uint64_t warmup = stage.steps / 20;
  stage.schedule = {.shape = ScheduleShape::cosine,
                    .steps = std::max<std::uint64_t>(1, stage.steps - warmup),
                    .final_factor = 1e-3,
                    .warmup_steps = warmup};
  TrainingSetup setup;
  setup.stages = {stage};
  setup.pool = pool;
  setup.fingerprint = detail::morph_fingerprint(start, families, training);
  for (const MorphFamily& f : families) setup.record.term_names.push_back(f.name);
  setup.record.has_reference = validated;
  RunOptions run = options;
  run.history_every = entry;
  run.error_share = std::numeric_limits<double>::infinity();
  if (validated) {
    setup.error = setup.rough_error = [&](std::span<const double> x) {
      return target.log().validation_error(x);
    };
  }
  setup.finished_every = 1;
  setup.finished = [&](std::span<const double> x, std::uint64_t step) {
    return target.after_step(x, step);
  };
  TrainingResult trained = train(target, target.free(start.theta), setup, run);
  MorphResult r{.model = start, .record = std::move(trained.record)};
  const bool best = validated && target.log().best_epoch() > 0;
  const std::vector<double>& kept = best ? target.log().best_theta() : trained.theta;
  r.model.theta = target.all(kept);
  r.validation =
      validated ? target.log().validation_error(kept) : std::numeric_limits<double>::quiet_NaN();
  r.seconds = trained.seconds;
  r.interrupted = trained.interrupted;
  r.troubles = std::move(trained.outcome.troubles);
  return r;
}

}  // namespace cauchy
