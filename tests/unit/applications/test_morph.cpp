#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/morph_transfer.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/files/morph_file.hpp>

namespace cauchy::test_morph {
namespace {

namespace fs = std::filesystem;

const MorphNetwork tiny{.filters = 2,
                        .convolutions = 1,
                        .width = 8,
                        .depth = 1,
                        .heads = 2,
                        .hidden = 16,
                        .patch = 4,
                        .positions = 2};

/// Sums of waves that travel around a ring of n points, or a torus of n x n.
Uptf waves(std::size_t trajectories, std::size_t n, double speed, bool plane, std::uint64_t seed) {
  Uptf u;
  u.shape = {trajectories, 6, 1, 1, 1, plane ? n : 1, n};
  u.fields = {"u"};
  u.components = {1};
  u.periodic = {false, plane, true};
  Rng rng(seed);
  for (std::size_t k = 0; k < trajectories; ++k) {
    const double a = rng.normal(), b = rng.normal(), p = 6 * rng.uniform(), q = 6 * rng.uniform();
    for (std::size_t t = 0; t < 6; ++t) {
      for (std::size_t h = 0; h < u.shape[5]; ++h) {
        for (std::size_t w = 0; w < n; ++w) {
          const double x = 2 * std::numbers::pi *
                           (static_cast<double>(w) - speed * static_cast<double>(t)) /
                           static_cast<double>(n);
          const double y = 2 * std::numbers::pi * static_cast<double>(h) / static_cast<double>(n);
          u.values.push_back(5 + a * std::sin(x + y + p) + b * std::cos(2 * x + q));
        }
      }
    }
  }
  return u;
}

std::vector<MorphFamily> families(bool validation = true) {
  std::vector<MorphFamily> all = {
      {"ring", waves(6, 16, 1, false, 1), {}, waves(3, 16, 1, false, 2)},
      {"torus", waves(4, 8, 0.5, true, 3), {}, waves(2, 8, 0.5, true, 4)}};
  if (validation) {
    for (MorphFamily& f : all) f.validation = f.test;
  }
  return all;
}

std::vector<std::uint64_t> bits(const std::vector<double>& x) {
  std::vector<std::uint64_t> b;
  for (const double v : x) b.push_back(std::bit_cast<std::uint64_t>(v));
  return b;
}

TEST(Morph, StandsStillAtFirstAndLearnsFamiliesOfTwoDimensionsWithOneVector) {
  const std::vector<MorphFamily> all = families();
  const MorphModel fresh = fresh_morph(tiny, 2, 1);
  const MorphError before = measure(fresh, all[0].test, 1);
  EXPECT_NEAR(before.one_step, before.still, 1e-12);
  EXPECT_NEAR(before.rolled_out, before.rolled_out_still, 1e-12);
  const MorphResult r =
      train_morph(fresh, all, {.steps = 200, .learning_rate = 1e-2}, {.threads = 1});
  for (const MorphFamily& f : all) {
    const MorphError e = measure(r.model, f.test, 1);
    EXPECT_LT(e.one_step, 0.4 * e.still) << f.name;
    EXPECT_LT(e.rolled_out, e.rolled_out_still) << f.name;
  }
  // No unit of the data is known to the network: 1000 u + 7 goes the way of u.
  Uptf scaled = all[0].test;
  for (double& v : scaled.values) v = 1000 * v + 7;
  const Uptf a = next_moments(r.model, all[0].test, 1), b = next_moments(r.model, scaled, 1);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_NEAR(b.values[i], 1000 * a.values[i] + 7, 1e-2);  // of about 5000, in single precision
  }
}

TEST(Morph, ResumesToTheSameBitsForAnyNumberOfThreads) {
  const std::vector<MorphFamily> all = families();
  const MorphModel fresh = fresh_morph(tiny, 2, 1);
  const MorphTraining training{.steps = 12, .batch = 4};
  const MorphResult whole = train_morph(fresh, all, training, {.threads = 1});
  struct StopAt final : Progress {
    std::uint64_t at = 5;
    mutable bool stop = false;
    void update(const ProgressState& s) override { stop = stop || s.step >= at; }
    void finish(const ProgressState&) override {}
    [[nodiscard]] bool stop_requested() const noexcept override { return stop; }
  } stopper;
  const fs::path file = fs::path(testing::TempDir()) / "cauchy_morph_checkpoint.bin";
  fs::remove(file);
  RunOptions options{.threads = 2};
  options.progress = &stopper;
  options.checkpoint = file;
  EXPECT_TRUE(train_morph(fresh, all, training, options).interrupted);
  options.progress = nullptr;
  const MorphResult rest = train_morph(fresh, all, training, options);
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(rest.record.steps, 12U);
  EXPECT_EQ(bits(rest.model.theta), bits(whole.model.theta));
  EXPECT_NE(bits(whole.model.theta), bits(fresh.theta));
}

TEST(Morph, LowRankUpdatesLeaveTheNetworkAsItWasAndMergeIntoIt) {
  const std::vector<MorphFamily> all = families(false);
  MorphModel base = fresh_morph(tiny, 2, 1);
  Rng rng(3);
  for (double& v : base.theta) v += 0.1 * rng.normal();
  const MorphModel adapted = with_lora(base, {.rank = 2, .alpha = 4}, 5);
  EXPECT_EQ(bits(next_moments(adapted, all[1].test, 1).values),
            bits(next_moments(base, all[1].test, 1).values));
  EXPECT_EQ(adapted.n_trainable(), adapted.theta.size() - base.theta.size());
  const MorphResult r = train_morph(adapted, std::span(all).first(1),
                                    {.steps = 10, .learning_rate = 1e-2}, {.threads = 1});
  EXPECT_EQ(bits(own_parameters(r.model)), bits(base.theta));
  EXPECT_LT(measure(r.model, all[0].test, 1).one_step, measure(base, all[0].test, 1).one_step);
  const MorphModel one = merged(r.model);
  EXPECT_EQ(one.theta.size(), base.theta.size());
  const Uptf a = next_moments(r.model, all[0].test, 1), b = next_moments(one, all[0].test, 1);
  for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-4);
  Checkpoint c;
  r.model.save(c);
  const MorphModel read = MorphModel::load(c);
  EXPECT_EQ(bits(read.theta), bits(r.model.theta));
  EXPECT_EQ(bits(next_moments(read, all[0].test, 1).values), bits(a.values));
}

