// What a program promises besides its values: memory, edges, errors, text.
#include <cauchy/expr/program.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "support/allocation_counter.hpp"

namespace cauchy::test_program_contract {
namespace {

using ::testing::HasSubstr;

struct Burgers {
  Coordinate t{"t"}, x{"x"};
  Field u{"u"};
  Parameter nu{"nu"};
  ProgramSpec spec{
      {d(u, t) + u * d(u, x) - nu * d(u, x, x)}, {u, d(u, t), d(u, x), d(u, x, x)}, {nu}, {}};
};

/// Rows that end at a page without access, so that a read or write beyond them is a fault.
class GuardedRows {
 public:
  GuardedRows(std::size_t n_rows, std::size_t bytes) : bytes_(bytes), page_(page_size()) {
    for (std::size_t k = 0; k < n_rows; ++k) {
      void* p =
          mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      mprotect(static_cast<char*>(p) + page_, page_, PROT_NONE);
      pages_.push_back(static_cast<char*>(p));
    }
  }
  ~GuardedRows() {
    for (char* p : pages_) munmap(p, 2 * page_);
  }
  GuardedRows(const GuardedRows&) = delete;
  GuardedRows& operator=(const GuardedRows&) = delete;

  template <class T>
  std::vector<T*> rows() const {
    std::vector<T*> out;
    for (char* p : pages_) out.push_back(reinterpret_cast<T*>(p + page_ - bytes_));
    return out;
  }

 private:
  static std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  std::size_t bytes_, page_;
  std::vector<char*> pages_;
};

template <class T>
void touch_only_the_rows() {
  const Program<T> program(Burgers().spec);
  for (const Target target : available_targets()) {
    force_target(target);
    for (std::size_t n = 1; n < 50; ++n) {
      const GuardedRows in_memory(4, n * sizeof(T)), out_memory(1, (n + 1) * sizeof(T));
      const auto in = in_memory.rows<T>(), out = out_memory.rows<T>();
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < n; ++i) in[k][i] = T(i + k);
      }
      std::vector<T> work(program.workspace_size());
      const T nu = T(0.5);
      out[0][n] = T(123);  // one value behind the row, in front of the guard
      program.run(n, in.data(), &nu, out.data(), nullptr, work.data());
      EXPECT_EQ(out[0][n], T(123));
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(out[0][i], T(i + 1) + T(i) * T(i + 2) - T(0.5) * T(i + 3));  // exact in T
      }
    }
  }
  reset_target();
}

TEST(ProgramContract, TouchesNothingOutsideTheRows) {
  touch_only_the_rows<double>();
  touch_only_the_rows<float>();
}

TEST(ProgramContract, WorkspaceMayHaveAnyAlignment) {
  const Coordinate x("x");
  const Expr e = sin(x) * exp(x) + cos(x);
  const Program<float> program({{e}, {x}, {}, {e}});
  constexpr std::size_t n = 100;
  std::vector<float> in(n, 0.25f), first(n), other(n);
  std::vector<float> work(program.workspace_size() + 16, -1.0f);
  const float* inputs[] = {in.data()};
  double sums[2];
  for (std::size_t shift = 0; shift < 16; ++shift) {
    float* outputs[] = {shift == 0 ? first.data() : other.data()};
    std::fill(work.begin(), work.end(), -1.0f);
    program.run(n, inputs, nullptr, outputs, &sums[shift > 0], work.data() + shift);
    for (std::size_t i = 0; i < shift; ++i) EXPECT_EQ(work[i], -1.0f);
    for (std::size_t i = shift + program.workspace_size(); i < work.size(); ++i) {
      EXPECT_EQ(work[i], -1.0f);
    }
    if (shift > 0) {
      EXPECT_EQ(first, other);
      EXPECT_EQ(sums[0], sums[1]);
    }
  }
}

TEST(ProgramContract, RunAllocatesNothing) {
  const Burgers burgers;
  const Program<double> program(reverse_spec(burgers.spec));
  std::vector<std::vector<double>> rows(9, std::vector<double>(300, 0.5));
  std::vector<const double*> in;
  std::vector<double*> out;
  for (std::size_t k = 0; k < 5; ++k) in.push_back(rows[k].data());
  for (std::size_t k = 5; k < 9; ++k) out.push_back(rows[k].data());
  std::vector<double> work(program.workspace_size());
  const double nu = 0.1;
  double nu_bar = 0;
  program.run(300, in.data(), &nu, out.data(), &nu_bar, work.data());
  {
    const AllocationCounter counter;
    for (const std::size_t n : {300u, 299u, 3u, 0u}) {
      program.run(n, in.data(), &nu, out.data(), &nu_bar, work.data());
    }
    EXPECT_EQ(counter.count(), 0u);
    const std::vector<int> control(3);
    EXPECT_EQ(counter.count(), 1u);  // the counter does count
  }
}

