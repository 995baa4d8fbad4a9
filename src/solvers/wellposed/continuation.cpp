#include "solvers/wellposed/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

double relative_misfit(const ChebyshevRows& rows, const std::vector<double>& c) {
  const Matrix a = rows.dense();
  double sum = 0, largest = 0;
  for (const double v : c) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double size = std::abs(rows.rhs(i)), all = 0;
    for (std::size_t j = 0; j < a.cols(); ++j) {
      size += std::abs(a(i, j) * c[j]);
      all += std::abs(a(i, j));
    }
    if (std::abs(rows.rhs(i)) <= 1e-12 * all * largest) continue;  // rounding
    sum += rows.rhs(i) * rows.rhs(i) / (size * size);
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(a.rows(), 1)));
}

namespace {

constexpr int most_branch_steps = 40, most_corrections = 8;
const char* const share_name = "share_of_the_sources";

/// The terms of a residual that are linear in the fields as they are, all others times s.
Expr grown_residual(const Expr& residual) {
  Expr sum = 0;
  for (const Expr& term : additive_terms(residual)) {
    const LinearForm form = linear_form(term);
    const bool plain = form.linear && form.remainder.is_constant(0);
    sum += plain ? term : Field(share_name) * term;
  }
  return sum;
}

/// The same problem with s as one more field; that it is the same everywhere is left to the caller.
ChebyshevBox grown_box(const ChebyshevBox& box) {
  ChebyshevBox out = box;
  out.fields.emplace_back(share_name);
  for (std::vector<ChebyshevTerm>* terms : {&out.equations, &out.conditions}) {
    for (ChebyshevTerm& t : *terms) t.residual = grown_residual(t.residual);
  }
  out.orders.emplace_back(box.dimension() + 1, 0);
  out.linear = false;
  return out;
}

/// Unknowns are the coefficients of the fields and, last, s.
class BranchFollower final {
 public:
  BranchFollower(const ChebyshevBox& box, const ChebyshevGrid& grid)
      : box_(grown_box(box)),
        system_(box_, box_.equations, grid, nullptr, true),
        width_(grid.block() * box_.fields.size()),
        share_(width_ - grid.block()),
        n_(share_ * grid.pieces() + 1) {}

  Branch follow() {
    Branch out;
    std::vector<double> y(n_, 0), t(n_, 0);
    t.back() = 1;
    if (!find_tangent(y, t)) return out;
    // Coefficients in units of their first change, so that s counts as much as they do.
    double size = 0;
    for (std::size_t i = 0; i + 1 < n_; ++i) size += t[i] * t[i];
    size = std::sqrt(size) / std::abs(t.back());
    if (!(size < 1e12)) return out;
    unit_ = size > 1e-12 ? 1 / size : 1;
    if (!find_tangent(y, t)) return out;
    // What polynomials of this degree leave of the linear problem they leave of all others.
    std::vector<double> first = t;
    for (double& v : first) v *= 1e-6;
    allowed_ = std::max(1e-3, 3 * misfit_at(first));
    if (allowed_ > most_allowed) return out;
    double h = 0.1, highest = 0;
    bool turned = false;
    for (int step = 0; step < most_branch_steps; ++step) {
      std::vector<double> next = y;
      if (!correct(y, t, h, next)) {
        h /= 2;
        if (h < 1e-3) break;
        continue;
      }
      std::vector<double> direction = t;
      if (!find_tangent(next, direction)) break;
      const double before = t.back(), after = direction.back();
      if (before > 0 && after <= 0 && next.back() < 1) {
        highest = std::max(highest, y.back() + h * before * before / (2 * (before - after)));
        turned = true;
      }
      if (next.back() >= 1) {
        out.end = Branch::End::whole;
        const double part = (1 - y.back()) / (next.back() - y.back());
        for (std::size_t i = 0; i + 1 < n_; ++i) out.c.push_back(y[i] + part * (next[i] - y[i]));
        return out;
      }
      y = std::move(next);
      t = std::move(direction);
      if (turned && y.back() < 0.5 * highest) break;
      h = std::min(1.5 * h, 0.7);
    }
    if (!turned) return out;
    out.end = Branch::End::fold;
    out.share = highest;
    return out;
  }

