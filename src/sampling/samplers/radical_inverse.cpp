#include "sampling/samplers/radical_inverse.hpp"

#include <algorithm>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

bool is_prime(std::uint32_t n) {
  if (n < 2) return false;
  for (std::uint64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return false;
  }
  return true;
}

/// Correctly rounded while both integers are below 2^53, else within 2 ulp; never 1.
double quotient(std::uint64_t numerator, std::uint64_t power) {
  return std::min(static_cast<double>(numerator) / static_cast<double>(power), kBelowOne);
}

}  // namespace

std::uint32_t prime_from(std::uint32_t n) {
  while (!is_prime(n)) ++n;
  return n;
}

std::vector<std::uint32_t> first_primes(std::size_t count) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t p = 2; primes.size() < count; ++p) {
    p = prime_from(p);
    primes.push_back(p);
  }
  return primes;
}

double radical_inverse(std::uint64_t n, std::uint32_t base) {
  std::uint64_t mirror = 0, power = 1;
  for (; n != 0; n /= base) {
    mirror = mirror * base + n % base;
    power *= base;
  }
  return quotient(mirror, power);
}

RadicalInverse::RadicalInverse(std::uint32_t base) : base_(base), block_(1) { make_table(); }

RadicalInverse::RadicalInverse(std::uint32_t base, Rng rng) : base_(base), block_(1) {
  for (std::uint64_t power = base; power <= (std::uint64_t{1} << 63) / base; power *= base) {
    factor_.push_back(1 + rng.integer(base - 1));
    summand_.push_back(rng.integer(base));
  }
  factor_.push_back(1 + rng.integer(base - 1));  // the last place that fits
  summand_.push_back(rng.integer(base));
  make_table();
}

std::uint64_t RadicalInverse::digit(std::uint64_t a, std::size_t place) const {
  return factor_.empty() ? a : (factor_[place] * a + summand_[place]) % base_;
}

void RadicalInverse::make_table() {
  // About 256 entries; for large bases a single digit needs no table beyond its own values.
  do {
    block_ *= base_;
    ++lower_places_;
  } while (block_ * base_ <= 256);
  for (std::uint64_t n = 0; n < block_; ++n) {
    std::uint64_t mirror = 0, rest = n;
    for (std::size_t j = 0; j < lower_places_; ++j, rest /= base_) {
      mirror = mirror * base_ + digit(rest % base_, j);
    }
    mirror_.push_back(mirror);
  }
}

/// The digits of n, standing at the places from lower_places_ on. Without scrambling the zeros
/// after the last digit are left out, which keeps the integers small and the quotient exact.
RadicalInverse::Fraction_ RadicalInverse::upper(std::uint64_t n) const {
  Fraction_ f{0, 1};
  for (std::size_t j = lower_places_; factor_.empty() ? n != 0 : j < factor_.size(); ++j) {
    f.numerator = f.numerator * base_ + digit(n % base_, j);
    f.power *= base_;
    n /= base_;
  }
  return f;
}

void RadicalInverse::fill(std::uint64_t first, std::size_t count, double* out,
                          std::size_t stride) const {
  std::uint64_t high = first / block_;
  auto low = static_cast<std::size_t>(first % block_);
  for (std::size_t i = 0; i < count; ++high, low = 0) {
    const Fraction_ f = upper(high);
    const std::uint64_t power = f.power * block_;
    const std::size_t end = std::min(count - i, static_cast<std::size_t>(block_) - low) + i;
    for (; i < end; ++i, ++low, out += stride) {
      *out = quotient(mirror_[low] * f.power + f.numerator, power);
    }
  }
}

}  // namespace cauchy::detail
