#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/applications/morph_network.hpp>
#include <cauchy/applications/uptf.hpp>
#include <cauchy/engine/executor.hpp>  // Precision
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// A network of MORPH with its parameters. It goes on from `history` moments of a trajectory:
///   u_{m+1} = u_m + a b y(x),  x = (u_m - mean) / a and, before it, (u_k - u_{k-1}) / (a b)
/// mean, a and b are numbers of the moments that are given, per field (the mean per component): a
/// is their deviation, b the root mean square of the last change in its units (1 for one moment).
/// So no unit and no size belongs to the network, and nothing of a trajectory but these moments is
/// used. With its first parameters y = 0: everything stays as it is.
struct MorphModel {
  MorphNetwork network = {};
  int history = 2;
  Lora lora = {};
  std::vector<double> theta = {};  ///< of the graph with the low-rank updates

  /// Parameters that a training changes: with low-rank updates these alone.
  [[nodiscard]] std::size_t n_trainable() const;
  void save(Checkpoint& checkpoint) const;
  [[nodiscard]] static MorphModel load(const Checkpoint& checkpoint);
};

/// A network with its first parameters.
[[nodiscard]] MorphModel fresh_morph(const MorphNetwork& network, int history, std::uint64_t seed);
/// The same network with low-rank updates that are 0; its own parameters are frozen from here on.
///   error    throws Error for a model that has some, and a rank below 1
[[nodiscard]] MorphModel with_lora(const MorphModel& model, const Lora& lora, std::uint64_t seed);
/// The network with the updates multiplied out and added to its matrices.
[[nodiscard]] MorphModel merged(const MorphModel& model);
/// Its own parameters, without those of low-rank updates.
[[nodiscard]] std::vector<double> own_parameters(const MorphModel& model);

/// The next moment for every one that has `history` moments up to it: moments history ... T, in
/// the shape (N, T - history + 1, ...). The last one has no truth in the data.
///   error    throws Error for fewer moments, more components than the network has, a grid that
///            patches do not divide
[[nodiscard]] Uptf next_moments(const MorphModel& model, const Uptf& data, int threads = 0);
/// Goes on from the first `history` moments for `steps` moments, from its own answers.
[[nodiscard]] Uptf roll_out(const MorphModel& model, const Uptf& data, std::size_t steps,
                            int threads = 0);

/// Relative L2 errors, per trajectory |v - u| / |u| over all moments and points, the root mean
/// square of those of the fields; means over the trajectories.
struct MorphError {
  double one_step = 0;          ///< from the truth
  double still = 0;             ///< of u_{m+1} = u_m, from the truth
  double rolled_out = 0;        ///< from the first `history` moments to the end
  double rolled_out_still = 0;  ///< of the last of these for ever
};
[[nodiscard]] MorphError measure(const MorphModel& model, const Uptf& data, int threads = 0);

/// Gap-closure ratio (1 - pretrained / naive) / (1 - scratch / naive): 1 where the pre-trained
/// model is as good as one that was trained from scratch on all data, 0 where it is as bad as the
/// naive one.
///   NaN      scratch is no better than naive
[[nodiscard]] double gap_closure(double pretrained, double scratch, double naive);

/// Trajectories of one kind.
struct MorphFamily {
  std::string name;
  Uptf train, validation, test;
};

struct MorphTraining {
  std::size_t steps = 1000;  ///< of Adam, with a rate that grows first and falls along a cosine
  std::size_t batch = 16;    ///< moments of one family; families take turns from step to step
  double learning_rate = 2e-3;
  bool shifts = true;  ///< along periodic axes by random numbers of points
  std::uint64_t seed = 1;
  Precision precision = Precision::f32;
};
void visit_options(MorphTraining& training, OptionVisitor& visitor);

/// A training that has ended.
struct MorphResult {
  MorphModel model;
  TrainingRecord record;
  double validation = 0;  ///< error of one step of the parameters that were kept; NaN: not asked
  double seconds = 0;
  bool interrupted = false;
  std::vector<std::string> troubles = {};
};
/// Learns the next moment of all families with mean square error in the units of the last change.
/// Where every family has trajectories for validation, the parameters with the lowest mean error of
/// one step over the families are kept, else the last ones.
///   determinism  same bits for any number of threads, exact resume from options.checkpoint
///   error        throws Error for families that the model cannot take, with the name
[[nodiscard]] MorphResult train_morph(const MorphModel& start,
                                      std::span<const MorphFamily> families,
                                      const MorphTraining& training,
                                      const RunOptions& options = {});

/// What one step of a family costs, from its graph alone; nothing is run.
struct MorphCost {
  std::size_t parameters = 0;
  double flops = 0;       ///< forward, one sample
  std::size_t bytes = 0;  ///< of arrays for a batch, with one thread
};
[[nodiscard]] MorphCost cost_of(const MorphNetwork& network, const MorphShape& shape,
                                std::size_t batch, Precision precision = Precision::f32);

}  // namespace cauchy
