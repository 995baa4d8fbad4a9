#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/io/checkpoint.hpp>

namespace cauchy {

/// Where a training stands by the signal-to-noise ratio of its gradients (learning_phases()).
enum class LearningPhase : std::uint8_t { fitting, diffusion, total_diffusion };
[[nodiscard]] std::string_view to_string(LearningPhase phase) noexcept;

/// What was measured at one step, with the weights that the terms had then. Lists of terms are in
/// the order of TrainingDiagnosis::terms; NaN: not measured.
struct DiagnosisEntry {
  std::uint64_t step = 0;
  double cost = 0;  ///< counted work that it took, in nominal seconds
  /// |mean| / |standard deviation| of the gradients of batches; infinite: all batches agree.
  double snr = 0;
  double batch_cosine = 0;  ///< mean over the pairs of batches
  double drift = 0;         ///< |K - K(0)| / |K(0)|, of the term where it is largest
  /// Root mean square of every term on its training points and on fresh ones, in units of its size.
  std::vector<double> residuals = {}, fresh = {};
  std::vector<double> gradients = {};  ///< length of the gradient of every weighted term
  std::vector<double> cosines = {};    ///< between those, row-major terms x terms
  std::vector<double> traces = {};     ///< weight of the term * mean of |dr/dtheta|^2
  /// Largest eigenvalue of the kernel of a term over its smallest above rounding.
  std::vector<double> conditions = {};
  /// Bits of I(X;T) and I(T;Y), one per hidden layer.
  std::vector<double> input_bits = {}, output_bits = {};
};

/// Eigenvalues of the tangent kernel J J' / n of a term at n of its residuals, the largest first,
/// and the share of its residual (squared) that lies along the eigenvector of each.
struct KernelSpectrum {
  std::string term;
  std::vector<double> first = {}, last = {};  ///< at the first and the last measurement
  std::vector<double> shares = {};            ///< at the last
};

/// Loss at theta + a d1 + b d2, rows b and columns a from -1 to 1, for two random directions with
/// the lengths of the rows of the weights.
struct LossLandscape {
  std::size_t n = 0;  ///< per direction; 0: not measured
  std::vector<double> values = {};
};

/// What came of a conserved quantity q with q_t + div F = s:
///   d/dt int q = -Phi + int s,  Phi = int F.n the flux out of the domain
struct BalanceHistory {
  std::string quantity;
  std::vector<double> times = {}, total = {};     ///< int q
  std::vector<double> rate = {};                  ///< int q_t
  std::vector<double> outflow = {}, source = {};  ///< Phi, int s
  /// Largest |rate + outflow - source| over the size of its parts: the largest of int |q_t|,
  /// int |F.n|, int |s| and int |q| over the time.
  double defect = 0;
};

/// A sentence that says what was measured and what may help, and how many times its quantity is
/// beyond its threshold.
struct DiagnosisFinding {
  std::string text;
  double severity = 1;
};

/// Everything that was measured in a training (Pinn::diagnose).
struct TrainingDiagnosis {
  std::vector<std::string> terms = {}, layers = {};
  std::vector<bool> conditions = {};  ///< of terms: no equations
  std::size_t batches = 0;            ///< that gradients were compared between
  std::uint64_t steps = 0;            ///< of the training
  std::vector<DiagnosisEntry> entries = {};
  std::vector<KernelSpectrum> spectra = {};
  LossLandscape landscape = {};
  std::vector<BalanceHistory> balances = {};
  /// Half waves of the residual of the equations over the domain, along its most restless axis.
  double half_waves = 0;
  bool first_order = false;                     ///< all stages
  std::string balancer = {};                    ///< name of the rule
  std::string binning = {};                     ///< how bits were counted; empty: not
  double seconds = 0;                           ///< nominal seconds of counted work that it took
  double share = 0;                             ///< of the counted work of the run
  std::vector<DiagnosisFinding> findings = {};  ///< the worst first

  /// Whether the answer was measured; a training that is too short is measured at its start alone.
  [[nodiscard]] bool reaches_the_end() const {
    return !entries.empty() && entries.back().step >= steps;
  }
};

/// The phase of every measurement by the ratios, each the median of itself and its neighbours:
/// fitting until it falls below 1, then diffusion; total diffusion from where on, behind its lowest
/// value, it stays above twice that.
[[nodiscard]] std::vector<LearningPhase> learning_phases(const std::vector<DiagnosisEntry>& all);

/// What the measurements say of a training that has not reached what it should, the worst first;
/// nothing where they do not reach its end.
/// Thresholds and their reasons: docs/training/diagnosis.md.
[[nodiscard]] std::vector<DiagnosisFinding> find_causes(const TrainingDiagnosis& d);

void save_diagnosis(Checkpoint& checkpoint, const TrainingDiagnosis& d);
/// Null where the checkpoint has none.
///   error    throws Error when lengths do not fit
[[nodiscard]] std::shared_ptr<const TrainingDiagnosis> load_diagnosis(const Checkpoint& checkpoint);

}  // namespace cauchy
