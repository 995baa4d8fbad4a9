#include "operators/scaled_target.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cauchy::test_scaled_target {
namespace {

/// (x - 1)^2 + 1e4 (y - 2)^4
class Quartic final : public TrainingTarget, private Objective {
 public:
  Objective& objective() override { return *this; }
  std::span<const double> parts() const override { return {}; }
  void start() override {}
  void begin_stage(std::size_t, bool) override {}
  bool ask(const TrainingStep&) override { return false; }
  void end(const TrainingStep&) override {}
  void save(Checkpoint&) const override {}
  void restore(const Checkpoint&, std::size_t) override {}

 private:
  std::size_t size() const override { return 2; }
  double value(std::span<const double> x) override {
    return std::pow(x[0] - 1, 2) + 1e4 * std::pow(x[1] - 2, 4);
  }
  double gradient(std::span<const double> x, std::span<double> g) override {
    g[0] = 2 * (x[0] - 1);
    g[1] = 4e4 * std::pow(x[1] - 2, 3);
    return value(x);
  }
};

TEST(ScaledTarget, IsTheSameFunctionInOtherUnits) {
  Quartic inner;
  detail::ScaledTarget target(inner, {2, 0.25});
  const std::vector<double> theta = {3, -1}, y = target.to_units(theta);
  EXPECT_EQ(y, (std::vector<double>{1.5, -4}));
  EXPECT_EQ(target.from_units(y), theta);
  Objective& f = target.objective();
  ASSERT_EQ(f.size(), 2u);
  std::vector<double> g(2), inner_g(2);
  EXPECT_EQ(f.gradient(y, g), inner.objective().gradient(theta, inner_g));
  EXPECT_EQ(f.value(y), inner.objective().value(theta));
  EXPECT_EQ(g, (std::vector<double>{2 * inner_g[0], 0.25 * inner_g[1]}));
}

}  // namespace
}  // namespace cauchy::test_scaled_target
