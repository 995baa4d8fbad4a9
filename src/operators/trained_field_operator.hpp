#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cauchy/operators/trained_operator.hpp>

#include "operators/field_map.hpp"

namespace cauchy::detail {

/// A field network with its numbers. Graphs are made for the grids that are asked for, the last one
/// is kept.
class TrainedFieldOperator final : public TrainedOperator {
 public:
  TrainedFieldOperator(FieldMap map, std::vector<double> theta);
  ~TrainedFieldOperator() override;

  [[nodiscard]] const FieldMap& map() const noexcept { return map_; }
  [[nodiscard]] const std::vector<double>& theta() const noexcept { return theta_; }

  [[nodiscard]] std::string_view kind() const noexcept override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::size_t n_parameters() const noexcept override { return theta_.size(); }
  [[nodiscard]] const FieldGrid& grid() const noexcept override { return map_.grid; }
  [[nodiscard]] const std::vector<std::string>& inputs() const noexcept override {
    return map_.channels.inputs;
  }
  [[nodiscard]] const std::vector<std::string>& outputs() const noexcept override {
    return map_.channels.outputs;
  }
  [[nodiscard]] std::vector<std::size_t> given(const DataSet& data) const override;
  void check_fits(const DataSet& data) const override;
  [[nodiscard]] std::vector<double> predict(const DataSet& data, int threads) const override;
  [[nodiscard]] std::size_t members() const noexcept override;
  [[nodiscard]] std::vector<double> predict_member(const DataSet& data, std::size_t member,
                                                   int threads) const override;
  void save(Checkpoint& checkpoint) const override;

 private:
  MapPredictor& predictor(const DataSet& data, int threads) const;
  /// Throws Error unless the network can answer there.
  void require_grid(const FieldGrid& grid) const;
  void require_parameters(std::size_t n, const FieldGrid& grid) const;

  FieldMap map_;
  std::vector<double> theta_;
  mutable std::mutex mutex_;  // guards all below
  mutable int threads_ = 0;
  mutable std::unique_ptr<MapPredictor> predictor_;
};

[[nodiscard]] std::shared_ptr<const TrainedOperator> load_field_operator(
    const Checkpoint& checkpoint, const FieldOperator& method);

/// Throws Error unless a grid has the box of another one: axes, ends, what is periodic.
void require_same_box(const FieldGrid& grid, const FieldGrid& wanted);

/// A grid as numbers and text, and back.
void save_grid(Checkpoint& checkpoint, const FieldGrid& grid);
[[nodiscard]] FieldGrid load_grid(const Checkpoint& checkpoint);

}  // namespace cauchy::detail