TEST(ProgramContract, ValuesDoNotDependOnHowPointsAreCutIntoCalls) {
  const Coordinate x("x"), y("y");
  const Expr e = sin(x * y) / (1 + exp(x)) + pow(y, 3) * tanh(x) - log(2 + y) * erf(x) +
                 pow(2 + x, y) + atan(x) * cos(40000.0 * y);
  const Program<double> program({{e, d(e, x)}, {x, y}, {}, {}});
  constexpr std::size_t n = 3000;
  std::vector<double> xs(n), ys(n), whole[2], part[2];
  for (std::size_t i = 0; i < n; ++i) {
    xs[i] = std::sin(static_cast<double>(i) * 1.7);
    // Some arguments of the cosine need the slow reduction, next to others that do not.
    ys[i] = i % 7 == 3 ? 1e4 : std::cos(static_cast<double>(i) * 0.3);
  }
  for (int k = 0; k < 2; ++k) whole[k].resize(n), part[k].resize(n);
  std::vector<double> work(program.workspace_size());
  for (const Target target : available_targets()) {
    force_target(target);
    const double* in[] = {xs.data(), ys.data()};
    double* out[] = {whole[0].data(), whole[1].data()};
    program.run(n, in, nullptr, out, nullptr, work.data());
    for (std::size_t first = 0, step = 1; first < n; first += step, step = step % 37 + 1) {
      const std::size_t m = std::min(step, n - first);
      const double* some_in[] = {xs.data() + first, ys.data() + first};
      double* some_out[] = {part[0].data() + first, part[1].data() + first};
      program.run(m, some_in, nullptr, some_out, nullptr, work.data());
    }
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(std::memcmp(whole[k].data(), part[k].data(), n * sizeof(double)), 0);
    }
  }
  reset_target();
}

TEST(ProgramContract, SumsAreTheSameBitsOnAllTargets) {
  // The terms are exact inputs, so that only the order of the additions could differ.
  const Coordinate x("x");
  const Program<float> program({{}, {x}, {}, {x, -2 * x}});
  std::vector<float> xs(2999);
  double expected = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    xs[i] = std::sin(static_cast<float>(i)) * std::exp(static_cast<float>(i % 50) - 25.0f);
    expected += static_cast<double>(xs[i]);
  }
  std::vector<float> work(program.workspace_size());
  const float* in[] = {xs.data()};
  double first[2] = {};
  for (const Target target : available_targets()) {
    force_target(target);
    double sums[2];
    program.run(xs.size(), in, nullptr, nullptr, sums, work.data());
    if (first[0] == 0) std::memcpy(first, sums, sizeof(sums));
    EXPECT_EQ(sums[0], first[0]);
    EXPECT_EQ(sums[1], -2 * first[0]);
    // n eps sum|x|, with sum|x| below n exp(24) / 20.
    EXPECT_LT(std::abs(sums[0] - expected), 3000 * 0x1p-53 * 3000 * std::exp(24.0) / 20);
  }
  reset_target();
}

TEST(ProgramContract, SelectionsTreatSpecialValuesLikeTheReference) {
  const Coordinate x("x"), y("y");
  const std::vector<Expr> exprs{min(x, y),    max(x, y), x < y,          x <= y,
                                sign(x),      abs(x),    where(x, y, 2), where(x < y, x, y),
                                heaviside(x), floor(x),  mod(x, y),      sqrt(x),
                                x + y,        x * y,     x / y};
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> special{0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 3.5, -3.5};
  std::vector<double> xs, ys;
  for (const double a : special) {
    for (const double b : special) xs.push_back(a), ys.push_back(b);
  }
  const Program<double> program({exprs, {x, y}, {}, {}});
  std::vector<double> work(program.workspace_size());
  for (const Target target : available_targets()) {
    force_target(target);
    std::vector<std::vector<double>> rows(exprs.size(), std::vector<double>(xs.size()));
    std::vector<double*> out;
    for (auto& row : rows) out.push_back(row.data());
    const double* in[] = {xs.data(), ys.data()};
    program.run(xs.size(), in, nullptr, out.data(), nullptr, work.data());
    for (std::size_t k = 0; k < exprs.size(); ++k) {
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const double expected = evaluate(exprs[k], Values().set(x, xs[i]).set(y, ys[i]));
        EXPECT_TRUE(rows[k][i] == expected || (std::isnan(rows[k][i]) && std::isnan(expected)))
            << "expression " << k << " at " << xs[i] << ", " << ys[i] << ": " << rows[k][i];
      }
    }
  }
  reset_target();
}

