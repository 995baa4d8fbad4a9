#include "solvers/spectral/chebyshev_march.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_chebyshev_pieces = 200;
constexpr int most_chebyshev_attempts = 20'000;                                    // at slabs
constexpr double shortest_chebyshev_piece = 1e-6, shortest_chebyshev_slab = 1e-8;  // of the whole
constexpr double incompatible_misfit = 0.05;

std::vector<double> chebyshev_pieces(const ChebyshevBox& box) {
  std::vector<double> breaks = {box.lower[0]};
  breaks.insert(breaks.end(), box.kinks.begin(), box.kinks.end());
  breaks.push_back(box.upper[0]);
  return breaks;
}

/// Sizes of the fields, by their largest coefficients so far.
class ChebyshevSizes final {
 public:
  explicit ChebyshevSizes(const ChebyshevBox& box) {
    const Lowering lower(*box.problem);
    const Sizes shown = characteristic_sizes(*box.problem, lower, true);
    for (const std::string& f : box.fields) sizes_.push_back(1e-3 * shown.fields.at(f));
  }
  void see(const ChebyshevAnswer& a) {
    const std::size_t block = a.grid.block();
    for (std::size_t i = 0; i < a.c.size(); ++i) {
      double& size = sizes_[i / block % sizes_.size()];
      size = std::max(size, std::abs(a.c[i]));
    }
  }
  [[nodiscard]] double of(std::size_t field) const { return sizes_[field]; }
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }

 private:
  std::vector<double> sizes_;
};

/// The largest of the last two coefficients along an axis on a piece, in units of the fields: what
/// is not resolved. Two, since every other one of an even function is 0.
double chebyshev_tail(const ChebyshevAnswer& a, const ChebyshevSizes& sizes, std::size_t piece,
                      std::size_t axis) {
  const std::vector<std::size_t>& n = a.grid.n;
  const std::size_t block = a.grid.block();
  std::size_t after = 1;
  for (std::size_t k = axis + 1; k < n.size(); ++k) after *= n[k];
  double worst = 0;
  for (std::size_t f = 0; f < sizes.count(); ++f) {
    const double* c = a.c.data() + (piece * sizes.count() + f) * block;
    for (std::size_t i = 0; i < block; ++i) {
      if (i / after % n[axis] + 2 >= n[axis]) worst = std::max(worst, std::abs(c[i]) / sizes.of(f));
    }
  }
  return worst;
}

/// How space is to be cut, and what is not resolved and cannot be cut either.
struct ChebyshevCut {
  std::vector<double> breaks;  ///< pieces that are not resolved are halved
  double left = 0;             ///< largest tail of the others that are not resolved
};
ChebyshevCut cut_chebyshev_pieces(const ChebyshevBox& box, const ChebyshevAnswer& a,
                                  const ChebyshevSizes& sizes, const ChebyshevLevel& level) {
  ChebyshevCut cut{{a.grid.breaks[0]}};
  const double shortest = shortest_chebyshev_piece * (box.upper[0] - box.lower[0]);
  std::size_t count = a.grid.pieces();
  for (std::size_t e = 0; e < a.grid.pieces(); ++e) {
    const double from = a.grid.breaks[e], to = a.grid.breaks[e + 1];
    double worst = 0;
    for (std::size_t k = 1; k <= box.dimension(); ++k) {
      worst = std::max(worst, chebyshev_tail(a, sizes, e, k));
    }
    if (worst > level.tolerance) {
      if (box.dimension() == 1 && level.cut && to - from > 2 * shortest &&
          count < most_chebyshev_pieces) {
        cut.breaks.push_back((from + to) / 2);
        ++count;
      } else {
        cut.left = std::max(cut.left, worst);
      }
    }
    cut.breaks.push_back(to);
  }
  return cut;
}

/// Takes off the means over space of fields that are given up to a constant.
void remove_chebyshev_means(const ChebyshevBox& box, ChebyshevAnswer& a,
                            const std::vector<std::size_t>& fields) {
  const std::vector<std::size_t>& n = a.grid.n;
  const std::size_t block = a.grid.block(), of_space = block / n[0];
  const double length = a.grid.breaks.back() - a.grid.breaks.front();
  for (const std::size_t f : fields) {
    std::vector<double> means(n[0], 0);
    for (std::size_t e = 0; e < a.grid.pieces(); ++e) {
      const double share = (a.grid.breaks[e + 1] - a.grid.breaks[e]) / length;
      const double* c = a.c.data() + (e * box.fields.size() + f) * block;
      for (std::size_t i = 0; i < block; ++i) {
        double mean = share;  // of T_k over an interval: 1 / (1 - k^2) for even k, else 0
        for (std::size_t axis = n.size(), rest = i % of_space; axis-- > 1; rest /= n[axis]) {
          const auto k = static_cast<double>(rest % n[axis]);
          mean *= rest % n[axis] % 2 == 0 ? 1 / (1 - k * k) : 0;
        }
        means[i / of_space] += mean * c[i];
      }
    }
    for (std::size_t e = 0; e < a.grid.pieces(); ++e) {
      double* c = a.c.data() + (e * box.fields.size() + f) * block;
      for (std::size_t j = 0; j < n[0]; ++j) c[j * of_space] -= means[j];
    }
  }
}

