#include "applications/reservoir/pressure_system.hpp"

#include <algorithm>

#include <cauchy/base/run_limit.hpp>

namespace cauchy::detail {

PressureSystem::PressureSystem(const ReservoirGrid& grid, const std::vector<WellColumn>& wells)
    : grid_(grid), wells_(wells) {
  const std::size_t n = grid.size();
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < n; ++i) entries.push_back({i, i, 0});
  for (const FlowFace& f : grid.faces) {
    entries.push_back({f.a, f.b, 0});
    entries.push_back({f.b, f.a, 0});
  }
  for (const WellColumn& w : wells) {
    for (const Perforation& p : w.perforations) {
      for (const Perforation& q : w.perforations) entries.push_back({p.cell, q.cell, 0});
    }
  }
  matrix_ = SparseMatrix(n, n, entries);
  for (std::size_t i = 0; i < n; ++i) diagonal_.push_back(matrix_.position(i, i));
  for (const FlowFace& f : grid.faces) {
    upper_.push_back(matrix_.position(f.a, f.b));
    lower_.push_back(matrix_.position(f.b, f.a));
  }
  for (const WellColumn& w : wells) {
    std::vector<std::size_t>& places = well_places_.emplace_back();
    for (const Perforation& p : w.perforations) {
      for (const Perforation& q : w.perforations) {
        places.push_back(matrix_.position(p.cell, q.cell));
      }
    }
  }
  rhs_.resize(n);
  left_.resize(n);
  correction_.resize(n);
}

void PressureSystem::clear() {
  std::ranges::fill(matrix_.values(), 0.0);
  std::ranges::fill(rhs_, 0.0);
}

void PressureSystem::add_face(std::size_t face, double c) {
  const auto values = matrix_.values();
  values[diagonal_[grid_.faces[face].a]] += c;
  values[diagonal_[grid_.faces[face].b]] += c;
  values[upper_[face]] -= c;
  values[lower_[face]] -= c;
}

void PressureSystem::add_well(std::size_t well, const WellFlow& flow) {
  // rate_p = w_p (p_p - h_p - P); by rate P = (sum_q w_q (p_q - h_q) - target) / sum_q w_q.
  const WellColumn& w = wells_[well];
  const auto values = matrix_.values();
  const bool by_rate = w.control == WellControl::rate;
  const std::size_t n = w.perforations.size();
  for (std::size_t p = 0; p < n; ++p) {
    if (flow.open[p] == 0) continue;
    const std::size_t cell = w.perforations[p].cell;
    const double head = flow.density * w.perforations[p].depth;
    values[diagonal_[cell]] += flow.weight[p];
    rhs_[cell] += flow.weight[p] * head;
    if (!by_rate) {
      rhs_[cell] += flow.weight[p] * w.target;
      continue;
    }
    const double share = flow.weight[p] / flow.open_weight;
    rhs_[cell] -= share * w.target;
    for (std::size_t q = 0; q < n; ++q) {
      if (flow.open[q] == 0) continue;
      values[well_places_[well][p * n + q]] -= share * flow.weight[q];
      rhs_[cell] -= share * flow.weight[q] * flow.density * w.perforations[q].depth;
    }
  }
}

bool PressureSystem::prepare() {
  if (matrix_.rows() > most_direct) {
    multigrid_.emplace(matrix_);
    return true;
  }
  return direct_.factor(matrix_) == Factorization::ok;
}

bool PressureSystem::solve(const std::vector<double>& b, std::vector<double>& x) const {
  if (matrix_.rows() <= most_direct) {
    x = b;
    direct_.solve(x);
    return true;
  }
  x.assign(b.size(), 0.0);
  if (multigrid_->solve(b, x, {.tolerance = 1e-12, .max_iterations = 500}).converged()) return true;
  ask_limit("the pressure of a step");
  return false;
}

bool PressureSystem::solve_refined(std::vector<double>& x) {
  if (!solve(rhs_, x)) return false;
  matrix_.multiply(x, left_);
  for (std::size_t i = 0; i < rhs_.size(); ++i) left_[i] = rhs_[i] - left_[i];
  if (!solve(left_, correction_)) return false;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction_[i];
  return true;
}

}  // namespace cauchy::detail
