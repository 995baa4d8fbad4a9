#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/dynamics/learn_dynamics.hpp>

#include "dynamics/block_target.hpp"
#include "dynamics/row_encoder.hpp"

namespace cauchy::detail {

/// A latent ODE without its parameters.
struct LatentForm {
  LatentOde options;
  RowUnits units;
};

/// The networks of a latent ODE over one block of trajectories:
///   encoder   an ODE-RNN from the last row to the first: h' = f(h) between rows, h <- cell(h, row)
///             at each; columns that were not seen come as 0, with a mask that says so
///   start     z(t_0) ~ N(mu, exp(v)), (mu, v) an affine map of h
///   decoder   z' = g(z), column = network(z)
/// Loss of a set: mean of ((answer - seen) / size)^2 + kl / count * KL(N(mu, exp(v)) | N(0, 1)).
class LatentNetworks final {
 public:
  LatentNetworks(const LatentForm& form, std::size_t block);

  [[nodiscard]] std::size_t n_parameters() const noexcept { return list_.size(); }
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept {
    return list_.blocks();
  }
  void prepare(std::span<const double> theta);

  /// Some trajectories, at most block() of them, and what was seen of them.
  struct Rows {
    std::vector<const Trajectory*> known;    ///< rows that are encoded
    std::vector<std::vector<double>> times;  ///< of the answers, from that of the first known row
    std::vector<std::vector<double>> noise = {};  ///< of the starts, `latent` each; empty: none
  };
  /// Memory of one thread.
  struct Lane;
  [[nodiscard]] std::shared_ptr<Lane> make_lane() const;
  /// answers[i]: row-major times x columns. Empty: good, else what went wrong.
  std::string run(Lane& lane, const Rows& rows, std::vector<std::vector<double>>& answers) const;
  /// After run(): Kullback-Leibler divergences of the starts, summed.
  [[nodiscard]] double divergence(const Lane& lane) const;
  /// After run(): adds the gradient of a loss with these seeds (as answers) plus kl * divergence().
  void pull(Lane& lane, const std::vector<std::vector<double>>& seeds, double kl,
            std::span<double> gradient) const;

 private:
  const LatentForm& form_;
  std::size_t block_, L_, M_;
  RowEncoder encoder_;
  std::unique_ptr<BlockField> latent_;
  std::unique_ptr<BlockNetwork> head_, read_out_;
  std::size_t at_head_ = 0, at_latent_ = 0, at_read_out_ = 0;
  ParameterList list_;
};

/// The loss of a set; starts are drawn anew at every step of first-order methods, others meet their
/// means.
class LatentLoss final : public BlockLoss {
 public:
  LatentLoss(const LatentForm& form, const TrajectoryData& data);
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept {
    return networks_.parameters();
  }
  [[nodiscard]] std::size_t n_parameters() const override { return networks_.n_parameters(); }
  [[nodiscard]] std::size_t n_trajectories() const override { return data_.trajectories.size(); }
  [[nodiscard]] std::size_t n_parts() const override { return 2; }  // data, divergence
  void prepare(std::span<const double> theta) override { networks_.prepare(theta); }
  bool add(std::size_t block, IndexRange range, std::uint64_t step, std::span<double> parts,
           std::span<double> gradient) override;

 private:
  const LatentForm& form_;
  const TrajectoryData& data_;
  LatentNetworks networks_;
  std::vector<std::shared_ptr<LatentNetworks::Lane>> lanes_;
  RowErrors errors_;
};

class TrainedLatentOde final : public TrainedDynamics {
 public:
  TrainedLatentOde(LatentForm form, std::vector<double> theta);
  [[nodiscard]] std::string_view kind() const noexcept override { return "latent_ode"; }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::size_t n_parameters() const noexcept override { return theta_.size(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return form_.units.columns;
  }
  [[nodiscard]] std::vector<std::vector<double>> predict(
      const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads,
      std::string* trouble) const override;
  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const TrainedDynamics> load(const Checkpoint& checkpoint,
                                                                   const DynamicsProblem& problem,
                                                                   const LatentOde& method);

 private:
  LatentForm form_;
  std::vector<double> theta_;
};

}  // namespace cauchy::detail
