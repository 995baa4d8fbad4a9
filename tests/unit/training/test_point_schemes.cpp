#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/training/point_scheme.hpp>

#include "support/message_of.hpp"
#include "training/point_schemes/point_look.hpp"

namespace cauchy::test_point_schemes {
namespace {

using By = ImportancePoints::By;

const Coordinate x("x");
const Field u("u");

/// One term r = u(x) + f(x) on the line, with a small network; u = 0 where theta is 0.
struct OneTerm {
  std::unique_ptr<Executor> executor;
  std::unique_ptr<TrainingLoss> loss;
  std::unique_ptr<TrainingPoints> points;
  std::vector<double> theta;
  std::function<std::vector<double>(const Points&)> weights;
  std::function<double(double)> measure;

  explicit OneTerm(const Expr& f, std::size_t n, PointSettings settings = {},
                   PointSource::Kind kind = PointSource::Kind::equation,
                   std::function<ThinLayers()> layers = {}) {
    const std::vector<std::string> fields{"u"};
    executor = make_executor(
        std::make_shared<const Graph>(make_network(Mlp{.width = 4, .depth = 1}, {"x"}, fields)),
        {{"fit", {u + f}}}, {.threads = 1});
    loss = std::make_unique<TrainingLoss>(*executor);
    theta.assign(executor->n_parameters(), 0.0);
    PointSource source;
    source.name = "fit";
    source.n = n;
    source.kind = kind;
    source.draw = [](std::size_t m, const SamplerOptions& o) {
      return Points{{"x"}, unit_points(o, 1, m), {}, {}, {}, {}};
    };
    source.use = [this](const Points& p, std::span<const std::size_t> rows) {
      executor->set_points(0, rows.empty() ? p.values : detail::rows_of(p, rows).values);
    };
    source.weigh = [this](std::span<const double> w) {
      executor->set_weights(0, w.empty() ? std::vector<double>(executor->n_points(0), 1.0)
                                         : std::vector<double>(w.begin(), w.end()));
    };
    source.measure = [this](const Points& p, std::span<const std::size_t>,
                            std::span<const double>) {
      std::vector<double> values;
      for (const double at : p.values) values.push_back(measure(at));
      return values;
    };
    source.weights = [this](const Points& p) {
      return weights ? weights(p) : std::vector<double>{};
    };
    source.layers = std::move(layers);
    points = std::make_unique<TrainingPoints>(std::vector<PointSource>{source}, settings);
    points->draw(0);
  }