/// A solution on a grid, with a mean of 0 where a constant is free.
ChebyshevOutcome solve_chebyshev_on(const ChebyshevBox& box, const ChebyshevGrid& grid,
                                    const ChebyshevAnswer* before, bool last,
                                    std::vector<double> guess, double accuracy,
                                    const std::function<bool()>& stop) {
  ChebyshevSystem system(box, box.equations, grid, before, last);
  guess.resize(system.unknowns(), 0);
  ChebyshevOutcome out = solve_chebyshev(box, system, std::move(guess), accuracy, stop);
  if (!out.trouble.empty() || out.constants.empty()) return out;
  if (out.misfit > incompatible_misfit) {
    out.trouble = fmt::format(
        "'{}' is given up to a constant, and the data are not compatible: there is no solution",
        box.fields[out.constants[0]]);
  }
  ChebyshevAnswer a{grid, std::move(out.c)};
  remove_chebyshev_means(box, a, out.constants);
  out.c = std::move(a.c);
  return out;
}

void remark_free_constants(const ChebyshevBox& box, const ChebyshevOutcome& outcome,
                           ChebyshevRun& run) {
  for (const std::size_t f : outcome.constants) {
    run.remarks.push_back(
        fmt::format("'{}' is given up to a constant: its mean is set to 0", box.fields[f]));
  }
}

/// Pieces on which the initial values are resolved, with these values.
ChebyshevAnswer initial_chebyshev(const ChebyshevBox& box, const ChebyshevLevel& level,
                                  ChebyshevSizes& sizes) {
  ChebyshevGrid grid{chebyshev_pieces(box), level.n, box.time->lower, box.time->lower};
  grid.n[0] = 1;  // no time yet, and no derivatives by it
  ChebyshevBox still = box;
  std::erase_if(still.conditions, [&](const ChebyshevTerm& t) {
    return order(t.residual, Coordinate(box.time->name)) > 0;
  });
  // So short that values at the ends are those of the beginning.
  grid.to += 1e-12 * (box.time->upper - box.time->lower) + 1e-15 * std::abs(box.time->lower);
  for (int round = 0;; ++round) {
    ChebyshevAnswer a{grid, chebyshev_guess(still, grid)};
    sizes.see(a);
    ChebyshevCut cut = cut_chebyshev_pieces(box, a, sizes, level);
    if (cut.breaks == grid.breaks || round == 8) return a;
    grid.breaks = std::move(cut.breaks);
  }
}

double chebyshev_accuracy(const ChebyshevLevel& level) {
  return std::max(1e-13, 1e-2 * level.tolerance);
}

}  // namespace

ChebyshevRun chebyshev_at_once(const ChebyshevBox& box, const ChebyshevLevel& level,
                               const ChebyshevWatch& stop) {
  ChebyshevRun run;
  ChebyshevGrid grid{chebyshev_pieces(box), level.n};
  if (box.time) {
    grid.from = box.time->lower;
    grid.to = box.time->upper;
  }
  std::vector<double> guess;
  if (!box.linear) {
    // A coarse answer first: most iterations are done there.
    ChebyshevGrid coarse = grid;
    for (std::size_t& n : coarse.n) n = std::min<std::size_t>(n, 10);
    guess = chebyshev_guess(box, coarse);
    if (coarse.n != grid.n) {
      ChebyshevOutcome out =
          solve_chebyshev_on(box, coarse, nullptr, true, guess, 1e-4, [&] { return stop(0); });
      guess = chebyshev_on(box, {coarse, out.trouble.empty() ? std::move(out.c) : guess}, grid);
    }
  }
  ChebyshevSizes sizes(box);
  for (int round = 0; round < 20; ++round) {
    ChebyshevOutcome out = solve_chebyshev_on(box, grid, nullptr, true, guess,
                                              chebyshev_accuracy(level), [&] { return stop(0); });
    run.interrupted = out.interrupted;
    ChebyshevAnswer answer{grid, std::move(out.c)};
    run.unknowns = answer.c.size();
    if (!out.trouble.empty() || out.interrupted) {
      run.trouble = out.trouble;
      return run;
    }
    sizes.see(answer);
    ChebyshevCut cut = cut_chebyshev_pieces(box, answer, sizes, level);
    if (cut.breaks == grid.breaks || round == 19) {
      remark_free_constants(box, out, run);
      if (cut.left > 0 && level.cut && box.dimension() == 1) {
        run.remarks.push_back(
            fmt::format("not resolved: the last coefficients are {:.1e} of the largest", cut.left));
      }
      run.slabs.push_back(std::move(answer));
      return run;
    }
    grid.breaks = std::move(cut.breaks);
    guess = box.linear ? std::vector<double>() : chebyshev_on(box, answer, grid);
    if (stop(0)) {
      run.interrupted = true;
      return run;
    }
  }
  return run;
}

