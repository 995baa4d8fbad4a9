#include <cauchy/expr/program.hpp>

#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/expr/print.hpp>

#include "support/program_oracle.hpp"

namespace cauchy::test_program {
namespace {

using testing::Bounded;
using testing::ErrorAnalysis;
using testing::RandomExpressions;

/// Runs a program on points given as values[input][point].
template <class T>
struct Results {
  std::vector<std::vector<T>> outputs;
  std::vector<double> sums;
};
template <class T>
Results<T> run(const Program<T>& program, const std::vector<std::vector<T>>& inputs,
               const std::vector<T>& parameters, std::size_t n) {
  std::vector<const T*> in;
  for (const auto& row : inputs) in.push_back(row.data());
  Results<T> r{std::vector<std::vector<T>>(program.spec().outputs.size()),
               std::vector<double>(program.spec().sums.size())};
  std::vector<T*> out;
  for (auto& row : r.outputs) {
    row.assign(n, T(-77));
    out.push_back(row.data());
  }
  std::vector<T> work(program.workspace_size());
  program.run(n, in.data(), parameters.data(), out.data(), r.sums.data(), work.data());
  return r;
}

/// Bodies run once per instruction set.
template <class Body>
void for_all_targets(Body body) {
  for (const Target target : available_targets()) {
    force_target(target);
    SCOPED_TRACE(to_string(target));
    body();
  }
  reset_target();
}

/// The sign and payload of a NaN are not part of the value.
template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// n points that repeat a few distinct ones, so that one analysis serves many positions.
template <class T>
struct Samples {
  static constexpr std::size_t n_distinct = 5;
  std::vector<T> parameters;
  std::vector<std::vector<T>> inputs;
  std::vector<Values> values;

  Samples(RandomExpressions& random, std::size_t n) : inputs(random.inputs.size()) {
    for (std::size_t k = 0; k < random.parameters.size(); ++k) {
      parameters.push_back(static_cast<T>(random.uniform(-2, 2)));
    }
    values.resize(n_distinct);
    for (std::size_t i = 0; i < n_distinct; ++i) {
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        values[i].set(random.parameters[k], static_cast<double>(parameters[k]));
      }
    }
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      T distinct[n_distinct];
      for (std::size_t i = 0; i < n_distinct; ++i) {
        distinct[i] = static_cast<T>(random.uniform(-2, 2));
        values[i].set(random.inputs[k], static_cast<double>(distinct[i]));
      }
      for (std::size_t i = 0; i < n; ++i) inputs[k].push_back(distinct[i % n_distinct]);
    }
  }
};

constexpr std::size_t sizes[] = {0, 1, 2, 7, 8, 9, 255, 256, 257, 1000};

/// What the comparisons have covered: a test that skips nearly everything must not pass.
struct Coverage {
  std::size_t numbers = 0, nans = 0, undecided = 0;
  void expect_mostly_numbers() const { EXPECT_GT(numbers, nans + undecided); }
};

template <class T>
void expect_near(T got, const Bounded& expected, Coverage& coverage) {
  if (!expected.decided()) {
    ++coverage.undecided;
    return;
  }
  if (std::isnan(expected.value)) {
    ++coverage.nans;
    EXPECT_TRUE(std::isnan(got));
  } else {
    ++coverage.numbers;
    const long double error = std::abs(static_cast<long double>(got) - expected.value);
    EXPECT_LE(error, expected.error) << "value " << static_cast<double>(expected.value);
  }
}

