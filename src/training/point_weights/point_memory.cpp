#include "training/point_weights/point_memory.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <cauchy/sampling/seed_importance.hpp>

#include "training/point_weights/weighing.hpp"

namespace cauchy::detail {

void PointMemory::follow(std::size_t term, const Points& points) {
  if (terms_.size() <= term) terms_.resize(term + 1);
  Term& known = terms_[term];
  if (known.points == points.values && known.columns == points.columns.size()) return;
  Term now{points.columns.size(), points.values, {}};
  if (known.points.empty() || known.columns != now.columns) {
    for (const double first : start_) now.channels.emplace_back(points.size(), first);
  } else {
    const std::vector<std::size_t> from = heirs(known, points);
    for (const std::vector<double>& old : known.channels) {
      std::vector<double>& values = now.channels.emplace_back();
      for (const std::size_t row : from) values.push_back(old[row]);
    }
  }
  known = std::move(now);
}

std::vector<std::size_t> PointMemory::heirs(const Term& old, const Points& points) {
  const std::size_t D = old.columns, n_old = old.points.size() / D;
  const auto key = [D](const double* row) {
    return std::string_view(reinterpret_cast<const char*>(row), D * sizeof(double));
  };
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t i = 0; i < n_old; ++i) row_of.emplace(key(&old.points[i * D]), i);
  std::vector<std::size_t> from(points.size()), strangers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto found = row_of.find(key(points.row(i).data()));
    if (found != row_of.end()) {
      from[i] = found->second;
    } else {
      strangers.push_back(i);
    }
  }
  if (strangers.empty()) return from;

  constexpr std::size_t most = 1000;
  const std::size_t stride = (n_old + most - 1) / most;
  std::vector<double> unit(D);  // 1 / range of a column
  for (std::size_t k = 0; k < D; ++k) {
    double low = old.points[k], high = low;
    for (std::size_t i = 0; i < n_old; ++i) {
      low = std::min(low, old.points[i * D + k]);
      high = std::max(high, old.points[i * D + k]);
    }
    unit[k] = high > low ? 1 / (high - low) : 1;
  }
  std::vector<double> seeds, rows;
  for (std::size_t i = 0; i < n_old; i += stride) {
    for (std::size_t k = 0; k < D; ++k) seeds.push_back(old.points[i * D + k] * unit[k]);
  }
  for (const std::size_t i : strangers) {
    for (std::size_t k = 0; k < D; ++k) rows.push_back(points.row(i)[k] * unit[k]);
  }
  const std::vector<std::size_t> nearest = nearest_seeds(rows, seeds, D);
  for (std::size_t s = 0; s < strangers.size(); ++s) from[strangers[s]] = nearest[s] * stride;
  return from;
}

std::span<double> PointMemory::values(std::size_t term, std::size_t channel) {
  if (term >= terms_.size() || terms_[term].channels.empty()) return {};
  return terms_[term].channels.at(channel);
}

std::span<const double> PointMemory::values(std::size_t term, std::size_t channel) const {
  if (term >= terms_.size() || terms_[term].channels.empty()) return {};
  return terms_[term].channels.at(channel);
}

void PointMemory::save(TrainingState& state) const {
  state.numbers["terms"] = terms_.size();
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Term& term = terms_[t];
    state.numbers[fmt::format("columns/{}", t)] = term.columns;
    if (term.columns == 0) continue;
    state.arrays[fmt::format("points/{}", t)] = term.points;
    for (std::size_t c = 0; c < term.channels.size(); ++c) {
      state.arrays[fmt::format("values/{}/{}", t, c)] = term.channels[c];
    }
  }
}

void PointMemory::restore(const TrainingState& state, const TrainingPoints& points) {
  const std::size_t n_terms = number_in(state, "terms");
  require_intact(n_terms <= points.size());
  std::vector<Term> terms(n_terms);
  for (std::size_t t = 0; t < n_terms; ++t) {
    Term& term = terms[t];
    term.columns = number_in(state, fmt::format("columns/{}", t));
    if (term.columns == 0) continue;
    const auto rows = state.arrays.find(fmt::format("points/{}", t));
    require_intact(rows != state.arrays.end() && term.columns == points[t].columns.size() &&
                   rows->second.size() % term.columns == 0);
    term.points = rows->second;
    for (std::size_t c = 0; c < start_.size(); ++c) {
      term.channels.push_back(
          array_in(state, fmt::format("values/{}/{}", t, c), term.points.size() / term.columns));
    }
  }
  terms_ = std::move(terms);
}

}  // namespace cauchy::detail