 private:
  /// The coefficients of the system: s is the first one of its field on every piece.
  [[nodiscard]] std::vector<double> spread(const std::vector<double>& y) const {
    std::vector<double> c(system_.unknowns(), 0);
    for (std::size_t i = 0; i + 1 < n_; ++i) c[i / share_ * width_ + i % share_] = y[i];
    for (std::size_t p = share_; p < c.size(); p += width_) c[p] = y.back();
    return c;
  }

  [[nodiscard]] double misfit_at(const std::vector<double>& y) {
    const std::vector<double> c = spread(y);
    return relative_misfit(system_.assemble(c), c);
  }

  /// min |J x - r| over x with t . x = rhs, the product in the units of the branch; r: what is left
  /// at y, or nothing.
  std::optional<std::vector<double>> solve(const std::vector<double>& y,
                                           const std::vector<double>& t, double rhs,
                                           bool residual) {
    const ChebyshevRows& rows = system_.assemble(spread(y));
    const Matrix all = rows.dense();
    Matrix a(all.rows() + 1, n_), b(all.rows() + 1, 1);
    for (std::size_t i = 0; i < all.rows(); ++i) {
      for (std::size_t j = 0; j + 1 < n_; ++j) a(i, j) = all(i, j / share_ * width_ + j % share_);
      for (std::size_t p = share_; p < all.cols(); p += width_) a(i, n_ - 1) += all(i, p);
      b(i, 0) = residual ? rows.rhs(i) : 0;
    }
    // The last row holds exactly in the limit of a large weight.
    constexpr double weight = 1e3;
    for (std::size_t j = 0; j + 1 < n_; ++j) a(all.rows(), j) = weight * unit_ * unit_ * t[j];
    a(all.rows(), n_ - 1) = weight * t.back();
    b(all.rows(), 0) = weight * rhs;
    const LeastSquaresSolution<double> s = least_squares(a, b);
    if (s.status != Factorization::ok || s.rank < n_) return std::nullopt;
    std::vector<double> x(s.x.data(), s.x.data() + n_);
    const bool finite = std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
    return finite ? std::optional(std::move(x)) : std::nullopt;
  }

  /// The direction of length 1 along which residuals stay, with the sense of the one given.
  bool find_tangent(const std::vector<double>& y, std::vector<double>& t) {
    const auto x = solve(y, t, 1, false);
    if (!x) return false;
    double norm = x->back() * x->back();
    for (std::size_t i = 0; i + 1 < n_; ++i) norm += unit_ * unit_ * (*x)[i] * (*x)[i];
    if (!(norm > 0)) return false;
    for (std::size_t i = 0; i < n_; ++i) t[i] = (*x)[i] / std::sqrt(norm);
    return true;
  }

  /// A solution in the plane across the tangent at distance h.
  bool correct(const std::vector<double>& y, const std::vector<double>& t, double h,
               std::vector<double>& next) {
    for (std::size_t i = 0; i < n_; ++i) next[i] = y[i] + h * t[i];
    double before = INFINITY;
    for (int k = 0; k < most_corrections; ++k) {
      const auto x = solve(next, t, 0, true);
      if (!x) return false;
      double step = 0, size = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        next[i] += (*x)[i];
        step = std::max(step, std::abs((*x)[i]));
        size = std::max(size, std::abs(next[i]));
      }
      if (!(step < 2 * before)) return false;
      if (step <= 1e-5 * size) return misfit_at(next) < allowed_;
      before = step;
    }
    return false;
  }

  /// Polynomials that leave more of the linear problem than this do not resolve it.
  static constexpr double most_allowed = 0.6;

  ChebyshevBox box_;
  ChebyshevSystem system_;
  std::size_t width_, share_, n_;  // coefficients of a piece, of its fields; unknowns
  double unit_ = 1, allowed_ = 0;
};

}  // namespace

Branch follow_branch(const ChebyshevBox& box, const ChebyshevGrid& grid) {
  return BranchFollower(box, grid).follow();
}

}  // namespace cauchy::detail
