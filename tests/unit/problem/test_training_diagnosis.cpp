// Phases and causes that follow from given measurements, and measurements in files.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/training_diagnosis.hpp>

namespace cauchy::test_training_diagnosis {
namespace {

/// A training of an equation and a boundary that is not solved, and of which nothing else is told.
TrainingDiagnosis plain() {
  TrainingDiagnosis d;
  d.terms = {"heat", "ends"};
  d.conditions = {false, true};
  d.layers = {"layer 1, 8 units"};
  d.batches = 16;
  d.balancer = "fixed";
  d.spectra = {{"heat", {4, 2}, {4, 2}, {0.9, 0.1}}, {"ends", {1}, {1}, {1}}};
  for (const std::uint64_t step : {0u, 10u, 100u, 1000u, 2000u, 3000u}) {
    d.entries.push_back({.step = step,
                         .cost = 0.01,
                         .snr = 2,
                         .batch_cosine = 0.8,
                         .drift = 0.1,
                         .residuals = {step == 0 ? 1.0 : 0.02, 0.01},
                         .fresh = {0.02, 0.01},
                         .gradients = {1, 0.5},
                         .cosines = {1, 0.2, 0.2, 1},
                         .traces = {50, 2},
                         .conditions = {2, 1},
                         .input_bits = {3},
                         .output_bits = {2}});
  }
  return d;
}
std::string only_cause(const TrainingDiagnosis& d) {
  const auto all = find_causes(d);
  return all.size() == 1 ? all[0].text : std::to_string(all.size()) + " causes";
}

TEST(Causes, AreNoneWhereNothingIsBeyondItsThreshold) {
  EXPECT_TRUE(find_causes(plain()).empty());
  EXPECT_TRUE(find_causes({}).empty());
  TrainingDiagnosis solved = plain();  // a kernel may be small where the residual is small too
  for (auto& e : solved.entries) {
    e.traces = {5e5, 1e-3};
    e.residuals = e.fresh = {1e-5, 5e-4};
    e.cosines = {1, -1, -1, 1};
    e.snr = 0.01;
  }
  EXPECT_TRUE(find_causes(solved).empty());
  for (auto& e : solved.entries) e.traces[0] = e.residuals[0] = e.snr = std::nan("");
  EXPECT_TRUE(find_causes(solved).empty());
}

TEST(Causes, NameATermThatLags) {
  TrainingDiagnosis d = plain();
  d.entries.back().traces = {5e3, 0.5};
  d.entries.back().residuals = {2e-4, 0.3};
  EXPECT_EQ(only_cause(d),
            "'ends' lags behind 'heat' by four orders of magnitude (their tangent kernels): try "
            "balancer.kind = \"ntk\"");
  d.balancer = "ntk";
  EXPECT_NE(only_cause(d).find("gradient-norms"), std::string::npos);
  d.steps = d.entries.back().step + 1;
  EXPECT_TRUE(find_causes(d).empty()) << "of the answer itself nothing is known";
  d.steps = 0;
  d.entries.back().residuals = {0.2, 0.3};  // both are bad: it is not the balance
  EXPECT_TRUE(find_causes(d).empty());
}

TEST(Causes, NameGradientsThatOppose) {
  TrainingDiagnosis d = plain();
  for (auto& e : d.entries) e.cosines = {1, -0.9, -0.9, 1};
  EXPECT_TRUE(find_causes(d).empty()) << "the last stage has curvature";
  d.first_order = true;
  EXPECT_NE(only_cause(d).find("try balancer.kind = \"config\""), std::string::npos);
  for (auto& e : d.entries) e.gradients = {1, 0.01};  // a small one turns nothing
  EXPECT_TRUE(find_causes(d).empty());
  for (auto& e : d.entries) e.gradients = {1, 0.5};
  d.balancer = "config";
  EXPECT_TRUE(find_causes(d).empty());
}

TEST(Causes, NameWavesReachNoiseAndLeaks) {
  TrainingDiagnosis d = plain();
  d.half_waves = 12;
  for (auto& e : d.entries) e.residuals[0] = 0.9;
  EXPECT_NE(only_cause(d).find("12 half waves"), std::string::npos);
  d.entries.back().residuals[0] = 2;
  EXPECT_TRUE(find_causes(d).empty()) << "a residual that has grown did not stay";

  d = plain();
  d.first_order = true;
  d.spectra[0].last = {1, 1e-9};
  d.spectra[0].shares = {0.02, 0.98};
  EXPECT_NE(only_cause(d).find("ssbroyden"), std::string::npos);
  d.first_order = false;
  EXPECT_TRUE(find_causes(d).empty());

  d = plain();
  d.first_order = true;
  for (std::size_t i = 1; i < d.entries.size(); ++i) d.entries[i].snr = 0.2;
  EXPECT_NE(only_cause(d).find("attention"), std::string::npos);
  d.entries.back().fresh[0] = 0.2;
  EXPECT_NE(only_cause(d).find("more points"), std::string::npos);
  d.entries.back().snr = d.entries[4].snr = 1.5;  // the last phase
  EXPECT_TRUE(find_causes(d).empty());

  d = plain();
  d.balances = {{.quantity = "u", .defect = 0.05}};
  EXPECT_NE(only_cause(d).find("the integral of u"), std::string::npos);

  d.half_waves = 60;  // beyond its threshold by 10, the leak by 5
  for (auto& e : d.entries) e.residuals[0] = 0.9;
  const auto all = find_causes(d);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].text.find("60 half waves"), std::string::npos) << "the worst first";
}

