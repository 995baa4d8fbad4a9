#include "problem/switches.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/math/roots.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t n_samples = 1000;

/// What changes its sign where the node changes its formula; none for other nodes.
std::optional<Expr> decides(const Expr& e) {
  const std::span<const Expr> a = e.args();
  switch (e.kind()) {
    case Kind::less:
    case Kind::less_equal:
    case Kind::min:
    case Kind::max:
      return a[0] - a[1];
    case Kind::sign:
    case Kind::abs:
      return a[0];
    case Kind::floor:
      return sin(pi * a[0]);
    case Kind::mod:
      return sin(pi * a[0] / a[1]);
    default:
      return std::nullopt;
  }
}

/// The zeros of a function where it changes its sign, from samples at given places.
class SignChanges final {
 public:
  SignChanges(const Along& f, std::vector<double>& found) : f_(f), found_(found) {}

  void look(const std::vector<double>& at) {
    std::vector<double> v;
    for (const double s : at) v.push_back(f_(s));
    for (std::size_t i = 1; i < at.size(); ++i) {
      const bool last = i + 1 == at.size();
      if (v[i] == 0) {
        if (v[i - 1] != 0 && !last && v[i + 1] != 0) found_.push_back(at[i]);
      } else if (v[i - 1] * v[i] < 0) {
        between(at[i - 1], at[i]);
      } else if (!last && v[i - 1] * v[i] > 0 && v[i] * v[i + 1] > 0 &&
                 std::abs(v[i]) <= std::abs(v[i - 1]) && std::abs(v[i]) < std::abs(v[i + 1])) {
        dip(at[i - 1], at[i + 1], v[i]);
      }
    }
  }

 private:
  void between(double a, double b) { found_.push_back(find_root(f_, a, b).root); }

  /// Follows |f| to its least value, by the golden section; beyond 0 there are two zeros.
  void dip(double a, double b, double value) {
    constexpr double golden = 0.6180339887498949;
    double lo = a, hi = b;
    for (int k = 0; k < 80 && hi - lo > 1e-15 * (std::abs(a) + std::abs(b)); ++k) {
      const double p = hi - golden * (hi - lo), q = lo + golden * (hi - lo);
      const double at_p = f_(p), at_q = f_(q);
      for (const auto& [s, there] : {std::pair{p, at_p}, std::pair{q, at_q}}) {
        if (!(there * value < 0)) continue;
        between(a, s);
        between(s, b);
        return;
      }
      (std::abs(at_p) < std::abs(at_q) ? hi : lo) = std::abs(at_p) < std::abs(at_q) ? q : p;
    }
  }

  const Along& f_;
  std::vector<double>& found_;
};

}  // namespace

std::vector<double> switch_places(std::span<const Expr> expressions, double lower, double upper,
                                  const std::function<Along(const Expr&)>& along) {
  std::vector<double> at;
  for (std::size_t i = 0; i <= n_samples; ++i) {
    at.push_back(lower + (upper - lower) * static_cast<double>(i) / n_samples);
  }
  const auto sort = [](std::vector<double>& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  };
  std::vector<double> found;
  for (const Expr& e : postorder(expressions)) {  // inner ones first
    const std::optional<Expr> switches = decides(e);
    if (!switches || !field_atoms(std::vector{*switches}).empty()) continue;
    const Along f = along(*switches);
    if (!f) continue;
    std::vector<double> more;
    SignChanges(f, more).look(at);
    std::erase_if(more, [&](double s) { return !(s > lower && s < upper); });
    found.insert(found.end(), more.begin(), more.end());
    at.insert(at.end(), more.begin(), more.end());
    sort(at);
  }
  sort(found);
  // Rounding tells apart neither two places nor a place and an end.
  const double slack = 1e-13 * (upper - lower) + 1e-15 * (std::abs(lower) + std::abs(upper));
  std::vector<double> apart;
  for (const double s : found) {
    const double before = apart.empty() ? lower : apart.back();
    if (s - before > slack && upper - s > slack) apart.push_back(s);
  }
  return apart;
}

std::vector<double> switch_places(std::span<const Expr> expressions, const std::string& coordinate,
                                  double lower, double upper) {
  const Coordinate x(coordinate);
  return switch_places(expressions, lower, upper, [&](const Expr& e) -> Along {
    const std::vector<Expr> one = {e};
    const std::vector<Expr> names = atoms(one, Kind::coordinate);
    if (names.size() != 1 || !same(names[0], x) || !atoms(one, Kind::call).empty() ||
        !atoms(one, Kind::symbol).empty()) {
      return {};
    }
    return [e, x](double at) { return evaluate(e, Values().set(x, at)); };
  });
}

}  // namespace cauchy::detail
