#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/networks/network.hpp>
#include <cauchy/training/curriculum.hpp>
#include <cauchy/training/loss.hpp>

#include "support/message_of.hpp"
#include "training/point_schemes/redraw.hpp"

namespace cauchy::test_curricula {
namespace {

/// An equation on drawn points of (t, x), a condition late in time, and six observations; what is
/// in use is written down.
struct Setting {
  std::vector<Points> points = std::vector<Points>(3);
  std::vector<std::vector<std::size_t>> rows = std::vector<std::vector<std::size_t>>(3);
  std::unique_ptr<Executor> executor;
  std::unique_ptr<TrainingLoss> loss;

  Setting() {
    const std::vector<std::string> fields{"u"};
    const auto graph = std::make_shared<const Graph>(
        make_network(Mlp{.width = 2, .depth = 1}, {"t", "x"}, fields));
    const Expr u = Field("u");
    std::vector<Term> terms(3);
    for (Term& t : terms) t.residuals = {u};
    executor = make_executor(graph, terms, {.threads = 1});
    loss = std::make_unique<TrainingLoss>(*executor);
  }

  static Points given() {
    // Times 0.9, 0.1, 0.5, 0.3, 0.7, 0.2; x is the number of the row.
    Points p;
    p.columns = {"t", "x"};
    p.values = {0.9, 0, 0.1, 1, 0.5, 2, 0.3, 3, 0.7, 4, 0.2, 5};
    return p;
  }

  TrainingPoints make(const PointSettings& settings) {
    const auto source = [this](std::size_t i, PointSource::Kind kind, const char* name) {
      PointSource s;
      s.name = name;
      s.kind = kind;
      s.n = 40;
      s.redrawn = kind != PointSource::Kind::observation;
      s.draw = [kind](std::size_t n, const SamplerOptions& o) {
        if (kind == PointSource::Kind::observation) return given();
        Points p;
        p.columns = {"t", "x"};
        p.values = unit_points(o, 2, n);
        for (std::size_t k = 0; kind == PointSource::Kind::condition && k < n; ++k) {
          p.values[2 * k] = 0.8 + 0.2 * p.values[2 * k];
        }
        return p;
      };
      s.use = [this, i](const Points& p, std::span<const std::size_t> used) {
        points[i] = p;
        rows[i].assign(used.begin(), used.end());
      };
      s.weigh = [](std::span<const double>) {};
      return s;
    };
    return TrainingPoints({source(0, PointSource::Kind::equation, "equation"),
                           source(1, PointSource::Kind::condition, "late"),
                           source(2, PointSource::Kind::observation, "data")},
                          settings);
  }