TEST(ProgramContract, RemaindersStayBetweenZeroAndTheDivisor) {
  const Coordinate x("x"), y("y");
  const Program<double> program({{mod(x, y)}, {x, y}, {}, {}});
  // Just below multiples of the divisor the quotient is often rounded up.
  Rng rng(5);
  std::vector<double> xs, ys;
  for (int i = 0; i < 2000; ++i) {
    ys.push_back((i % 2 == 0 ? 1 : -1) * rng.uniform(0.01, 1));
    xs.push_back(std::nextafter((1 + i % 997) * ys.back(), 0.0));
  }
  std::vector<double> work(program.workspace_size()), rest(xs.size());
  for (const Target target : available_targets()) {
    force_target(target);
    const double* in[] = {xs.data(), ys.data()};
    double* out[] = {rest.data()};
    program.run(xs.size(), in, nullptr, out, nullptr, work.data());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double part = rest[i] / ys[i];
      EXPECT_TRUE(part >= 0 && part <= 1) << xs[i] << " by " << ys[i] << ": " << rest[i];
    }
  }
  reset_target();
}

TEST(ProgramContract, BurgersIsTwoInstructions) {
  const Program<double> program(Burgers().spec);
  EXPECT_EQ(program.listing(), "r0 = u * u_x + u_t\nout0 = r0 - nu * u_xx\n");
  EXPECT_EQ(program.n_instructions(), 2u);
  EXPECT_EQ(program.operations_per_point(), 4u);
}

TEST(ProgramContract, LoweringSharesAndReconstructs) {
  const Coordinate x("x"), y("y");
  const Parameter a("a");
  const auto listing = [&](std::vector<Expr> outputs) {
    return Program<double>({std::move(outputs), {x, y}, {a}, {}}).listing();
  };
  EXPECT_EQ(listing({x / y}), "out0 = x / y\n");
  EXPECT_EQ(listing({x - y}), "out0 = x - y\n");
  EXPECT_EQ(listing({x * x}), "out0 = x * x\n");
  EXPECT_EQ(listing({sqrt(x)}), "out0 = sqrt(x)\n");
  EXPECT_EQ(listing({pow(x, -0.5)}), "r0 = sqrt(x)\nout0 = 1 / r0\n");
  EXPECT_EQ(listing({pow(x, 1.5)}), "r0 = sqrt(x)\nout0 = x * r0\n");
  EXPECT_EQ(listing({pow(x, 4)}), "r0 = x * x\nout0 = r0 * r0\n");
  EXPECT_EQ(listing({1 + x * x}), "out0 = x * x + 1\n");
  EXPECT_EQ(listing({x * y - 3}), "out0 = x * y + -3\n");
  EXPECT_EQ(listing({sin(x), cos(x)}), "out0, out1 = sincos(x)\n");
  EXPECT_EQ(listing({2 * Expr(pi) * x}), "out0 = 6.283185307179586 * x\n");
  EXPECT_EQ(listing({exp(-a) * x}),
            "s0 = -1 * a  (once per run)\ns1 = exp(s0)  (once per run)\nout0 = s1 * x\n");
  EXPECT_EQ(listing({x, x, a, Expr(3)}), "out0 = x\nout1 = x\nout2 = a\nout3 = 3\n");
}

TEST(ProgramContract, RowsAreReusedAlongAChain) {
  const Coordinate x("x");
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(Expr(2) * e);
  const Program<double> program({{e}, {x}, {}, {}});
  EXPECT_GT(program.n_instructions(), 400u);
  EXPECT_LT(program.workspace_size(), 5000u);  // a few rows, not one per instruction
}

TEST(ProgramContract, AnAtomThatIsNotListedIsAnErrorWithItsName) {
  const Burgers burgers;
  ProgramSpec spec = burgers.spec;
  spec.inputs.pop_back();
  try {
    const Program<double> program(spec);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("u_xx"));
  }
  spec = burgers.spec;
  spec.inputs.push_back(burgers.u);
  EXPECT_THROW(Program<float>{spec}, Error);
  spec = burgers.spec;
  spec.parameters.clear();
  EXPECT_THROW(Program<float>{spec}, Error);
  const DataFunction f("f");
  EXPECT_THROW(Program<double>({{f(burgers.x)}, {burgers.x}, {}, {}}), Error);
  EXPECT_NO_THROW(Program<double>({{f(burgers.x)}, {f(burgers.x)}, {}, {}}));
}

TEST(ProgramContract, UnusedInputsMayBeNullAndNoPointsAreAllowed) {
  const Coordinate x("x"), y("y");
  const Program<double> program({{2 * x}, {y, x}, {}, {x}});
  std::vector<double> work(program.workspace_size());
  double values[3] = {1, 2, 3}, result[3] = {}, sum = 9;
  const double* in[] = {nullptr, values};
  double* out[] = {result};
  program.run(0, in, nullptr, out, &sum, work.data());
  EXPECT_EQ(sum, 0.0);
  EXPECT_EQ(result[0], 0.0);
  program.run(3, in, nullptr, out, &sum, work.data());
  EXPECT_EQ(sum, 6.0);
  EXPECT_EQ(result[2], 6.0);
}

}  // namespace
}  // namespace cauchy::test_program_contract
