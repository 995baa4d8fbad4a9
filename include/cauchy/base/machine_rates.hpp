#pragma once

#include <filesystem>
#include <string>

#include <cauchy/base/work.hpp>

namespace cauchy {

/// The folder of this user for what can be made again: $CAUCHY_CACHE, else $XDG_CACHE_HOME/cauchy,
/// else ~/.cache/cauchy; empty when none of these is set. CAUCHY_CACHE set to nothing means none.
[[nodiscard]] std::filesystem::path user_cache();

/// How fast this machine is, for seconds that people are shown; no plan and no verdict reads it.
struct MachineRates {
  WorkRates rates = nominal_rates();
  bool measured = false;  ///< false: nobody has measured this processor, these are the nominal ones
};
/// As they were kept for this processor, read once.
[[nodiscard]] const MachineRates& machine_rates();
/// The file of user_cache() for this processor, where a bench keeps them; empty without a cache.
[[nodiscard]] std::filesystem::path machine_rates_file();
/// What that file holds: a line for every kind, "network 3.5e+10".
[[nodiscard]] std::string rates_text(const WorkRates& rates);
/// Such a file; the nominal rates where there is none, or a damaged one.
[[nodiscard]] MachineRates read_machine_rates(const std::filesystem::path& file);

/// Seconds that work will take here, as far as it is known.
[[nodiscard]] double shown_seconds(const Work& work, int threads = 1);

}  // namespace cauchy
