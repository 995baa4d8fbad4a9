#include <cauchy/networks/windows.hpp>

#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/network.hpp>

namespace cauchy {
namespace {

constexpr double steepness = 2.5;  // a step is within 0.7 percent of its ends where overlaps end

const char* const windows_place = "[networks.windows]";

/// The network of every window: without one random features, which a window has room for, and
/// which are solved for where trained layers need thousands of steps.
Network inner_of(const Windows& w) {
  return w.inner.empty() ? Network(Elm{.features = 40}) : w.inner.front();
}

/// Where the parts of [-1, 1] lie along one input.
struct WindowAxis {
  WindowAxis(int n_windows, double overlap)
      : n(n_windows), width(2.0 / n_windows), half(width * (1 + overlap) / 2) {}
  [[nodiscard]] double edge(int k) const { return -1 + width * k; }
  [[nodiscard]] double centre(int k) const { return -1 + width * (k + 0.5); }
  int n;
  double width, half;
};

/// One number serves all inputs.
std::vector<int> counts_of(const Windows& w, int n_inputs) {
  if (w.windows.size() != 1) return w.windows;
  return std::vector<int>(static_cast<std::size_t>(n_inputs), w.windows[0]);
}

void check_windows(const Windows& w, int n_inputs) {
  const auto refuse = [](const std::string& why, const std::string& hint = {}) {
    throw Error(why, windows_place, hint);
  };
  if (w.inner.size() > 1) refuse("there is one inner network, the same for every window");
  if (!(w.overlap > 0) || !std::isfinite(w.overlap)) {
    refuse(fmt::format("the overlap must be positive, got {}", w.overlap));
  }
  const std::vector<int> counts = counts_of(w, n_inputs);
  if (counts.size() != static_cast<std::size_t>(n_inputs)) {
    refuse(fmt::format("windows = [{}] has {} number{}, the network has {} input{}",
                       fmt::join(w.windows, ", "), w.windows.size(),
                       w.windows.size() == 1 ? "" : "s", n_inputs, n_inputs == 1 ? "" : "s"),
           "give one count per coordinate, time first, and two for a periodic one (its cosine and "
           "sine); 1 means no windows");
  }
  double all = 1;
  for (const int n : counts) {
    if (n < 1) refuse(fmt::format("the number of windows must be positive, got {}", n));
    all *= n;
  }
  if (all > Windows::max_windows) {
    refuse(fmt::format("{} windows are {}, at most {} fit", fmt::join(counts, " x "), all,
                       Windows::max_windows),
           "use fewer windows with a larger inner network");
  }
}

std::vector<WindowAxis> axes_of(const Windows& w, int n_inputs) {
  std::vector<WindowAxis> axes;
  for (const int n : counts_of(w, n_inputs)) axes.emplace_back(n, w.overlap);
  return axes;
}

/// Of all windows, the last axis fastest: coordinate(axis, number along it) for every input.
template <class Coordinate>
std::vector<Expr> rows_of_windows(const std::vector<WindowAxis>& axes, Coordinate coordinate) {
  std::size_t all = 1;
  for (const WindowAxis& a : axes) all *= static_cast<std::size_t>(a.n);
  std::vector<Expr> rows;
  for (std::size_t j = 0; j < all; ++j) {
    std::size_t stride = all, rest = j;
    for (const WindowAxis& a : axes) {
      stride /= static_cast<std::size_t>(a.n);
      rows.emplace_back(coordinate(a, static_cast<int>(rest / stride)));
      rest %= stride;
    }
  }
  return rows;
}

/// The partition of unity along one input, one row per window.
int add_axis(Graph& graph, const WindowAxis& axis, double overlap, int x) {
  if (axis.n == 1) return graph.number(1);
  std::vector<Expr> edges;
  for (int k = 1; k < axis.n; ++k) edges.emplace_back(axis.edge(k));
  const double slope = steepness / (overlap * axis.width / 2);
  const int distance = graph.subtract(graph.repeat_rows(x, axis.n - 1), graph.expression(edges));
  const int steps =
      graph.activation(graph.multiply(distance, graph.number(slope)), Activation::tanh);
  const int upper[] = {graph.number(1), steps}, lower[] = {steps, graph.number(-1)};
  const int difference = graph.subtract(graph.concatenate(upper), graph.concatenate(lower));
  return graph.multiply(difference, graph.number(0.5));
}

}  // namespace

int add_windows(Graph& graph, const Windows& w, int input) {
  check_windows(w, graph.rows(input));
  const std::vector<WindowAxis> axes = axes_of(w, graph.rows(input));
  int all = -1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int row = axes.size() == 1 ? input : graph.slice(input, static_cast<int>(i), 1);
    const int along = add_axis(graph, axes[i], w.overlap, row);
    if (all < 0) {
      all = along;
    } else if (axes[i].n > 1) {
      all = graph.multiply(graph.repeat_rows(all, axes[i].n), graph.tile(along, graph.rows(all)));
    }
  }
  return all;
}

int add_network(Graph& graph, const Windows& w, int input, int n_outputs) {
  check_windows(w, graph.rows(input));
  if (n_outputs < 1) throw Error("the number of fields must be positive", windows_place);
  const std::vector<WindowAxis> axes = axes_of(w, graph.rows(input));
  const Network inner = inner_of(w);
  const int weights = add_windows(graph, w, input), n = graph.rows(weights);
  const int d = graph.rows(input);
  // The coordinates of every window, in its own units.
  const int centres = graph.expression(
      rows_of_windows(axes, [](const WindowAxis& a, int k) { return a.centre(k); }));
  const int scales =
      graph.expression(rows_of_windows(axes, [](const WindowAxis& a, int) { return 1 / a.half; }));
  const int own = graph.multiply(graph.subtract(graph.tile(input, n), centres), scales);
  int sum = -1;
  for (int j = 0; j < n; ++j) {
    const int value = add_network(graph, inner, graph.slice(own, j * d, d), n_outputs);
    const int part = graph.multiply(value, graph.slice(weights, j, 1));
    sum = sum < 0 ? part : graph.add(sum, part);
  }
  return sum;
}

void visit_options(Windows& w, OptionVisitor& v) {
  std::vector<double> counts(w.windows.begin(), w.windows.end());
  v.numbers("windows", counts, NumberRange::positive);
  v.check([&] {
    for (const double n : counts) {
      if (n == std::floor(n) && n <= Windows::max_windows) continue;
      throw Error(fmt::format("'windows' are whole numbers of at most {}, got {}",
                              Windows::max_windows, n));
    }
  });
  w.windows.clear();
  for (const double n : counts) {
    w.windows.push_back(static_cast<int>(std::min<double>(n, Windows::max_windows)));
  }
  v.number("overlap", w.overlap, NumberRange::positive);
  // As everywhere, a table without a kind is that of an mlp.
  Network inner =
      w.inner.empty() && v.gives("inner") ? Network(Mlp{.width = 16, .depth = 2}) : inner_of(w);
  v.section("inner", inner);
  w.inner = {inner};
}

std::string describe(const Windows& w) {
  return fmt::format("{} windows of {}", fmt::join(w.windows, " x "), describe(inner_of(w)));
}

}  // namespace cauchy
