#include <cauchy/data/make_data.hpp>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_make_data {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");
const DataFunction a("a"), f("f");

/// u' = a on [0, 1], u(0) = 0.
OperatorProblem antiderivative(const std::string& field, int n) {
  OperatorProblem op;
  op.problem.name = "antiderivative";
  op.problem.fields = {"u"};
  op.problem.domain = Domain(Interval(x, 0, 1));
  op.problem.equation = {d(u, x) == a(x)};
  op.problem.condition = {on("left", u == 0)};
  op.inputs = {{.name = "a", .field = field}};
  op.grid = {n};
  op.samples = 3;
  op.validation = 1;
  op.test = 1;
  return op;
}

/// -div(a grad u) = 1 on the unit square, u = 0 around it.
OperatorProblem darcy(int n, std::size_t samples) {
  OperatorProblem op;
  op.problem.name = "darcy";
  op.problem.fields = {"u"};
  op.problem.domain = Domain(Rectangle({0, 0}, {1, 1}));
  op.problem.equation = {-div(a(x, y) * grad(u, {x, y}), {x, y}) == 1};
  op.problem.condition = {on_boundary(u == 0)};
  op.inputs = {{.name = "a",
                .field = "grf(alpha = 2, tau = 3)",
                .map = where(Symbol("g") > 0, Expr(12), Expr(3))}};
  op.grid = {n, n};
  op.refine = 1;
  op.samples = samples;
  op.validation = op.test = 0;
  return op;
}

/// A problem in time on a ring of length 1 whose initial value is the input.
OperatorProblem on_ring(const Equation& equation, double end, const std::string& field, int n) {
  OperatorProblem op;
  op.problem.name = "ring";
  op.problem.fields = {"u"};
  op.problem.domain = Interval(x, 0, 1) * Domain(Time(t, 0, end));
  op.problem.equation = {equation};
  op.problem.condition = {at(t == 0, u == a(x)), periodic(x)};
  op.inputs = {{.name = "a", .field = field}};
  op.grid = {n};
  op.samples = 3;
  op.validation = op.test = 0;
  return op;
}

/// Stops after a number of samples.
class StopAfter final : public Progress {
 public:
  explicit StopAfter(std::uint64_t n) : n_(n) {}
  void update(const ProgressState& s) override {
    if (s.stage == "samples" && s.step >= n_) stop_ = true;
  }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_; }

 private:
  std::uint64_t n_;
  std::atomic<bool> stop_ = false;
};

void expect_same_numbers(const DataSet& one, const DataSet& other) {
  EXPECT_EQ(one.in, other.in);
  EXPECT_EQ(one.out, other.out);
  EXPECT_EQ(one.notes, other.notes);
}

TEST(MakeData, MeansOfAJumpingInputBelongTogetherOnTwoGrids) {
  OperatorProblem op = darcy(17, 2);
  const DataSet plain = make_data(op);
  op.inputs[0].mean = 1.0 / 16;
  const DataSet coarse = make_data(op);
  EXPECT_EQ(coarse.out, plain.out);  // the equations have the function itself
  EXPECT_NE(coarse.in, plain.in);
  op.grid = {33, 33};
  const DataSet fine = make_data(op).thinned(2);
  double difference = 0, between = 0;
  for (std::size_t i = 0; i < coarse.in.size(); ++i) {
    EXPECT_GE(coarse.in[i], 3 - 1e-12);
    EXPECT_LE(coarse.in[i], 12 + 1e-12);
    difference = std::max(difference, std::abs(coarse.in[i] - fine.in[i]));
    if (coarse.in[i] > 3.5 && coarse.in[i] < 11.5) between += 1;
  }
  // Both grids take the means over one lattice of points.
  EXPECT_LT(difference, 1e-12);
  EXPECT_GT(between, 20);
}

