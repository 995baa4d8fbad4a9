#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/multigrid.hpp>

#include "math/iteration.hpp"
#include "math/multigrid/box_level.hpp"

namespace cauchy {
namespace {

constexpr const char* multigrid_place = "[math.multigrid]";

bool has_dirichlet(const BoxOperator& op) {
  for (const BoxAxis& axis : op.axes) {
    if (axis.at_lower == BoxAxis::End::dirichlet || axis.at_upper == BoxAxis::End::dirichlet) {
      return true;
    }
  }
  return false;
}

}  // namespace

struct BoxMultigrid::Impl {
  struct Space {
    std::vector<double> u, f, r;
  };
  BoxOperator op;
  MultigridOptions options;
  Threads* threads;
  bool kernel;  // constants
  std::vector<detail::BoxLevel> levels;
  std::vector<Space> space;
  std::vector<double> scratch;
  Lu<double> coarsest;

  Impl(BoxOperator o, const MultigridOptions& opt, Threads* t)
      : op(std::move(o)), options(opt), threads(t), kernel(op.c == 0 && !has_dirichlet(op)) {
    detail::BoxLevel::Grids grids;
    detail::BoxLevel::Faces faces;
    const std::size_t missing = 3 - op.axes.size();
    for (std::size_t k = 0; k < op.axes.size(); ++k) {
      grids[missing + k] = detail::AxisGrid::of(op.axes[k]);
      if (!op.a.empty()) faces[missing + k] = op.a[k];
    }
    // Missing directions have two faces per node, of which nothing is asked.
    for (std::size_t k = 0; k < missing && !op.a.empty(); ++k) faces[k].assign(2 * op.size(), 1);
    levels.emplace_back(std::move(grids), std::move(faces), op.c);
    for (bool possible = true; possible;) {
      detail::BoxLevel next = levels.back().coarser(possible);
      if (possible) {
        levels.back().prepare_transfer(next);
        levels.push_back(std::move(next));
      }
    }
    std::size_t most = 0;
    for (const detail::BoxLevel& level : levels) {
      const std::size_t n = level.size(), coarse = space.empty() ? 0 : n;  // the caller's u and f
      space.push_back(
          {std::vector<double>(coarse), std::vector<double>(coarse), std::vector<double>(n)});
      most = std::max(most, level.transfer_size());
    }
    scratch.resize(most);
    factor_coarsest();
  }

  void factor_coarsest() {
    const detail::BoxLevel& level = levels.back();
    const std::size_t n = level.size();
    Matrix a(n, n);
    std::vector<double> unit(n), column(n);
    double total = 0, size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      unit[j] = 1;
      level.residual({}, unit, column, nullptr);
      unit[j] = 0;
      for (std::size_t i = 0; i < n; ++i) a(i, j) = -column[i];
      total += level.volume(j);
      size = std::max(size, std::abs(a(j, j)));
    }
    // With constants as kernel: their weighted mean is asked to be 0 in every row.
    for (std::size_t j = 0; j < n && kernel; ++j) {
      for (std::size_t i = 0; i < n; ++i) a(i, j) += size * level.volume(j) / total;
    }
    coarsest = lu(a);
  }

  void remove_mean(const detail::BoxLevel& level, std::span<double> v) const {
    const double mean = level.mean(v);
    for (double& x : v) x -= mean;
  }

  void cycle(std::size_t l, std::span<const double> f, std::span<double> u, MultigridCycle kind) {
    const detail::BoxLevel& level = levels[l];
    if (l + 1 == levels.size()) {
      std::copy(f.begin(), f.end(), u.begin());
      coarsest.solve(VectorView<double>(u.data(), u.size()));
      return;
    }
    // Sweeps, residual and transfers read and write some vectors each.
    count_work(WorkKind::memory, 40.0 * (options.sweeps_before + options.sweeps_after + 2) *
                                     static_cast<double>(level.size()));
    for (int s = 0; s < options.sweeps_before; ++s) level.relax(f, u, 0, threads);
    level.residual(f, u, space[l].r, threads);
    Space& coarse = space[l + 1];
    level.restrict_to(space[l].r, coarse.f, scratch, threads);
    std::fill(coarse.u.begin(), coarse.u.end(), 0.0);
    cycle(l + 1, coarse.f, coarse.u, kind);
    if (kind != MultigridCycle::v && l + 2 < levels.size()) {
      cycle(l + 1, coarse.f, coarse.u,
            kind == MultigridCycle::f ? MultigridCycle::v : MultigridCycle::w);
    }
    level.add_interpolated(coarse.u, u, scratch, threads);
    for (int s = 0; s < options.sweeps_after; ++s) level.relax(f, u, 1, threads);
  }

