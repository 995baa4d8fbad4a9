// Every operation, activation and network, over every set of derivatives, on every backend, in both
// precisions: jets against symbolic derivatives, gradients against finite differences.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <gtest/gtest.h>

#include "support/engine_cases.hpp"

namespace cauchy::test::test_operations {
namespace {

constexpr std::size_t n_points = 3;

struct Case {
  EngineCase engine;
  JetCase jet;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.engine.name << " " << c.jet.name; }

std::vector<Case> all_cases() {
  std::vector<Case> result;
  const std::vector<JetCase> jets = jet_cases();
  for (const auto& list : {operation_cases(), activation_cases(), network_cases()}) {
    for (const EngineCase& engine : list) {
      for (const JetCase& jet : jets) {
        if (jet.jets.order() <= engine.max_order) result.push_back({engine, jet});
      }
    }
  }
  return result;
}

/// Every element of a block: [(output * components + component) * points + point].
struct Elements {
  std::size_t n_outputs, n_components, n_points;
  [[nodiscard]] std::size_t index(std::size_t k, std::size_t c, std::size_t p) const {
    return (k * n_components + c) * n_points + p;
  }
  [[nodiscard]] std::size_t size() const { return n_outputs * n_components * n_points; }
};

class Conformance : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    graph_ = GetParam().engine.build(jets().n_coordinates());
    theta_ = test_parameters(*graph_);
  }

  [[nodiscard]] const JetSpec& jets() const { return GetParam().jet.jets; }
  [[nodiscard]] Elements elements(std::size_t block) const {
    return {graph_->outputs().size(), static_cast<std::size_t>(jets().size()), block};
  }
  /// Number of terms that meet in one component: a bound for the growth of rounding errors.
  [[nodiscard]] double n_terms(std::size_t c) const {
    const int i = static_cast<int>(c);
    return static_cast<double>(jets().compose(i).size() + jets().multiply(i).size());
  }

  template <class T>
  Evaluation<T> evaluation(const NamedBackend<T>& b) const {
    const std::size_t block = block_size(*b.backend, n_points);
    return Evaluation<T>(b.backend, graph_, jets(), test_points(jets().n_coordinates(), block),
                         block);
  }

  /// Values of all outputs after forward().
  template <class T>
  std::vector<double> values(const Evaluation<T>& e) const {
    const Elements at = elements(e.plan().block());
    std::vector<double> result(at.size());
    for (std::size_t k = 0; k < at.n_outputs; ++k) {
      for (std::size_t c = 0; c < at.n_components; ++c) {
        for (std::size_t p = 0; p < at.n_points; ++p) {
          result[at.index(k, c, p)] = static_cast<double>(e.value(k, static_cast<int>(c), p));
        }
      }
    }
    return result;
  }

  /// The largest magnitude of every component over outputs and points, at least `least`.
  [[nodiscard]] std::vector<double> magnitudes(const std::vector<double>& all, std::size_t block,
                                               double least = 1) const {
    const Elements at = elements(block);
    std::vector<double> result(at.n_components, least);
    for (std::size_t k = 0; k < at.n_outputs; ++k) {
      for (std::size_t c = 0; c < at.n_components; ++c) {
        for (std::size_t p = 0; p < at.n_points; ++p) {
          result[c] = std::max(result[c], std::abs(all[at.index(k, c, p)]));
        }
      }
    }
    return result;
  }

  /// Seeds that give every component the same say: random, divided by the component's magnitude.
  [[nodiscard]] std::vector<double> seeds(const std::vector<double>& all, std::size_t block) const {
    const Elements at = elements(block);
    const std::vector<double> scale = magnitudes(all, block);
    Dyadic number(3);
    std::vector<double> result(at.size());
    for (std::size_t k = 0; k < at.n_outputs; ++k) {
      for (std::size_t c = 0; c < at.n_components; ++c) {
        for (std::size_t p = 0; p < at.n_points; ++p) {
          // A power of two keeps the seeds exact in float.
          result[at.index(k, c, p)] = number(-1, 1) / std::exp2(std::ceil(std::log2(scale[c])));
        }
      }
    }
    return result;
  }