template <class T>
void compare_random_lists(std::uint64_t seed, int n_lists) {
  RandomExpressions random(seed);
  Coverage coverage;
  for (int list = 0; list < n_lists; ++list) {
    ProgramSpec spec{{}, random.inputs, random.parameters, {}};
    for (int k = random.integer(1, 3); k > 0; --k) {
      spec.outputs.push_back(random.next(random.integer(1, 5)));
    }
    spec.sums = {random.next(3), random.parameters[0] * spec.outputs[0]};
    SCOPED_TRACE(fmt::format("list {}, output 0 {}", list, to_string(spec.outputs[0])));
    const std::size_t n = sizes[static_cast<std::size_t>(list) % std::size(sizes)];
    const Samples<T> samples(random, n);
    const std::size_t n_distinct = std::min(n, samples.n_distinct);

    std::vector<std::vector<Bounded>> expected;  // outputs, then sums
    for (const auto* exprs : {&spec.outputs, &spec.sums}) {
      for (const Expr& e : *exprs) {
        auto& row = expected.emplace_back();
        for (std::size_t i = 0; i < n_distinct; ++i) {
          row.push_back(ErrorAnalysis<T>()(e, samples.values[i]));
          // The tree-walking reference obeys the same bound.
          if (sizeof(T) == 8) expect_near(evaluate(e, samples.values[i]), row.back(), coverage);
        }
      }
    }
    const Program<T> program(spec);
    for_all_targets([&] {
      const Results<T> got = run(program, samples.inputs, samples.parameters, n);
      for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          if (i < n_distinct) {
            expect_near(got.outputs[k][i], expected[k][i], coverage);
          } else {  // the value of a point does not depend on its position
            EXPECT_TRUE(same_bits(got.outputs[k][i], got.outputs[k][i % n_distinct]));
          }
        }
      }
      for (std::size_t k = 0; k < spec.sums.size(); ++k) {
        Bounded total{0, 0};
        long double size = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const Bounded& term = expected[spec.outputs.size() + k][i % n_distinct];
          total.value += term.value;
          total.error += term.error;
          size += std::abs(term.value);
        }
        total.error += static_cast<long double>(n) * 0x1p-52L * size;
        expect_near(got.sums[k], total, coverage);
      }
    });
    if (::testing::Test::HasFailure()) return;
  }
  coverage.expect_mostly_numbers();
}

TEST(Program, MatchesTheReferenceOnRandomExpressionListsInDouble) {
  compare_random_lists<double>(1, 2000);
}
TEST(Program, MatchesTheReferenceOnRandomExpressionListsInFloat) {
  compare_random_lists<float>(2, 2000);
}

template <class T>
void compare_reverse(std::uint64_t seed, int n_lists) {
  RandomExpressions random(seed);
  Coverage coverage;
  for (int list = 0; list < n_lists; ++list) {
    const ProgramSpec forward{
        {random.next(3), random.next(3)}, random.inputs, random.parameters, {}};
    const ProgramSpec reverse = reverse_spec(forward);
    SCOPED_TRACE(fmt::format("list {}: {}; {}", list, to_string(forward.outputs[0]),
                             to_string(forward.outputs[1])));
    RandomExpressions atoms = random;
    atoms.inputs = reverse.inputs;
    const std::size_t n = Samples<T>::n_distinct;
    Samples<T> samples(atoms, n);
    // partial() looks into the arguments of a data function, the program takes it as an input:
    // a symbol stands for it below.
    const Expr call = forward.inputs.back();
    const Symbol stand_in("value of f");
    for (Values& v : samples.values) v.set(stand_in, *v.find(call));
    const Program<T> program(reverse);
    const Results<T> got = run(program, samples.inputs, samples.parameters, n);
    const auto expected = [&](const Expr& adjoint_of, const Expr& as_compiled, std::size_t i) {
      std::vector<Expr> terms;
      for (std::size_t k = 0; k < 2; ++k) {
        terms.push_back(reverse.inputs[forward.inputs.size() + k] *
                        partial(substitute(forward.outputs[k], call, stand_in),
                                same(adjoint_of, call) ? Expr(stand_in) : adjoint_of));
      }
      // Two forms of one number: each has its own rounding errors.
      const Bounded by_partial = ErrorAnalysis<T>()(sum(terms), samples.values[i]);
      const Bounded by_adjoint = ErrorAnalysis<T>()(as_compiled, samples.values[i]);
      const bool both = !std::isnan(by_partial.value) && !std::isnan(by_adjoint.value);
      return Bounded{by_partial.value,
                     both ? by_partial.error + by_adjoint.error : ErrorAnalysis<T>::undecided};
    };
    for (std::size_t k = 0; k < forward.inputs.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        expect_near(got.outputs[k][i], expected(forward.inputs[k], reverse.outputs[k], i),
                    coverage);
      }
    }
    for (std::size_t k = 0; k < forward.parameters.size(); ++k) {
      Bounded total{0, 0};
      long double size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Bounded term = expected(forward.parameters[k], reverse.sums[k], i);
        total = {total.value + term.value, total.error + term.error};
        size += std::abs(term.value);
      }
      total.error += static_cast<long double>(n) * 0x1p-52L * size;
      expect_near(got.sums[k], total, coverage);
    }
    if (::testing::Test::HasFailure()) return;
  }
  coverage.expect_mostly_numbers();
}