  /// u from the answers of the coarser grids, one cycle on each.
  void nested_start(std::size_t l, std::span<const double> f, std::span<double> u) {
    std::fill(u.begin(), u.end(), 0.0);
    if (l + 1 < levels.size()) {
      std::vector<double> coarse_f(levels[l + 1].size()), coarse_u(coarse_f.size());
      levels[l].restrict_to(f, coarse_f, scratch, threads);
      nested_start(l + 1, coarse_f, coarse_u);
      levels[l].add_interpolated(coarse_u, u, scratch, threads);
    }
    cycle(l, f, u, options.cycle);
  }
};

BoxMultigrid::BoxMultigrid(BoxOperator op, const MultigridOptions& options, Threads* threads) {
  op.check();
  if (options.sweeps_before < 0 || options.sweeps_after < 0 ||
      options.sweeps_before + options.sweeps_after == 0) {
    throw Error("a multigrid cycle needs at least one sweep", multigrid_place);
  }
  if (options.krylov == MultigridKrylov::conjugate_gradients &&
      options.sweeps_before != options.sweeps_after) {
    throw Error("conjugate gradients need as many sweeps before as after", multigrid_place);
  }
  impl_ = std::make_unique<Impl>(std::move(op), options, threads);
}

BoxMultigrid::~BoxMultigrid() = default;
BoxMultigrid::BoxMultigrid(BoxMultigrid&&) noexcept = default;
BoxMultigrid& BoxMultigrid::operator=(BoxMultigrid&&) noexcept = default;

std::size_t BoxMultigrid::levels() const noexcept { return impl_->levels.size(); }
const BoxOperator& BoxMultigrid::problem() const noexcept { return impl_->op; }

void BoxMultigrid::apply(std::span<const double> u, std::span<double> out) {
  if (u.size() != impl_->op.size() || out.size() != u.size()) {
    throw Error("vectors do not fit the grid", multigrid_place);
  }
  impl_->levels.front().residual({}, u, out, impl_->threads);
  for (double& v : out) v = -v;
}

IterationResult BoxMultigrid::solve(std::span<const double> f, std::span<double> u,
                                    const IterationOptions& options) {
  Impl& m = *impl_;
  const detail::BoxLevel& fine = m.levels.front();
  if (f.size() != fine.size() || u.size() != fine.size()) {
    throw Error("right side or unknowns do not fit the grid", multigrid_place);
  }
  std::vector<double> right(f.begin(), f.end());
  if (m.kernel) m.remove_mean(fine, right);
  std::vector<double>& r = m.space.front().r;
  if (m.options.nested) {
    std::vector<double> rest(u.size()), step(u.size());
    fine.residual(right, u, rest, m.threads);
    m.nested_start(0, rest, step);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += step[i];
  }
  IterationResult result;
  if (m.options.krylov == MultigridKrylov::none) {
    detail::Iteration iteration(options, right, u);
    while (iteration.go_on(std::sqrt(fine.residual(right, u, r, m.threads)))) {
      m.cycle(0, right, u, m.options.cycle);
    }
    result = iteration.result();
  } else {
    // Rows times volumes are symmetric; cycles take them back.
    std::vector<double> volume(u.size()), plain(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      volume[i] = fine.volume(i);
      right[i] *= volume[i];
    }
    const auto multiply = [&](std::span<const double> in, std::span<double> out) {
      fine.residual({}, in, out, m.threads);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= -volume[i];
    };
    const auto inverse = [&](std::span<const double> in, std::span<double> out) {
      for (std::size_t i = 0; i < in.size(); ++i) plain[i] = in[i] / volume[i];
      std::fill(out.begin(), out.end(), 0.0);
      m.cycle(0, plain, out, m.options.cycle);
      if (m.kernel) m.remove_mean(fine, out);
    };
    result = m.options.krylov == MultigridKrylov::conjugate_gradients
                 ? conjugate_gradients(multiply, inverse, right, u, options)
                 : bicgstab(multiply, inverse, right, u, options);
  }
  if (m.kernel) m.remove_mean(fine, u);
  return result;
}

}  // namespace cauchy
