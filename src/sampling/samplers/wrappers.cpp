// What can be laid around any sampler: a shift, the loss of the first points, and range checks.
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

class Shifted final : public Sampler {
 public:
  Shifted(std::unique_ptr<Sampler> inner, std::uint64_t seed)
      : Sampler(inner->dimension(), inner->size()), inner_(std::move(inner)), shift_(dimension_) {
    const Rng rng(seed, static_cast<std::uint64_t>(SeedUse::shift));
    for (std::size_t k = 0; k < dimension_; ++k) {
      shift_[k] = static_cast<double>(rng.bits64_at(k) >> 12) * 0x1p-52;
    }
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    inner_->fill(first, n, out);
    for (std::size_t i = 0; i < n; ++i, out += dimension_) {
      for (std::size_t k = 0; k < dimension_; ++k) {
        const double x = out[k] + shift_[k];  // may round up to 1, which becomes 0
        out[k] = x >= 1 ? x - 1 : x;
      }
    }
  }

 private:
  std::unique_ptr<Sampler> inner_;
  std::vector<double> shift_;
};

class Skipped final : public Sampler {
 public:
  Skipped(std::unique_ptr<Sampler> inner, std::uint64_t skip)
      : Sampler(inner->dimension(), inner->size()), inner_(std::move(inner)), skip_(skip) {}

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    if (first > ~std::uint64_t{0} - skip_) {
      throw Error(fmt::format("point {} after {} skipped ones is out of range", first, skip_),
                  "[sampling]", "skip fewer points");
    }
    inner_->fill(first + skip_, n, out);
  }

 private:
  std::unique_ptr<Sampler> inner_;
  std::uint64_t skip_;
};

}  // namespace

std::unique_ptr<Sampler> make_shifted(std::unique_ptr<Sampler> inner, std::uint64_t seed) {
  return std::make_unique<Shifted>(std::move(inner), seed);
}

std::unique_ptr<Sampler> make_skipped(std::unique_ptr<Sampler> inner, std::uint64_t skip) {
  return std::make_unique<Skipped>(std::move(inner), skip);
}

void check_range(std::string_view place, std::uint64_t first, std::size_t n, std::uint64_t limit) {
  if (first > limit || n > limit - first) {
    throw Error(
        fmt::format("{} points from number {} were asked for, there are {}", n, first, limit),
        place, "ask for fewer points, or make the set larger");
  }
}

void check_dimension(std::string_view place, std::size_t dimension, std::size_t limit) {
  if (dimension > limit) {
    throw Error(fmt::format("dimension {} is more than {}", dimension, limit), place,
                "sample fewer dimensions, or use the sampler 'uniform'");
  }
}

}  // namespace cauchy::detail