TEST(MakeData, AntiderivativesAreExact) {
  // Cubic polynomials: the splines of the tables and Simpson's rule are exact for them.
  OperatorProblem op = antiderivative("polynomial(n = 4)", 17);
  op.method = Ode{.tolerance = 1e-9};
  const DataSet data = make_data(op);
  ASSERT_EQ(data.size(), 5U);
  EXPECT_EQ(data.inputs, std::vector<std::string>{"a"});
  EXPECT_EQ(data.outputs, std::vector<std::string>{"u"});
  const double h = 1.0 / 16;
  for (std::size_t s = 0; s < data.size(); ++s) {
    const double *in = data.in.data() + 17 * s, *out = data.out.data() + 17 * s;
    double integral = 0, size = 0;
    for (std::size_t i = 0; i < 17; ++i) size = std::max(size, std::abs(in[i]));
    EXPECT_GT(size, 1e-3);
    for (std::size_t i = 0; i < 17; i += 2) {
      // The tolerance of the integrator, relative to |u| <= size.
      EXPECT_LT(std::abs(out[i] - integral), 1e-8 * size) << "sample " << s << ", node " << i;
      if (i + 2 < 17) integral += h / 3 * (in[i] + 4 * in[i + 1] + in[i + 2]);
    }
  }
}

TEST(MakeData, HeatOnARingIsTheSemigroup) {
  const double kappa = 0.02, end = 0.7;
  OperatorProblem op =
      on_ring(d(u, t) == kappa * d(u, x, x), end, "grf(alpha = 2, tau = 1, modes = 3)", 16);
  op.times = {0.35, 0.7};
  const DataSet data = make_data(op);
  EXPECT_EQ(data.outputs, (std::vector<std::string>{"u(t=0.35)", "u(t=0.7)"}));
  EXPECT_EQ(data.times, op.times);
  EXPECT_TRUE(data.grid.axes[0].periodic);
  // Modes 1 to 3 decay by exp(-kappa (2 pi k)^2 t); a discrete transform takes them apart.
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (std::size_t time = 0; time < 2; ++time) {
      for (std::size_t i = 0; i < 16; ++i) {
        double exact = 0;
        for (int k = 1; k <= 3; ++k) {
          const double w = 2 * std::numbers::pi * k;
          double c = 0, q = 0;
          for (std::size_t j = 0; j < 16; ++j) {
            c += data.in[16 * s + j] * std::cos(w * static_cast<double>(j) / 16) / 8;
            q += data.in[16 * s + j] * std::sin(w * static_cast<double>(j) / 16) / 8;
          }
          const double phase = w * static_cast<double>(i) / 16;
          exact += std::exp(-kappa * w * w * op.times[time]) *
                   (c * std::cos(phase) + q * std::sin(phase));
        }
        // Of order 1; the march is exact, values between its times are interpolated.
        EXPECT_LT(std::abs(data.out[(s * 2 + time) * 16 + i] - exact), 1e-5);
      }
    }
  }
}

TEST(MakeData, VorticesOfTaylorAndGreenDecayAtAllTimesOnAnyGrid) {
  // The convection of one eigenfunction of the Laplacian vanishes: w(t) = w(0) exp(-2 nu k^2 t).
  const double k = 2 * std::numbers::pi, nu = 0.01;
  const Field w("w"), psi("psi");
  OperatorProblem op;
  op.problem.name = "vortices";
  op.problem.fields = {"w", "psi"};
  op.problem.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
  const auto laplacian = [](const Field& v) { return d(v, x, x) + d(v, y, y); };
  op.problem.equation = {d(w, t) + d(psi, y) * d(w, x) - d(psi, x) * d(w, y) == nu * laplacian(w),
                         laplacian(psi) == -w};
  op.problem.condition = {at(t == 0, w == a(x, y)), periodic(x), periodic(y), integral(psi == 0)};
  op.inputs = {
      {.name = "a", .field = "grf(alpha = 2, tau = 3)", .map = 3 * cos(k * x) * cos(k * y)}};
  op.outputs = {"w"};
  op.refine = 1;
  op.samples = 1;
  op.validation = op.test = 0;
  for (const int n : {8, 12}) {
    op.grid = {n, n};
    op.times = {0.25, 0.5, 1};
    if (n == 12) op.times.insert(op.times.begin() + 1, 0.3);
    const DataSet data = make_data(op);
    const std::size_t points = data.grid.n_points();
    for (std::size_t c = 0; c < op.times.size(); ++c) {
      const double decay = std::exp(-2 * nu * k * k * op.times[c]);
      for (std::size_t i = 0; i < points; ++i) {
        // Exponential steps are exact for what is linear: the rounding of some hundred of them.
        EXPECT_LT(std::abs(data.out[c * points + i] - decay * data.in[i]), 3 * 256 * 2.2e-16)
            << n << " " << c;
      }
    }
  }
}

