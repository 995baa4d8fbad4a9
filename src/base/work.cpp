#include <cauchy/base/work.hpp>

namespace cauchy {
namespace {

thread_local Work counted;

// Between what bench_cost measures on processors with AVX2 and with AVX-512, rounded. Plans are
// made in these units everywhere; a machine that is faster only shows fewer seconds.
constexpr WorkRates rates = {
    5.0e10,  // network
    3.0e10,  // grids
    4.0e9,   // formulas
    2.5e10,  // dense
    1.3e9,   // factors
    1.5e10,  // memory
    2.0e7,   // pieces
};

}  // namespace

std::string_view to_string(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::network:
      return "network";
    case WorkKind::grids:
      return "grids";
    case WorkKind::formulas:
      return "formulas";
    case WorkKind::dense:
      return "dense";
    case WorkKind::factors:
      return "factors";
    case WorkKind::memory:
      return "memory";
    case WorkKind::pieces:
      return "pieces";
  }
  return "";
}

void Work::add(WorkKind kind, double amount) noexcept {
  constexpr double most = 9e18;
  if (!(amount > 0)) return;
  counts[static_cast<std::size_t>(kind)] +=
      static_cast<std::uint64_t>(amount < most ? amount : most);
}

Work& Work::operator+=(const Work& other) noexcept {
  for (std::size_t k = 0; k < n_work_kinds; ++k) counts[k] += other.counts[k];
  return *this;
}

Work Work::since(const Work& earlier) const noexcept {
  Work difference;
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    difference.counts[k] = counts[k] - earlier.counts[k];
  }
  return difference;
}

Work Work::times(double factor) const noexcept {
  Work product;
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    product.add(static_cast<WorkKind>(k), factor * static_cast<double>(counts[k]));
  }
  return product;
}

const WorkRates& nominal_rates() noexcept { return rates; }

double seconds_of(const Work& work, const WorkRates& per_second, int threads) noexcept {
  double seconds = 0;
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    const auto kind = static_cast<WorkKind>(k);
    const bool shared = kind == WorkKind::network || kind == WorkKind::grids;
    const int at_once = shared && threads > 1 ? threads : 1;
    seconds += static_cast<double>(work.counts[k]) / (per_second[k] * at_once);
  }
  return seconds;
}

double nominal_seconds(const Work& work, int threads) noexcept {
  return seconds_of(work, rates, threads);
}

void count_work(WorkKind kind, double amount) noexcept { counted.add(kind, amount); }
void count_work(const Work& work) noexcept { counted += work; }
const Work& work_of_thread() noexcept { return counted; }

}  // namespace cauchy
