// Steps of the compressible Euler equations in two dimensions by rows of cells.
#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/base/aligned.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/program.hpp>

#include "solvers/fvm/euler_kernels.hpp"
#include "solvers/fvm/fvm_stepper.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t rows_per_chunk = 64, pad = 8;  // cells before and behind a row

/// K rows of numbers that may be read and written a little beyond their ends.
template <std::size_t K>
struct EulerRows {
  explicit EulerRows(std::size_t n) {
    const std::size_t stride = (n + 2 * pad + 15) / 8 * 8;
    memory.assign(K * stride, 1.0);
    for (std::size_t k = 0; k < K; ++k) at[k] = memory.data() + k * stride + pad;
  }
  AlignedVector<double> memory;
  std::array<double*, K> at;
};

using Four = std::array<const double*, 4>;

template <std::size_t K>
Four four(const EulerRows<K>& rows, std::size_t first, std::ptrdiff_t shift, bool swap) {
  Four out;
  for (std::size_t k = 0; k < 4; ++k) out[k] = rows.at[first + k] + shift;
  if (swap) std::swap(out[1], out[2]);
  return out;
}

std::array<const double*, 6> six(const EulerRows<6>& rows, std::ptrdiff_t shift, bool swap) {
  std::array<const double*, 6> out;
  for (std::size_t k = 0; k < 6; ++k) out[k] = rows.at[k] + shift;
  if (swap) std::swap(out[1], out[2]);
  return out;
}

/// Rows of fluxes with "u" along x or y.
std::array<double*, 4> flux_rows(EulerRows<4>& rows, bool swap) {
  std::array<double*, 4> out = rows.at;
  if (swap) std::swap(out[1], out[2]);
  return out;
}

/// What one worker needs.
struct EulerWork {
  explicit EulerWork(std::size_t n)
      : w{EulerRows<6>(n), EulerRows<6>(n), EulerRows<6>(n)},
        faces{EulerRows<16>(n), EulerRows<16>(n)},
        x{EulerRows<4>(n), EulerRows<4>(n)},
        y(n + 1) {}
  std::array<EulerRows<6>, 3> w;       // rows before, now, after
  std::array<EulerRows<16>, 2> faces;  // predicted: rows before, now
  std::array<EulerRows<4>, 2> x;       // fluxes below and above
  EulerRows<4> y;
};

class EulerStepper final : public FvmStepper {
 public:
  EulerStepper(FvmOperator& balance, const BalanceLaw& law, const GasForm& gas, const FvmMesh& mesh,
               bool hancock, int threads)
      : balance_(&balance),
        mesh_(&mesh),
        gamma_(*gas.gamma),
        hancock_(hancock),
        kernels_(euler_kernels()),
        conserved_(ProgramSpec{law.conserved, law.fields, {}, {}}),
        threads_(threads) {
    row_of_[0] = gas.mass;
    row_of_[1] = gas.momentum[0];
    row_of_[2] = gas.momentum[1];
    row_of_[3] = static_cast<std::size_t>(std::find(gas.energy.begin(), gas.energy.end(), true) -
                                          gas.energy.begin());
    for (int i = 0; i < threads_.size(); ++i) work_.emplace_back(mesh.counts[1]);
    n_chunks_ = chunk_count(mesh.counts[0], rows_per_chunk);
    rates_.resize(n_chunks_);
    halo_.resize(n_chunks_);
  }

  [[nodiscard]] double largest_step(double /*t*/, const Rows& q) override {
    threads_.run(n_chunks_, [&](std::size_t i, int) {
      const IndexRange rows = chunk(i);
      rates_[i] = rate(q, rows.begin, rows.size());
    });
    return step_of_rates();
  }

