#include "support/engine_cases.hpp"

#include <array>
#include <cmath>

#include <cauchy/networks/fourier_network.hpp>
#include <cauchy/networks/multiplicative_filter.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/networks/periodic_input.hpp>
#include <cauchy/networks/siren.hpp>

namespace cauchy::test {
namespace {

const std::array coordinate_names{"x", "y", "z"};

std::shared_ptr<Graph> new_graph(int n_coordinates) {
  return std::make_shared<Graph>(
      std::vector<std::string>(coordinate_names.begin(), coordinate_names.begin() + n_coordinates));
}

/// Rows of known functions of all coordinates with an unknown constant k; |row| <= 1.5 about.
int inner(Graph& g, int n_rows) {
  if (g.find_constant("k") < 0) g.constant("k", 1);
  const Parameter k("k");
  std::vector<Expr> rows;
  for (int r = 0; r < n_rows; ++r) {
    Expr a = 0, b = 0;
    for (std::size_t i = 0; i < g.coordinate_names().size(); ++i) {
      const Coordinate x(g.coordinate_names()[i]);
      const auto shift = static_cast<double>((3 * static_cast<int>(i) + 2 * r) % 5);
      a += (0.5 + 0.125 * shift) * x;
      b += (0.75 - 0.25 * shift) * x;
    }
    rows.push_back(sin(a + 0.25 * r) * 0.75 + k * a * b * 0.25 - 0.5 * b + 0.125);
  }
  return g.expression(std::move(rows));
}

/// Rows between 1/2 and 5/2, to divide by.
int positive(Graph& g, int n_rows) {
  return g.add(g.activation(g.affine(inner(g, 2), n_rows), Activation::sigmoid), g.number(1));
}

/// A full matrix of numbers between -1 and 1, exact in float.
std::vector<double> fixed_numbers(int rows, int cols) {
  std::vector<double> numbers;
  for (int i = 0; i < rows * cols; ++i) numbers.push_back(0.125 * ((5 * i + 3) % 17 - 8));
  return numbers;
}

void output_all(Graph& g, int value) {
  for (int r = 0; r < g.rows(value); ++r) g.output("u" + std::to_string(r), value, r);
}

template <class Body>
EngineCase make_case(std::string name, Body body) {
  return {std::move(name), [body](int n_coordinates) {
            auto g = new_graph(n_coordinates);
            output_all(*g, body(*g));
            return g;
          }};
}

/// A network of the table; symbolic derivatives up to max_order.
EngineCase network_case(std::string name, const Network& network, int n_outputs,
                        int max_order = 12) {
  EngineCase c = make_case(std::move(name), [network, n_outputs](Graph& g) {
    return add_network(g, network, g.coordinates(), n_outputs);
  });
  c.max_order = max_order;
  return c;
}

EngineCase make_basis_case(std::string name, std::shared_ptr<const Basis> basis,
                           BasisExpressions expressions) {
  EngineCase c = make_case(std::move(name), [basis](Graph& g) {
    return g.basis(g.activation(g.affine(inner(g, 2), 2), Activation::tanh), basis);
  });
  c.basis = std::move(expressions);
  return c;
}

double binomial(double n, int k) {
  double result = 1;
  for (int i = 1; i <= k; ++i) result *= (n - k + i) / i;
  return result;
}

/// P_n^(a,b) by its explicit sum.
Expr jacobi_expression(int n, double a, double b, const Expr& x) {
  Expr total = 0;
  for (int s = 0; s <= n; ++s) {
    total +=
        binomial(n + a, n - s) * binomial(n + b, s) * pow((x - 1) / 2, s) * pow((x + 1) / 2, n - s);
  }
  return total;
}

/// B-spline i of a degree by the recurrence over simple knots.
Expr spline_expression(const std::vector<double>& t, std::size_t i, std::size_t degree,
                       const Expr& x) {
  if (degree == 0) return min(Expr(t[i]) <= x, x < t[i + 1]);
  return (x - t[i]) / (t[i + degree] - t[i]) * spline_expression(t, i, degree - 1, x) +
         (t[i + degree + 1] - x) / (t[i + degree + 1] - t[i + 1]) *
             spline_expression(t, i + 1, degree - 1, x);
}

std::vector<EngineCase> basis_cases() {
  // No test point comes nearer than 0.1 to a knot, where differences would cross a jump.
  const std::vector<double> knots{-1.9375, -1.4375, -0.9375, -0.4375,
                                  0.0625,  0.5625,  1.0625,  1.5625};
  const std::vector<double> uneven{-1.9375, -1.4375, -0.4375, 0.0625, 0.5625, 1.0625, 1.5625};
  const std::vector<double> centres{-0.5, 0, 0.75};
  std::vector<EngineCase> cases;
  cases.push_back(make_basis_case("chebyshev", chebyshev_basis(4), [](const Expr& x) {
    std::vector<Expr> t{Expr(1), x};
    for (std::size_t i = 2; i <= 4; ++i) t.push_back(2 * x * t[i - 1] - t[i - 2]);
    return t;
  }));
  cases.push_back(make_basis_case("jacobi", jacobi_basis(3, 0.5, 1.25), [](const Expr& x) {
    std::vector<Expr> p;
    for (int n = 0; n <= 3; ++n) p.push_back(jacobi_expression(n, 0.5, 1.25, x));
    return p;
  }));
  cases.push_back(make_basis_case("bspline", bspline_basis(knots, 3), [knots](const Expr& x) {
    std::vector<Expr> n;
    for (std::size_t i = 0; i + 4 < knots.size(); ++i) {
      n.push_back(spline_expression(knots, i, 3, x));
    }
    return n;
  }));
  cases.push_back(
      make_basis_case("bspline_uneven", bspline_basis(uneven, 2), [uneven](const Expr& x) {
        std::vector<Expr> n;
        for (std::size_t i = 0; i + 3 < uneven.size(); ++i) {
          n.push_back(spline_expression(uneven, i, 2, x));
        }
        return n;
      }));
  cases.push_back(
      make_basis_case("radial", gaussian_basis(centres, 0.75), [centres](const Expr& x) {
        std::vector<Expr> phi;
        for (const double c : centres) phi.push_back(exp(-pow((x - c) / 0.75, 2)));
        return phi;
      }));
  return cases;
}

/// A network of the Kolmogorov-Arnold family; the expressions are those of its functions.
EngineCase make_kan_case(std::string name, const Network& network, BasisExpressions expressions) {
  EngineCase c = make_case(
      std::move(name), [network](Graph& g) { return add_network(g, network, g.coordinates(), 2); });
  c.basis = std::move(expressions);
  return c;
}

std::vector<EngineCase> kan_cases() {
  std::vector<EngineCase> cases;
  std::vector<double> knots;  // two intervals of [-1, 2], then five more on both sides
  for (int k = -5; k <= 7; ++k) knots.push_back(-1 + 1.5 * k);
  for (const bool edges : {false, true}) {
    cases.push_back(make_kan_case(
        edges ? "kan_edges" : "kan",
        Kan{.hidden = {}, .grid = 2, .order = 5, .lower = -1, .upper = 2, .edges = edges},
        [knots](const Expr& x) {
          std::vector<Expr> n;
          for (std::size_t i = 0; i < 7; ++i) n.push_back(spline_expression(knots, i, 5, x));
          return n;
        }));
  }
  cases.push_back(make_kan_case(
      "fast_kan", FastKan{.hidden = {3}, .grid = 2, .lower = -1, .upper = 1}, [](const Expr& x) {
        return std::vector<Expr>{exp(-pow((x + 1) / 2, 2)), exp(-pow((x - 1) / 2, 2))};
      }));
  cases.push_back(
      make_kan_case("chebyshev_kan", ChebyshevKan{.hidden = {2}, .degree = 2}, [](const Expr& x) {
        return std::vector<Expr>{Expr(1), x, 2 * x * x - 1};
      }));
  cases.push_back(make_kan_case(
      "jacobi_kan", JacobiKan{.hidden = {2}, .degree = 2, .a = 0.5, .b = 1.25}, [](const Expr& x) {
        std::vector<Expr> p;
        for (int n = 0; n <= 2; ++n) p.push_back(jacobi_expression(n, 0.5, 1.25, x));
        return p;
      }));
  return cases;
}

int softmax(Graph& g, int x) {
  const int e = g.activation(x, Activation::exp);
  return g.divide(e, g.row_sum(e));
}

/// Attention over three tokens of two features each: softmax(q k' / sqrt(2)) v for the last token.
int attention(Graph& g) {
  std::vector<int> tokens, scores;
  for (int i = 0; i < 3; ++i) tokens.push_back(g.affine(g.coordinates(), 2));
  const int query = g.affine(tokens[2], 2, false);
  for (const int token : tokens) {
    const int key = g.affine(token, 2, false);
    scores.push_back(g.multiply(g.number(std::sqrt(0.5)), g.row_sum(g.multiply(query, key))));
  }
  const int weights = softmax(g, g.concatenate(scores));
  int out = -1;
  for (int i = 0; i < 3; ++i) {
    const int value = g.affine(tokens[static_cast<std::size_t>(i)], 2, false);
    const int part = g.multiply(g.slice(weights, i, 1), value);
    out = i == 0 ? part : g.add(out, part);
  }
  return out;
}

}  // namespace

std::vector<EngineCase> operation_cases() {
  std::vector<EngineCase> cases{
      make_case("coordinates", [](Graph& g) { return g.scale(g.coordinates(), 1); }),
      make_case("affine_on_coordinates", [](Graph& g) { return g.affine(g.coordinates(), 3); }),
      make_case("affine", [](Graph& g) { return g.affine(inner(g, 3), 2); }),
      make_case("affine_without_bias",
                [](Graph& g) { return g.affine(g.affine(g.coordinates(), 2, false), 3, false); }),
      make_case("shared_affine",
                [](Graph& g) {
                  const int first = g.affine(g.coordinates(), g.rows(g.coordinates()));
                  return g.shared_affine(g.activation(first, Activation::sin), first);
                }),
      make_case("fixed_affine_on_coordinates",
                [](Graph& g) {
                  const int n = g.rows(g.coordinates());
                  return g.scale(g.fixed_affine(g.coordinates(), fixed_numbers(3, n)), 1);
                }),
      make_case("fixed_affine",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 3);
                  return g.multiply(x, g.fixed_affine(x, fixed_numbers(3, 3), {0.5, -0.25, 1}));
                }),
      make_case("grouped_affine",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 6);
                  return g.concatenate(std::array{g.grouped_affine(x, 3, 3), x});
                }),
      make_case("grouped_affine_on_coordinates",
                [](Graph& g) {
                  const int n = g.rows(g.coordinates());
                  return g.grouped_affine(g.coordinates(), n, 2 * n, false);
                }),
      make_case("scale", [](Graph& g) { return g.scale(inner(g, 3), 1); }),
      make_case("scale_per_row",
                [](Graph& g) { return g.scale(g.affine(inner(g, 2), 3), 1, true); }),
      make_case("input",
                [](Graph& g) {
                  const int a = g.input("a", 2), b = g.input("b", 1);
                  return g.add(g.multiply(a, g.affine(inner(g, 2), 2)), b);
                }),
      make_case("input_alone", [](Graph& g) { return g.affine(g.input("a", 3), 2); }),
      make_case("shift", [](Graph& g) { return g.shift(inner(g, 3), 1); }),
      make_case("shift_per_row",
                [](Graph& g) { return g.shift(g.affine(inner(g, 2), 3), 1, true); }),
      make_case("shift_of_coordinates",
                [](Graph& g) {
                  const int x = g.shift(g.coordinates(), 1);
                  return g.multiply(x, x);
                }),
      make_case("add", [](Graph& g) { return g.add(inner(g, 2), g.affine(g.coordinates(), 2)); }),
      make_case("add_single_row_left",
                [](Graph& g) { return g.add(inner(g, 1), g.affine(g.coordinates(), 3)); }),
      make_case("subtract",
                [](Graph& g) { return g.subtract(inner(g, 2), g.affine(g.coordinates(), 2)); }),
      make_case("subtract_single_row_right",
                [](Graph& g) { return g.subtract(inner(g, 3), g.affine(g.coordinates(), 1)); }),
      make_case("subtract_from_itself",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 2);
                  return g.add(g.subtract(x, x), x);
                }),
      make_case("multiply",
                [](Graph& g) { return g.multiply(inner(g, 2), g.affine(inner(g, 3), 2)); }),
      make_case("multiply_single_row_left",
                [](Graph& g) { return g.multiply(g.affine(inner(g, 2), 1), inner(g, 3)); }),
      make_case("multiply_single_row_right",
                [](Graph& g) { return g.multiply(inner(g, 3), g.affine(inner(g, 2), 1)); }),
      make_case("multiply_by_itself",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 2);
                  return g.multiply(x, x);
                }),
      make_case("multiply_by_coordinates",
                [](Graph& g) { return g.multiply(g.coordinates(), g.affine(inner(g, 2), 1)); }),
      make_case("divide", [](Graph& g) { return g.divide(inner(g, 2), positive(g, 2)); }),
      make_case("divide_single_row_left",
                [](Graph& g) { return g.divide(g.affine(inner(g, 2), 1), positive(g, 2)); }),
      make_case("divide_single_row_right",
                [](Graph& g) { return g.divide(inner(g, 3), positive(g, 1)); }),
      make_case("divide_number", [](Graph& g) { return g.divide(g.number(1), positive(g, 2)); }),
      make_case("concatenate",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 2);
                  return g.concatenate(std::array{x, inner(g, 1), x});
                }),
      make_case("slice",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 4);
                  return g.multiply(g.slice(x, 1, 2), g.slice(x, 2, 2));
                }),
      make_case("repeat_rows",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 2);
                  return g.multiply(g.repeat_rows(x, 3), g.tile(x, 3));
                }),
      make_case("tile", [](Graph& g) { return g.tile(g.affine(inner(g, 2), 3), 2); }),
      make_case("row_sum_of_groups",
                [](Graph& g) {
                  const int x = g.affine(inner(g, 2), 6);
                  return g.concatenate(std::array{g.row_sum(x, 2), g.row_sum(x, 3), x});
                }),
      make_case("row_sum", [](Graph& g) { return g.row_sum(g.affine(inner(g, 2), 3)); }),
      make_case("unit_rows", [](Graph& g) { return g.normalized_affine(inner(g, 3), 2); }),
      make_case("unit_rows_of_coordinates",
                [](Graph& g) { return g.normalized_affine(g.coordinates(), 3); }),
      make_case("expression", [](Graph& g) { return inner(g, 3); }),
  };
  for (EngineCase& c : basis_cases()) cases.push_back(std::move(c));
  return cases;
}

