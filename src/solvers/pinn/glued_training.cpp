#include "solvers/pinn/glued_training.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/training_diagnosis.hpp>

#include "training/checkpoints.hpp"

namespace cauchy::detail {
namespace {

/// Steps and seconds of one training as those of the whole run.
class ShiftedProgress final : public Progress {
 public:
  ShiftedProgress(Progress& sink, std::uint64_t steps, double seconds, double limit,
                  std::string_view what)
      : sink_(sink), steps_(steps), seconds_(seconds), limit_(limit), what_(what) {}

  void update(const ProgressState& state) override {
    ProgressState shifted = state;
    shifted.step += steps_;
    shifted.total = 0;  // not known
    shifted.elapsed_s += seconds_;
    shifted.limit_s = limit_;
    shifted.message = what_;
    sink_.update(shifted);
  }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return sink_.stop_requested(); }

 private:
  Progress& sink_;
  std::uint64_t steps_;
  double seconds_, limit_;
  std::string_view what_;
};

/// Of several trainings the one with the largest residual is told about.
bool is_worse(const TrainingDiagnosis* a, const TrainingDiagnosis* b) {
  const auto worst = [](const TrainingDiagnosis* d) {
    double w = -1;
    if (d == nullptr || d->entries.empty()) return w;
    for (const double r : d->entries.back().residuals) w = std::max(w, r);
    return w;
  };
  return a != nullptr && (b == nullptr || worst(a) > worst(b));
}

}  // namespace

GluedTraining::GluedTraining(TrainingRecord first, const RunOptions& options)
    : record_(std::move(first)), options_(options) {}

void GluedTraining::append(const TrainingRecord& part, std::size_t from,
                           const std::vector<std::size_t>& to, double seconds_before) {
  for (std::size_t i = from; i < part.history.size(); ++i) {
    HistoryEntry entry = part.history[i];
    entry.step += record_.steps;
    entry.seconds += seconds_before;
    entry.terms.assign(record_.term_names.size(), 0.0);
    for (std::size_t t = 0; t < to.size(); ++t) entry.terms[to[t]] += part.history[i].terms[t];
    record_.history.push_back(std::move(entry));
  }
}

TrainingResult GluedTraining::train(
    const std::function<TrainingResult(const TrainingSetup&, const RunOptions&)>& run,
    TrainingSetup setup, const std::vector<std::size_t>& to, const std::string& what,
    double seconds) {
  RunOptions options = within(options_, limit_);
  options.max_seconds = seconds;
  std::optional<ShiftedProgress> progress;
  if (options_.progress != nullptr) {
    progress.emplace(*options_.progress, record_.steps, seconds_, limit_.max_seconds(), what);
    options.progress = &*progress;
  }
  // While it runs, the common history ends with what this training has so far.
  const std::size_t begin = record_.history.size();
  std::size_t seen = 0;
  options.on_history = [&](const TrainingRecord& part) {
    if (part.history.size() <= seen) seen = 0;
    append(part, seen, to, seconds_);
    seen = part.history.size();
    if (options_.on_history) options_.on_history(record_);
  };
  setup.save_more = [this, begin, more = setup.save_more](Checkpoint& c) {
    GluedTraining before = *this;
    before.record_.history.resize(std::min(begin, record_.history.size()));
    before.save(c);
    if (more) more(c);
  };
  TrainingResult result = run(setup, options);
  record_.history.resize(begin);
  append(result.record, 0, to, seconds_);
  for (TrainingEvent event : result.record.events) {
    event.step += record_.steps;
    event.seconds += seconds_;
    record_.events.push_back(std::move(event));
  }
  if (is_worse(result.record.diagnosis.get(), record_.diagnosis.get())) {
    record_.diagnosis = result.record.diagnosis;
  }
  record_.steps += result.record.steps;
  record_.evaluations += result.record.evaluations;
  seconds_ += result.seconds;
  return result;
}

void GluedTraining::note(std::string text) {
  record_.events.push_back({record_.steps, seconds_, std::move(text)});
}

void GluedTraining::save(Checkpoint& c) const {
  Checkpoint own;
  save_history(own, record_.history);
  save_events(own, record_.events);
  for (auto& [name, array] : own.arrays) c.arrays["glued/" + name] = array;
  for (auto& [name, number] : own.numbers) c.numbers["glued/" + name] = number;
  for (auto& [name, text] : own.texts) c.texts["glued/" + name] = text;
  c.numbers["glued/steps"] = record_.steps;
  c.numbers["glued/evaluations"] = record_.evaluations;
  c.arrays["glued/seconds"] = Array::list({seconds_});
}

void GluedTraining::restore(const Checkpoint& c) {
  Checkpoint own;
  const std::string prefix = "glued/";
  const auto take = [&](const auto& from, auto& to) {
    for (const auto& [name, value] : from) {
      if (name.starts_with(prefix)) to[name.substr(prefix.size())] = value;
    }
  };
  take(c.arrays, own.arrays);
  take(c.numbers, own.numbers);
  take(c.texts, own.texts);
  record_.history = load_history(own, record_);
  record_.events = load_events(own);
  record_.steps = own.number("steps");
  record_.evaluations = own.number("evaluations");
  const std::vector<double>& time = own.array("seconds").values;
  if (time.size() != 1 || !(time[0] >= 0)) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", "[training]", "start the run anew");
  }
  seconds_ = time[0];
}

}  // namespace cauchy::detail