  /// In place: what neighbouring chunks change is put aside before.
  double step(double t, double dt, Rows& q) override {
    if (mesh_->n_boundary() > 0) set_ghosts(t, q);
    threads_.run(n_chunks_, [&](std::size_t i, int) { save_halo(q, i); });
    threads_.run(n_chunks_, [&](std::size_t i, int worker) {
      EulerWork& work = work_[static_cast<std::size_t>(worker)];
      rates_[i] = 0;
      hancock_ ? march_hancock(dt, q, i, work) : march_first(dt, q, i, work);
    });
    return step_of_rates();
  }

 private:
  [[nodiscard]] IndexRange chunk(std::size_t i) const {
    return chunk_range(mesh_->counts[0], n_chunks_, i);
  }
  [[nodiscard]] double rate(const Rows& q, std::size_t row, std::size_t n_rows) const {
    return kernels_.rate(n_rows * mesh_->counts[1], gamma_, 1 / mesh_->spacing[0],
                         1 / mesh_->spacing[1], cells(q, row).data());
  }
  [[nodiscard]] double step_of_rates() const {
    double largest = 0;
    for (const double r : rates_) {
      largest = std::isnan(r) || std::isnan(largest) ? NAN : std::max(largest, r);
    }
    return 1 / largest;
  }

  [[nodiscard]] Four cells(const Rows& q, std::size_t row) const {
    Four out;
    for (std::size_t k = 0; k < 4; ++k) out[k] = q[row_of_[k]].data() + row * mesh_->counts[1];
    return out;
  }

  /// Conserved ghosts in the order of the boundary faces.
  void set_ghosts(double t, const Rows& q) {
    balance_->ghosts(t, q, ghost_fields_);
    const std::size_t nb = mesh_->n_boundary();
    ghost_.assign(4, std::vector<double>(nb));
    std::vector<const double*> in;
    std::vector<double*> out;
    for (const auto& row : ghost_fields_) in.push_back(row.data());
    for (auto& row : ghost_) out.push_back(row.data());
    std::vector<double> scratch(conserved_.workspace_size());
    conserved_.run(nb, in.data(), nullptr, out.data(), nullptr, scratch.data());
  }

  /// The value at a cell, or at the ghost that a neighbour is.
  [[nodiscard]] double value(const Rows& q, std::size_t k, std::size_t at) const {
    return at < mesh_->n_cells ? q[row_of_[k]][at] : ghost_[row_of_[k]][at - mesh_->n_cells];
  }

  /// The place of a row beside a chunk among its saved ones: two below, two above.
  static std::size_t halo_place(IndexRange rows, std::ptrdiff_t row) {
    const auto begin = static_cast<std::ptrdiff_t>(rows.begin);
    return static_cast<std::size_t>(row < begin ? row - begin + 2
                                                : row - static_cast<std::ptrdiff_t>(rows.end) + 2);
  }
  void save_halo(const Rows& q, std::size_t i) {
    const IndexRange rows = chunk(i);
    const auto nx = static_cast<std::ptrdiff_t>(mesh_->counts[0]);
    const std::size_t ny = mesh_->counts[1];
    halo_[i].resize(4 * 4 * ny);
    const std::ptrdiff_t reach = hancock_ ? 2 : 1;
    const auto begin = static_cast<std::ptrdiff_t>(rows.begin),
               end = static_cast<std::ptrdiff_t>(rows.end);
    for (std::ptrdiff_t row = begin - reach; row < end + reach; ++row) {
      if (row == begin) row = end;
      if ((row < 0 || row >= nx) && !mesh_->periodic[0]) continue;
      const Four from = cells(q, static_cast<std::size_t>((row + nx) % nx));
      for (std::size_t k = 0; k < 4; ++k) {
        std::copy_n(from[k], ny, halo_[i].data() + (halo_place(rows, row) * 4 + k) * ny);
      }
    }
  }

