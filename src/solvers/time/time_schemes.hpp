#pragma once

#include <cauchy/solvers/time.hpp>

#include "solvers/time/stepper.hpp"

namespace cauchy::detail {

/// The inner side of the table of schemes.
struct SchemeEntry {
  TimeSchemeEntry word;
  MakeStepper make;
};
/// The entry of a scheme; automatic is that of esdirk.
[[nodiscard]] const SchemeEntry& scheme_of(TimeScheme scheme);

}  // namespace cauchy::detail
