#include <cauchy/networks/kan.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/math/bspline.hpp>

#include "networks/kan_layers.hpp"

namespace cauchy {
namespace {

using Bases = std::vector<std::shared_ptr<const Basis>>;

constexpr int most_features = 100'000, most_functions = 10'000, most_kan_layers = 100;

/// The checks that all have in common; `place` is "[networks.kan]".
class KanChecks final {
 public:
  explicit KanChecks(const char* place) : place_(place) {}
  void require(bool good, const std::string& message, const char* hint = "") const {
    if (!good) throw Error(message, place_, hint);
  }
  void between(const char* what, int value, int least, int most) const {
    require(value >= least && value <= most,
            fmt::format("{} must be {} to {}, got {}", what, least, most, value));
  }
  void interval(double lower, double upper) const {
    require(
        std::isfinite(lower) && std::isfinite(upper) && lower < upper,
        fmt::format("the grid must go from a number to a larger one, got {} to {}", lower, upper));
  }
  /// Inputs, hidden layers, outputs.
  [[nodiscard]] std::vector<int> widths(const std::vector<int>& hidden, int n_inputs, int n_outputs,
                                        bool layer_norm = false) const {
    require(n_inputs >= 1 && n_outputs >= 1,
            fmt::format("the numbers of inputs and fields must be positive, got {} and {}",
                        n_inputs, n_outputs));
    require(hidden.size() < most_kan_layers,
            fmt::format("there must be at most {} hidden layers, got {}", most_kan_layers - 1,
                        hidden.size()));
    std::vector<int> all{n_inputs};
    for (const int n : hidden) {
      between("a hidden layer", n, 1, most_features);
      require(!layer_norm || n > 2, fmt::format("layer_norm leaves nothing of {} features", n),
              "use hidden layers of 3 or more, or layer_norm = false");
      all.push_back(n);
    }
    all.push_back(n_outputs);
    return all;
  }

