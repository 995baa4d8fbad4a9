#include <cauchy/networks/fourier_features.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy {
namespace {

using FeatureKind = FourierFeatures::Kind;

[[noreturn]] void refuse_features(const std::string& why, const char* fix = "") {
  throw Error(why, "[networks.fourier_features]", fix);
}

void check_features(const FourierFeatures& f) {
  if (f.count < 1) refuse_features(fmt::format("features must be positive, got {}", f.count));
  if (f.scales.empty()) refuse_features("there must be a scale", "give scales = [1]");
  for (const auto* scales : {&f.scales, &f.time_scales}) {
    for (const double s : *scales) {
      if (!(s > 0) || !std::isfinite(s)) {
        refuse_features(fmt::format("scales must be positive, got {}", s));
      }
    }
  }
  if (!(f.decay >= 0) || !std::isfinite(f.decay)) {
    refuse_features(fmt::format("decay must not be negative, got {}", f.decay));
  }
}

/// The angles b_k . x.
int add_angles(Graph& graph, const FourierFeatures& f, int x, const std::vector<double>& b) {
  const int n = graph.rows(x), m = static_cast<int>(b.size()) / n;
  if (f.kind == FeatureKind::gaussian) {
    if (!f.learn) return graph.fixed_affine(x, b);
    const int angles = graph.affine(x, m, false, "frequency");
    graph.start_at(angles, b);
    return angles;
  }
  // One input per row: its frequency is the only number of the row that is not 0.
  const int repeated = graph.repeat_rows(x, f.count);
  std::vector<double> single;
  for (int k = 0; k < m; ++k) single.push_back(b[static_cast<std::size_t>(k * n + k / f.count)]);
  if (!f.learn) {
    return graph.multiply(repeated,
                          graph.expression(std::vector<Expr>(single.begin(), single.end())));
  }
  const int angles = graph.scale(repeated, 1, true, "frequency");
  graph.start_at(angles, std::move(single));
  return angles;
}

int add_embedding(Graph& graph, const FourierFeatures& f, int x, double scale,
                  std::uint64_t number) {
  const int n = graph.rows(x);
  const std::vector<double> b = fourier_frequencies(f, n, scale, number);
  const int angles = add_angles(graph, f, x, b);
  const int both[] = {graph.activation(angles, Activation::cos),
                      graph.activation(angles, Activation::sin)};
  int value = graph.concatenate(both);
  if (f.decay > 0) {
    std::vector<Expr> amplitudes;
    for (std::size_t k = 0; k < b.size(); k += static_cast<std::size_t>(n)) {
      double square = 0;
      for (int i = 0; i < n; ++i) square += std::pow(b[k + static_cast<std::size_t>(i)], 2);
      amplitudes.emplace_back(std::pow(1 + square, -f.decay / 2));
    }
    value = graph.multiply(value, graph.tile(graph.expression(std::move(amplitudes)), 2));
  }
  if (!f.with_input) return value;
  const int with[] = {x, value};
  return graph.concatenate(with);
}

}  // namespace

std::vector<double> fourier_frequencies(const FourierFeatures& f, int n, double scale,
                                        std::uint64_t embedding) {
  check_features(f);
  const auto cols = static_cast<std::size_t>(n), count = static_cast<std::size_t>(f.count);
  if (f.kind == FeatureKind::gaussian) {
    const Rng seeded(f.seed);
    Rng rng = embedding == 0 ? seeded : seeded.split(embedding);
    std::vector<double> b(count * cols);
    for (double& v : b) v = scale * rng.normal();
    return b;
  }
  std::vector<double> b(cols * count * cols, 0.0);
  for (std::size_t i = 0; i < cols; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto times = static_cast<double>(k);
      const double v = scale * (f.kind == FeatureKind::powers ? std::exp2(times) : times + 1);
      if (!std::isfinite(v)) refuse_features(fmt::format("2^{} is too large a frequency", k));
      b[(i * count + k) * cols + i] = v;
    }
  }
  return b;
}

int add_fourier_layers(Graph& graph, const FourierFeatures& f, int input,
                       FunctionRef<int(int)> layers) {
  check_features(f);
  const int n = graph.rows(input);
  const bool apart = !f.time_scales.empty();
  if (apart && n < 2) {
    refuse_features("features of space and time need two inputs or more", "leave time_scales out");
  }
  const int space = apart ? graph.slice(input, 1, n - 1) : input;
  std::vector<int> values;
  for (const double s : f.scales) {
    values.push_back(add_embedding(graph, f, space, s, values.size()));
  }
  if (apart) {
    const int time = graph.slice(input, 0, 1);
    for (const double s : f.time_scales) {
      values.push_back(add_embedding(graph, f, time, s, values.size()));
    }
    if (graph.rows(values.back()) != graph.rows(values[0])) {
      refuse_features(
          fmt::format("embeddings of space and time go through the same layers, but have {} and {} "
                      "rows",
                      graph.rows(values[0]), graph.rows(values.back())),
          "use gaussian frequencies without with_input");
    }
  }
  const int first = values[0];
  const int result = layers(first);
  values[0] = result;
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = graph.again(result, first, values[i]);
  if (values.size() == 1) return result;
  if (!apart) return graph.concatenate(values);
  std::vector<int> products;
  for (std::size_t i = 0; i < f.scales.size(); ++i) {
    for (std::size_t j = f.scales.size(); j < values.size(); ++j) {
      products.push_back(graph.multiply(values[i], values[j]));
    }
  }
  return products.size() == 1 ? products[0] : graph.concatenate(products);
}

void visit_options(FourierFeatures& f, OptionVisitor& v) {
  const Words<FeatureKind> kinds = {{"gaussian", FeatureKind::gaussian},
                                    {"powers", FeatureKind::powers},
                                    {"harmonics", FeatureKind::harmonics}};
  v.count("features", f.count, 1, 1'000'000);
  v.word("frequencies", f.kind, kinds);
  v.numbers("scales", f.scales, NumberRange::positive);
  v.numbers("time_scales", f.time_scales, NumberRange::positive);
  v.number("decay", f.decay, NumberRange::not_negative);
  v.flag("learn_frequencies", f.learn);
  v.flag("with_input", f.with_input);
  v.seed("feature_seed", f.seed);
  v.check([&] { check_features(f); });
}

std::string describe(const FourierFeatures& f) {
  std::string text = fmt::format("{} Fourier features", f.count);
  if (f.scales.size() > 1) text += fmt::format(" of {} scales", f.scales.size());
  if (!f.time_scales.empty()) text += fmt::format(", {} in time", f.time_scales.size());
  return text;
}

}  // namespace cauchy