TEST(MakeData, WavesTravelByWholeNodes) {
  OperatorProblem op =
      on_ring(d(u, t) + d(u, x) == 0, 0.5, "matern(nu = 2.5, length = 0.3, modes = 4)", 32);
  op.times = {0.25, 0.5};
  const DataSet data = make_data(op);
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (std::size_t i = 0; i < 32; ++i) {
      const double *in = data.in.data() + 32 * s, *out = data.out.data() + 64 * s;
      EXPECT_LT(std::abs(out[i] - in[(i + 24) % 32]), 1e-5);
      EXPECT_LT(std::abs(out[32 + i] - in[(i + 16) % 32]), 1e-5);
    }
  }
}

TEST(MakeData, DarcyBalancesEveryCell) {
  const std::size_t n = 13;
  const DataSet data = make_data(darcy(13, 4));
  const double h = 1.0 / 12;
  std::size_t interfaces = 0;
  for (std::size_t s = 0; s < data.size(); ++s) {
    const double *k = data.in.data() + n * n * s, *v = data.out.data() + n * n * s;
    for (std::size_t i = 1; i + 1 < n; ++i) {
      for (std::size_t j = 1; j + 1 < n; ++j) {
        const std::size_t at = i * n + j;
        double flux = 0;
        for (const std::size_t beside : {at - n, at + n, at - 1, at + 1}) {
          flux += 2 * k[at] * k[beside] / (k[at] + k[beside]) * (v[at] - v[beside]) / (h * h);
          if (k[at] != k[beside]) ++interfaces;
        }
        // 12 / h^2 times the rounding of values of 0.02, and the 1e-11 of the linear solver.
        EXPECT_LT(std::abs(flux - 1), 1e-9) << "sample " << s << ", node " << i << ", " << j;
      }
    }
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(v[i], 0);
  }
  EXPECT_GT(interfaces, 20U);  // both materials are there
}

TEST(MakeData, SeveralInputsOfOtherArguments) {
  // The value on the upper side is a function of x alone, the source one of both.
  OperatorProblem op;
  op.problem.fields = {"u"};
  op.problem.domain = Domain(Rectangle({0, 0}, {2, 1}));
  op.problem.equation = {laplacian(u, {x, y}) == f(x, y)};
  op.problem.condition = {on("top", u == a(x)), on("left or right or bottom", u == 0)};
  op.inputs = {{.name = "a", .arguments = {"x"}, .field = "sines(n = 3)"},
               {.name = "f", .field = "gaussian(length = 0.5)", .map = 1 + Symbol("g") * x}};
  op.problem.domain = Domain(Rectangle({0, 0}, {2, 1}));
  op.grid = {17, 9};
  op.refine = 1;
  op.samples = 2;
  op.validation = op.test = 0;
  const DataSet data = make_data(op);
  EXPECT_EQ(data.inputs, (std::vector<std::string>{"a", "f"}));
  const std::size_t points = 17 * 9;
  for (std::size_t s = 0; s < 2; ++s) {
    const double* in = data.in.data() + 2 * points * s;
    const double* out = data.out.data() + points * s;
    double largest = 0;
    for (std::size_t i = 0; i < 17; ++i) {
      for (std::size_t j = 1; j < 9; ++j) EXPECT_EQ(in[9 * i + j], in[9 * i]);
      if (i > 0 && i < 16) {
        EXPECT_LT(std::abs(out[9 * i + 8] - in[9 * i]), 1e-12);
      }
      largest = std::max(largest, std::abs(in[9 * i]));
    }
    EXPECT_GT(largest, 0.01);
    // At x = 0 the map is 1, elsewhere it is not.
    EXPECT_EQ(in[points], 1);
    EXPECT_NE(in[points + 9 * 8], 1);
  }
}