 private:
  const char* place_;
};

detail::KanShape kan_shape_of(const Kan& kan, int n_inputs, int n_outputs) {
  const KanChecks check("[networks.kan]");
  check.between("grid", kan.grid, 1, most_functions);
  check.between("order", kan.order, 1, static_cast<int>(BSplineBasis::max_degree));
  check.interval(kan.lower, kan.upper);
  check.require(kan.noise > 0 && std::isfinite(kan.noise), "noise must be positive");
  check.require(kan.sparsity >= 0 && std::isfinite(kan.sparsity) && kan.entropy >= 0 &&
                    std::isfinite(kan.entropy),
                "sparsity and entropy must not be negative");
  detail::KanShape shape{.widths = check.widths(kan.hidden, n_inputs, n_outputs),
                         .bases = {},
                         .deviation = {},
                         .base = true,
                         .edges = kan.edges};
  const std::size_t layers = shape.n_layers();
  shape.deviation.assign(layers, kan.noise / kan.grid);
  const auto per_input = static_cast<std::size_t>(kan.grid) + 1;
  if (kan.knots.empty()) {
    std::vector<double> ends(per_input);
    for (std::size_t i = 0; i < per_input; ++i) {
      ends[i] = kan.lower + (kan.upper - kan.lower) * static_cast<double>(i) / kan.grid;
    }
    shape.bases.assign(layers, {bspline_basis(detail::extended_knots(ends, kan.order), kan.order)});
    return shape;
  }
  const auto inputs =
      static_cast<std::size_t>(std::accumulate(shape.widths.begin(), shape.widths.end() - 1, 0));
  check.require(kan.knots.size() == inputs * per_input,
                fmt::format("there are {} knots, but {} inputs of all layers with {} each",
                            kan.knots.size(), inputs, per_input),
                "leave knots out: the grids are equal intervals");
  std::span<const double> rest = kan.knots;
  for (std::size_t l = 0; l < layers; ++l) {
    Bases layer;
    for (int i = 0; i < shape.widths[l]; ++i) {
      const auto ends = rest.first(per_input);
      rest = rest.subspan(per_input);
      bool good = std::isfinite(ends[0]);
      for (std::size_t k = 1; k < per_input; ++k) {
        good = good && ends[k - 1] < ends[k] && std::isfinite(ends[k]);
      }
      check.require(good, "the knots of an input must grow");
      layer.push_back(bspline_basis(detail::extended_knots(ends, kan.order), kan.order));
    }
    shape.bases.push_back(std::move(layer));
  }
  return shape;
}

detail::KanShape kan_shape_of(const FastKan& kan, int n_inputs, int n_outputs) {
  const KanChecks check("[networks.fast_kan]");
  check.between("grid", kan.grid, 2, most_functions);
  check.interval(kan.lower, kan.upper);
  check.require(kan.noise > 0 && std::isfinite(kan.noise), "noise must be positive");
  detail::KanShape shape{.widths = check.widths(kan.hidden, n_inputs, n_outputs, kan.layer_norm),
                         .bases = {},
                         .deviation = {},
                         .base = kan.base,
                         .layer_norm = kan.layer_norm};
  const double width = (kan.upper - kan.lower) / (kan.grid - 1);
  std::vector<double> centres;
  for (int j = 0; j < kan.grid; ++j) centres.push_back(kan.lower + j * width);
  shape.bases.assign(shape.n_layers(), {gaussian_basis(std::move(centres), width)});
  for (std::size_t l = 0; l < shape.n_layers(); ++l) {
    shape.deviation.push_back(kan.noise / std::sqrt(shape.widths[l]));
  }
  return shape;
}

detail::KanShape polynomial_shape(const KanChecks& check, const std::vector<int>& hidden,
                                  int degree, bool layer_norm,
                                  const std::shared_ptr<const Basis>& basis, int n_inputs,
                                  int n_outputs) {
  detail::KanShape shape{.widths = check.widths(hidden, n_inputs, n_outputs, layer_norm),
                         .bases = {},
                         .deviation = {},
                         .squash = true,
                         .layer_norm = layer_norm};
  shape.bases.assign(shape.n_layers(), {basis});
  for (std::size_t l = 0; l < shape.n_layers(); ++l) {
    shape.deviation.push_back(1.0 / (shape.widths[l] * (degree + 1)));
  }
  return shape;
}

detail::KanShape kan_shape_of(const ChebyshevKan& kan, int n_inputs, int n_outputs) {
  const KanChecks check("[networks.chebyshev_kan]");
  check.between("degree", kan.degree, 1, most_functions);
  return polynomial_shape(check, kan.hidden, kan.degree, kan.layer_norm,
                          chebyshev_basis(kan.degree), n_inputs, n_outputs);
}

detail::KanShape kan_shape_of(const JacobiKan& kan, int n_inputs, int n_outputs) {
  const KanChecks check("[networks.jacobi_kan]");
  check.between("degree", kan.degree, 1, most_functions);
  check.require(kan.a > -1 && kan.b > -1 && std::isfinite(kan.a) && std::isfinite(kan.b),
                fmt::format("a and b must be above -1, got {} and {}", kan.a, kan.b));
  return polynomial_shape(check, kan.hidden, kan.degree, kan.layer_norm,
                          jacobi_basis(kan.degree, kan.a, kan.b), n_inputs, n_outputs);
}

template <class T>
int add_kan_shape(Graph& graph, const T& kan, int input, int n_outputs) {
  return detail::add_kan(graph, kan_shape_of(kan, graph.rows(input), n_outputs), input);
}

/// A list of whole numbers.
void visit_hidden(std::vector<int>& hidden, OptionVisitor& v) {
  std::vector<double> numbers(hidden.begin(), hidden.end());
  v.numbers("hidden", numbers, NumberRange::positive);
  v.check([&] {
    for (const double n : numbers) {
      if (n != std::floor(n) || n > most_features) {
        throw Error(fmt::format("hidden layers have 1 to {} features, got {}", most_features, n));
      }
    }
  });
  hidden.clear();
  for (const double n : numbers) hidden.push_back(static_cast<int>(std::min(n, 1e9)));
}

std::string kan_text(std::string_view name, const std::vector<int>& hidden) {
  return fmt::format("{} [{}]", name, fmt::join(hidden, ", "));
}

}  // namespace

namespace detail {

std::optional<KanShape> kan_shape(const Network& network, int n_inputs, int n_outputs) {
  if (const auto* k = std::get_if<Kan>(&network)) return kan_shape_of(*k, n_inputs, n_outputs);
  if (const auto* k = std::get_if<FastKan>(&network)) return kan_shape_of(*k, n_inputs, n_outputs);
  if (const auto* k = std::get_if<ChebyshevKan>(&network))
    return kan_shape_of(*k, n_inputs, n_outputs);
  if (const auto* k = std::get_if<JacobiKan>(&network))
    return kan_shape_of(*k, n_inputs, n_outputs);
  return std::nullopt;
}

}  // namespace detail

int add_network(Graph& graph, const Kan& kan, int input, int n_outputs) {
  return add_kan_shape(graph, kan, input, n_outputs);
}
int add_network(Graph& graph, const FastKan& kan, int input, int n_outputs) {
  return add_kan_shape(graph, kan, input, n_outputs);
}
int add_network(Graph& graph, const ChebyshevKan& kan, int input, int n_outputs) {
  return add_kan_shape(graph, kan, input, n_outputs);
}
int add_network(Graph& graph, const JacobiKan& kan, int input, int n_outputs) {
  return add_kan_shape(graph, kan, input, n_outputs);
}

void visit_options(Kan& kan, OptionVisitor& v) {
  visit_hidden(kan.hidden, v);
  v.count("grid", kan.grid, 1, most_functions);
  v.count("order", kan.order, 1, BSplineBasis::max_degree);
  v.number("lower", kan.lower, NumberRange::any);
  v.number("upper", kan.upper, NumberRange::any);
  v.number("noise", kan.noise, NumberRange::positive);
  v.flag("edges", kan.edges);
  v.number("sparsity", kan.sparsity, NumberRange::not_negative);
  v.number("entropy", kan.entropy, NumberRange::not_negative);
  v.numbers("knots", kan.knots, NumberRange::any);
}

void visit_options(FastKan& kan, OptionVisitor& v) {
  visit_hidden(kan.hidden, v);
  v.count("grid", kan.grid, 2, most_functions);
  v.number("lower", kan.lower, NumberRange::any);
  v.number("upper", kan.upper, NumberRange::any);
  v.flag("base", kan.base);
  v.flag("layer_norm", kan.layer_norm);
  v.number("noise", kan.noise, NumberRange::positive);
}

void visit_options(ChebyshevKan& kan, OptionVisitor& v) {
  visit_hidden(kan.hidden, v);
  v.count("degree", kan.degree, 1, most_functions);
  v.flag("layer_norm", kan.layer_norm);
}

void visit_options(JacobiKan& kan, OptionVisitor& v) {
  visit_hidden(kan.hidden, v);
  v.count("degree", kan.degree, 1, most_functions);
  v.number("a", kan.a, NumberRange::any);
  v.number("b", kan.b, NumberRange::any);
  v.flag("layer_norm", kan.layer_norm);
}

std::string describe(const Kan& kan) {
  return fmt::format("{}, splines of order {} on {} intervals", kan_text("kan", kan.hidden),
                     kan.order, kan.grid);
}
std::string describe(const FastKan& kan) {
  return fmt::format("{}, {} gaussians", kan_text("fast kan", kan.hidden), kan.grid);
}
std::string describe(const ChebyshevKan& kan) {
  return fmt::format("{}, degree {}", kan_text("chebyshev kan", kan.hidden), kan.degree);
}
std::string describe(const JacobiKan& kan) {
  return fmt::format("{}, degree {}", kan_text("jacobi kan", kan.hidden), kan.degree);
}

}  // namespace cauchy