  double latest(std::size_t term) const {
    double t = 0;
    for (std::size_t i = 0; i < points[term].size(); ++i) t = std::max(t, points[term].row(i)[0]);
    return t;
  }
};

const PointSettings with_time{.redraw = 1, .time = "t"};

TEST(GrowingTime, UsesTimesUpToAnEndThatGrows) {
  Setting s;
  TrainingPoints points = s.make(with_time);
  const auto curriculum = make_curriculum(GrowingTimeCurriculum{}, points, 4);
  points.draw(0);
  const double end = s.latest(0);
  EXPECT_GT(end, 0.9);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    EXPECT_TRUE(curriculum->begin_stage(stage, *s.loss, points));
    const double share = static_cast<double>(stage + 1) / 4;
    EXPECT_LE(s.latest(0), share * 1.0) << stage;
    EXPECT_GT(s.latest(0), (share - 0.2) * end) << stage;
    // The same density: 10 of the 40 points in a quarter of the time, give or take one of a
    // sequence.
    EXPECT_NEAR(static_cast<double>(points[0].size()), 40 * share, 2) << stage;
    // The late condition begins to count when its times do.
    EXPECT_EQ(s.loss->factor(1, WeightLayer::curriculum), stage < 3 ? 0 : 1) << stage;
  }
  EXPECT_EQ(points[0].size(), 40u);
}

TEST(GrowingTime, ARedrawOrASchemeDoesNotBringLateTimesBack) {
  Setting s;
  TrainingPoints points = s.make(with_time);
  const auto curriculum = make_curriculum(GrowingTimeCurriculum{}, points, 2);
  points.draw(0);
  curriculum->begin_stage(0, *s.loss, points);
  const std::vector<double> before = points[0].values;
  points.draw(5);
  EXPECT_NE(points[0].values, before);
  EXPECT_LE(s.latest(0), 0.5);
  // What a scheme draws by itself is limited too, and what it sets.
  const Points candidates = points.source(0).draw(400, {});
  EXPECT_NEAR(static_cast<double>(candidates.size()), 200, 3);
  for (std::size_t i = 0; i < candidates.size(); ++i) EXPECT_LE(candidates.row(i)[0], 0.5);
  Points two;
  two.columns = {"t", "x"};
  two.values = {0.2, 0.1, 0.8, 0.1};
  points.set(0, two);
  EXPECT_EQ(points[0].values, (std::vector<double>{0.2, 0.1}));
  // The next stage keeps the points and adds those of the times that are new.
  curriculum->begin_stage(1, *s.loss, points);
  EXPECT_NEAR(static_cast<double>(points[0].size()), 21, 2);
  EXPECT_EQ(points[0].row(0)[0], 0.2);
  for (std::size_t i = 1; i < points[0].size(); ++i) EXPECT_GT(points[0].row(i)[0], 0.49);
}

TEST(GrowingTime, BatchesAndAllPointsStayWithinTheLimit) {
  Setting s;
  TrainingPoints points = s.make(with_time);
  const auto curriculum = make_curriculum(GrowingTimeCurriculum{}, points, 2);
  points.draw(0);
  curriculum->begin_stage(0, *s.loss, points);
  const std::vector<std::size_t> early{1, 3, 5};  // and 2, at the end of the sampled times / 2
  EXPECT_FALSE(points.batched()) << "these are all that may be used";
  for (const std::size_t row : s.rows[2]) EXPECT_LE(points[2].row(row)[0], 0.5);
  EXPECT_EQ(points[2].size(), 6u) << "given points keep their rows";
  points.choose(2, std::vector<std::size_t>{0, 3, 4});
  EXPECT_EQ(s.rows[2], (std::vector<std::size_t>{3}));
  EXPECT_TRUE(points.batched());
  points.choose(2, std::vector<std::size_t>{0, 4});
  EXPECT_TRUE(std::ranges::includes(s.rows[2], early)) << "none is left: all that may be used";
  points.choose(2, std::vector<std::size_t>{1});
  EXPECT_TRUE(points.use_all());
  EXPECT_TRUE(std::ranges::includes(s.rows[2], early));
}

TEST(TrainingPoints, LimitedPointsAreSavedAndRestored) {
  Setting s, r;
  TrainingPoints points = s.make(with_time), again = r.make(with_time);
  const auto curriculum = make_curriculum(GrowingTimeCurriculum{}, points, 3);
  points.draw(0);
  curriculum->begin_stage(0, *s.loss, points);
  points.draw(3);
  curriculum->begin_stage(1, *s.loss, points);
  points.choose(2, std::vector<std::size_t>{3, 1});
  TrainingState state;
  points.save(state);
  again.draw(0);
  make_curriculum(GrowingTimeCurriculum{}, again, 3)->begin_stage(1, *r.loss, again);
  EXPECT_NE(again[0].values, points[0].values);
  again.restore(state);
  EXPECT_EQ(again[0].values, points[0].values);
  EXPECT_EQ(r.points[0].values, s.points[0].values);
  EXPECT_EQ(r.rows[2], s.rows[2]);
  state.arrays["2/rows"] = {17};
  EXPECT_NE(message_of([&] { again.restore(state); }).find("damaged"), std::string::npos);
}

TEST(TrainingPoints, WeightsOfTheProblemGoWithTheirPoints) {
  std::vector<double> weights;
  std::size_t asked = 0;
  PointSource source;
  source.name = "w";
  source.n = 6;
  source.draw = [](std::size_t n, const SamplerOptions& o) {
    Points p;
    p.columns = {"t"};
    p.values = unit_points(o, 1, n);
    return p;
  };
  source.use = [](const Points&, std::span<const std::size_t>) {};
  source.weights = [&](const Points& p) {
    ++asked;
    std::vector<double> w;
    for (const double t : p.values) w.push_back(1 + 10 * t);
    return w;
  };
  source.weigh = [&](std::span<const double> w) { weights.assign(w.begin(), w.end()); };
  TrainingPoints points({source}, {.sampler = {.kind = SamplerKind::uniform}});
  const auto expected = [&](const std::vector<std::size_t>& rows, double factor = 1) {
    std::vector<double> w;
    for (const std::size_t r : rows) w.push_back(factor * (1 + 10 * points[0].values[r]));
    return w;
  };
  points.draw(0);
  EXPECT_EQ(weights, expected({0, 1, 2, 3, 4, 5}));
  points.choose(0, std::vector<std::size_t>{4, 1});
  EXPECT_EQ(weights, expected({4, 1}));
  EXPECT_EQ(points.weights(0), expected({4, 1}));
  points.choose(0, std::vector<std::size_t>{4, 1}, std::vector<double>{3, 3});
  EXPECT_EQ(weights, expected({4, 1}, 3));
  EXPECT_EQ(asked, 1u) << "batches of the same points ask once";
  const std::vector<double> before = weights;
  points.draw(1);
  EXPECT_EQ(weights, expected({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(asked, 2u);
  points.weigh(0, std::vector<double>(6, 2.0));
  EXPECT_EQ(weights, expected({0, 1, 2, 3, 4, 5}, 2));
}

TEST(DataCurriculum, ShowsEarlyObservationsFirst) {
  Setting s;
  TrainingPoints points = s.make(with_time);
  const auto curriculum = make_curriculum(DataCurriculum{}, points, 3);
  points.draw(0);
  curriculum->begin_stage(0, *s.loss, points);
  EXPECT_EQ(s.rows[2], (std::vector<std::size_t>{1, 5})) << "t = 0.1 and 0.2";
  curriculum->begin_stage(1, *s.loss, points);
  EXPECT_EQ(s.rows[2], (std::vector<std::size_t>{1, 2, 3, 5}));
  curriculum->begin_stage(2, *s.loss, points);
  EXPECT_TRUE(s.rows[2].empty()) << "all";
  EXPECT_EQ(points[0].size(), 40u) << "equations are left alone";
  // Without time they come in their order.
  TrainingPoints timeless = s.make({});
  const auto in_order = make_curriculum(DataCurriculum{}, timeless, 3);
  timeless.draw(0);
  in_order->begin_stage(0, *s.loss, timeless);
  EXPECT_EQ(s.rows[2], (std::vector<std::size_t>{0, 1}));
}

TEST(LossCurriculum, ShowsSomeTermsFirst) {
  Setting s;
  TrainingPoints points = s.make(with_time);
  points.draw(0);
  const auto factors = [&](Curriculum& curriculum, std::size_t stage) {
    curriculum.begin_stage(stage, *s.loss, points);
    std::vector<double> all;
    for (std::size_t i = 0; i < 3; ++i) all.push_back(s.loss->factor(i, WeightLayer::curriculum));
    return all;
  };
  const auto conditions = make_curriculum(LossCurriculum{}, points, 2);
  EXPECT_EQ(factors(*conditions, 0), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(factors(*conditions, 1), (std::vector<double>{1, 1, 1}));
  const auto named = make_curriculum(LossCurriculum{.first = "equation , data"}, points, 3);
  EXPECT_EQ(factors(*named, 0), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(factors(*named, 2), (std::vector<double>{1, 1, 1}));
}

TEST(Curricula, SayWhatTheyCannotDo) {
  Setting s;
  TrainingPoints points = s.make(with_time), timeless = s.make({}), none({}, with_time);
  const auto message = [](const CurriculumOptions& options, const TrainingPoints& p,
                          std::size_t stages = 2) {
    return message_of([&] { (void)make_curriculum(options, p, stages); });
  };
  EXPECT_EQ(
      message(GrowingTimeCurriculum{}, points, 1),
      "[training.curriculum]: a curriculum changes the task from stage to stage, and there is "
      "one stage; give the method two stages or more");
  EXPECT_EQ(message(GrowingTimeCurriculum{}, timeless),
            "[training.curriculum]: a time that grows needs time, and this problem has none; "
            "choose another curriculum, or leave it out");
  EXPECT_EQ(message(DataCurriculum{}, none),
            "[training.curriculum]: observations in parts need observations, and this problem has "
            "none; choose another curriculum, or leave it out");
  EXPECT_EQ(message(LossCurriculum{.first = "equatoin"}, points),
            "[training.curriculum]: the loss has no term 'equatoin'; did you mean 'equation'?");
  EXPECT_EQ(message(LossCurriculum{.first = "equation, late, data"}, points),
            "[training.curriculum]: all terms of the loss come first, and nothing is left for "
            "later; name some of its terms in `first`: equation, late, data");
  EXPECT_EQ(message(NoCurriculum{}, points, 1), "no error");
}

}  // namespace
}  // namespace cauchy::test_curricula
