#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/dynamics/learn_dynamics.hpp>

#include "dynamics/block_target.hpp"
#include "dynamics/row_encoder.hpp"

namespace cauchy::detail {

/// An ODE-RNN without its parameters.
struct OdeRnnForm {
  OdeRnn options;
  RowUnits units;
};

/// Encoder and read-out over one block of trajectories. The answer at a stop comes from h before
/// its row; at the first one from h behind it.
class OdeRnnNetworks final {
 public:
  OdeRnnNetworks(const OdeRnnForm& form, std::size_t block);

  [[nodiscard]] std::size_t n_parameters() const noexcept { return list_.size(); }
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept {
    return list_.blocks();
  }
  void prepare(std::span<const double> theta);

  /// Memory of one thread.
  struct Lane {
    RowEncoder::Lane encoder;
    std::vector<AlignedVector<double>> arenas;  ///< of the read-out at every visit
    AlignedVector<double> scratch;
  };
  [[nodiscard]] Lane make_lane() const;
  /// answers[i]: row-major stops x columns. Empty: good, else what went wrong.
  std::string run(Lane& lane, const RowEncoder::Stops& stops,
                  std::vector<std::vector<double>>& answers) const;
  /// After run(): adds the gradient of a loss with these seeds (as answers).
  void pull(Lane& lane, const std::vector<std::vector<double>>& seeds,
            std::span<double> gradient) const;

 private:
  /// h that the answers of a visit come from.
  [[nodiscard]] static const double* source(const RowEncoder::Lane& lane, std::size_t visit) {
    const RowEncoder::Lane::Visit& v = lane.visits[visit];
    return visit == 0 ? v.after.data() : v.in.data();
  }

  const OdeRnnForm& form_;
  std::size_t block_, M_;
  RowEncoder encoder_;
  std::unique_ptr<BlockNetwork> read_out_;
  std::size_t at_read_out_ = 0;
  ParameterList list_;
};

/// Mean of ((answer - seen) / size)^2 over all rows.
class OdeRnnLoss final : public BlockLoss {
 public:
  OdeRnnLoss(const OdeRnnForm& form, const TrajectoryData& data);
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept {
    return networks_.parameters();
  }
  [[nodiscard]] std::size_t n_parameters() const override { return networks_.n_parameters(); }
  [[nodiscard]] std::size_t n_trajectories() const override { return data_.trajectories.size(); }
  [[nodiscard]] std::size_t n_parts() const override { return 1; }
  void prepare(std::span<const double> theta) override { networks_.prepare(theta); }
  bool add(std::size_t block, IndexRange range, std::uint64_t step, std::span<double> parts,
           std::span<double> gradient) override;

 private:
  const OdeRnnForm& form_;
  const TrajectoryData& data_;
  OdeRnnNetworks networks_;
  std::vector<OdeRnnNetworks::Lane> lanes_;
  RowErrors errors_;
};

class TrainedOdeRnn final : public TrainedDynamics {
 public:
  TrainedOdeRnn(OdeRnnForm form, std::vector<double> theta);
  [[nodiscard]] std::string_view kind() const noexcept override { return "ode_rnn"; }
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
                                                                   const OdeRnn& method);

 private:
  OdeRnnForm form_;
  std::vector<double> theta_;
};

}  // namespace cauchy::detail