TEST(MakeData, SamplesAreTheSameForAnyNumberOfThreadsAndSamples) {
  const OperatorProblem op = darcy(9, 7);
  RunOptions options;
  options.threads = 1;
  const DataSet one = make_data(op, options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    expect_same_numbers(make_data(op, options), one);
  }
  OperatorProblem fewer = op;
  fewer.samples = 3;
  const DataSet some = make_data(fewer), part = one.part(0, 3);
  EXPECT_EQ(some.in, part.in);
  EXPECT_EQ(some.out, part.out);
  OperatorProblem other = op;
  other.seed = 2;
  EXPECT_NE(make_data(other).in, one.in);
}

TEST(MakeData, ASampleIsOneFunctionOnAllGrids) {
  OperatorProblem coarse = antiderivative("gp(length = 0.3)", 11), fine = coarse;
  fine.grid = {41};
  const DataSet few = make_data(coarse), many = make_data(fine).thinned(4);
  for (std::size_t i = 0; i < few.in.size(); ++i) {
    EXPECT_LT(std::abs(few.in[i] - many.in[i]), 1e-12);
  }
}

TEST(MakeData, ARunThatWasStoppedGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  const OperatorProblem op = darcy(9, 12);
  const DataSet all = make_data(op);
  StopAfter stop(5);
  RunOptions options;
  options.threads = 2;
  options.checkpoint = folder / "darcy.part";
  options.progress = &stop;
  const std::string message = error_of([&] { (void)make_data(op, options); });
  EXPECT_NE(message.find("of 12 samples done; those are kept"), std::string::npos) << message;
  options.progress = nullptr;
  const auto kept = std::filesystem::file_size(options.checkpoint);
  // A record that was cut off is done again, and so is one with a wrong bit.
  std::string bytes = read_file(options.checkpoint);
  bytes.resize(bytes.size() - 100);
  bytes[bytes.size() - 3000] = static_cast<char>(bytes[bytes.size() - 3000] ^ 1);
  write_file_atomically(options.checkpoint, bytes);
  expect_same_numbers(make_data(op, options), all);
  EXPECT_GT(std::filesystem::file_size(options.checkpoint), kept);
  // All of it is there now, and more samples can follow.
  expect_same_numbers(make_data(op, options), all);
  OperatorProblem more = op;
  more.samples = 14;
  expect_same_numbers(make_data(more, options), make_data(more));
  // Another problem is not continued.
  OperatorProblem other = op;
  other.seed = 3;
  EXPECT_EQ(error_of([&] { (void)make_data(other, options); }, folder.path()),
            "darcy.part: the parts that are done belong to another problem or other settings; "
            "remove the file to begin anew");
}

/// What this process has taken of the memory of the machine at most, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  double kilobytes = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return 1024 * kilobytes;
}

// A limit of two seconds would be over before gigabytes of zeros are written.
TEST(MakeData, MemoryIsTakenAsSamplesCome) {
  OperatorProblem op = antiderivative("polynomial(n = 4)", 129);
  op.samples = 500'000;  // 1 GB
  op.method = Ode{.tolerance = 1e-6};
  StopAfter stop(3);
  RunOptions options;
  options.threads = 1;
  options.progress = &stop;
  const double before = peak_memory();
  ASSERT_GT(before, 0);
  const std::string message = error_of([&] { (void)make_data(op, options); });
  EXPECT_NE(message.find("samples done"), std::string::npos) << message;
  EXPECT_LT(peak_memory() - before, 0.5e9) << "half of the data, three samples of which were made";
}

TEST(MakeData, TheErrorOfTheDataFallsWithTheGridOfTheSolver) {
  OperatorProblem op = darcy(17, 1);
  op.inputs[0].map = exp(Symbol("g"));
  op.inputs[0].field = "gaussian(length = 0.5)";
  op.method = Fdm{};
  std::vector<double> errors;
  for (const int refine : {1, 2}) {
    op.refine = refine;
    const DataSet data = make_data(op);
    EXPECT_EQ(data.notes.at("refine"), std::to_string(refine));
    errors.push_back(std::stod(data.notes.at("error")));
  }
  // Second order: by 4, with the next power of h.
  EXPECT_GT(errors[0] / errors[1], 3);
  EXPECT_LT(errors[0] / errors[1], 5);
  // Without a number the tolerance decides.
  op.refine = 0;
  op.method = Fdm{.tolerance = 1.1 * errors[1]};
  EXPECT_EQ(make_data(op).notes.at("refine"), "2");
}

