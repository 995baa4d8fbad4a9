#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <cauchy/applications/morph.hpp>
#include <cauchy/problem/solution.hpp>  // Grade

namespace cauchy {

/// How a pre-trained model is taken to a family that it has not seen, and what it is compared with.
struct MorphFineTuning {
  double share = 0.05;  ///< of the trajectories for training; at least one
  std::size_t steps = 150;
  std::size_t batch = 16;
  double learning_rate = 5e-4;  ///< of all parameters
  int rank = 2;                 ///< of low-rank updates; 0: they are left out
  double alpha = 2;
  double lora_learning_rate = 5e-3;
  /// Of a network that starts from its first parameters, with all trajectories and with the share.
  std::size_t scratch_steps = 600;
  double scratch_learning_rate = 2e-3;
};
void visit_options(MorphFineTuning& tuning, OptionVisitor& visitor);

/// A whole study: pre-training on some families, transfer to others.
struct MorphStudy {
  MorphNetwork network = {};
  int history = 2;
  MorphTraining train = {};
  MorphFineTuning finetune = {};
  /// Largest mean over the families of the error of one step over that of standing still.
  double tolerance = 0.5;
};

/// What became of one family that the pre-training has not seen. Errors are those of its test.
struct MorphTransfer {
  std::string family;
  std::size_t few = 0, all = 0;  ///< trajectories of the share, and all for training
  MorphError zero_shot = {};     ///< pre-trained, nothing of the family seen
  MorphError full = {};          ///< the share, all parameters
  MorphError lora = {};          ///< the share, low-rank updates
  MorphError scratch_few = {};   ///< the share, from first parameters
  MorphError scratch = {};       ///< all trajectories, from first parameters
  double trainable = 0;          ///< part of the parameters that low-rank updates train
  MorphModel tuned = {};         ///< that of `full`
  /// gap_closure of the errors of one step; the naive model is the one with first parameters, for
  /// which everything stands still.
  [[nodiscard]] double gap_zero_shot() const;
  [[nodiscard]] double gap_full() const;
  [[nodiscard]] double gap_lora() const;
};

struct MorphStudyResult {
  MorphResult pretrained = {};
  struct Seen {
    std::string family;
    std::size_t trajectories = 0;
    MorphError test = {};
  };
  std::vector<Seen> seen = {};
  std::vector<MorphTransfer> transfers = {};
  Grade grade = Grade::unverified;
  std::vector<std::string> findings = {};
  double seconds = 0;
  bool interrupted = false;
};

/// Pre-trains on `seen` and goes over to each of `unseen`.
///   folder   where trained models are kept as NAME.bin; a model of the very same training that
///            lies there is taken from there. With options.checkpoint the training that goes on is
///            resumed exactly. Empty: nothing is kept
///   grade    converged: the mean ratio of errors is at most the tolerance and low shares of unseen
///            families close more than half of the gap; stalled: not so; diverged: not finite
///   time     options.max_seconds counts from this call over all trainings
[[nodiscard]] MorphStudyResult run_morph_study(const MorphStudy& study,
                                               std::span<const MorphFamily> seen,
                                               std::span<const MorphFamily> unseen,
                                               const std::filesystem::path& folder,
                                               const RunOptions& options = {});

}  // namespace cauchy
