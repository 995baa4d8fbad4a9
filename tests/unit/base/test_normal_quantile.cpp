#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/normal_quantile.hpp"

namespace cauchy::detail::test_normal_quantile {
namespace {

// y = high + low to about 32 digits, computed in 60-digit arithmetic.
struct Sample {
  double x, high, low;
};

double relative_error(double value, const Sample& s) {
  if (s.high == 0.0) return std::fabs(value);
  return std::fabs((value - s.high - s.low) / s.high);
}

constexpr Sample quantiles[] = {
    {0x0.0000000000001p-1022, -0x1.33bd3f27fcd03p+5, -0x1.4fbc2d49a9696p-49},
    {0x0.012688b70e62bp-1022, -0x1.2d4df29347fc2p+5, -0x1.d99e46b90f48bp-54},
    {0x1.0000000000000p-1022, -0x1.2c27b05bf1a0bp+5, 0x1.8f998d8e96f14p-51},
    {0x1.56e1fc2f8f359p-997, -0x1.286074064c26ep+5, 0x1.7286effc11736p-50},
    {0x1.87e92154ef7acp-665, -0x1.e34a1d1f58ae2p+4, -0x1.d591ff611853fp-50},
    {0x1.bff2ee48e0530p-333, -0x1.546010d755221p+4, 0x1.9316f2e0b7de4p-50},
    {0x1.dee7a4ad4b81fp-167, -0x1.dddde6ad81776p+3, -0x1.482a9452651e0p-54},
    {0x1.79ca10c924223p-67, -0x1.2865170b43a4cp+3, -0x1.6acfbe2bee722p-51},
    {0x1.cd2b297d889bcp-54, -0x1.071b4c29e9b5ap+3, -0x1.e574db71e15edp-51},
    {0x1.0000000000000p-53, -0x1.06b48528cea52p+3, 0x1.32faabac16613p-51},
    {0x1.19799812dea11p-40, -0x1.c234fba57a32ap+2, 0x1.e47c7bf9579d6p-53},
    {0x1.e8a37a45fc32ep-37, -0x1.aa1b1c13ee526p+2, -0x1.1cced3efc0172p-52},
    {0x1.5fd7fe1796495p-37, -0x1.ad2f7bbec4805p+2, -0x1.9415d8514eed2p-52},
    {0x1.12e0be826d695p-30, -0x1.7fdc11f44b5a7p+2, -0x1.758c4779a52e0p-52},
    {0x1.0c6f7a0b5ed8dp-20, -0x1.30381a9799f7ep+2, -0x1.3efd3d9af5011p-52},
    {0x1.0624dd2f1a9fcp-10, -0x1.8b8cbb7204471p+1, 0x1.d126f6286f0a3p-54},
    {0x1.47ae147ae147bp-6, -0x1.06e13e8aadfdcp+1, -0x1.69af14fdab075p-54},
    {0x1.3333185b40987p-4, -0x1.70852e475e819p+0, 0x1.776e69a5bcce6p-54},
    {0x1.3333333333333p-4, -0x1.7085226d3e524p+0, -0x1.1fa5a6d6ac32ep-55},
    {0x1.33334e0b25cdfp-4, -0x1.708516931eed3p+0, -0x1.819b23f7ef151p-57},
    {0x1.999999999999ap-4, -0x1.4813c36e26d32p+0, -0x1.347eb3cc863aap-54},
    {0x1.999999999999ap-3, -0x1.aee8fa73a1333p-1, 0x1.6177fb7051fc1p-56},
    {0x1.0000000000000p-2, -0x1.5956b87528a49p-1, -0x1.5c3bae414389dp-55},
    {0x1.3333333333333p-2, -0x1.0c7e39582c5fbp-1, -0x1.5e532dca44bd7p-55},
    {0x1.999999999999ap-2, -0x1.036d6c4a04b59p-2, -0x1.56d5c67869c6fp-56},
    {0x1.f5c28f5c28f5cp-2, -0x1.9aba9f4786911p-6, -0x1.4c01cab6083f7p-60},
    {0x1.fffffffe48320p-2, -0x1.139b51c196a7fp-32, 0x1.2a747576ddd35p-91},
    {0x1.fffffffffffffp-2, -0x1.40d931ff62706p-53, 0x1.a6a0d6f814637p-107},
    {0x1.0000000000000p-1, 0x0.0p+0, 0x0.0p+0},
    {0x1.00000000dbe70p-1, 0x1.139b51c196a7fp-32, -0x1.2a747576ddd35p-91},
    {0x1.0000000000001p-1, 0x1.40d931ff62706p-52, -0x1.a6a0d6f814636p-106},
    {0x1.3333333333333p-1, 0x1.036d6c4a04b59p-2, 0x1.56d5c67869c6fp-56},
    {0x1.8000000000000p-1, 0x1.5956b87528a49p-1, 0x1.5c3bae414389dp-55},
    {0x1.ccccccccccccdp-1, 0x1.4813c36e26d33p+0, 0x1.bb17495b8bef6p-59},
    {0x1.d99999999999ap-1, 0x1.7085226d3e525p+0, 0x1.dc2ec836d73fbp-54},
    {0x1.d9999cf497ecfp-1, 0x1.70852e475e818p+0, 0x1.88e5a293ea50ep-55},
    {0x1.f333333333333p-1, 0x1.f5c0331eeff83p+0, 0x1.044083d4a5905p-55},
    {0x1.fae147ae147aep-1, 0x1.29c5c4630ff0ep+1, 0x1.7780fd771ca13p-57},
    {0x1.ffffde7210be9p-1, 0x1.30381a97985efp+2, 0x1.f72aebc895d6ep-52},
    {0x1.fffffffffe000p-1, 0x1.c30d8560989abp+2, 0x1.3b4f125f2612fp-55},
    {0x1.fffffffffffffp-1, 0x1.06b48528cea52p+3, -0x1.32faabac16613p-51},
};

TEST(NormalQuantile, IsAccurateTo1em15FromTheSmallestSubnormalToTheLargestBelowOne) {
  // The rational approximations have 1e-16; their rounding and that of the argument is the rest
  // (largest error seen over 6,000 random arguments: 6.7e-16).
  for (const Sample& s : quantiles) {
    EXPECT_LT(relative_error(portable_normal_quantile(s.x), s), 1e-15) << s.x;
  }
}

TEST(NormalQuantile, IsExactlyOdd) {
  for (double p = 0x1p-53; p < 0.5; p *= 1.7) {
    const double q = 1.0 - p;
    EXPECT_EQ(portable_normal_quantile(1.0 - q), -portable_normal_quantile(q)) << p;
  }
  EXPECT_EQ(portable_normal_quantile(0.5), 0.0);
}

TEST(NormalQuantile, IncreasesAcrossTheSeamsOfItsPieces) {
  // A relative jump of 1e-15 at a seam is hidden by steps of 1e-13.
  for (const double seam : {0.075, 0.925, std::exp(-25.0)}) {
    double last = portable_normal_quantile(seam * (1.0 - 100e-13));
    for (int i = -99; i <= 100; ++i) {
      const double x = portable_normal_quantile(seam * (1.0 + i * 1e-13));
      EXPECT_LT(last, x) << seam << " " << i;
      last = x;
    }
  }
}

TEST(NormalQuantile, GivesInfinitiesAtTheEndsAndNanOutside) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(portable_normal_quantile(0.0), -inf);
  EXPECT_EQ(portable_normal_quantile(1.0), inf);
  EXPECT_TRUE(std::isnan(portable_normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(portable_normal_quantile(1.1)));
  EXPECT_TRUE(std::isnan(portable_normal_quantile(inf)));
  EXPECT_TRUE(std::isnan(portable_normal_quantile(std::nan(""))));
}

TEST(PortableLog, MatchesHighPrecisionValues) {
  constexpr Sample logarithms[] = {
      {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9, -0x1.8e569fa8ee781p-45},
      {0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9, -0x1.aa670d35324e6p-46},
      {0x1.cd2b297d889bcp-54, -0x1.26bb1bbb55516p+5, 0x1.f187acc2483e9p-49},
      {0x1.3333333333333p-4, -0x1.4b8ddfddbf088p+1, 0x1.8c5e26116623bp-55},
      {0x1.3333333333333p-2, -0x1.34378fcbda721p+0, 0x1.9c1404e27f13dp-54},
      {0x1.8000000000000p+1, 0x1.193ea7aad030bp+0, -0x1.a256f99caabebp-54},
      {0x1.2a05f20000000p+33, 0x1.7069e2aa2aa5bp+4, -0x1.c6b626e89338fp-52},
      {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9, 0x1.a9c9e3b39803fp-46},
  };
  for (const Sample& s : logarithms) EXPECT_LT(relative_error(portable_log(s.x), s), 4e-16) << s.x;
  EXPECT_EQ(portable_log(1.0), 0.0);
  // Next to 1 the series alone counts, and is as good relatively.
  const Sample below = {0x1.fffffca501acbp-1, -0x1.ad7f2b1049b9fp-24, -0x1.abda442e82e0dp-78};
  EXPECT_LT(relative_error(portable_log(below.x), below), 4e-16);
}

}  // namespace
}  // namespace cauchy::detail::test_normal_quantile