TEST(MakeData, SampleProblemsHoldTheTables) {
  const OperatorProblem op = darcy(9, 2);
  const DataSet data = make_data(op);
  const Problem second = sample_problem(op, 1);
  ASSERT_EQ(second.functions.size(), 1U);
  const TabulatedFunction& table = second.functions[0];
  EXPECT_EQ(table.interpolation, TableInterpolation::nearest);
  EXPECT_EQ(table.table.column("a"), std::vector<double>(data.in.begin() + 81, data.in.end()));
  EXPECT_EQ(sample_problem(op, 1, 3).functions[0].table.rows(), 25U * 25U);
  // A periodic axis ends where it begins.
  const Problem ring =
      sample_problem(on_ring(d(u, t) + d(u, x) == 0, 1, "gaussian(length = 0.2)", 8), 0);
  const std::vector<double> values = ring.functions[0].table.column("a");
  ASSERT_EQ(values.size(), 9U);
  EXPECT_EQ(values.front(), values.back());
  EXPECT_EQ(ring.functions[0].table.column("x").back(), 1);
}

TEST(MakeData, RefusesWhatMakesNoSense) {
  const auto message = [](OperatorProblem op) { return error_of([&] { check(op); }); };
  OperatorProblem op = darcy(9, 2);
  op.samples = 0;
  EXPECT_EQ(message(op),
            "[operator.samples]: there is nothing to learn from without samples; samples = 1000");
  op = darcy(9, 2);
  op.inputs.push_back({.name = "f", .field = "grf"});
  EXPECT_EQ(message(op),
            "input 'f': nothing in the equations and conditions uses 'f'; write f(x, y) where it "
            "stands");
  op = darcy(9, 2);
  op.grid = {9};
  EXPECT_EQ(message(op), "[operator.grid]: 1 number of nodes for 2 axes (x, y); grid = [64, 64]");
  op = darcy(9, 2);
  op.outputs = {"w"};
  EXPECT_EQ(message(op), "[operator.outputs]: unknown field 'w'; fields are: u");
  op = darcy(9, 2);
  op.times = {1};
  EXPECT_EQ(message(op), "[operator.times]: the problem has no time; leave them out");
  op = on_ring(d(u, t) + d(u, x) == 0, 1, "gaussian(length = 0.2)", 8);
  op.times = {0.5, 2};
  EXPECT_EQ(message(op), "[operator.times]: t = 2 is outside of [0, 1]");
  op = darcy(9, 2);
  op.method = Pinn{};
  EXPECT_EQ(
      message(op),
      "method: data are made by a classical method, not by pinn; kind = \"auto-classical\", or "
      "leave it out");
  op = darcy(9, 2);
  op.inputs[0].map = log(Symbol("g") - 100);
  EXPECT_EQ(message(op), "input 'a': it is not finite in sample 0; change its map");
  op = darcy(9, 2);
  op.problem.domain = Domain(Disk({0, 0}, 1));
  EXPECT_EQ(message(op),
            "[operator.grid]: the grid of a data set covers a box of 1 to 3 axes; give space by "
            "intervals: space = { x = [0, 1] }");
}

TEST(MakeData, RefusesAProblemWithAConditionMissing) {
  OperatorProblem op = antiderivative("gaussian(length = 0.2)", 17);
  op.problem.equation = {-d(u, x, x) + 4 * u == a(x)};
  EXPECT_EQ(error_of([&] { (void)make_data(op); }),
            "[operator]: the inputs do not determine the outputs: field 'u' has no condition on 50 "
            "% of the boundary (right); add the condition to the problem");
  op.problem.condition.push_back(on("right", u == 0));
  EXPECT_EQ(make_data(op).size(), 5u);
}

}  // namespace
}  // namespace cauchy::test_make_data
