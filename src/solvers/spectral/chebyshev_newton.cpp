#include "solvers/spectral/chebyshev_newton.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

constexpr int chebyshev_max_iterations = 60;

double norm_of_chain(const ChebyshevRows& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) sum += rows.rhs(i) * rows.rhs(i);
  return std::sqrt(sum);
}

/// Largest coefficient of a step, in units of those of its field. A field that is next to nothing
/// beside the largest one is measured by that.
double chebyshev_step(const ChebyshevBox& box, const ChebyshevGrid& grid,
                      const std::vector<double>& step, const std::vector<double>& c) {
  const std::size_t block = grid.block(), fields = box.fields.size();
  std::vector<double> steps(fields, 0), sizes(fields, 0);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::size_t f = i / block % fields;
    steps[f] = std::max(steps[f], std::abs(step[i]));
    sizes[f] = std::max({sizes[f], std::abs(c[i]), std::abs(c[i] + step[i])});
  }
  const double least = 1e-6 * *std::max_element(sizes.begin(), sizes.end());
  double worst = 0;
  for (std::size_t f = 0; f < fields; ++f) {
    if (steps[f] > 0) worst = std::max(worst, steps[f] / std::max(sizes[f], least));
  }
  return worst;
}

/// Fields to which a constant may be added: their constant occurs in no row, exactly, since the
/// derivatives of T_0 are 0.
std::vector<std::size_t> free_chebyshev_constants(const ChebyshevBox& box,
                                                  const ChebyshevGrid& grid,
                                                  const ChebyshevRows& rows) {
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f < box.fields.size(); ++f) {
    std::vector<double> one(rows.unknowns(), 0);
    for (std::size_t e = 0; e < grid.pieces(); ++e) {
      one[(e * box.fields.size() + f) * grid.block()] = 1;
    }
    bool free = true;
    for (std::size_t i = 0; i < rows.size() && free; ++i) free = rows.product(i, one) == 0;
    if (free) found.push_back(f);
  }
  return found;
}

std::vector<double> moved_coefficients(const std::vector<double>& c, double share,
                                       const std::vector<double>& x) {
  std::vector<double> out = c;
  for (std::size_t i = 0; i < c.size(); ++i) out[i] += share * x[i];
  return out;
}

}  // namespace

ChebyshevOutcome solve_chebyshev(const ChebyshevBox& box, ChebyshevSystem& system,
                                 std::vector<double> c, double accuracy,
                                 const std::function<bool()>& stop) {
  ChebyshevOutcome out;
  double before = 1;  // the last relative step
  for (int k = 0; k < chebyshev_max_iterations; ++k) {
    const ChebyshevRows* rows = &system.assemble(c);
    if (k == 0) {
      out.constants = free_chebyshev_constants(box, system.grid(), *rows);
      for (const std::size_t f : out.constants) system.pin(f);
      if (!out.constants.empty()) rows = &system.assemble(c);
    }
    const double now = norm_of_chain(*rows);
    const ChebyshevRows::Solution step = rows->solve();
    out.iterations = static_cast<std::size_t>(k) + 1;
    if (step.status != Factorization::ok) {
      out.trouble =
          fmt::format("the linear system is {}",
                      step.status == Factorization::not_finite ? "not finite" : "singular");
      break;
    }
    if (box.linear) {
      c = moved_coefficients(c, 1, step.x);
      out.misfit = now > 0 ? step.residual / now : 0;
      if (step.free > 0) {
        out.trouble =
            fmt::format("equations and conditions leave {} combinations of the {} unknowns free",
                        step.free, rows->unknowns());
      }
      break;
    }
    const double whole = chebyshev_step(box, system.grid(), step.x, c);
    // What the linear model promises; the rest is what no polynomials of this degree can avoid.
    const double gain = now * now - step.residual * step.residual;
    const bool minimal = gain <= 1e-6 * now * now;
    double share = 1;
    std::vector<double> next;
    for (; share > 1e-4; share /= 2) {
      next = moved_coefficients(c, share, step.x);
      const double then = system.norm(next);
      if (then * then <= now * now - 1e-4 * share * gain) break;
      // Close to a minimum, and at rounding, the norm no longer says anything.
      if (std::isfinite(then) && (whole < 1e-7 || minimal)) break;
    }
    if (!(share > 1e-4)) {
      out.trouble = "the Gauss-Newton iteration makes no progress";
      break;
    }
    c = std::move(next);
    const double size = share * whole;
    // Steps that shrink by a factor go on doing so.
    if (share == 1 && (minimal || size * std::min(1.0, size / before) <= accuracy)) {
      if (step.free > 0) {
        out.trouble =
            fmt::format("equations and conditions leave {} combinations of the {} unknowns free",
                        step.free, rows->unknowns());
      }
      break;
    }
    if (size < 1e-8 && size > 0.5 * before) break;  // rounding
    before = size;
    if (k + 1 == chebyshev_max_iterations) out.trouble = "the Gauss-Newton iteration does not end";
    if (stop()) {
      out.interrupted = true;
      break;
    }
  }
  out.c = std::move(c);
  return out;
}

std::vector<double> chebyshev_guess(const ChebyshevBox& box, const ChebyshevGrid& grid) {
  std::vector<ChebyshevTerm> smooth;
  for (std::size_t f = 0; f < box.fields.size(); ++f) {
    Expr residual = 0;
    if (box.orders[f][0] > 0) {
      residual = field_derivative(box.fields[f], {{box.time->name, 1}});
    } else {
      for (const std::string& x : box.space) residual += field_derivative(box.fields[f], {{x, 2}});
    }
    smooth.push_back({"first guess", residual, {{.space = {}, .time = {}, .normal = {}}}});
    smooth.back().places[0].space.resize(box.dimension());
  }
  ChebyshevSystem system(box, smooth, grid, nullptr, true);
  const std::vector<double> zero(system.unknowns(), 0);
  const ChebyshevRows::Solution s = system.assemble(zero).solve();
  const bool good = s.status == Factorization::ok &&
                    std::all_of(s.x.begin(), s.x.end(), [](double v) { return std::isfinite(v); });
  return good ? s.x : zero;
}

}  // namespace cauchy::detail