ChebyshevRun march_chebyshev(const ChebyshevBox& box, const ChebyshevLevel& level,
                             const ChebyshevWatch& stop) {
  ChebyshevRun run;
  ChebyshevSizes sizes(box);
  const ChebyshevAnswer initial = initial_chebyshev(box, level, sizes);
  ChebyshevGrid grid{initial.grid.breaks, level.n};
  const double end = box.time->upper, all = end - box.time->lower;
  const auto power = 1 / static_cast<double>(std::max<std::size_t>(level.n[0], 3) - 1);
  double now = box.time->lower, length = all / 8;
  double rough = 0;                                              // what is not resolved
  double before_late = std::numeric_limits<double>::infinity();  // of the last try from here
  for (int attempt = 0; now < end; ++attempt) {
    if (attempt == most_chebyshev_attempts) {
      run.trouble = fmt::format("{} slabs of time reach no further than {} = {:.6g}",
                                run.slabs.size(), box.time->name, now);
      return run;
    }
    if (stop(now)) {
      run.interrupted = true;
      return run;
    }
    grid.from = now;
    const auto change = std::upper_bound(box.switches.begin(), box.switches.end(), now);
    const double most = change == box.switches.end() ? end : *change;
    grid.to = now + 1.1 * length >= most ? most : now + length;
    length = grid.to - now;
    const ChebyshevAnswer* before = run.slabs.empty() ? nullptr : &run.slabs.back();
    std::vector<double> guess;
    if (!box.linear) guess = chebyshev_on(box, before ? *before : initial, grid, now);
    bool asked = false;
    ChebyshevOutcome out =
        solve_chebyshev_on(box, grid, before, grid.to == end, std::move(guess),
                           chebyshev_accuracy(level), [&] { return asked = asked || stop(now); });
    if (out.interrupted) {
      run.interrupted = true;
      return run;
    }
    const bool shortest = length <= shortest_chebyshev_slab * all;
    ChebyshevAnswer answer{grid, std::move(out.c)};
    const bool finite =
        std::all_of(answer.c.begin(), answer.c.end(), [](double v) { return std::isfinite(v); });
    if (!out.trouble.empty() || !finite) {
      if (shortest || (box.linear && out.trouble.size() > 0)) {
        run.trouble = fmt::format("at {} = {:.6g}: {}", box.time->name, now,
                                  out.trouble.empty() ? "the answer is not finite" : out.trouble);
        return run;
      }
      length /= 2;
      continue;
    }
    sizes.see(answer);
    double late = 0;
    for (std::size_t e = 0; e < grid.pieces(); ++e)
      late = std::max(late, chebyshev_tail(answer, sizes, e, 0));
    // Space is to blame when a shorter slab did not help.
    ChebyshevCut cut = cut_chebyshev_pieces(box, answer, sizes, level);
    const bool helps = late < 0.3 * before_late;
    if (cut.breaks != grid.breaks && (late < 100 * level.tolerance || !helps)) {
      grid.breaks = std::move(cut.breaks);
      before_late = std::numeric_limits<double>::infinity();
      continue;
    }
    // Time need not be finer than space can be.
    const double limit = std::max(level.tolerance, cut.left);
    const double factor = 0.9 * std::pow(limit / std::max(late, 1e-300), power);
    if (late > limit && helps && !shortest) {
      before_late = late;
      length *= std::clamp(factor, 0.2, 0.5);
      continue;
    }
    before_late = std::numeric_limits<double>::infinity();
    rough = std::max({rough, cut.left, late > limit ? late : 0.0});
    if (run.slabs.empty()) remark_free_constants(box, out, run);
    run.unknowns += answer.c.size();
    run.slabs.push_back(std::move(answer));
    now = grid.to;
    // After a switch of known functions anything may come.
    length =
        grid.to == most ? std::min(all / 8, 4 * length) : length * std::clamp(factor, 0.5, 2.0);
  }
  if (rough > 0 && level.cut && box.dimension() == 1) {
    run.remarks.push_back(
        fmt::format("not resolved: the last coefficients are {:.1e} of the largest", rough));
  }
  return run;
}

}  // namespace cauchy::detail
