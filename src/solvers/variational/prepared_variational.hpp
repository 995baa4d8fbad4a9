#pragma once

#include <memory>
#include <optional>
#include <string>

#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/variational/false_minimum.hpp"

namespace cauchy::detail {

/// A network whose equations stand in its loss in another way than by residuals at points. All
/// else, conditions, points, stages, is that of a PINN.
struct VariationalNetwork {
  std::string name;         ///< of the method
  PinnAssembly pinn;        ///< with the terms of the method
  std::string fingerprint;  ///< what its terms depend on besides the problem and the trial
  bool strong = false;      ///< no derivative is moved by parts
  /// The first term is this energy, at nodes that stay.
  std::optional<EnergyAtNodes> energy = {};
};

/// The energy of a problem.
///   error    throws Error (unsupported) where it has none, with the reason
[[nodiscard]] VariationalNetwork variational_network(std::shared_ptr<const Problem> problem,
                                                     const Ritz& method);
/// Test functions against the weak form.
[[nodiscard]] VariationalNetwork variational_network(std::shared_ptr<const Problem> problem,
                                                     const Vpinn& method);
[[nodiscard]] VariationalNetwork variational_network(std::shared_ptr<const Problem> problem,
                                                     const HpVpinn& method);

// Entries of the table of methods.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_ritz(std::shared_ptr<const Problem> problem,
                                                           const Method& method, int threads);
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_vpinn(std::shared_ptr<const Problem> problem,
                                                            const Method& method, int threads);
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_hp_vpinn(
    std::shared_ptr<const Problem> problem, const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_ritz(const Checkpoint& checkpoint,
                                                          const Problem& problem,
                                                          const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_vpinn(const Checkpoint& checkpoint,
                                                           const Problem& problem,
                                                           const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_hp_vpinn(const Checkpoint& checkpoint,
                                                              const Problem& problem,
                                                              const Method& method, int threads);

}  // namespace cauchy::detail
