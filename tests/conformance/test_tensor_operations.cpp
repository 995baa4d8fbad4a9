// Every tensor operation on every back end in both precisions: values against the definitions,
// derivatives against differences and against each other, bits against other numbers of threads.
// All of it with poisoned memory: what was not written, or given up, is NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <gtest/gtest.h>

#include "support/tensor_cases.hpp"
#include "support/tensor_oracle.hpp"

namespace cauchy::test {

void PrintTo(const TensorCase& c, std::ostream* out) { *out << c.name; }

namespace {

constexpr std::size_t n_samples = 5;

struct NamedTensorBackend {
  const char* name;
  BackendKind kind;
};
constexpr NamedTensorBackend tensor_backends[] = {{"reference", BackendKind::reference},
                                                  {"cpu", BackendKind::cpu}};

std::vector<TensorCase> all_tensor_cases() {
  std::vector<TensorCase> all = tensor_operation_cases();
  for (TensorCase& c : tensor_network_cases()) all.push_back(std::move(c));
  return all;
}

/// Machine precision of an executor.
double unit_of(Precision p) {
  return p == Precision::f64 ? std::numeric_limits<double>::epsilon()
                             : double{std::numeric_limits<float>::epsilon()};
}

/// The largest magnitude, at least 1.
double size_of(std::span<const double> numbers) {
  double largest = 1;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  return largest;
}

void expect_near(std::span<const double> got, std::span<const double> want, double tolerance,
                 const char* what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    // As `<`, so that NaN fails.
    EXPECT_TRUE(std::abs(got[i] - want[i]) < tolerance)
        << what << ", number " << i << ": got " << got[i] << ", want " << want[i] << " within "
        << tolerance;
    if (::testing::Test::HasFailure()) return;
  }
}

class TensorConformance : public ::testing::TestWithParam<TensorCase> {
 protected:
  void SetUp() override {
    auto graph = std::make_shared<TensorGraph>();
    result_ = GetParam().build(*graph);
    const std::size_t size = graph->shape(result_).size();
    const int flat = graph->reshape(result_, {1, {static_cast<int>(size)}});
    // Two terms with all numbers of the result in them, each with a factor of its own.
    square_ = graph->reduce(graph->function(flat, ElementFunction::square));
    std::vector<double> factors;
    for (std::size_t i = 0; i < size; ++i) factors.push_back(0.25 * static_cast<double>(i % 7) - 1);
    sum_ = graph->reduce(flat, factors);
    graph_ = graph;
    theta_ = tensor_parameters(*graph_);
    inputs_ = tensor_inputs(*graph_, n_samples);
  }

  [[nodiscard]] std::unique_ptr<TensorExecutor> executor(BackendKind backend, Precision precision,
                                                         int threads = 1,
                                                         std::size_t parts = 3) const {
    auto e = make_tensor_executor(graph_, {{"square", square_, 0.5}, {"sum", sum_, 2}},
                                  {.threads = threads,
                                   .precision = precision,
                                   .backend = backend,
                                   .parts = parts,
                                   .known = GetParam().known,
                                   .poison = true});
    e->set_batch(n_samples, spans_of(inputs_));
    e->set_step(3);
    return e;
  }
  [[nodiscard]] std::vector<double> values(TensorExecutor& e) const {
    std::vector<double> out(n_samples * graph_->shape(result_).size());
    e.predict(result_, theta_, n_samples, spans_of(inputs_), out);
    return out;
  }
  /// Seeds that give every number of the result a say of its own.
  [[nodiscard]] std::vector<double> seeds() const {
    std::vector<double> w(n_samples * graph_->shape(result_).size());
    Rng rng(7);
    for (double& x : w) x = rng.uniform(-1, 1);
    return w;
  }
  /// Terms that meet in one number, forward and backward: a bound for the growth of rounding
  /// errors.
  [[nodiscard]] double n_terms() const {
    double most = 1;
    for (const TensorOperation& op : graph_->ops()) {
      most = std::max(most, static_cast<double>(op.shape.size()));
    }
    return most * static_cast<double>(n_samples);
  }
  struct Products {
    std::vector<double> gradient;
    std::vector<std::vector<double>> by_inputs;
  };
  [[nodiscard]] Products adjoints(TensorExecutor& e) const {
    Products p{std::vector<double>(theta_.size()), {}};
    const std::vector<double> w = seeds();
    e.adjoint(result_, theta_, w, p.gradient);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      p.by_inputs.emplace_back(inputs_[i].size());
      std::vector<double> none;
      e.adjoint(result_, theta_, w, none, static_cast<int>(i), p.by_inputs[i]);
    }
    return p;
  }

