#include <cauchy/applications/morph_transfer.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "applications/morph/morph_training.hpp"

namespace cauchy {
namespace {

/// Trains models one after the other, and takes those that are there.
class ModelKeeper final {
 public:
  ModelKeeper(std::filesystem::path folder, RunOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  MorphResult train(const std::string& name, const MorphModel& start,
                    std::span<const MorphFamily> families, const MorphTraining& training) {
    const std::string print = detail::morph_fingerprint(start, families, training);
    const std::filesystem::path file = folder_ / (name + ".bin");
    if (!folder_.empty() && std::filesystem::exists(file)) {
      const Checkpoint c = load_checkpoint(file);
      if (c.text("fingerprint") == print) {
        MorphResult r{.model = MorphModel::load(c), .record = {}};
        r.record.steps = c.number("steps");
        r.validation = c.array("end").values.at(0);
        r.seconds = c.array("end").values.at(1);
        return r;
      }
    }
    MorphResult r = train_morph(start, families, training, options_);
    if (folder_.empty() || r.interrupted) return r;
    Checkpoint c;
    r.model.save(c);
    c.texts["fingerprint"] = print;
    c.numbers["steps"] = r.record.steps;
    c.arrays["end"] = Array::list({r.validation, r.seconds});
    save_checkpoint(file, c);
    // The next training is another one: it must not find this one's checkpoint.
    if (!options_.checkpoint.empty()) std::filesystem::remove(options_.checkpoint);
    return r;
  }

 private:
  std::filesystem::path folder_;
  RunOptions options_;
};

/// One family, from the pre-trained model; false: stopped on the way.
bool transfer(const MorphStudy& study, const MorphModel& pretrained, const MorphFamily& family,
              ModelKeeper& keeper, int threads, MorphTransfer& t) {
  const MorphFineTuning& how = study.finetune;
  t.family = family.name;
  t.all = family.train.size();
  const double wanted = how.share * static_cast<double>(t.all);
  t.few = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(wanted)), 1, t.all);
  // What validates would be data as well: the last parameters are taken.
  const MorphFamily few{family.name, family.train.part(0, t.few), {}, {}},
      all{family.name, family.train, {}, {}};
  MorphTraining training = study.train;
  training.batch = how.batch;
  const auto learn = [&](const char* way, const MorphModel& start, const MorphFamily& from,
                         std::size_t steps, double rate, MorphError& error) {
    training.steps = steps;
    training.learning_rate = rate;
    const MorphResult r =
        keeper.train(fmt::format("{}_{}", family.name, way), start, std::span(&from, 1), training);
    if (r.interrupted) return false;
    error = measure(r.model, family.test, threads);
    if (&error == &t.full) t.tuned = r.model;
    return true;
  };
  t.zero_shot = measure(pretrained, family.test, threads);
  if (!learn("full", pretrained, few, how.steps, how.learning_rate, t.full)) return false;
  if (how.rank > 0) {
    const MorphModel adapted = with_lora(pretrained, {how.rank, how.alpha}, study.train.seed);
    t.trainable =
        static_cast<double>(adapted.n_trainable()) / static_cast<double>(pretrained.theta.size());
    if (!learn("lora", adapted, few, how.steps, how.lora_learning_rate, t.lora)) return false;
  }
  const MorphModel fresh = fresh_morph(study.network, study.history, study.train.seed);
  return learn("scratch_few", fresh, few, how.steps, how.scratch_learning_rate, t.scratch_few) &&
         learn("scratch", fresh, all, how.scratch_steps, how.scratch_learning_rate, t.scratch);
}

void grade_study(const MorphStudy& study, MorphStudyResult& r) {
  double ratio = 0;
  for (const auto& s : r.seen) {
    ratio += s.test.one_step / s.test.still / static_cast<double>(r.seen.size());
  }
  r.grade = Grade::converged;
  r.findings.push_back(
      fmt::format("one step misses the truth by {:.3g} of what standing still does, in the mean "
                  "over {} families",
                  ratio, r.seen.size()));
  if (!(ratio <= study.tolerance)) r.grade = Grade::stalled;
  for (const MorphTransfer& t : r.transfers) {
    const double gap = t.gap_full();
    if (!(gap > 0.5)) r.grade = Grade::stalled;
    r.findings.push_back(fmt::format(
        "'{}', not seen before: {} of {} trajectories close {:.2f} of the gap, none of them "
        "{:.2f}",
        t.family, t.few, t.all, gap, t.gap_zero_shot()));
  }
  if (!std::isfinite(ratio)) r.grade = Grade::diverged;
  for (const std::string& trouble : r.pretrained.troubles) r.findings.push_back(trouble);
  if (r.interrupted) {
    r.grade = Grade::unverified;
    r.findings.assign(1, "the study was stopped before its end");
  }
}

}  // namespace

void visit_options(MorphFineTuning& t, OptionVisitor& v) {
  v.number("share", t.share, NumberRange::up_to_one);
  v.count("steps", t.steps, 1);
  v.count("batch", t.batch, 1);
  v.number("learning_rate", t.learning_rate, NumberRange::positive);
  v.count("rank", t.rank, 0, 10'000);
  v.number("alpha", t.alpha, NumberRange::positive);
  v.number("lora_learning_rate", t.lora_learning_rate, NumberRange::positive);
  v.count("scratch_steps", t.scratch_steps, 1);
  v.number("scratch_learning_rate", t.scratch_learning_rate, NumberRange::positive);
}

double MorphTransfer::gap_zero_shot() const {
  return gap_closure(zero_shot.one_step, scratch.one_step, scratch.still);
}
double MorphTransfer::gap_full() const {
  return gap_closure(full.one_step, scratch.one_step, scratch.still);
}
double MorphTransfer::gap_lora() const {
  return gap_closure(lora.one_step, scratch.one_step, scratch.still);
}

MorphStudyResult run_morph_study(const MorphStudy& study, std::span<const MorphFamily> seen,
                                 std::span<const MorphFamily> unseen,
                                 const std::filesystem::path& folder, const RunOptions& options) {
  const RunLimit limit = begin_limit(options);
  if (!folder.empty()) std::filesystem::create_directories(folder);
  ModelKeeper keeper(folder, within(options, limit));
  MorphStudyResult r;
  r.pretrained = keeper.train(
      "pretrained", fresh_morph(study.network, study.history, study.train.seed), seen, study.train);
  r.interrupted = r.pretrained.interrupted;
  for (const MorphFamily& f : seen) {
    if (limit.reached()) {
      r.interrupted = true;
      break;
    }
    r.seen.push_back(
        {f.name, f.train.size(), measure(r.pretrained.model, f.test, options.threads)});
  }
  for (std::size_t k = 0; k < unseen.size() && !r.interrupted; ++k) {
    MorphTransfer t;
    r.interrupted = !transfer(study, r.pretrained.model, unseen[k], keeper, options.threads, t);
    if (!r.interrupted) r.transfers.push_back(std::move(t));
  }
  r.seconds = limit.seconds();
  grade_study(study, r);
  return r;
}

}  // namespace cauchy