TEST(Phases, AreHighThenLowThenRising) {
  std::vector<DiagnosisEntry> all;
  for (const double snr : {8.0, 3.0, 0.9, 5.0, 0.3, 0.1, 0.12, 0.3, 0.25, 0.4}) {
    all.push_back({.snr = snr});
  }
  using enum LearningPhase;
  const std::vector<LearningPhase> expected = {
      fitting,   fitting,   fitting,         diffusion,       diffusion,
      diffusion, diffusion, total_diffusion, total_diffusion, total_diffusion};
  EXPECT_EQ(learning_phases(all), expected);
  all.resize(6);
  EXPECT_EQ(learning_phases(all).back(), diffusion) << "still falling";
  all.assign(3, {.snr = std::numeric_limits<double>::infinity()});
  EXPECT_EQ(learning_phases(all).back(), fitting);
}

TEST(Diagnosis, IsTheSameBehindACheckpoint) {
  TrainingDiagnosis d = plain();
  d.landscape = {2, {1, 2, 3, 4}};
  d.balances = {{"u", {0, 1}, {2, 1}, {-1, -0.5}, {1, 0.5}, {0, 0}, 0.25}};
  d.findings = {{"a sentence", 3}, {"another one", 2}};
  d.binning = "cells";
  d.half_waves = 4;
  d.seconds = 0.5;
  d.share = 0.1;
  d.steps = 1000;
  d.first_order = true;
  Checkpoint c, again;
  save_diagnosis(c, d);
  const auto loaded = load_diagnosis(c);
  ASSERT_NE(loaded, nullptr);
  save_diagnosis(again, *loaded);
  EXPECT_EQ(c, again);
  EXPECT_EQ(loaded->steps, 1000u);
  EXPECT_EQ(loaded->entries[2].cosines, d.entries[2].cosines);
  EXPECT_EQ(loaded->entries[2].output_bits, d.entries[2].output_bits);
  EXPECT_EQ(loaded->balances[0].outflow, d.balances[0].outflow);
  EXPECT_EQ(loaded->findings[1].text, "another one");
  EXPECT_EQ(load_diagnosis({}), nullptr);
  c.arrays["diagnosis/entries"].values.pop_back();
  EXPECT_THROW((void)load_diagnosis(c), Error);
}

}  // namespace
}  // namespace cauchy::test_training_diagnosis