  bool update(PointScheme& scheme, std::uint64_t step, bool first_order = true) {
    return scheme.update(
        *points, *loss,
        {.step_in_stage = step, .step = step, .first_order = first_order, .theta = theta});
  }
  [[nodiscard]] const std::vector<double>& at() const { return (*points)[0].values; }
};

Expr peak(double middle, double width) {
  return exp(-((x - middle) / width) * ((x - middle) / width));
}

std::unique_ptr<PointScheme> made(const PointSchemeOptions& options, const OneTerm& term) {
  return make_point_scheme(options, *term.points);
}

/// Probabilities that a scheme draws with, from the factors 1 / (n q) of many batches.
std::vector<double> seen_probabilities(OneTerm& term, PointScheme& scheme, std::uint64_t batches) {
  std::vector<double> q(term.at().size(), 0.0);
  for (std::uint64_t s = 0; s < batches; ++s) {
    EXPECT_TRUE(term.update(scheme, s));
    const auto rows = term.points->rows(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      q[rows[i]] = 1 / (static_cast<double>(q.size()) * term.points->weights(0)[i]);
    }
  }
  return q;
}

TEST(ImportancePoints, DrawByTheLossWithoutBias) {
  OneTerm term(peak(0.7, 0.1) + 0.05, 40);
  std::vector<double> losses(40);
  for (std::size_t i = 0; i < 40; ++i) {
    const double z = (term.at()[i] - 0.7) / 0.1, r = std::exp(-z * z) + 0.05;
    losses[i] = r * r;
  }
  const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
  const double all = term.loss->value(term.theta);
  EXPECT_NEAR(all, sum / 40, 1e-14);
  const auto scheme =
      made(ImportancePoints{.by = By::loss, .batch = 5, .uniform_share = 0.2}, term);
  // 500 batches: the mean of their losses is that of all points, and each index has its share.
  const int batches = 500;
  double mean = 0, square = 0;
  std::vector<double> count(40, 0.0), factor(40, 0.0);
  for (int s = 0; s < batches; ++s) {
    ASSERT_TRUE(term.update(*scheme, 0));
    const double value = term.loss->value(term.theta);
    mean += value / batches;
    square += value * value / batches;
    const auto rows = term.points->rows(0);
    ASSERT_EQ(rows.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      count[rows[i]] += 1.0 / (5 * batches);
      factor[rows[i]] = term.points->weights(0)[i];
    }
  }
  const double sigma = std::sqrt((square - mean * mean) / batches);
  EXPECT_LT(std::abs(mean - all), 5 * sigma);
  EXPECT_LT(sigma, 0.02 * all);
  for (std::size_t i = 0; i < 40; ++i) {
    const double q = 0.8 * losses[i] / sum + 0.2 / 40;
    ASSERT_GT(factor[i], 0) << "never drawn";
    EXPECT_NEAR(q * factor[i], 1.0 / 40, 1e-15) << "the expectation of factor times loss is exact";
    EXPECT_LE(factor[i], 5);
    EXPECT_LT(std::abs(count[i] - q), 5 * std::sqrt(q / (5 * batches)));
  }
}

/// Variance of one drawn gradient: sum |g_i|^2 / (n^2 q_i) - |mean g|^2.
double variance(OneTerm& term, const std::vector<double>& q) {
  (void)term.points->use_all();
  const std::size_t n = q.size(), p = term.theta.size();
  std::vector<double> r(n), j(n * p), mean(p, 0.0);
  term.executor->residuals(0, term.theta, r);
  term.executor->jacobian(0, term.theta, j);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < p; ++k) {
      const double g = 2 * r[i] * j[i * p + k];
      mean[k] += g / static_cast<double>(n);
      square += g * g;
    }
    sum += square / (static_cast<double>(n * n) * q[i]);
  }
  for (const double m : mean) sum -= m * m;
  return sum;
}

TEST(ImportancePoints, GradientsVaryLeastWithTheirLengthThenWithTheLossThenUniformly) {
  OneTerm term(peak(0.7, 0.1) + 0.05, 40);
  for (std::size_t i = 0; i < term.theta.size(); ++i) {
    term.theta[i] = 0.3 * std::cos(3.0 * static_cast<double>(i));
  }
  std::vector<double> all = {variance(term, std::vector<double>(40, 1.0 / 40))};
  for (const By by : {By::loss, By::gradient}) {
    const auto scheme = made(
        ImportancePoints{.by = by, .period = 10'000, .batch = 20, .uniform_share = 0.05}, term);
    const std::vector<double> q = seen_probabilities(term, *scheme, 200);
    EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1, 1e-12);
    all.push_back(variance(term, q));
  }
  EXPECT_LT(all[1], 0.8 * all[0]);
  EXPECT_LT(all[2], 0.8 * all[1]);
}

TEST(ImportancePoints, TakeTheLossOfTheNearestSeed) {
  OneTerm term(peak(0.7, 0.2) + 0.05, 64);
  const auto scheme =
      made(ImportancePoints{.by = By::loss, .period = 10'000, .batch = 16, .seeds = 6}, term);
  const std::vector<double> q = seen_probabilities(term, *scheme, 400);
  EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1, 1e-12);
  // On the line the points of a seed lie side by side, and one of them is the seed.
  std::vector<std::size_t> order(64);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return term.at()[i]; });
  std::vector<std::vector<std::size_t>> cells;
  for (const std::size_t i : order) {
    if (cells.empty() || std::abs(q[i] - q[cells.back()[0]]) > 1e-12) cells.emplace_back();
    cells.back().push_back(i);
  }
  ASSERT_EQ(cells.size(), 6u);
  // Probabilities are to each other as the losses at two points of the cells.
  const auto losses = [&](const std::vector<std::size_t>& cell) {
    std::vector<double> values;
    for (const std::size_t i : cell) {
      const double z = (term.at()[i] - 0.7) / 0.2;
      values.push_back(std::pow(std::exp(-z * z) + 0.05, 2));
    }
    return std::ranges::minmax(values);
  };
  for (const auto& cell : cells) {
    for (const auto& other : cells) {
      const double ratio = (q[cell[0]] - 0.1 / 64) / (q[other[0]] - 0.1 / 64);
      EXPECT_LE(ratio, losses(cell).max / losses(other).min * (1 + 1e-9));
    }
  }
}