TEST(Program, ReverseMatchesPartialDerivativesInDouble) { compare_reverse<double>(3, 300); }
TEST(Program, ReverseMatchesPartialDerivativesInFloat) { compare_reverse<float>(4, 300); }

TEST(Program, ReverseMatchesCentralDifferences) {
  const Coordinate x("x"), t("t");
  const Field u("u");
  const Expr ux = d(u, x);
  const Parameter a("a"), b("b");
  const ProgramSpec forward{
      {d(u, t) + u * ux - a * d(u, x, x), sin(u * x) * exp(-a * ux) + tanh(b * u) / (1 + t * t)},
      {x, t, u, ux, d(u, t), d(u, x, x)},
      {a, b},
      {sqrt(1 + ux * ux) * b}};
  const ProgramSpec reverse = reverse_spec(forward);
  const Program<double> program(forward), back(reverse);
  constexpr std::size_t n = 13;
  RandomExpressions random(5);
  std::vector<std::vector<double>> inputs(reverse.inputs.size());
  for (auto& row : inputs) {
    for (std::size_t i = 0; i < n; ++i) row.push_back(random.uniform(-1, 1));
  }
  std::vector<double> parameters{0.3, 0.7, 1.5};  // the last: the seed of the sum
  const Results<double> got = run(back, inputs, parameters, n);

  // The scalar whose gradient the reverse program returns.
  const auto objective = [&] {
    const Results<double> r = run(program, inputs, parameters, n);
    double total = parameters[2] * r.sums[0];
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        total += inputs[forward.inputs.size() + k][i] * r.outputs[k][i];
      }
    }
    return total;
  };
  // Truncation h^2/6 * f''' with |f'''| < 100, rounding eps * |f| / h with |f| < 100.
  constexpr double h = 1e-5, tolerance = h * h / 6 * 100 + 0x1p-52 * 100 / h;
  const auto difference = [&](double& variable) {
    const double middle = variable;
    variable = middle + h;
    const double above = objective();
    variable = middle - h;
    const double below = objective();
    variable = middle;
    return (above - below) / (2 * h);
  };
  for (std::size_t k = 0; k < forward.inputs.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LT(std::abs(got.outputs[k][i] - difference(inputs[k][i])), tolerance);
    }
  }
  for (std::size_t k = 0; k < forward.parameters.size(); ++k) {
    EXPECT_LT(std::abs(got.sums[k] - difference(parameters[k])), tolerance);
  }
}

TEST(Program, ReverseOfAReverseProgramHasSeedsOfItsOwn) {
  const Coordinate x("x");
  const ProgramSpec second = reverse_spec(reverse_spec({{pow(x, 3)}, {x}, {}, {}}));
  ASSERT_EQ(second.inputs.size(), 3u);  // x, seed, seed of the adjoint of x
  EXPECT_FALSE(same(second.inputs[1], second.inputs[2]));
  const Results<double> got = run(Program<double>(second), {{2.0}, {5.0}, {7.0}}, {}, 1);
  EXPECT_EQ(got.outputs[0][0], 7.0 * 5.0 * 6.0 * 2.0);  // s2 * s1 * (x^3)''
  EXPECT_EQ(got.outputs[1][0], 7.0 * 3.0 * 4.0);        // s2 * (x^3)'
}

}  // namespace
}  // namespace cauchy::test_program