  std::shared_ptr<const TensorGraph> graph_;
  int result_ = -1, square_ = -1, sum_ = -1;
  std::vector<double> theta_;
  std::vector<std::vector<double>> inputs_;
};

TEST_P(TensorConformance, ValuesMatchTheDefinition) {
  std::vector<double> want;
  for (std::size_t s = 0; s < n_samples; ++s) {
    std::vector<std::span<const double>> sample;
    for (const std::vector<double>& all : inputs_) {
      sample.push_back(std::span(all).subspan(s * all.size() / n_samples, all.size() / n_samples));
    }
    const TensorOracle oracle(*graph_, theta_, sample, GetParam().known);
    want.insert(want.end(), oracle.value(result_).begin(), oracle.value(result_).end());
  }
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    for (const Precision p : all_precisions()) {
      const double tolerance = 64 * unit_of(p) * n_terms() * size_of(want);
      expect_near(values(*executor(b.kind, p)), want, tolerance, "value");
    }
  }
}

TEST_P(TensorConformance, DerivativesMatchDifferences) {
  const std::vector<double> w = seeds();
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    const auto e = executor(b.kind, Precision::f64);
    const Products got = adjoints(*e);
    const auto functional = [&](std::span<const double> theta,
                                const std::vector<std::vector<double>>& inputs) {
      std::vector<double> out(w.size());
      e->predict(result_, theta, n_samples, spans_of(inputs), out);
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += w[i] * out[i];
      return sum;
    };
    // Differences of step h and 2 h, extrapolated: the error is of order h^4 = 1e-12 times a fifth
    // derivative, and rounding gives eps / h = 1e-13 times the number of terms.
    const auto check = [&](double derivative, const auto& moved_by, const char* what,
                           std::size_t i) {
      const double h = 1.0 / 1024;
      const auto difference = [&](double step) {
        return (moved_by(step) - moved_by(-step)) / (2 * step);
      };
      const double want = (4 * difference(h) - difference(2 * h)) / 3;
      EXPECT_TRUE(std::abs(derivative - want) < 1e-8 * std::max(1.0, std::abs(want)))
          << what << " " << i << ": got " << derivative << ", differences give " << want;
    };
    for (std::size_t i = 0; i < theta_.size() && !HasFailure(); ++i) {
      const auto moved_by = [&](double step) {
        std::vector<double> theta = theta_;
        theta[i] += step;
        return functional(theta, inputs_);
      };
      check(got.gradient[i], moved_by, "parameter", i);
    }
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      for (std::size_t i = 0; i < inputs_[k].size() && !HasFailure(); ++i) {
        const auto moved_by = [&](double step) {
          auto inputs = inputs_;
          inputs[k][i] += step;
          return functional(theta_, inputs);
        };
        check(got.by_inputs[k][i], moved_by, "number of an input", i);
      }
    }
  }
}

TEST_P(TensorConformance, GradientOfTheLossMatchesDifferencesAndItsTerms) {
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    const auto e = executor(b.kind, Precision::f64);
    std::vector<double> gradient(theta_.size()), again = gradient, terms(2 * theta_.size());
    const double loss = e->gradient(theta_, gradient);
    EXPECT_EQ(e->gradient(theta_, again, terms), loss);
    EXPECT_EQ(again, gradient);
    EXPECT_EQ(e->last_terms()[0] + e->last_terms()[1], loss);
    const double unit = 64 * unit_of(Precision::f64) * n_terms();
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      const double sum = terms[i] + terms[theta_.size() + i];
      EXPECT_TRUE(std::abs(sum - gradient[i]) < unit * size_of(terms)) << "parameter " << i;
    }
    // Every seventh parameter: all of them have been seen above.
    for (std::size_t i = 0; i < theta_.size() && !HasFailure(); i += 7) {
      const double h = 1.0 / 1024;
      const auto at = [&](double step) {  // the loss of gradient() knows what is dropped
        std::vector<double> theta = theta_;
        theta[i] += step;
        return e->gradient(theta, again);
      };
      const double want = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_TRUE(std::abs(gradient[i] - want) < 1e-8 * std::max(1.0, std::abs(want)))
          << "parameter " << i << ": got " << gradient[i] << ", differences give " << want;
    }
  }
}

