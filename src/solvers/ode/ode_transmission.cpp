#include "solvers/ode/ode_transmission.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/lapack.hpp>

namespace cauchy::detail {
namespace {

bool holds_jump_of_kind(const Expr& e) {
  const std::vector<Expr> all = postorder(std::vector{e});
  return std::any_of(all.begin(), all.end(), [](const Expr& part) {
    return has_jump(part.kind()) || part.kind() == Kind::call;
  });
}

/// Whether the highest of the states that an expression holds is this one, and all are states.
bool leads_with(const Expr& e, const std::vector<Expr>& states, std::size_t component) {
  bool leads = false;
  for (const Expr& atom : field_atoms(std::vector{e})) {
    const auto at =
        std::find_if(states.begin(), states.end(), [&](const Expr& s) { return same(s, atom); });
    if (at == states.end()) return false;
    const auto index = static_cast<std::size_t>(at - states.begin());
    leads = leads || index == component;
    if (atom.name() == states[component].name() && index > component) return false;
  }
  return leads;
}

/// The sum whose derivative leads an expression, up to a factor, with its written form if it is
/// one term. What is differentiated beside it and continuous by itself is left out.
std::optional<Expr> leading_flux(const Expr& e, const std::vector<Expr>& states,
                                 std::size_t component) {
  const std::vector<Summand> all = summands(e);
  const auto first = std::find_if(all.begin(), all.end(), [&](const Summand& s) {
    return s.flux.size() == 1 && leads_with(plain(s.flux[0]), states, component);
  });
  if (first == all.end()) return std::nullopt;
  Expr sum = first->flux[0];
  for (auto s = all.begin(); s != all.end(); ++s) {
    if (s == first || s->flux.size() != 1 || s->by[0].name() != first->by[0].name()) continue;
    const Expr flux = plain(s->flux[0]);
    if (!leads_with(flux, states, component) && !holds_jump_of_kind(flux)) continue;
    for (const Expr& atom : field_atoms(std::vector{flux})) {
      if (std::none_of(states.begin(), states.end(),
                       [&](const Expr& state) { return same(state, atom); })) {
        return std::nullopt;
      }
    }
    sum = sum + s->coefficient / first->coefficient * s->flux[0];
  }
  return sum;
}

std::vector<Expr> outputs_of(const std::vector<Expr>& carried, const std::vector<Expr>& states) {
  std::vector<Expr> outputs = carried;
  for (const Expr& c : carried) {
    for (const Expr& s : states) outputs.push_back(partial(plain(c), s));
  }
  return outputs;
}

}  // namespace

std::unique_ptr<OdeTransmission> OdeTransmission::make(const OdeSystem& system,
                                                       std::span<const Expr> written,
                                                       double length) {
  const std::vector<Expr>& states = system.states();
  std::vector<Expr> carried = states;
  bool any = false;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::size_t component = system.row_of(i);
    Expr e = written[i];
    while (const std::optional<Expr> flux = leading_flux(e, states, component)) {
      if (holds_jump_of_kind(plain(*flux))) {
        carried[component] = plain(*flux);
        any = true;
      }
      if (states[component].index().empty()) break;
      e = *flux;
      --component;
    }
  }
  if (!any) return nullptr;
  return std::unique_ptr<OdeTransmission>(new OdeTransmission(system, carried, length));
}

OdeTransmission::OdeTransmission(const OdeSystem& system, const std::vector<Expr>& carried,
                                 double length)
    : n_(system.size()),
      step_(1e-13 * length),
      program_(system.problem(), system.variable(), outputs_of(carried, system.states()),
               system.states()) {}

void OdeTransmission::carried(double s, int side, std::span<const double> y, std::span<double> out,
                              Matrix& by_state) const {
  std::vector<double> all(n_ + n_ * n_);
  const double step = step_ + 4 * std::numeric_limits<double>::epsilon() * std::abs(s);
  program_.run(s + side * step, y, all);
  std::copy_n(all.begin(), n_, out.begin());
  by_state = Matrix(n_, n_);
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(n_), all.end(), by_state.data());
}

bool OdeTransmission::cross(double s, int from_side, std::vector<double>& y) const {
  std::vector<double> wanted(n_), now(n_);
  Matrix by_state;
  carried(s, from_side, y, wanted, by_state);
  for (int k = 0; k < 30; ++k) {
    carried(s, -from_side, y, now, by_state);
    for (std::size_t i = 0; i < n_; ++i) now[i] = wanted[i] - now[i];
    const Lu<double> factors = lu(by_state.view());
    if (factors.status != Factorization::ok) return false;
    factors.solve(VectorView<double>(now.data(), n_));
    bool small = true;
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] += now[i];
      small = small && std::abs(now[i]) <= 1e-14 * std::abs(y[i]);
    }
    if (small) return true;
  }
  return false;
}

}  // namespace cauchy::detail
