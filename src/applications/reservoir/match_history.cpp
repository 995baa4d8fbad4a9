#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/applications/reservoir_proxy.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/matrix.hpp>

namespace cauchy {
namespace {

constexpr double largest_log = 2.5;  // of a multiplier: 12 times
constexpr double first_damping = 1e-2, least_damping = 1e-8, most_damping = 1e8;

/// The misfit of curves as a function of the logarithms of multipliers.
class HistoryMisfit final {
 public:
  HistoryMisfit(const ReservoirSource& source, const ReservoirModel& model,
                const std::vector<int>& regions, const std::vector<SampleCurve>& observed)
      : source_(source), model_(model), regions_(regions), observed_(observed) {
    if (regions.size() != model.n_cells() || regions.empty()) {
      throw Error(fmt::format("{} regions for {} cells", regions.size(), model.n_cells()),
                  "regions", "give one number for every cell");
    }
    const auto [least, most] = std::minmax_element(regions.begin(), regions.end());
    if (*least < 0 || *most > 1000) {
      throw Error("regions are numbered 0, 1, ... up to 1000", "regions");
    }
    n_ = static_cast<std::size_t>(*most) + 1;
    for (const SampleCurve& c : observed) {
      auto [at, is_new] = ends_.try_emplace(c.quantity, std::pair(1e300, -1e300));
      for (const double v : c.values) {
        at->second = {std::min(at->second.first, v), std::max(at->second.second, v)};
      }
      n_rows_ += c.values.size();
    }
  }
  [[nodiscard]] std::size_t n_regions() const noexcept { return n_; }
  [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }

  /// Rows of several sets of logarithms, by a proxy.
  [[nodiscard]] std::vector<std::vector<double>> rows(
      const ReservoirProxy& proxy, const std::vector<std::vector<double>>& logs) const {
    std::vector<double> in;
    for (const std::vector<double>& x : logs) {
      ReservoirModel m = model_;
      for (std::size_t c = 0; c < regions_.size(); ++c) {
        const double factor = std::exp(x[static_cast<std::size_t>(regions_[c])]);
        m.permeability_x[c] *= factor;
        m.permeability_z[c] *= factor;
      }
      const std::vector<double> one = source_.inputs_of(m);
      in.insert(in.end(), one.begin(), one.end());
    }
    const std::vector<double> out = proxy(in);
    const std::size_t n_in = in.size() / logs.size(), n_out = out.size() / logs.size();
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      all.push_back(rows_of(source_.curves(std::span(in).subspan(i * n_in, n_in),
                                           std::span(out).subspan(i * n_out, n_out))));
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<double> rows_of(const std::vector<SampleCurve>& curves) const {
    std::vector<double> r;
    if (curves.size() != observed_.size()) {
      throw Error(fmt::format("{} curves were observed, the reservoir has {}", observed_.size(),
                              curves.size()),
                  "observed", "give those of ReservoirSource::curves");
    }
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const SampleCurve& seen = observed_[k];
      if (seen.name != curves[k].name || seen.values.size() != curves[k].values.size()) {
        throw Error(fmt::format("curve '{}' was observed where '{}' was expected", seen.name,
                                curves[k].name),
                    "observed", "give those of ReservoirSource::curves");
      }
      const auto [low, high] = ends_.at(seen.quantity);
      const double scale = high > low ? high - low : 1;
      for (std::size_t t = 0; t < seen.values.size(); ++t) {
        r.push_back((curves[k].values[t] - seen.values[t]) / scale);
      }
    }
    return r;
  }

  const ReservoirSource& source_;
  const ReservoirModel& model_;
  const std::vector<int>& regions_;
  const std::vector<SampleCurve>& observed_;
  std::map<std::string, std::pair<double, double>> ends_;  // of quantities
  std::size_t n_ = 0, n_rows_ = 0;
};

double mean_square(const std::vector<double>& r) {
  double sum = 0;
  for (const double v : r) sum += v * v;
  return sum / static_cast<double>(std::max<std::size_t>(r.size(), 1));
}

double squared(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

}  // namespace

MatchedHistory match_history(const ReservoirSource& source, const ReservoirProxy& proxy,
                             const ReservoirModel& given, const std::vector<int>& regions,
                             const std::vector<SampleCurve>& observed,
                             const HistorySearch& search) {
  ReservoirModel model = given;
  const std::size_t cells = model.n_cells();
  if (model.permeability_x.size() == 1) model.permeability_x.assign(cells, given.permeability_x[0]);
  model.permeability_z = model.permeability_x;
  for (double& k : model.permeability_z) k *= source.simulator().vertical;
  if (model.porosity.size() == 1) model.porosity.assign(cells, given.porosity[0]);
  const HistoryMisfit misfit(source, model, regions, observed);
  const std::size_t n = misfit.n_regions();
  const auto rows_count = static_cast<double>(misfit.n_rows());
  const double weight = search.prior * search.prior;
  MatchedHistory found;
  std::vector<double> x(n, 0.0), r = misfit.rows(proxy, {x}).front();
  found.calls = 1;
  found.first_misfit = mean_square(r);
  const auto total = [&](const std::vector<double>& rows, const std::vector<double>& logs) {
    return mean_square(rows) + weight * squared(logs);
  };
  double damping = first_damping;
  for (std::size_t it = 0; it < search.iterations && damping <= most_damping; ++it) {
    std::vector<std::vector<double>> near(n, x);
    for (std::size_t k = 0; k < n; ++k) near[k][k] += search.step;
    const std::vector<std::vector<double>> moved = misfit.rows(proxy, near);
    found.calls += n;
    Matrix normal(n, n);
    std::vector<double> slope(n);
    for (std::size_t a = 0; a < n; ++a) {
      slope[a] = -weight * x[a];
      for (std::size_t i = 0; i < r.size(); ++i) {
        const double da = (moved[a][i] - r[i]) / search.step;
        slope[a] -= da * r[i] / rows_count;
        for (std::size_t b = 0; b <= a; ++b) {
          const double db = (moved[b][i] - r[i]) / search.step;
          normal(a, b) += da * db / rows_count;
        }
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < a; ++b) normal(b, a) = normal(a, b);
    }
    bool better = false;
    while (!better && damping <= most_damping) {
      Matrix damped = normal;
      for (std::size_t a = 0; a < n; ++a)
        damped(a, a) += weight + damping * (normal(a, a) + weight);
      const Cholesky<double> factors = cholesky(damped);
      if (factors.status != Factorization::ok) break;
      std::vector<double> step = slope;
      factors.solve(VectorView<double>(step));
      std::vector<double> next = x;
      for (std::size_t a = 0; a < n; ++a) {
        next[a] = std::clamp(x[a] + step[a], -largest_log, largest_log);
      }
      const std::vector<double> at = misfit.rows(proxy, {next}).front();
      ++found.calls;
      better = total(at, next) < total(r, x);
      damping = better ? std::max(damping / 5, least_damping) : damping * 5;
      if (!better) continue;
      const bool done = total(r, x) - total(at, next) < 1e-6 * total(r, x);
      x = next;
      r = at;
      if (done) it = search.iterations;
    }
    if (!better) break;
  }
  found.misfit = mean_square(r);
  found.checked_misfit = mean_square(misfit.rows(simulator_proxy(source), {x}).front());
  for (const double log : x) found.multipliers.push_back(std::exp(log));
  return found;
}

}  // namespace cauchy