  /// States of a row, which may be one beyond the grid, with as many cells at the ends.
  void load(const Rows& q, std::size_t i, std::ptrdiff_t row, EulerRows<6>& to) const {
    const auto nx = static_cast<std::ptrdiff_t>(mesh_->counts[0]);
    const std::size_t ny = mesh_->counts[1];
    const bool beyond = row < 0 || row >= nx;
    const auto inside = static_cast<std::size_t>((row + nx) % nx);
    // Ghosts are put where the states go, and turned into states in place.
    std::array<double*, 4> raw;
    for (std::size_t k = 0; k < 4; ++k) raw[k] = to.at[k];
    if (beyond && !mesh_->periodic[0]) {
      const std::size_t edge = row < 0 ? 0 : static_cast<std::size_t>(nx - 1);
      const auto& side = mesh_->neighbour[row < 0 ? 0 : 1];
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t j = 0; j < ny; ++j) raw[k][j] = value(q, k, side[edge * ny + j]);
      }
      const Four from = {raw[0], raw[1], raw[2], raw[3]};
      kernels_.states(ny, gamma_, from.data(), to.at.data());
      return;  // corners are not looked at
    }
    const IndexRange rows = chunk(i);
    Four source = cells(q, inside);
    if (row < static_cast<std::ptrdiff_t>(rows.begin) ||
        row >= static_cast<std::ptrdiff_t>(rows.end)) {
      for (std::size_t k = 0; k < 4; ++k) {
        source[k] = halo_[i].data() + (halo_place(rows, row) * 4 + k) * ny;
      }
    }
    kernels_.states(ny, gamma_, source.data(), to.at.data());
    if (mesh_->periodic[1]) {
      for (double* v : to.at) {
        for (std::size_t j = 1; j <= 2; ++j) *(v - j) = v[ny - j];
        for (std::size_t j = 0; j < 2; ++j) v[ny + j] = v[j];
      }
      return;
    }
    for (std::size_t end = 0; end < 2; ++end) {
      const std::size_t cell = inside * ny + (end == 0 ? 0 : ny - 1);
      double one[4];
      Four from;
      std::array<double*, 6> place;
      for (std::size_t k = 0; k < 4; ++k) {
        one[k] = value(q, k, mesh_->neighbour[2 + end][cell]);
        from[k] = &one[k];
      }
      for (std::size_t k = 0; k < 6; ++k) place[k] = end == 0 ? to.at[k] - 1 : to.at[k] + ny;
      kernels_.states(1, gamma_, from.data(), place.data());
    }
  }

  void finish(double dt, Rows& q, std::size_t i, std::size_t row, EulerWork& work) {
    std::array<double*, 4> out;
    for (std::size_t k = 0; k < 4; ++k) out[k] = q[row_of_[k]].data() + row * mesh_->counts[1];
    const Four low = four(work.x[0], 0, 0, false), high = four(work.x[1], 0, 0, false);
    const Four side = four(work.y, 0, 0, false);
    kernels_.update(mesh_->counts[1], dt / mesh_->spacing[0], dt / mesh_->spacing[1],
                    cells(q, row).data(), low.data(), high.data(), side.data(), out.data());
    std::swap(work.x[0], work.x[1]);
    const double r = rate(q, row, 1);  // while the row is in the cache
    rates_[i] = std::isnan(r) || std::isnan(rates_[i]) ? NAN : std::max(rates_[i], r);
  }

  void march_first(double dt, Rows& q, std::size_t i, EulerWork& work) {
    const IndexRange rows = chunk(i);
    const std::size_t ny = mesh_->counts[1];
    auto& [before, now, after] = work.w;
    const auto cross = [&](const EulerRows<6>& a, const EulerRows<6>& b, EulerRows<4>& to) {
      kernels_.flux_of_six(ny, six(a, 0, false).data(), six(b, 0, false).data(), to.at.data());
    };
    load(q, i, static_cast<std::ptrdiff_t>(rows.begin) - 1, before);
    load(q, i, static_cast<std::ptrdiff_t>(rows.begin), now);
    cross(before, now, work.x[0]);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      load(q, i, static_cast<std::ptrdiff_t>(row) + 1, after);
      cross(now, after, work.x[1]);
      kernels_.flux_of_six(ny + 1, six(now, -1, true).data(), six(now, 0, true).data(),
                           flux_rows(work.y, true).data());
      finish(dt, q, i, row, work);
      std::swap(now, after);
    }
  }

  void march_hancock(double dt, Rows& q, std::size_t i, EulerWork& work) {
    const IndexRange rows = chunk(i);
    const std::size_t ny = mesh_->counts[1];
    // Not a structured binding: lambdas of C++20 need not be able to hold those.
    auto &before = work.w[0], &now = work.w[1], &after = work.w[2];
    // Faces of cells -1 to ny.
    const auto predict = [&](EulerRows<16>& to) {
      std::array<double*, 16> out;
      for (std::size_t k = 0; k < 16; ++k) out[k] = to.at[k] - 1;
      kernels_.predict(ny + 2, gamma_, 0.5 * dt / mesh_->spacing[0], 0.5 * dt / mesh_->spacing[1],
                       four(before, 0, -1, false).data(), four(now, 0, -1, false).data(),
                       four(after, 0, -1, false).data(), out.data());
    };
    const auto first = static_cast<std::ptrdiff_t>(rows.begin) - 1;
    load(q, i, first - 1, before);
    load(q, i, first, now);
    for (std::ptrdiff_t row = first; row <= static_cast<std::ptrdiff_t>(rows.end); ++row) {
      load(q, i, row + 1, after);
      predict(work.faces[1]);
      if (row > first) {
        kernels_.flux_of_four(ny, gamma_, four(work.faces[0], 4, 0, false).data(),
                              four(work.faces[1], 0, 0, false).data(), work.x[1].at.data());
        if (row > first + 1) {  // the row before has both of its fluxes along x
          kernels_.flux_of_four(ny + 1, gamma_, four(work.faces[0], 12, -1, true).data(),
                                four(work.faces[0], 8, 0, true).data(),
                                flux_rows(work.y, true).data());
          finish(dt, q, i, static_cast<std::size_t>(row - 1), work);
        } else {
          std::swap(work.x[0], work.x[1]);
        }
      }
      std::swap(work.faces[0], work.faces[1]);
      std::swap(before, now);
      std::swap(now, after);
    }
  }

  FvmOperator* balance_;
  const FvmMesh* mesh_;
  double gamma_;
  bool hancock_;
  EulerKernels kernels_;
  Program<double> conserved_;
  Threads threads_;
  std::array<std::size_t, 4> row_of_{};
  std::size_t n_chunks_ = 0;
  std::vector<EulerWork> work_;
  std::vector<double> rates_;  // per chunk
  Rows halo_, ghost_, ghost_fields_;
};

}  // namespace