double share_near(const std::vector<double>& at, double middle, double distance) {
  const auto near = [&](double v) { return std::abs(v - middle) < distance; };
  return static_cast<double>(std::ranges::count_if(at, near)) / static_cast<double>(at.size());
}

TEST(ImportancePoints, GoByAMeasureWithoutBias) {
  OneTerm term(peak(0.7, 0.1), 40);
  term.measure = [](double at) { return 1 + 3 * at; };
  const auto scheme = made(
      ImportancePoints{.by = By::measure, .measure = "1 + 3*x", .batch = 20, .uniform_share = 0.1},
      term);
  const std::vector<double> q = seen_probabilities(term, *scheme, 200);
  double sum = 0;
  for (const double at : term.at()) sum += 1 + 3 * at;
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(q[i], 0.9 * (1 + 3 * term.at()[i]) / sum + 0.1 / 40, 1e-14);
  }
}

TEST(ResidualPoints, FollowTheDensityOfTheResiduals) {
  // |r| / mean|r| puts all of its mass within 0.1 of the peak, the offset a fifth: 1.2 of 2.
  OneTerm term(peak(0.7, 0.05), 1000);
  const auto scheme = made(ResidualPoints{.period = 3, .candidates = 40}, term);
  EXPECT_FALSE(term.update(*scheme, 0, false)) << "a random network says nothing";
  EXPECT_FALSE(term.update(*scheme, 2, false));
  EXPECT_TRUE(term.update(*scheme, 3, false)) << "quasi-Newton methods too";
  EXPECT_EQ(term.at().size(), 1000u);
  EXPECT_NEAR(share_near(term.at(), 0.7, 0.1), 0.6, 0.01) << "spread evenly: better than 1 / 30";
  EXPECT_EQ(std::set<double>(term.at().begin(), term.at().end()).size(), 1000u) << "none twice";
  EXPECT_FALSE(term.update(*scheme, 5, false));
  const std::vector<double> before = term.at();
  EXPECT_TRUE(term.update(*scheme, 6, false));
  EXPECT_NE(term.at(), before);
  // The power 2 narrows the peak by sqrt(2); without the offset nothing is left outside.
  const auto sharp =
      made(ResidualPoints{.power = 2, .offset = 0, .period = 3, .candidates = 40}, term);
  EXPECT_TRUE(term.update(*sharp, 3));
  EXPECT_EQ(share_near(term.at(), 0.7, 0.12), 1);
}

