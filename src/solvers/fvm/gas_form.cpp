#include "solvers/fvm/gas_form.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>

namespace cauchy::detail {
namespace {

Expr gas_tidy(const Expr& e) { return simplify(expand(plain(e))); }

/// Whether expressions of the fields agree, looked at in some states.
class GasIdentity {
 public:
  explicit GasIdentity(const BalanceLaw& law) {
    Rng rng(17);
    for (Values& at : states_) {
      for (const Expr& w : law.fields) at.set(w, 0.5 + rng.uniform());
      for (const std::string& x : law.space) at.set(Coordinate(x), rng.uniform());
      at.set(Coordinate(law.time), rng.uniform());
    }
  }
  [[nodiscard]] bool same(const Expr& a, const Expr& b) const {
    return std::all_of(std::begin(states_), std::end(states_), [&](const Values& at) {
      const double x = evaluate(a, at), y = evaluate(b, at);
      return std::abs(x - y) <= 1e-12 * (1 + std::abs(x));
    });
  }
  /// The number that an expression always is; none when it changes.
  [[nodiscard]] std::optional<double> number(const Expr& e) const {
    const double value = evaluate(e, states_[0]);
    if (!std::isfinite(value) || !same(e, Expr(value))) return {};
    return value;
  }

 private:
  Values states_[6];
};

/// The momentum row of every direction when row r is a mass: F_d[r] = q[m_d].
std::vector<std::size_t> momenta(const BalanceLaw& law, const GasIdentity& is, std::size_t r) {
  std::vector<std::size_t> rows;
  for (const auto& flux : law.convection) {
    for (std::size_t m = 0; m < law.size(); ++m) {
      if (m == r || !is.same(flux[r], law.conserved[m])) continue;
      rows.push_back(m);
      break;
    }
  }
  return rows.size() == law.dimension() ? rows : std::vector<std::size_t>();
}

}  // namespace

std::optional<GasForm> gas_form(const BalanceLaw& law) {
  const std::size_t N = law.size(), D = law.dimension();
  const std::vector<Expr>& q = law.conserved;
  for (const auto& flux : law.convection) {
    if (!atoms(flux, Kind::call).empty()) return {};  // tables: nothing to compare with
  }
  const GasIdentity is(law);
  for (std::size_t r = 0; r < N; ++r) {
    GasForm gas;
    gas.mass = r;
    gas.momentum = momenta(law, is, r);
    if (gas.momentum.empty() || (D == 2 && gas.momentum[0] == gas.momentum[1])) continue;
    const auto row = [&](std::size_t d) { return gas.momentum[d]; };
    for (std::size_t d = 0; d < D; ++d) gas.velocity.push_back(gas_tidy(q[row(d)] / q[r]));
    gas.pressure = gas_tidy(law.convection[0][row(0)] - q[row(0)] * gas.velocity[0]);
    gas.energy.assign(N, false);
    bool fits = true;
    std::vector<std::size_t> energies, others;
    for (std::size_t d = 0; d < D && fits; ++d) {
      for (std::size_t k = 0; k < N && fits; ++k) {
        if (k == r) continue;
        const Expr carried = gas.velocity[d] * q[k], f = law.convection[d][k];
        if (std::count(gas.momentum.begin(), gas.momentum.end(), k) > 0) {
          fits = is.same(f, k == row(d) ? carried + gas.pressure : carried);
          continue;
        }
        const bool works = is.same(f, carried + gas.pressure * gas.velocity[d]);
        fits = works || is.same(f, carried);
        if (d == 0) {
          gas.energy[k] = works;
          (works ? energies : others).push_back(k);
        }
        fits = fits && gas.energy[k] == works;
      }
    }
    if (!fits) continue;
    Expr kinetic = 0, c2 = 0;
    for (std::size_t d = 0; d < D; ++d) kinetic = kinetic + q[row(d)] * gas.velocity[d] / 2;
    for (std::size_t k = 0; k < N; ++k) {
      Expr dp = 0;
      for (std::size_t l = 0; l < N; ++l) {
        dp = dp + partial(gas.pressure, law.fields[l]) * law.slope[l][k];
      }
      c2 = c2 + dp * (gas.energy[k] ? q[k] + gas.pressure : q[k]) / q[r];
    }
    gas.sound_squared = gas_tidy(c2);
    if (energies.size() == 1 && others.empty()) {
      gas.gamma = is.number(1 + gas.pressure / (q[energies[0]] - kinetic));
    }
    return gas;
  }
  return {};
}

WaveSpeeds wave_speeds(const BalanceLaw& law, const std::optional<GasForm>& gas) {
  const std::size_t N = law.size();
  WaveSpeeds speeds;
  if (gas) {
    Expr u = 0;
    for (std::size_t d = 0; d < law.dimension(); ++d) {
      u = u + normal_component(law.space[d]) * gas->velocity[d];
    }
    const Expr c = sqrt(gas->sound_squared);
    speeds.least = u - c;
    speeds.largest = u + c;
    return speeds;
  }
  // B = dw/dq dF_n/dw has the eigenvalues of dF_n/dq.
  std::vector<std::vector<Expr>> b(N, std::vector<Expr>(N));
  for (std::size_t l = 0; l < N; ++l) {
    std::vector<Expr> column;
    for (std::size_t i = 0; i < N; ++i)
      column.push_back(partial(law.normal_flux(i), law.fields[l]));
    for (std::size_t k = 0; k < N; ++k) {
      std::vector<Expr> terms;
      for (std::size_t i = 0; i < N; ++i) terms.push_back(law.slope[k][i] * column[i]);
      b[k][l] = gas_tidy(sum(std::move(terms)));
    }
  }
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < N; ++k) left.push_back(k);
  std::vector<Expr> values;
  // A row or column with nothing beside its diagonal gives an eigenvalue.
  for (std::size_t at = 0; at < left.size();) {
    const std::size_t k = left[at];
    const auto alone = [&](auto entry) {
      return std::all_of(left.begin(), left.end(),
                         [&](std::size_t l) { return l == k || entry(l).is_constant(0); });
    };
    if (alone([&](std::size_t l) { return b[k][l]; }) ||
        alone([&](std::size_t l) { return b[l][k]; })) {
      values.push_back(b[k][k]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      at = 0;
    } else {
      ++at;
    }
  }
  if (left.size() == 2) {
    const std::size_t i = left[0], j = left[1];
    const Expr half = (b[i][i] + b[j][j]) / 2;
    const Expr root = sqrt(max(gas_tidy(pow((b[i][i] - b[j][j]) / 2, 2) + b[i][j] * b[j][i]), 0));
    values.push_back(half - root);
    values.push_back(half + root);
  } else if (left.size() > 2) {
    for (const auto& row : b) speeds.matrix.insert(speeds.matrix.end(), row.begin(), row.end());
    return speeds;
  }
  speeds.least = speeds.largest = values[0];
  for (const Expr& v : values) {
    if (same(v, values[0])) continue;
    speeds.least = min(speeds.least, v);
    speeds.largest = max(speeds.largest, v);
  }
  return speeds;
}

double spectral_radius(std::vector<double>& a, std::size_t n) {
  std::vector<double> square(n * n);
  double logarithm = 0, share = 1;  // of the scale taken out so far
  for (int k = 0; k <= 6; ++k) {
    double norm = 0;
    for (const double x : a) norm += x * x;
    norm = std::sqrt(norm);
    if (norm == 0) return 0;
    if (!std::isfinite(norm)) return std::nan("");
    logarithm += std::log(norm) * share;
    if (k == 6) break;
    share /= 2;
    for (double& x : a) x /= norm;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < n; ++l) sum += a[i * n + l] * a[l * n + j];
        square[i * n + j] = sum;
      }
    }
    a.swap(square);
  }
  return std::exp(logarithm);
}

}  // namespace cauchy::detail
