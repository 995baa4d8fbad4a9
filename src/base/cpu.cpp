#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>
#include <cstdint>
#include <string>

namespace cauchy {
namespace {

Target target_of_bit(int64_t bit) {
  if ((bit & (HWY_AVX3 | HWY_AVX3_DL)) != 0) return Target::avx512;
  if ((bit & HWY_AVX2) != 0) return Target::avx2;
  if ((bit & HWY_NEON) != 0) return Target::neon;
  return Target::portable;
}

// Better targets have lower bits.
template <class F>
void for_each_bit(int64_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(mask & -mask);
}

/// What the processor runs of what is compiled in, asked once, before any target is forced.
int64_t available_mask() {
  static const int64_t mask = [] {
    const int64_t both = hwy::SupportedTargets() & HWY_TARGETS;
    return both != 0 ? both : static_cast<int64_t>(HWY_STATIC_TARGET);
  }();
  return mask;
}

}  // namespace

std::string_view to_string(Target target) {
  switch (target) {
    case Target::portable:
      return "portable";
    case Target::neon:
      return "neon";
    case Target::avx2:
      return "avx2";
    case Target::avx512:
      return "avx512";
  }
  return "unknown";
}

std::vector<Target> available_targets() {
  std::vector<Target> targets;
  for_each_bit(available_mask(), [&](int64_t bit) {
    const Target target = target_of_bit(bit);
    if (targets.empty() || targets.back() != target) targets.push_back(target);
  });
  return targets;
}

Target current_target() {
  const int64_t mask = available_mask() & hwy::SupportedTargets();
  return mask != 0 ? target_of_bit(mask & -mask) : Target::portable;
}

void force_target(Target target) {
  int64_t wanted = 0;
  for_each_bit(available_mask(), [&](int64_t bit) {
    if (target_of_bit(bit) == target) wanted |= bit;
  });
  if (wanted == 0) {
    std::string names;
    for (const Target t : available_targets()) {
      names += names.empty() ? "" : ", ";
      names += to_string(t);
    }
    throw Error(fmt::format("SIMD target '{}' is not available", to_string(target)), "[base.cpu]",
                "available are: " + names);
  }
  hwy::SetSupportedTargetsForTest(wanted);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void reset_target() {
  (void)available_mask();
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cauchy
