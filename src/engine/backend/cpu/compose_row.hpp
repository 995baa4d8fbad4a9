#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/backend/jet_tables.hpp"

namespace cauchy {

/// h = s(z) for one row, derivative k of s at s[k * step].
template <class T>
void compose_row(const JetTables<T>& t, std::size_t B, const T* s, std::size_t step, const T* z,
                 T* h) {
  std::copy_n(s, B, h);
  for (int c = 1; c < t.n_components; ++c) {
    T* out = h + static_cast<std::size_t>(c) * B;
    for (std::size_t p = 0; p < B; ++p)
      out[p] = s[step + p] * z[static_cast<std::size_t>(c) * B + p];
  }
  for (const auto& term : t.terms) {
    T* out = h + static_cast<std::size_t>(term.component) * B;
    for (std::size_t p = 0; p < B; ++p) {
      T product = term.coefficient * s[static_cast<std::size_t>(term.order) * step + p];
      for (int i = 0; i < term.order; ++i) {
        product *= z[static_cast<std::size_t>(term.factors[i]) * B + p];
      }
      out[p] += product;
    }
  }
}

/// The adjoint: adds to z_bar.
template <class T>
void compose_row_adjoint(const JetTables<T>& t, std::size_t B, const T* s, std::size_t step,
                         const T* z, const T* h_bar, T* z_bar) {
  for (std::size_t p = 0; p < B; ++p) z_bar[p] += s[step + p] * h_bar[p];
  for (int c = 1; c < t.n_components; ++c) {
    const std::size_t at = static_cast<std::size_t>(c) * B;
    for (std::size_t p = 0; p < B; ++p) {
      z_bar[p] += s[2 * step + p] * z[at + p] * h_bar[at + p];
      z_bar[at + p] += s[step + p] * h_bar[at + p];
    }
  }
  for (const auto& term : t.terms) {
    const T* bar = h_bar + static_cast<std::size_t>(term.component) * B;
    const T* sk = s + static_cast<std::size_t>(term.order) * step;
    for (std::size_t p = 0; p < B; ++p) {
      T all = term.coefficient * bar[p];
      for (int i = 0; i < term.order; ++i)
        all *= z[static_cast<std::size_t>(term.factors[i]) * B + p];
      z_bar[p] += sk[step + p] * all;
      for (int i = 0; i < term.order; ++i) {
        T others = term.coefficient * bar[p] * sk[p];
        for (int j = 0; j < term.order; ++j) {
          if (j != i) others *= z[static_cast<std::size_t>(term.factors[j]) * B + p];
        }
        z_bar[static_cast<std::size_t>(term.factors[i]) * B + p] += others;
      }
    }
  }
}

}  // namespace cauchy