  template <class T>
  void check_jets() const {
    const auto symbolic = symbolic_values(*graph_, theta_, GetParam().engine.basis);
    std::vector<std::vector<Expr>> exact;
    for (const auto& output : graph_->outputs()) {
      exact.push_back(symbolic_jet(
          symbolic[static_cast<std::size_t>(output.value)][static_cast<std::size_t>(output.row)],
          graph_->coordinate_names(), jets()));
    }
    for (const NamedBackend<T>& b : backends<T>()) {
      SCOPED_TRACE(b.name);
      Evaluation<T> e = evaluation(b);
      e.forward(theta_);
      const std::vector<double> computed = values(e);
      const Elements at = elements(e.plan().block());
      const std::vector<double> scale = magnitudes(computed, at.n_points);
      const std::vector<double> all_points = test_points(jets().n_coordinates(), at.n_points);
      const std::vector<double> inputs = test_inputs(*graph_, at.n_points);
      for (std::size_t p = 0; p < n_points; ++p) {
        Values point;
        for (std::size_t i = 0; i < graph_->coordinate_names().size(); ++i) {
          point.set(Coordinate(graph_->coordinate_names()[i]), all_points[i * at.n_points + p]);
        }
        for (int r = 0; r < graph_->n_input_rows(); ++r) {
          point.set(input_row(r), inputs[static_cast<std::size_t>(r) * at.n_points + p]);
        }
        for (std::size_t k = 0; k < exact.size(); ++k) {
          for (std::size_t c = 0; c < at.n_components; ++c) {
            const double want = evaluate(exact[k][c], point);
            const double error = std::abs(computed[at.index(k, c, p)] - want);
            // 64 roundings per term, relative to the largest value of the component.
            const double tolerance = 64 * std::numeric_limits<T>::epsilon() * n_terms(c) * scale[c];
            EXPECT_LT(error, tolerance)
                << "output " << k << ", component " << c << ", point " << p << ": got "
                << computed[at.index(k, c, p)] << ", exact " << want;
          }
        }
      }
    }
  }

  template <class T>
  void check_products() const {
    for (const NamedBackend<T>& b : backends<T>()) {
      SCOPED_TRACE(b.name);
      Evaluation<T> e = evaluation(b);
      const std::size_t block = e.plan().block();
      e.forward(theta_);
      const std::vector<double> seed = seeds(values(e), block);
      const std::vector<double> direction = test_parameters(*graph_, 5);
      // Every sweep may overwrite the arena: forward runs again before each.
      e.seed(seed);
      const std::vector<T> gradient = e.gradient();
      const std::vector<T> by_inputs = e.input_adjoints();
      e.forward(theta_);
      e.seed(seed);
      const std::vector<T> per_point = e.gradient_per_point();
      EXPECT_EQ(e.input_adjoints(), by_inputs);
      e.forward(theta_);
      e.seed(seed);
      const std::vector<T> directional = e.directional(direction);
      EXPECT_EQ(e.input_adjoints(), by_inputs);

      double scale = 1;
      for (const T g : per_point) scale = std::max(scale, std::abs(static_cast<double>(g)));
      // Sums of at most n_parameters or block numbers of this size, each from `components` parts.
      const double unit = 64 * std::numeric_limits<T>::epsilon() * scale *
                          static_cast<double>(jets().size() * jets().order() + 1);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        double total = 0;
        for (std::size_t p = 0; p < block; ++p) {
          total += static_cast<double>(per_point[i * block + p]);
        }
        EXPECT_LT(std::abs(total - static_cast<double>(gradient[i])),
                  unit * static_cast<double>(block))
            << "parameter " << i;
      }
      for (std::size_t p = 0; p < block; ++p) {
        double total = 0;
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          total += static_cast<double>(per_point[i * block + p]) * direction[i];
        }
        EXPECT_LT(std::abs(total - static_cast<double>(directional[p])),
                  unit * static_cast<double>(gradient.size()))
            << "point " << p;
      }
    }
  }

  template <class T>
  void check_against_reference() const {
    const NamedBackend<T> reference{"reference", make_reference_backend<T>()};
    for (const NamedBackend<T>& b : backends<T>()) {
      SCOPED_TRACE(b.name);
      Evaluation<T> e = evaluation(b);
      const std::size_t block = e.plan().block();
      Evaluation<T> oracle(reference.backend, graph_, jets(),
                           test_points(jets().n_coordinates(), block), block);
      e.forward(theta_);
      oracle.forward(theta_);
      const std::vector<double> got = values(e), want = values(oracle);
      const Elements at = elements(block);
      const std::vector<double> scale = magnitudes(want, block);
      for (std::size_t k = 0; k < at.n_outputs; ++k) {
        for (std::size_t c = 0; c < at.n_components; ++c) {
          for (std::size_t p = 0; p < at.n_points; ++p) {
            EXPECT_LT(std::abs(got[at.index(k, c, p)] - want[at.index(k, c, p)]),
                      64 * std::numeric_limits<T>::epsilon() * n_terms(c) * scale[c])
                << "output " << k << ", component " << c << ", point " << p;
          }
        }
      }
      const std::vector<double> seed = seeds(want, block);
      e.seed(seed);
      oracle.seed(seed);
      const std::vector<T> got_gradient = e.gradient(), want_gradient = oracle.gradient();
      double largest = 1, terms = 1;
      for (const T g : want_gradient) {
        largest = std::max(largest, std::abs(static_cast<double>(g)));
      }
      for (std::size_t c = 0; c < at.n_components; ++c) terms += n_terms(c);
      for (std::size_t i = 0; i < want_gradient.size(); ++i) {
        EXPECT_LT(std::abs(static_cast<double>(got_gradient[i] - want_gradient[i])),
                  64 * std::numeric_limits<T>::epsilon() * terms * largest)
            << "parameter " << i;
      }
    }
  }

  std::shared_ptr<Graph> graph_;
  std::vector<double> theta_;
};

