#include <fmt/format.h>

#include <cauchy/base/machine_rates.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

namespace cauchy {
namespace {

/// "AMD EPYC 7763"; empty where the system does not tell.
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 1);
  }
  return {};
}

}  // namespace

std::filesystem::path user_cache() {
  if (const char* own = std::getenv("CAUCHY_CACHE")) return own;
  const char* base = std::getenv("XDG_CACHE_HOME");
  if (base != nullptr && *base != '\0') return std::filesystem::path(base) / "cauchy";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".cache" / "cauchy";
}

std::filesystem::path machine_rates_file() {
  const std::filesystem::path folder = user_cache();
  if (folder.empty()) return {};
  // One file for each processor: machines may share a home.
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : processor_name()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return folder / fmt::format("rates-{:016x}.txt", hash);
}

std::string rates_text(const WorkRates& rates) {
  std::string text;
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    text += fmt::format("{} {:.3g}\n", to_string(static_cast<WorkKind>(k)), rates[k]);
  }
  return text;
}

MachineRates read_machine_rates(const std::filesystem::path& path) {
  std::ifstream file(path);
  WorkRates rates{};
  std::string name;
  for (double value = 0; file >> name >> value;) {
    for (std::size_t k = 0; k < n_work_kinds; ++k) {
      if (name == to_string(static_cast<WorkKind>(k))) rates[k] = value;
    }
  }
  for (const double r : rates) {
    if (!(r > 0) || !std::isfinite(r)) return {};
  }
  return {rates, true};
}

const MachineRates& machine_rates() {
  static const MachineRates rates = read_machine_rates(machine_rates_file());
  return rates;
}

double shown_seconds(const Work& work, int threads) {
  return seconds_of(work, machine_rates().rates, threads);
}

}  // namespace cauchy
