#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/pinn/pinn_field.hpp"
#include "solvers/pinn/window.hpp"

namespace cauchy::detail {

/// One network per window of time, as one field; beyond the last window its network goes on.
class WindowField final : public NetworkField {
 public:
  struct Part {
    Window window;
    std::shared_ptr<const PinnField> field;
  };
  /// time_column: of the coordinates of the problem.
  WindowField(std::vector<Part> parts, std::size_t time_column, std::size_t columns)
      : parts_(std::move(parts)), time_column_(time_column), columns_(columns) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "pinn"; }
  void save(Checkpoint& checkpoint) const override;
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override;
  [[nodiscard]] std::vector<std::string> parts() const override {
    return parts_.empty() ? std::vector<std::string>{} : parts_.front().field->parts();
  }
  [[nodiscard]] std::vector<TrainedNetwork> networks() const override;

 private:
  std::vector<Part> parts_;
  std::size_t time_column_, columns_;
};

/// The largest absolute values of the fields in a window, of those that are not 0.
[[nodiscard]] std::map<std::string, double> field_sizes(const Problem& problem,
                                                        const WindowField::Part& part);

/// Windows and the parameters of their networks in a checkpoint, behind a prefix.
void save_windows(Checkpoint& checkpoint, std::span<const WindowField::Part> parts);
struct SavedWindow {
  Window window;
  std::optional<Elm> features;  ///< its network, where it has random features
  std::vector<double> theta;
};
///   error    throws Error when the numbers do not fit together
[[nodiscard]] std::vector<SavedWindow> load_windows(const Checkpoint& checkpoint);
[[nodiscard]] bool has_windows(const Checkpoint& checkpoint);

}  // namespace cauchy::detail