TEST_P(TensorConformance, TangentsMatchAdjoints) {
  const std::vector<double> w = seeds();
  std::vector<double> v(theta_.size()), jv(w.size());
  Rng rng(9);
  for (double& x : v) x = rng.uniform(-1, 1);
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    const auto e = executor(b.kind, Precision::f64);
    e->tangent(result_, theta_, v, jv);
    const Products p = adjoints(*e);
    double left = 0, right = 0, size = 1;
    for (std::size_t i = 0; i < w.size(); ++i) {
      left += w[i] * jv[i];
      size += std::abs(w[i] * jv[i]);
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      right += v[i] * p.gradient[i];
      size += std::abs(v[i] * p.gradient[i]);
    }
    EXPECT_TRUE(std::abs(left - right) < 64 * unit_of(Precision::f64) * n_terms() * size)
        << "w'Jv = " << left << ", v'J'w = " << right;
  }
}

TEST_P(TensorConformance, BackEndsAndPrecisionsAgreeOnDerivatives) {
  const Products want = adjoints(*executor(BackendKind::reference, Precision::f64));
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    for (const Precision p : all_precisions()) {
      const Products got = adjoints(*executor(b.kind, p));
      const double unit = 64 * unit_of(p) * n_terms();
      expect_near(got.gradient, want.gradient, unit * size_of(want.gradient), "gradient");
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        expect_near(got.by_inputs[k], want.by_inputs[k], unit * size_of(want.by_inputs[k]),
                    "adjoint of an input");
      }
    }
  }
}

TEST_P(TensorConformance, BitsDoNotDependOnThreads) {
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    for (const Precision p : all_precisions()) {
      std::vector<double> want;
      for (const int threads : {1, 2, 3}) {
        const auto e = executor(b.kind, p, threads, 4);
        std::vector<double> all(theta_.size());
        all.push_back(e->gradient(theta_, std::span(all).first(theta_.size())));
        all.push_back(e->loss(theta_));
        const std::vector<double> v = values(*e);
        all.insert(all.end(), v.begin(), v.end());
        if (threads == 1) want = all;
        EXPECT_EQ(all, want) << threads << " threads";
      }
      EXPECT_TRUE(std::isfinite(want[theta_.size()]));
    }
  }
}

TEST_P(TensorConformance, SamplesDoNotMix) {
  for (const NamedTensorBackend& b : tensor_backends) {
    SCOPED_TRACE(b.name);
    for (const Precision p : all_precisions()) {
      const auto e = executor(b.kind, p);
      const std::vector<double> want = values(*e);
      const double tolerance = 64 * unit_of(p) * n_terms() * size_of(want);
      const std::size_t size = want.size() / n_samples;
      // The samples backwards, all at once.
      auto turned = inputs_;
      for (std::vector<double>& all : turned) {
        const auto one = static_cast<std::ptrdiff_t>(all.size() / n_samples);
        for (std::size_t s = 0; s < n_samples / 2; ++s) {
          const auto at = static_cast<std::ptrdiff_t>(s) * one;
          std::swap_ranges(all.begin() + at, all.begin() + at + one, all.end() - at - one);
        }
      }
      std::vector<double> got(want.size());
      e->predict(result_, theta_, n_samples, spans_of(turned), got);
      for (std::size_t s = 0; s < n_samples; ++s) {
        expect_near(std::span(got).subspan((n_samples - 1 - s) * size, size),
                    std::span(want).subspan(s * size, size), tolerance, "sample");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tensor, TensorConformance, ::testing::ValuesIn(all_tensor_cases()),
                         [](const ::testing::TestParamInfo<TensorCase>& test) {
                           return test.param.name;
                         });

}  // namespace
}  // namespace cauchy::test
