#pragma once

#include "sampling/random_fields/series_field.hpp"

namespace cauchy::detail {

/// sin(pi y) and cos(pi y), exactly 0, 1 and -1 where they are.
[[nodiscard]] double sin_pi(double y) noexcept;
[[nodiscard]] double cos_pi(double y) noexcept;

/// cos(k pi t), k = 0, ..., modes: slopes of zero at both ends.
[[nodiscard]] std::shared_ptr<const AxisBasis> cosine_basis(std::size_t modes);
/// sin(k pi t), k = 1, ..., modes: zero at both ends.
[[nodiscard]] std::shared_ptr<const AxisBasis> sine_basis(std::size_t modes);
/// 1, cos(2 pi t'), sin(2 pi t'), cos(4 pi t'), ..., up to wave number `modes`, t' = t / period.
[[nodiscard]] std::shared_ptr<const AxisBasis> fourier_basis(std::size_t modes, double period = 1);

}  // namespace cauchy::detail
