#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/networks/network.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>

#include "support/message_of.hpp"
#include "training/checkpoints.hpp"
#include "training/point_schemes/redraw.hpp"

namespace cauchy::test_points {
namespace {

/// Two sources on a line: drawn numbers, and given ones. What is in use is written down.
struct Line {
  std::vector<std::vector<double>> used = std::vector<std::vector<double>>(2);
  std::vector<SamplerOptions> asked;

  TrainingPoints points(const PointSettings& settings) {
    const auto source = [&](std::size_t i, bool redrawn) {
      return PointSource{redrawn ? "drawn" : "given",
                         8,
                         redrawn,
                         true,
                         PointSource::Kind::equation,
                         [=, this](std::size_t n, const SamplerOptions& o) {
                           if (redrawn) asked.push_back(o);
                           Points p;
                           p.columns = {"x"};
                           p.values = unit_points(o, 1, n);
                           return p;
                         },
                         [=, this](const Points& p, std::span<const std::size_t> rows) {
                           used[i].clear();
                           for (const std::size_t r : rows) used[i].push_back(p.values[r]);
                           if (rows.empty()) used[i] = p.values;
                         }};
    };
    return TrainingPoints({source(0, true), source(1, false)}, settings);
  }
};

TEST(TrainingPoints, ASequenceGoesOnWhereTheLastRoundEnded) {
  Line line;
  TrainingPoints points = line.points({.sampler = {.kind = SamplerKind::halton}});
  points.draw(0);
  const std::vector<double> given = line.used[1];
  points.draw(2);
  EXPECT_EQ(line.asked[0].skip, 0u);
  EXPECT_EQ(line.asked[1].skip, 16u);
  EXPECT_EQ(line.asked[1].seed, line.asked[0].seed);
  EXPECT_EQ(line.used[1], given) << "given points stay";
}

TEST(TrainingPoints, RandomPointsGetANewSeedInEveryRound) {
  Line line;
  TrainingPoints points =
      line.points({.sampler = {.kind = SamplerKind::uniform, .seed = 5}, .seed = 7});
  points.draw(0);
  points.draw(3);
  EXPECT_EQ(line.asked[0].seed, 12u);
  EXPECT_EQ(line.asked[1].seed, 15u);
  EXPECT_EQ(line.asked[1].skip, line.asked[0].skip);
}

TEST(TrainingPoints, KnowWhichRowsAreInUse) {
  Line line;
  TrainingPoints points = line.points({});
  points.draw(0);
  EXPECT_FALSE(points.batched());
  EXPECT_FALSE(points.use_all());
  const std::vector<std::size_t> rows{6, 1};
  points.choose(0, rows);
  EXPECT_TRUE(points.batched());
  EXPECT_TRUE(std::ranges::equal(points.rows(0), rows));
  EXPECT_EQ(line.used[0], (std::vector<double>{points[0].values[6], points[0].values[1]}));
  EXPECT_EQ(points[0].size(), 8u) << "all points are still there";
  EXPECT_TRUE(points.use_all());
  EXPECT_EQ(line.used[0], points[0].values);
  points.choose(1, rows);
  points.draw(1);
  EXPECT_FALSE(points.batched()) << "a new round ends a batch, also of given points";
  EXPECT_EQ(line.used[1], points[1].values);
  Points other;
  other.columns = {"x"};
  other.values = {0.25};
  points.set(0, other);
  EXPECT_EQ(line.used[0], other.values);
}

TEST(TrainingPoints, RefuseWhatIsNoNumber) {
  Line line;
  TrainingPoints points = line.points({});
  points.draw(0);
  const std::vector<double> before = line.used[0];
  Points other = points[0];
  other.values[2] = std::numeric_limits<double>::infinity();
  points.set(0, other);
  EXPECT_EQ(line.used[0], before);
  EXPECT_TRUE(points.take_refusal());
  EXPECT_FALSE(points.take_refusal()) << "told once";
  points.choose(0, std::vector<std::size_t>{4}, std::vector<double>{-1});
  EXPECT_TRUE(points.take_refusal());
  EXPECT_EQ(line.used[0], (std::vector<double>{before[4]}));
  EXPECT_TRUE(points.weights(0).empty()) << "all 1";
}

TEST(Redraw, BringsBackTheRoundAndTheBatchInUse) {
  const PointSettings settings{.sampler = {.kind = SamplerKind::uniform}, .redraw = 4, .batch = 3};
  Line line, again;
  TrainingPoints points = line.points(settings), copy = again.points(settings);
  points.draw(0);
  copy.draw(0);
  detail::Redraw scheme, restored;
  const std::vector<std::string> fields{"u"};
  const auto executor = make_executor(
      std::make_shared<const Graph>(make_network(Mlp{.width = 1, .depth = 1}, {"x"}, fields)),
      {{"fit", {Field("u")}}}, {.threads = 1});
  TrainingLoss loss(*executor);  // takes no part in this scheme
  for (std::uint64_t step = 0; step < 7; ++step) {
    EXPECT_TRUE(
        scheme.update(points, loss, {.step_in_stage = step, .step = step, .first_order = true}));
  }
  TrainingState state;
  scheme.save(state);
  restored.restore(state, copy);
  EXPECT_EQ(again.used, line.used);
  EXPECT_EQ(line.used[0].size(), 3u);
  EXPECT_THROW(restored.restore({}, copy), Error);
}

TEST(Checkpoints, RefuseAHistoryThatDoesNotFitTogether) {
  Checkpoint c;
  TrainingRecord record;
  record.term_names = {"equation", "boundary"};
  detail::save_history(c, {{0, "start", 0, 1, {0.5, 0.5}, {}}, {5, "adam", 1, 2, {1, 1}, {}}});
  ASSERT_EQ(detail::load_history(c, record).size(), 2u);
  EXPECT_EQ(detail::load_history(c, record)[1].stage, "adam");
  EXPECT_EQ(detail::load_history(c, record)[1].terms, (std::vector<double>{1, 1}));
  const auto refused = [&](Checkpoint bad) {
    return message_of([&] { (void)detail::load_history(bad, record); }).find("damaged") !=
           std::string::npos;
  };
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{3}, std::numeric_limits<std::uint64_t>::max() - 2}) {
    Checkpoint bad = c;
    bad.numbers["history_terms"] = wrong;
    EXPECT_TRUE(refused(bad)) << wrong;
  }
  Checkpoint bad = c;
  bad.texts["stages"] = "start";
  EXPECT_TRUE(refused(bad));
}

}  // namespace
}  // namespace cauchy::test_points