TEST(ResidualPoints, AreAddedByTheDensityOrGreedily) {
  using Form = ResidualPoints::Form;
  for (const Form form : {Form::add, Form::greedy}) {
    OneTerm term(peak(0.7, 0.05), 400);
    const std::vector<double> first = term.at();
    const auto scheme =
        made(ResidualPoints{.form = form, .period = 1, .candidates = 10, .most = 430, .growth = 0},
             term);
    EXPECT_TRUE(term.update(*scheme, 1));
    ASSERT_EQ(term.at().size(), 430u) << "a tenth, at most 430";
    EXPECT_TRUE(std::equal(first.begin(), first.end(), term.at().begin()));
    const std::vector<double> added(term.at().begin() + 400, term.at().end());
    const double near = share_near(added, 0.7, 0.01);
    if (form == Form::greedy) {
      EXPECT_EQ(near, 1) << "30 of 4000 candidates";
    } else {
      EXPECT_LT(near, 0.5);
    }
    EXPECT_GT(share_near(added, 0.7, 0.1), 0.3);
    EXPECT_FALSE(term.update(*scheme, 2)) << "no more than the most";
  }
}

TEST(ResidualPoints, DoubleWhereFreshResidualsAreLarger) {
  // The first 16 points of the sequence are the multiples of 1/16, where the residual vanishes.
  OneTerm term(sin(16 * pi * x), 16);
  const auto scheme = made(ResidualPoints{.period = 1, .candidates = 1, .growth = 10}, term);
  EXPECT_TRUE(term.update(*scheme, 1));
  EXPECT_EQ(term.at().size(), 32u);
  EXPECT_TRUE(term.update(*scheme, 2));
  EXPECT_EQ(term.at().size(), 32u);
  EXPECT_EQ(scheme->take_events().size(), 1u);
}

TEST(RetainPoints, KeepThoseAboveTheMean) {
  OneTerm term(x, 64);
  const std::vector<double> before = term.at();
  const double mean = std::accumulate(before.begin(), before.end(), 0.0) / 64;
  const auto scheme = made(RetainPoints{.period = 1}, term);
  EXPECT_TRUE(term.update(*scheme, 1));
  ASSERT_EQ(term.at().size(), 64u);
  const std::set<double> now(term.at().begin(), term.at().end());
  for (const double v : before) EXPECT_EQ(now.contains(v), v > mean) << v;
}

TEST(GrowingPoints, DoubleTheSequenceAndSaySo) {
  OneTerm term(sin(16 * pi * x), 16);
  const std::vector<double> before = term.at();
  const auto scheme = made(GrowingPoints{.period = 1}, term);
  EXPECT_TRUE(term.update(*scheme, 1, false));
  ASSERT_EQ(term.at().size(), 32u);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), term.at().begin()));
  const std::vector<std::string> events = scheme->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].starts_with("fresh residuals are ")) << events[0];
  EXPECT_TRUE(events[0].ends_with(" times those on the training points: 16 -> 32 points of 'fit'"));
  // Now they agree; the look leaves points, weights and batch as they were.
  const std::vector<std::size_t> rows{5, 30};
  term.points->choose(0, rows, std::vector<double>{2.0, 3.0});
  const double value = term.loss->value(term.theta);
  EXPECT_FALSE(term.update(*scheme, 2, false));
  EXPECT_EQ(term.loss->value(term.theta), value);
  EXPECT_EQ(term.executor->n_points(0), 2u);
  EXPECT_TRUE(scheme->take_events().empty());
}