TEST_P(Conformance, JetsMatchExactDerivatives) {
  check_jets<double>();
  check_jets<float>();
}

TEST_P(Conformance, ProductsMatchTheGradientAndBackendsTheReference) {
  check_products<double>();
  check_products<float>();
  check_against_reference<double>();
  check_against_reference<float>();
}

TEST_P(Conformance, GradientMatchesFiniteDifferences) {
  for (const NamedBackend<double>& b : backends<double>()) {
    SCOPED_TRACE(b.name);
    Evaluation<double> e = evaluation(b);
    e.forward(theta_);
    std::vector<double> seed = seeds(values(e), e.plan().block());
    // Points that only fill the block may lie at a kink, where differences are wrong.
    for (std::size_t j = 0; j < seed.size(); ++j) {
      if (j % e.plan().block() >= n_points) seed[j] = 0;
    }
    e.seed(seed);
    const std::vector<double> gradient = e.gradient();

    const std::vector<double> by_inputs = e.input_adjoints();

    const auto functional = [&](std::span<const double> theta) {
      e.forward(theta);
      const std::vector<double> all = values(e);
      double total = 0;
      for (std::size_t j = 0; j < all.size(); ++j) total += seed[j] * all[j];
      return total;
    };
    // Differences of step h and 2h, extrapolated: the error is of order h^4 = 1e-12 times the
    // fifth derivative, and rounding gives eps / h = 1e-13 times the number of elements.
    const auto check = [&](double got, const auto& moved_by, const std::string& what) {
      const double h = 1.0 / 1024;
      const auto difference = [&](double step) {
        return (moved_by(step) - moved_by(-step)) / (2 * step);
      };
      const double want = (4 * difference(h) - difference(2 * h)) / 3;
      EXPECT_LT(std::abs(got - want), 1e-7 * std::max(1.0, std::abs(want)))
          << what << ": got " << got << ", differences give " << want;
    };
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const auto moved_by = [&](double step) {
        std::vector<double> theta = theta_;
        theta[i] += step;
        return functional(theta);
      };
      check(gradient[i], moved_by, "parameter " + std::to_string(i));
    }
    const std::vector<double> inputs = test_inputs(*graph_, e.plan().block());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto moved_by = [&](double step) {
        std::vector<double> moved = inputs;
        moved[i] += step;
        e.set_inputs(moved);
        return functional(theta_);
      };
      check(by_inputs[i], moved_by, "input " + std::to_string(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, Conformance, ::testing::ValuesIn(all_cases()),
                         [](const ::testing::TestParamInfo<Case>& test) {
                           return test.param.engine.name + "_" + test.param.jet.name;
                         });

}  // namespace
}  // namespace cauchy::test::test_operations
