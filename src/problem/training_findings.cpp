#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/problem/training_diagnosis.hpp>

namespace cauchy {
namespace {

// Beyond these something is told; docs/training/diagnosis.md has the reasons.
constexpr double small_residual = 1e-3;  // of the size of its term, as the grade has it
constexpr double lag_of_traces = 1e3, lag_of_residuals = 10;
constexpr double opposed = -0.5;  // cosine: two gradients of one length have a shorter sum
constexpr double comparable = 0.1;
constexpr double many_half_waves = 6, hardly_fallen = 0.3, has_grown = 1.1;
constexpr double out_of_reach = 0.9;
constexpr double noisy = 2;  // times what random signs give
constexpr double leaking = 1e-2;
constexpr double most_severe = 10;  // of what can vanish: a ratio has no end there
constexpr double between_points = 3;

double middle_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

std::string_view times_text(double orders) {
  const char* const words[] = {"three", "four", "five", "six", "seven", "eight", "nine"};
  const auto k = static_cast<std::size_t>(std::clamp(std::round(orders), 3.0, 9.0)) - 3;
  return words[k];
}

/// Reads the measurements; the last entry stands for the answer.
class Causes final {
 public:
  explicit Causes(const TrainingDiagnosis& d) : d_(d), last_(d.entries.back()) {}

  std::vector<DiagnosisFinding> all() {
    lag();
    conflict();
    waves();
    reach();
    noise();
    balances();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::size_t n() const { return d_.terms.size(); }
  [[nodiscard]] double residual(std::size_t term) const { return last_.residuals[term]; }
  [[nodiscard]] bool unsolved(std::size_t term) const { return residual(term) > small_residual; }
  [[nodiscard]] double worst() const {
    double w = 0;
    for (std::size_t i = 0; i < n(); ++i) w = std::max(w, residual(i));
    return w;
  }
  /// Measurements of the second half of the run, which are spaced geometrically.
  [[nodiscard]] std::size_t half() const { return d_.entries.size() / 2; }

  void say(double severity, std::string text) { found_.push_back({std::move(text), severity}); }

  /// A term whose kernel is far smaller than another one's learns as much more slowly.
  void lag() {
    std::size_t behind = 0, before = 0;
    double most = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      for (std::size_t j = 0; j < n(); ++j) {
        const double ratio = last_.traces[j] / last_.traces[i];
        const bool lags = unsolved(i) && residual(i) > lag_of_residuals * residual(j);
        if (!lags || !(ratio > most)) continue;
        most = ratio;
        behind = i;
        before = j;
      }
    }
    if (!(most > lag_of_traces)) return;
    const std::string_view remedy =
        d_.balancer == "ntk" ? "gradient-norms" : std::string_view("ntk");
    say(most / lag_of_traces,
        fmt::format("'{}' lags behind '{}' by {} orders of magnitude (their tangent kernels): try "
                    "balancer.kind = \"{}\"",
                    d_.terms[behind], d_.terms[before], times_text(std::log10(most)), remedy));
  }

  /// Gradients of one size that oppose each other. Curvature, and not another direction, helps
  /// methods that have it.
  void conflict() {
    if (!d_.first_order || d_.balancer == "config" || d_.balancer == "m-config") return;
    double most = 0;
    std::string text;
    for (std::size_t i = 0; i < n(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!unsolved(i) && !unsolved(j)) continue;
        std::vector<double> cosines;
        for (std::size_t k = half(); k < d_.entries.size(); ++k) {
          const DiagnosisEntry& e = d_.entries[k];
          const double a = e.gradients[i], b = e.gradients[j];
          if (std::min(a, b) > comparable * std::max(a, b))
            cosines.push_back(e.cosines[i * n() + j]);
        }
        if (cosines.size() < 3 || 2 * cosines.size() < d_.entries.size() - half()) continue;
        const double cosine = middle_of(cosines);
        if (!(cosine < opposed) || !(cosine / opposed > most)) continue;
        most = cosine / opposed;
        text = fmt::format(
            "the gradients of '{}' and '{}' oppose each other (cosine {:.2f} in the second half): "
            "try balancer.kind = \"config\"",
            d_.terms[j], d_.terms[i], cosine);
      }
    }
    if (most > 0) say(most, std::move(text));
  }