TEST(PointSchemes, AddPointsWhereResidualsHideAndKeepThem) {
  double asked = 0;
  const auto layers = [&asked] {
    return ThinLayers{{{"x"}, {1e-4, 1e-3}, {}, {}, {}, {}},
                      [&asked](std::span<const double> sizes, double shows) {
                        asked = shows;
                        return sizes[0] > 100 * shows ? std::string("it hides at x = 0") : "";
                      }};
  };
  const auto kind = PointSource::Kind::equation;
  // 1 everywhere: nothing hides.
  OneTerm plain(Expr(1), 64, {}, kind, layers);
  const auto quiet = made(ResidualPoints{.period = 1}, plain);
  EXPECT_TRUE(plain.update(*quiet, 1));
  EXPECT_EQ(plain.at().size(), 64u);
  EXPECT_DOUBLE_EQ(asked, 1);
  EXPECT_TRUE(quiet->take_events().empty());
  // A layer that no spread point sees.
  for (const PointSchemeOptions& options :
       {PointSchemeOptions(ResidualPoints{.period = 1}),
        PointSchemeOptions(GrowingPoints{.ratio = 1e9, .period = 1})}) {
    OneTerm hidden(1 + 1e6 * exp(-1e3 * x), 64, {}, kind, layers);
    hidden.points->set(0, {{"x"}, std::vector<double>(64, 0.5), {}, {}, {}, {}});
    const auto scheme = made(options, hidden);
    EXPECT_TRUE(hidden.update(*scheme, 1));
    ASSERT_EQ(hidden.at().size(), 66u);
    EXPECT_EQ(hidden.at()[64], 1e-4);
    EXPECT_EQ(scheme->take_events(),
              std::vector<std::string>{"it hides at x = 0: 2 points are added there"});
    // They stay, and a run that was interrupted has them too.
    TrainingState state;
    scheme->save(state);
    OneTerm again(1 + 1e6 * exp(-1e3 * x), 64, {}, kind, layers);
    const auto resumed = made(options, again);
    resumed->restore(state, *again.points);
    EXPECT_EQ(again.at(), hidden.at());
    EXPECT_EQ(again.update(*resumed, 2), hidden.update(*scheme, 2));
    EXPECT_EQ(again.at(), hidden.at());
    ASSERT_EQ(hidden.at().size(), 66u);
    EXPECT_EQ(hidden.at()[65], 1e-3);
    EXPECT_TRUE(scheme->take_events().empty());
  }
}

TEST(PointSchemes, WeighResidualsByTheWeightsOfTheProblem) {
  OneTerm term(Expr(1), 400);
  term.weights = [](const Points& p) {
    std::vector<double> w;
    for (const double v : p.values) w.push_back(v < 0.5 ? 9 : 0);
    return w;
  };
  term.points->choose(0, {});
  const auto scheme = made(ResidualPoints{.offset = 0, .period = 1}, term);
  EXPECT_TRUE(term.update(*scheme, 1));
  EXPECT_EQ(share_near(term.at(), 0, 0.5), 1);
}

TEST(PointSchemes, MoveThePointsOfAStateAtATimeToo) {
  using Kind = PointSource::Kind;
  OneTerm start(peak(0.7, 0.05), 400, {}, Kind::initial);
  EXPECT_TRUE(start.update(*made(ResidualPoints{.period = 1, .candidates = 40}, start), 1));
  EXPECT_NEAR(share_near(start.at(), 0.7, 0.1), 0.6, 0.02);
  // Without space it is one point.
  OneTerm alone(x, 1, {}, Kind::initial);
  EXPECT_THROW((void)made(ResidualPoints{.period = 1}, alone), Error);
}

TEST(PointSchemes, LeaveThePointsWhereResidualsAreNotFinite) {
  for (const PointSchemeEntry& entry : all_point_schemes()) {
    OneTerm term(x, 300);
    term.theta.assign(term.theta.size(), NAN);
    const std::vector<double> before = term.at();
    const auto scheme = made(entry.options, term);
    EXPECT_NO_THROW((void)term.update(*scheme, 1000)) << entry.name;
    EXPECT_EQ(term.at(), before) << entry.name;
    if (entry.name != "importance") continue;
    for (const double f : term.points->weights(0)) EXPECT_NEAR(f, 1, 1e-12) << "all alike";
  }
}

