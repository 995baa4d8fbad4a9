#pragma once

#include <string_view>
#include <vector>

namespace cauchy {

/// Instruction sets for which the SIMD kernels are compiled. `portable` runs everywhere.
enum class Target { portable, neon, avx2, avx512 };

/// "portable", "neon", "avx2" or "avx512".
[[nodiscard]] std::string_view to_string(Target target);

/// Targets that are compiled in and that this processor runs, best first; never empty. Not
/// changed by force_target.
[[nodiscard]] std::vector<Target> available_targets();

/// The target that kernels use now: the best available one unless another is forced.
[[nodiscard]] Target current_target();

/// Makes all kernels use `target` (for tests and measurements). Throws Error when it is not
/// available. Process-wide; do not call while another thread runs kernels.
void force_target(Target target);

/// Undoes force_target.
void reset_target();

}  // namespace cauchy