  /// An equation whose fast waves have stayed: networks learn them last.
  void waves() {
    for (std::size_t i = 0; i < n(); ++i) {
      const double fallen = residual(i) / d_.entries.front().residuals[i];
      if (d_.conditions[i] || !unsolved(i) || !(d_.half_waves > many_half_waves) ||
          !(fallen > hardly_fallen && fallen < has_grown)) {
        continue;
      }
      say(d_.half_waves / many_half_waves,
          fmt::format("the residual of '{}' has {:.0f} half waves and {:.0f} % of its first size: "
                      "try Fourier features, network.kind = \"fourier\"",
                      d_.terms[i], d_.half_waves, 100 * fallen));
      return;
    }
  }

  /// Directions that descent does not reach in these steps: eigenvalues below largest / steps.
  void reach() {
    if (!d_.first_order || last_.step == 0) return;
    for (std::size_t i = 0; i < d_.spectra.size(); ++i) {
      const KernelSpectrum& s = d_.spectra[i];
      if (s.last.empty() || i >= n() || !unsolved(i) || residual(i) < worst()) continue;
      double slow = 0;
      for (std::size_t k = 0; k < s.last.size(); ++k) {
        if (s.last[k] < s.last[0] / static_cast<double>(last_.step)) slow += s.shares[k];
      }
      if (!(slow > out_of_reach)) continue;
      say(std::min(most_severe, (1 - out_of_reach) / std::max(1e-12, 1 - slow)),
          fmt::format("{:.0f} % of the residual of '{}' lies where its kernel is below 1/{} of its "
                      "largest eigenvalue, beyond the reach of first-order steps: try a stage "
                      "\"ssbroyden\"",
                      100 * slow, s.term, last_.step));
      return;
    }
  }

  /// Batches of points that pull in different directions, to the end.
  void noise() {
    if (d_.batches < 2 || d_.entries.size() < 4 || !(worst() > small_residual)) return;
    if (learning_phases(d_.entries).back() != LearningPhase::diffusion) return;
    std::vector<double> late;
    for (std::size_t k = half(); k < d_.entries.size(); ++k) late.push_back(d_.entries[k].snr);
    const double snr = middle_of(late);
    const double random = 1 / std::sqrt(static_cast<double>(d_.batches));
    if (!(snr < noisy * random)) return;
    double gap = 0;
    for (std::size_t i = 0; i < n(); ++i) gap = std::max(gap, last_.fresh[i] / residual(i));
    std::string_view remedy = "try point_weights.kind = \"attention\"";
    if (gap > between_points) {
      remedy = "try more points";
    } else if (!d_.first_order) {
      remedy = "the training has come to rest, try a larger network";
    }
    say(std::min(most_severe, noisy * random / snr),
        fmt::format("the gradients of {} batches of points cancel (signal-to-noise ratio {:.2g} in "
                    "the second half): {}",
                    d_.batches, snr, remedy));
  }

  void balances() {
    for (const BalanceHistory& b : d_.balances) {
      if (!(b.defect > leaking)) continue;
      say(b.defect / leaking,
          fmt::format("the integral of {} changes by {:.2g} of its size that neither flows through "
                      "the boundary nor comes from sources: try more points, or a condition on "
                      "the integral",
                      b.quantity, b.defect));
      return;
    }
  }

  const TrainingDiagnosis& d_;
  const DiagnosisEntry& last_;
  std::vector<DiagnosisFinding> found_;
};

}  // namespace

std::vector<DiagnosisFinding> find_causes(const TrainingDiagnosis& d) {
  if (!d.reaches_the_end()) return {};
  return Causes(d).all();
}

}  // namespace cauchy