TEST(PointSchemes, SayWhatTheyCannotDo) {
  const auto first = [](const PointSchemeOptions& options, const OneTerm& term) {
    return message_of([&] { (void)made(options, term); });
  };
  using Kind = PointSource::Kind;
  EXPECT_EQ(
      first(ResidualPoints{}, OneTerm(x, 10, {}, Kind::condition)),
      "[training.point_scheme]: no equation has points that can be drawn anew; use the scheme "
      "`redraw`");
  EXPECT_EQ(
      first(RetainPoints{}, OneTerm(x, 10, {.redraw = 5})),
      "[training.point_scheme]: the scheme moves points every `period` steps, `redraw` of the "
      "points would too; leave `redraw` out");
  EXPECT_EQ(first(ImportancePoints{}, OneTerm(x, 10)),
            "[training.point_scheme]: importance sampling draws batches of 256, and no term has "
            "more than 10 points to draw from; make `batch` smaller, or ask for more points");
  EXPECT_EQ(first(ImportancePoints{.batch = 5}, OneTerm(x, 10, {.batch = 5})),
            "[training.point_scheme]: importance sampling has a `batch` of its own, the points "
            "have one too; leave `batch` of the points out");
  for (const PointSchemeOptions& wrong : std::vector<PointSchemeOptions>{
           ImportancePoints{.period = 0}, ImportancePoints{.batch = 0},
           ImportancePoints{.uniform_share = 0}, ResidualPoints{.power = -1},
           ResidualPoints{.offset = NAN}, ResidualPoints{.period = 0},
           ResidualPoints{.candidates = 0}, ResidualPoints{.growth = -1}, RetainPoints{.period = 0},
           GrowingPoints{.ratio = 0}, GrowingPoints{.factor = 1}}) {
    EXPECT_THROW((void)made(wrong, OneTerm(x, 300)), Error);
  }
}

TEST(PointSchemes, RefuseADamagedState) {
  const auto refused = [](const PointSchemeOptions& options, const std::string& name,
                          const std::vector<double>& values) {
    OneTerm term(x, 40), again(x, 40);
    const auto scheme = made(options, term);
    (void)term.update(*scheme, 1);
    TrainingState state;
    scheme->save(state);
    made(options, again)->restore(state, *again.points);
    EXPECT_EQ(again.loss->value(again.theta), term.loss->value(term.theta));
    state.arrays[name] = values;
    EXPECT_THROW(made(options, again)->restore(state, *again.points), Error) << name;
    state.numbers.erase("batch");
    EXPECT_THROW(made(options, again)->restore(state, *again.points), Error);
  };
  refused(RetainPoints{.period = 1}, "normals/0", {1});
  refused(RetainPoints{.period = 1}, "piece/0", {1});
  refused(ResidualPoints{.period = 1}, "values/0", {NAN});
  refused(ImportancePoints{.batch = 5}, "q/0", {0.5, 2});
  refused(ImportancePoints{.batch = 5}, "q/0", std::vector<double>(40, 0.0));
}

TEST(PointSchemes, WriteTheirOptions) {
  for (PointSchemeEntry entry : all_point_schemes()) {
    const std::string text = option_text("scheme", entry.options);
    EXPECT_NE(text.find(entry.name), std::string::npos) << text;
    EXPECT_EQ(text.find("period") != std::string::npos, entry.name != "redraw") << text;
  }
}

TEST(PointSchemes, TakeWholeRowsAndAppendThem) {
  const Points all{{"x", "y"},   {0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11},
                   {12, 13, 14}, {"left", "right"},  {1, 0, 1}};
  const std::vector<std::size_t> rows{2, 0};
  Points some = detail::rows_of(all, rows);
  EXPECT_EQ(some.values, (std::vector<double>{4, 5, 0, 1}));
  EXPECT_EQ(some.normals, (std::vector<double>{10, 11, 6, 7}));
  EXPECT_EQ(some.weights, (std::vector<double>{14, 12}));
  EXPECT_EQ(some.piece, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(some.pieces, all.pieces);
  detail::append(some, all);
  EXPECT_EQ(some.size(), 5u);
  EXPECT_EQ(some.piece, (std::vector<std::uint32_t>{1, 1, 1, 0, 1}));
  EXPECT_EQ(some.normals.size(), 10u);
  EXPECT_TRUE(detail::rows_of(all, {}).values.empty());
}

}  // namespace
}  // namespace cauchy::test_point_schemes
