#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include <cauchy/base/rng.hpp>
#include <cauchy/io/checkpoint.hpp>

#include "support/mutations.hpp"

namespace cauchy {

/// A checkpoint with other contents: entries of absurd values and lengths, without an entry, with
/// one in place of another. Written, it has right checksums.
inline Checkpoint mutated_contents(const Checkpoint& original, std::uint64_t number) {
  Checkpoint c = original;
  Rng rng(20240612, number);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.integer(n)); };
  const auto any_of = [&](auto& map) {
    return std::next(map.begin(), static_cast<std::ptrdiff_t>(below(map.size())));
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double odd[] = {
      std::numeric_limits<double>::quiet_NaN(), inf, -inf, -1, 0, 0.5, 1e300, -1e300, 1e19, 5e-324};
  for (std::uint64_t changes = 1 + rng.integer(2); changes > 0; --changes) {
    const std::uint64_t kind = rng.integer(8);
    if (kind < 3 && !c.numbers.empty()) {
      const auto entry = any_of(c.numbers);
      if (kind == 2 && rng.integer(4) == 0) {
        c.numbers.erase(entry);
      } else {
        entry->second = absurd_number(rng);
      }
    } else if (kind < 7 && !c.arrays.empty()) {
      const auto entry = any_of(c.arrays);
      std::vector<double>& values = entry->second.values;
      if (kind == 3) {
        const std::size_t sizes[] = {0, 1, values.size() / 2, values.size() + 1, 100};
        values.resize(sizes[below(std::size(sizes))], odd[below(std::size(odd))]);
      } else if (kind == 4) {
        values = any_of(c.arrays)->second.values;
      } else if (!values.empty()) {
        for (std::size_t n = 1 + below(3); n > 0; --n)
          values[below(values.size())] = odd[below(std::size(odd))];
      }
      entry->second.shape = {values.size()};
      if (kind == 6 && rng.integer(4) == 0) c.arrays.erase(entry);
    } else if (!c.texts.empty()) {
      const auto entry = any_of(c.texts);
      entry->second =
          rng.integer(3) == 0 ? std::string(below(50), '\n') : mutated(entry->second + "x", number);
    }
  }
  return c;
}

}  // namespace cauchy
