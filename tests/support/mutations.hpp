#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

#include "support/allocation_counter.hpp"

namespace cauchy {

/// How many mutations a test tries: CAUCHY_MUTATIONS of the environment, else `usual`.
inline std::uint64_t n_mutations(std::uint64_t usual) {
  const char* const text = std::getenv("CAUCHY_MUTATIONS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

/// Whole numbers that readers trip over.
inline std::uint64_t absurd_number(Rng& rng) {
  constexpr std::uint64_t values[] = {0,
                                      1,
                                      0x7F,
                                      0xFFFF,
                                      0x7FFFFFFF,
                                      0xFFFFFFFF,
                                      0x100000000,
                                      0x2000000000000000,
                                      0x7FFFFFFFFFFFFFFF,
                                      0x8000000000000000,
                                      0xFFFFFFFFFFFFFFFE,
                                      0xFFFFFFFFFFFFFFFF};
  return values[rng.integer(std::size(values))];
}

/// Damages bytes as disks, copies and vandals do: flipped bits, ranges of zeros or noise, numbers
/// of absurd size, cuts, swapped, doubled and missing pieces. `number` says how, the same on every
/// machine.
inline std::string mutated(std::string_view original, std::uint64_t number) {
  std::string bytes(original);
  Rng rng(20240611, number);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.integer(n)); };
  for (std::uint64_t changes = 1 + rng.integer(3); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t n = bytes.size(), at = below(n);
    const std::size_t length = std::min(n - at, std::size_t{1} << below(10));
    switch (rng.integer(9)) {
      case 0:
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.integer(8)));
        break;
      case 2:
        std::fill_n(&bytes[at], length, rng.integer(2) == 0 ? '\0' : '\xFF');
        break;
      case 3:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(rng.bits32());
        break;
      case 4:
      case 5: {
        const std::uint64_t value = absurd_number(rng);
        std::memcpy(&bytes[at], &value, std::min<std::size_t>(n - at, rng.integer(2) == 0 ? 4 : 8));
        break;
      }
      case 6:
        bytes.resize(at);
        break;
      case 7:
        bytes.insert(below(n), std::string(bytes, at, length));
        break;
      default:
        if (rng.integer(2) == 0) {
          bytes.erase(at, length);
        } else {
          const std::size_t other = below(n);
          const std::size_t m = std::min({length, n - other, at < other ? other - at : at - other});
          std::swap_ranges(&bytes[at], &bytes[at] + std::min(m, n - at), &bytes[other]);
        }
    }
  }
  return bytes;
}

/// Damages a text so that it may still be read: other numbers and words, lines doubled, swapped and
/// missing; every third one as bytes.
inline std::string mutated_text(std::string_view original, std::uint64_t number) {
  if (number % 3 == 0) return mutated(original, number);
  std::string text(original);
  Rng rng(20240613, number);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.integer(n)); };
  constexpr std::string_view words[] = {
      "0",   "-1",  "1e308", "-1e-320", "99999999999", "18446744073709551615",
      "0.5", "nan", "-inf",  "[]",      "true",        "\"x\"",
      "u",   "1/0", "",      "x = 1"};
  constexpr std::string_view between = " \t\n,;=()[]\"";
  for (std::uint64_t changes = 1 + rng.integer(3); changes > 0 && !text.empty(); --changes) {
    // A word, or the line, around some place.
    const bool line = rng.integer(4) == 0;
    const std::string_view ends = line ? std::string_view("\n") : between;
    const std::size_t at = below(text.size());
    const std::size_t before = at == 0 ? text.npos : text.find_last_of(ends, at - 1);
    const std::size_t first = before == text.npos ? 0 : before + 1;
    const std::size_t last = std::min(text.find_first_of(ends, at), text.size());
    if (last < first) continue;
    if (!line) {
      text.replace(first, last - first, words[below(std::size(words))]);
    } else if (rng.integer(2) == 0) {
      text.erase(first, last - first);
    } else {
      text.insert(first, std::string(text, first, last - first) + "\n");
    }
  }
  return text;
}

/// Tries damage(seed, number) of all seeds in turn: each ends in an answer or in an Error, never in
/// a signal, another exception, or much memory. A number of CAUCHY_MUTATIONS prints what they took.
template <class Seed, class Damage, class Read>
void expect_answers(std::uint64_t usual, const std::vector<Seed>& seeds, const Damage& damage,
                    const Read& read) {
  std::uint64_t n_read = 0;
  std::size_t of_good = 0, of_damaged = 0;  // most allocations
  const auto count = [](std::size_t& most, const auto& what) {
    const std::size_t before = AllocationCounter::total();
    what();
    most = std::max(most, AllocationCounter::total() - before);
  };
  const std::uint64_t n = n_mutations(usual);
  for (const Seed& seed : seeds) {
    count(of_good, [&] { ASSERT_NO_THROW(read(seed)); });
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    const Seed bytes = damage(seeds[i % seeds.size()], i);
    count(of_damaged, [&] {
      try {
        read(bytes);
        ++n_read;
      } catch (const Error&) {
      } catch (const std::exception& e) {
        ADD_FAILURE() << "mutation " << i << ": " << e.what();
      }
    });
  }
  rusage use{}, children{};
  ::getrusage(RUSAGE_SELF, &use);
  ::getrusage(RUSAGE_CHILDREN, &children);
  if (std::getenv("CAUCHY_MUTATIONS") != nullptr)
    std::cout << fmt::format(
        "{} mutations, {} read, most allocations {} after {} of good ones, most memory so far {} "
        "MB, of children {} MB\n",
        n, n_read, of_damaged, of_good, use.ru_maxrss / 1024, children.ru_maxrss / 1024);
  EXPECT_LT(of_damaged, 10 * of_good + 10'000);
  EXPECT_LT(use.ru_maxrss, 2 << 20);  // kB
  EXPECT_LT(children.ru_maxrss, 2 << 20);
}

/// The same for bytes.
template <class Read>
void expect_answers(std::uint64_t usual, const std::vector<std::string>& seeds, const Read& read) {
  expect_answers(usual, seeds, mutated, read);
}

}  // namespace cauchy