std::vector<EngineCase> activation_cases() {
  const std::vector<std::pair<std::string, Activation>> activations{
      {"identity", Activation::identity}, {"tanh", Activation::tanh},
      {"sin", Activation::sin},           {"cos", Activation::cos},
      {"sigmoid", Activation::sigmoid},   {"silu", Activation::silu},
      {"gelu", Activation::gelu},         {"softplus", Activation::softplus},
      {"elu", Activation::elu},           {"relu", Activation::relu},
      {"relu3", Activation::relu3},       {"gaussian", Activation::gaussian},
      {"wavelet", Activation::wavelet},   {"exp", Activation::exp},
  };
  std::vector<EngineCase> cases;
  for (const auto& [name, s] : activations) {
    cases.push_back(
        make_case(name, [s = s](Graph& g) { return g.activation(g.affine(inner(g, 2), 2), s); }));
  }
  cases.push_back(
      make_case("sqrt", [](Graph& g) { return g.activation(positive(g, 2), Activation::sqrt); }));
  cases.push_back(make_case("tanh_with_slope", [](Graph& g) {
    return g.activation_with_slope(g.affine(inner(g, 2), 2), Activation::tanh, 1);
  }));
  return cases;
}

std::vector<EngineCase> network_cases() {
  std::vector<EngineCase> cases{
      make_case("mlp",
                [](Graph& g) {
                  const int h = g.activation(g.affine(g.coordinates(), 5), Activation::tanh);
                  return g.affine(g.activation(g.affine(h, 4), Activation::tanh), 2);
                }),
      make_case("residual_network",
                [](Graph& g) {
                  const int h = g.activation(g.affine(g.coordinates(), 3), Activation::sin);
                  const int f = g.affine(g.activation(g.affine(h, 3), Activation::sin), 3);
                  return g.affine(g.add(h, f), 1);
                }),
      make_case("highway",
                [](Graph& g) {
                  const int x = g.affine(g.coordinates(), 3);
                  const int gate = g.activation(g.affine(x, 3), Activation::sigmoid);
                  const int h = g.activation(g.affine(x, 3), Activation::tanh);
                  const int rest = g.multiply(g.subtract(g.number(1), gate), x);
                  return g.affine(g.add(g.multiply(gate, h), rest), 1);
                }),
      make_case("modified_mlp",
                [](Graph& g) {
                  return add_network(g, ModifiedMlp{.width = 3, .depth = 2}, g.coordinates(), 1);
                }),
      make_case("windows",
                [](Graph& g) {
                  Windows options{.windows = {}, .inner = {Mlp{.width = 2, .depth = 1}}};
                  for (int i = 0; i < g.rows(g.coordinates()); ++i) options.windows.push_back(2);
                  return add_network(g, options, g.coordinates(), 1);
                }),
      make_case("softmax", [](Graph& g) { return softmax(g, g.affine(g.coordinates(), 3)); }),
      make_case("layer_norm",
                [](Graph& g) {
                  const int h = g.activation(g.affine(g.coordinates(), 3), Activation::tanh);
                  return g.layer_norm(h, 0.125);
                }),
      make_case("attention", attention),
      network_case("elm", Elm{.features = 4, .scale = 1}, 2),
      network_case("elm_deep", Elm{.features = 3, .depth = 2, .scale = 1}, 1, 4),
      network_case("piratenet_open_gates",
                   Piratenet{.width = 2, .blocks = 1, .alpha = 0.5, .fourier = 1}, 1, 4),
      network_case("radial_functions", Rbf{.centres = 2}, 1, 4),
      network_case("separable", Separable{.rank = 2, .width = 2, .depth = 1}, 2, 4),
      network_case("experts",
                   Experts{.experts = {Mlp{.width = 2, .depth = 1}, Elm{.features = 2, .scale = 1}},
                           .gate = {Mlp{.width = 2, .depth = 1}}},
                   2, 4),
      network_case(
          "pinnsformer",
          Pinnsformer{.width = 2, .heads = 1, .feedforward = 2, .sequence = 2, .step = 0.25}, 1, 2),
      make_case("deep_operator",  // per output: sum over branch rows times trunk rows
                [](Graph& g) {
                  const int branch = g.affine(g.input("sample", 2), 4);
                  const int trunk = g.activation(g.affine(g.coordinates(), 4), Activation::tanh);
                  return g.shift(g.row_sum(g.multiply(branch, trunk), 2), 0, true);
                }),
      make_case(
          "fourier_factorised",
          [](Graph& g) {
            const int n = g.rows(g.coordinates());
            const int z = g.fixed_affine(g.coordinates(), fixed_numbers(2, n));
            const int both[] = {g.activation(z, Activation::cos), g.activation(z, Activation::sin)};
            const int h = g.factorized_affine(g.concatenate(both), 3, 0.5, 0.125);
            return g.factorized_affine(g.activation(h, Activation::tanh), 1, 0.5, 0.125);
          }),
      make_case(
          "fourier_scales",
          [](Graph& g) {
            const FourierFeatures f{.count = 2, .scales = {1, 0.5}, .decay = 1, .learn = true};
            return add_network(g, FourierNetwork{.width = 3, .depth = 1, .features = f},
                               g.coordinates(), 1);
          }),
      make_case("modified_fourier",
                [](Graph& g) {
                  const FourierFeatures f{.kind = FourierFeatures::Kind::powers, .count = 2};
                  return add_network(g, ModifiedFourier{.width = 2, .depth = 2, .features = f},
                                     g.coordinates(), 1);
                }),
      make_case("highway_fourier",
                [](Graph& g) {
                  const FourierFeatures f{.kind = FourierFeatures::Kind::harmonics,
                                          .count = 1,
                                          .learn = true,
                                          .with_input = true};
                  return add_network(g, HighwayFourier{.width = 2, .depth = 1, .features = f},
                                     g.coordinates(), 1);
                }),
      make_case("gabor_filters",
                [](Graph& g) {
                  const auto gabor = MultiplicativeFilter::Filter::gabor;
                  return add_network(g,
                                     MultiplicativeFilter{.width = 2, .depth = 2, .filter = gabor},
                                     g.coordinates(), 1);
                }),
      make_case("siren",
                [](Graph& g) {
                  return add_network(g, Siren{.width = 3, .depth = 2}, g.coordinates(), 1);
                }),
      make_case(
          "periodic_input",
          [](Graph& g) {
            const PeriodicInput x{.coordinate = "x", .period = 2, .harmonics = 2, .learn = true};
            return g.affine(g.activation(g.affine(add_periodic(g, x), 2), Activation::tanh), 1);
          }),
      make_case("hard_constraint",
                [](Graph& g) {
                  const Coordinate x(g.coordinate_names()[0]);
                  const int h = g.activation(g.affine(g.coordinates(), 4), Activation::tanh);
                  const int distance = g.expression({x * (2 - x)});
                  const int boundary = g.expression({sin(x) + 1});
                  return g.add(boundary, g.multiply(distance, g.affine(h, 2)));
                }),
  };
  for (EngineCase& c : kan_cases()) cases.push_back(std::move(c));
  for (EngineCase& c : cases) c.max_order = 4;
  // Networks of the library, in all their parts.
  const auto add = [&](const char* name, const Network& network) {
    cases.push_back(make_case(
        name, [network](Graph& g) { return add_network(g, network, g.coordinates(), 2); }));
    cases.back().max_order = 2;
  };
  add("mlp_normalised",
      Mlp{.widths = {3, 2, 3}, .slope = Slope::network, .weight_norm = true, .skip = 2});
  add("mlp_layer_norm",
      Mlp{.width = 3, .depth = 2, .slope = Slope::neuron, .layer_norm = true, .skip = 1});
  add("piratenet", Piratenet{.width = 3, .blocks = 1, .fourier = 2});
  add("piratenet_without_features",
      Piratenet{.width = 2, .blocks = 2, .fourier = 0, .factorized = false});
  add("residual_mlp", ResidualMlp{.width = 4, .blocks = 2});
  add("dgm", Dgm{.width = 2, .layers = 2});
  add("lstm", Lstm{.width = 2, .layers = 2, .sequence = 3, .time = 1});
  add("dgm_state_of_the_layer", Dgm{.width = 2, .layers = 2, .first_state = false});
  return cases;
}

std::vector<JetCase> jet_cases() {
  using Orders = std::vector<JetSpec::Orders>;
  using Combinations = std::vector<std::vector<JetSpec::Part>>;
  return {
      {"values", JetSpec(2)},
      {"order8", JetSpec(1, Orders{{8}})},
      {"mixed4", JetSpec(2, Orders{{4, 0}, {3, 1}, {2, 2}, {1, 3}, {0, 4}})},
      {"mixed_in_3d", JetSpec(3, Orders{{2, 1, 1}, {0, 1, 2}})},
      {"burgers", JetSpec(2, Orders{{1, 0}, {0, 2}})},
      {"heat_collapsed", JetSpec(2, {}, Combinations{{{1, {1, 0}}, {-0.25, {0, 2}}}})},
      {"laplacian",
       JetSpec(3, {}, Combinations{{{1, {2, 0, 0}}, {2, {0, 2, 0}}, {-0.5, {0, 0, 2}}}})},
      {"biharmonic", JetSpec(2, {}, Combinations{{{1, {4, 0}}, {2, {2, 2}}, {1, {0, 4}}}})},
  };
}

}  // namespace cauchy::test
