// Constant coefficients on elements of order 1: closed formulas instead of points of quadrature.
//   int grad_k . F grad_l = |T| grad_k . F grad_l, and the mean of lambda_a is 1/(d+1), that of
//   lambda_a lambda_b is (1 + [a=b]) / ((d+1)(d+2))
#include <algorithm>
#include <array>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>

#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {
namespace {

/// What is left of a coefficient when all fields vanish, if that is a number.
std::optional<double> constant_rest(const Expr& e) {
  std::vector<Replacement> zeros;
  for (const Expr& atom : field_atoms(std::array{e})) zeros.push_back({atom, Expr(0)});
  const Expr rest = plain(substitute(e, zeros));
  if (!rest.is_constant()) return std::nullopt;
  return rest.value();
}

}  // namespace

void FemSystem::find_constants() {
  constant_.matrix =
      std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.constant; }) &&
      std::all_of(spaces_.begin(), spaces_.end(),
                  [](const auto& s) { return s->basis().order == 1; });
  constant_.vector = constant_.matrix;
  for (const WeakRow& row : form_->weak.form.rows) {
    std::vector<Expr> parts = {row.source};
    parts.insert(parts.end(), row.flux.begin(), row.flux.end());
    for (const Expr& part : parts) {
      const std::optional<double> rest = constant_.vector ? constant_rest(part) : std::nullopt;
      constant_.vector = rest.has_value();
      if (!rest) return;
      constant_.rest.push_back(*rest);
    }
  }
}

template <std::size_t D>
void FemSystem::constant_matrices(std::size_t first, std::size_t count, double a,
                                  double* local) const {
  const std::size_t nl = n_local_;
  if (blocks_.size() != 1) std::fill_n(local, count * nl * nl, 0.0);
  for (const Block& block : blocks_) {
    const double c = block.u.constant + a * block.rate.constant;
    std::array<double, D> du{}, fu{};
    std::array<double, D * D> fdu{};
    bool flow = false;
    for (std::size_t i = 0; i < D; ++i) {
      du[i] = block.du[i].constant;
      fu[i] = block.fu[i].constant;
      flow = flow || du[i] != 0 || fu[i] != 0;
      for (std::size_t j = 0; j < D; ++j) fdu[i * D + j] = block.fdu[i * D + j].constant;
    }
    for (std::size_t cell = 0; cell < count; ++cell) {
      const CellShape shape = cell_shape(mesh_->mesh, first + cell);
      double* const out =
          local + cell * nl * nl + local_offset_[block.row] * nl + local_offset_[block.field];
      if (blocks_.size() == 1) std::fill_n(out, nl * nl, 0.0);
      const double mean = shape.measure / static_cast<double>(D + 1);
      const double mass = c * mean / static_cast<double>(D + 2);
      for (std::size_t k = 0; k <= D; ++k) {
        std::array<double, D> g{};
        for (std::size_t i = 0; i < D; ++i) {
          for (std::size_t j = 0; j < D; ++j) {
            g[j] += shape.measure * shape.grad[k][i] * fdu[i * D + j];
          }
        }
        for (std::size_t l = 0; l <= D; ++l) {
          double sum = k == l ? 2 * mass : mass;
          for (std::size_t j = 0; j < D; ++j) sum += g[j] * shape.grad[l][j];
          out[k * nl + l] += sum;
        }
      }
      if (!flow) continue;
      for (std::size_t k = 0; k <= D; ++k) {
        for (std::size_t l = 0; l <= D; ++l) {
          double sum = 0;
          for (std::size_t j = 0; j < D; ++j) {
            sum += fu[j] * shape.grad[k][j] + du[j] * shape.grad[l][j];
          }
          out[k * nl + l] += mean * sum;
        }
      }
    }
  }
}

template <std::size_t D>
void FemSystem::constant_vectors(std::size_t first, std::size_t count, std::span<const double> y,
                                 std::span<const double> dy, double* local) const {
  std::fill_n(local, count * n_local_, 0.0);
  const std::size_t n_rows = spaces_.size();
  for (std::size_t cell = 0; cell < count; ++cell) {
    const CellShape shape = cell_shape(mesh_->mesh, first + cell);
    const double mean = shape.measure / static_cast<double>(D + 1);
    const std::uint32_t* const dofs = &cell_dofs_[(first + cell) * n_local_];
    double* const at = local + cell * n_local_;
    for (std::size_t r = 0; r < n_rows; ++r) {
      const double* const rest = &constant_.rest[r * (1 + D)];
      for (std::size_t k = 0; k <= D; ++k) {
        double sum = mean * rest[0];
        for (std::size_t i = 0; i < D; ++i) sum += shape.measure * rest[1 + i] * shape.grad[k][i];
        at[local_offset_[r] + k] += sum;
      }
    }
    for (const Block& block : blocks_) {
      // Values at the corners, their mean, and the slope: the field is a plane here.
      std::array<double, D + 1> values{};
      double total = 0;
      std::array<double, D> slope{};
      const std::uint32_t* const own = dofs + local_offset_[block.field];
      for (std::size_t k = 0; k <= D; ++k) {
        const double v = y[own[k]];
        values[k] = block.u.constant * v;
        if (!dy.empty()) values[k] += block.rate.constant * dy[own[k]];
        total += v;
        for (std::size_t i = 0; i < D; ++i) slope[i] += v * shape.grad[k][i];
      }
      double weighed = 0, along = 0;
      for (std::size_t k = 0; k <= D; ++k) weighed += values[k];
      std::array<double, D> flux{};
      for (std::size_t i = 0; i < D; ++i) {
        along += block.du[i].constant * slope[i];
        flux[i] = block.fu[i].constant * total / static_cast<double>(D + 1);
        for (std::size_t j = 0; j < D; ++j) flux[i] += block.fdu[i * D + j].constant * slope[j];
      }
      for (std::size_t k = 0; k <= D; ++k) {
        double sum = mean * (along + (weighed + values[k]) / static_cast<double>(D + 2));
        for (std::size_t i = 0; i < D; ++i) sum += shape.measure * flux[i] * shape.grad[k][i];
        at[local_offset_[block.row] + k] += sum;
      }
    }
  }
}

void FemSystem::add_constant_matrices(std::size_t first, std::size_t count, double a,
                                      double* local) const {
  const int d = mesh_->mesh.dimension;
  if (d == 1) constant_matrices<1>(first, count, a, local);
  if (d == 2) constant_matrices<2>(first, count, a, local);
  if (d == 3) constant_matrices<3>(first, count, a, local);
}

void FemSystem::add_constant_vectors(std::size_t first, std::size_t count,
                                     std::span<const double> y, std::span<const double> dy,
                                     double* local) const {
  const int d = mesh_->mesh.dimension;
  if (d == 1) constant_vectors<1>(first, count, y, dy, local);
  if (d == 2) constant_vectors<2>(first, count, y, dy, local);
  if (d == 3) constant_vectors<3>(first, count, y, dy, local);
}

}  // namespace cauchy::detail