TEST(Morph, GapClosureIsOneForScratchAndZeroForTheNaiveModel) {
  EXPECT_DOUBLE_EQ(gap_closure(0.02, 0.02, 0.1), 1);
  EXPECT_DOUBLE_EQ(gap_closure(0.1, 0.02, 0.1), 0);
  EXPECT_DOUBLE_EQ(gap_closure(0.06, 0.02, 0.1), 0.5);
  EXPECT_LT(gap_closure(0.2, 0.02, 0.1), 0);
  EXPECT_TRUE(std::isnan(gap_closure(0.05, 0.1, 0.1)));
}

TEST(Morph, StudyTakesTrainedModelsFromItsFolder) {
  const std::vector<MorphFamily> all = families();
  const fs::path folder = fs::path(testing::TempDir()) / "cauchy_morph_models";
  fs::remove_all(folder);
  MorphStudy study{.network = tiny};
  study.train = {.steps = 20, .batch = 8};
  study.finetune = {
      .share = 0.5, .steps = 4, .rank = 1, .scratch_steps = 40, .scratch_learning_rate = 1e-2};
  const auto run = [&] {
    return run_morph_study(study, std::span(all).first(1), std::span(all).last(1), folder,
                           {.threads = 1});
  };
  const MorphStudyResult first = run(), second = run();
  ASSERT_EQ(first.transfers.size(), 1U);
  const MorphTransfer& t = first.transfers[0];
  EXPECT_EQ(t.few, 2U);
  EXPECT_EQ(t.all, 4U);
  EXPECT_GT(t.trainable, 0);
  EXPECT_LT(t.scratch.one_step, t.scratch.still);
  EXPECT_EQ(t.gap_full(), gap_closure(t.full.one_step, t.scratch.one_step, t.scratch.still));
  EXPECT_EQ(second.transfers[0].lora.one_step, t.lora.one_step);
  EXPECT_EQ(second.pretrained.record.history.size(), 0U);  // it was not trained again
  EXPECT_TRUE(fs::exists(folder / "torus_scratch.bin"));
}

TEST(Morph, FilesNameTheirFamiliesAndReadBack) {
  const fs::path folder = fs::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" / "applications";
  const MorphFile file = read_morph_file(folder / "morph.toml");
  ASSERT_EQ(file.families.size(), 9U);
  EXPECT_EQ(n_parameters(file.study.network), 275'800U);
  const MorphFile::Family& plane = file.families[5];
  const MorphShape s = shape_of(plane, 2);
  EXPECT_EQ(s.fields, 1);  // a velocity of two components
  EXPECT_EQ(s.grid, (std::array<int, 3>{1, 32, 32}));
  EXPECT_EQ(s.periodic, (std::array<bool, 3>{false, true, true}));
  EXPECT_EQ(shape_of(file.families[2], 2).fields, 2);
  const fs::path copy = fs::path(testing::TempDir()) / "cauchy_morph_copy";
  fs::remove_all(copy);
  fs::create_directories(copy);
  fs::copy(folder / "morph", copy / "morph", fs::copy_options::recursive);
  std::ofstream(copy / "again.toml") << to_toml(file);
  const MorphFile again = read_morph_file(copy / "again.toml");
  EXPECT_EQ(to_toml(again), to_toml(file));
  try {
    (void)read_morph_file(folder / "morph.toml", {"morph.network.patch=5"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "patches need a multiple of 5 points along W, the grid has 64");
  }
}

}  // namespace
}  // namespace cauchy::test_morph