bool euler_kernels_fit(const BalanceLaw& law, const std::optional<GasForm>& gas,
                       const FvmScheme& scheme, FvmTime time, bool boxes,
                       const std::vector<bool>& periodic) {
  if (!gas || !gas->gamma || law.dimension() != 2 || !boxes || law.has_source || law.is_diffusive ||
      scheme.flux->kind != FvmFlux::rusanov || time != FvmTime::euler ||
      !atoms(law.conserved, Kind::coordinate).empty()) {
    return false;
  }
  return scheme.reconstruction == FvmReconstruction::first ||
         (scheme.reconstruction == FvmReconstruction::muscl_hancock &&
          scheme.limiter->kind == FvmLimiter::none && periodic[0] && periodic[1]);
}

std::unique_ptr<FvmStepper> make_euler_stepper(FvmOperator& balance, const BalanceLaw& law,
                                               const std::optional<GasForm>& gas,
                                               const FvmMesh& mesh, const FvmScheme& scheme,
                                               FvmTime time, int threads) {
  if (!euler_kernels_fit(law, gas, scheme, time, mesh.is_boxes(), mesh.periodic)) return nullptr;
  const bool hancock = scheme.reconstruction == FvmReconstruction::muscl_hancock;
  return std::make_unique<EulerStepper>(balance, law, *gas, mesh, hancock, threads);
}

}  // namespace cauchy::detail
