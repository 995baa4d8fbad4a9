// One Adam step of physics-informed networks: Cauchy against PyTorch in the same run.
//
//   bench_engine [--threads N] [--repeats N] [--no-peer] [--block N] [--only SUBSTRING]
//                [--points N] [--processor-time] [--smallest]
//
// --processor-time counts what the processors did for either side in place of the time on the
// wall: for machines that others use too.
// Both sides take turns, the figures are medians. PyTorch runs nested autograd
// (bench/torch_step.py) with the system's python3; without it, or with --no-peer, torch_ms and
// ratio are left out. gflops counts the matrix flops on the jets; gemm_gflops is what the linked
// BLAS reaches on one thread with a 256-cube product, times the number of threads; resident_mb is
// the largest resident size of the process so far.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/training/loss.hpp>

#include "bench_options.hpp"
#include "peer.hpp"

namespace {

using namespace cauchy;
using bench::gemm_gflops, bench::median, bench::now_ms, bench::Peer;

struct Case {
  std::string name;
  int dimension, width, depth, points;
  std::string network = "mlp";
  double bar = 0;  ///< ratio to PyTorch that is wanted; 0: none
};

const std::vector<Case> cases{
    {"burgers", 2, 20, 8, 10000},
    {"burgers", 2, 32, 3, 2500},
    {"burgers", 2, 64, 4, 10000},
    {"burgers", 2, 128, 4, 10000},
    {"burgers", 2, 256, 4, 8192},
    {"poisson", 3, 64, 4, 4096},
    {"poisson", 10, 64, 4, 4096},
    {"poisson", 100, 64, 4, 256},
    {"biharmonic", 2, 64, 4, 4096},
    {"kuramoto", 2, 64, 4, 4096},
    {"burgers", 2, 16, 2, 10000, "kan", 10},
    {"burgers", 2, 16, 2, 10000, "chebyshev_kan", 10},
    {"burgers", 2, 64, 4, 10000, "modified_mlp", 4},
    {"burgers", 2, 64, 4, 10000, "fourier_mlp", 4},
};

/// Sums of splines and of SiLU over the inputs, as one product with all splines of all inputs.
int kan_layer(Graph& g, int x, int rows) {
  std::vector<double> knots;  // 5 intervals on [-1, 1], and 3 more on either side
  for (int i = -3; i <= 8; ++i) knots.push_back(-1 + 0.4 * i);
  const int splines = g.affine(g.basis(x, bspline_basis(knots, 3)), rows, false);
  return g.add(splines, g.affine(g.activation(x, Activation::silu), rows, false));
}

int chebyshev_layer(Graph& g, int x, int rows) {
  return g.affine(g.basis(g.activation(x, Activation::tanh), chebyshev_basis(8)), rows, false);
}

int tanh_layers(Graph& g, int h, int width, int depth) {
  for (int i = 0; i < depth; ++i) h = g.activation(g.affine(h, width), Activation::tanh);
  return g.affine(h, 1);
}

/// h <- (1 - z) u + z v with z = tanh(W h + b)
int modified_mlp(Graph& g, int x, int width, int depth) {
  const int u = g.activation(g.affine(x, width), Activation::tanh);
  const int v = g.activation(g.affine(x, width), Activation::tanh);
  const int between = g.subtract(v, u);
  int h = x;
  for (int i = 0; i < depth; ++i) {
    const int z = g.activation(g.affine(h, width), Activation::tanh);
    h = g.add(u, g.multiply(z, between));
  }
  return g.affine(h, 1);
}

int fourier_mlp(Graph& g, int x, int width, int depth) {
  Rng rng(3);
  std::vector<double> frequencies(static_cast<std::size_t>(width / 2 * g.rows(x)));
  for (double& f : frequencies) f = rng.normal();
  const int angles = g.fixed_affine(x, std::move(frequencies));
  const int both[] = {g.activation(angles, Activation::cos), g.activation(angles, Activation::sin)};
  return tanh_layers(g, g.concatenate(both), width, depth);
}

Graph graph_of(const Case& c, const std::vector<std::string>& names) {
  Graph g(names);
  const int x = g.coordinates();
  if (c.network == "mlp") {
    g.output("u", tanh_layers(g, x, c.width, c.depth));
  } else if (c.network == "modified_mlp") {
    g.output("u", modified_mlp(g, x, c.width, c.depth));
  } else if (c.network == "fourier_mlp") {
    g.output("u", fourier_mlp(g, x, c.width, c.depth));
  } else {
    const auto layer = c.network == "kan" ? kan_layer : chebyshev_layer;
    int h = x;
    for (int i = 0; i < c.depth; ++i) h = layer(g, h, c.width);
    g.output("u", layer(g, h, 1));
  }
  return g;
}

std::vector<Expr> coordinates(int dimension) {
  std::vector<Expr> x;
  for (int i = 0; i < dimension; ++i) x.push_back(Coordinate("x" + std::to_string(i)));
  return x;
}

Expr laplacian_of(const Expr& u, const std::vector<Expr>& x) {
  std::vector<Expr> terms;
  for (const Expr& xi : x) terms.push_back(d(u, xi, xi));
  return sum(std::move(terms));
}

Expr residual(const Case& c) {
  const std::vector<Expr> x = coordinates(c.dimension);
  const Field u("u");
  if (c.name == "burgers") {
    return d(u, x[0]) + u * d(u, x[1]) - (0.01 / pi) * d(u, x[1], x[1]);
  }
  if (c.name == "poisson") return laplacian_of(u, x) + 1;
  if (c.name == "biharmonic") return laplacian_of(laplacian_of(u, x), x) - 1;
  return d(u, x[0]) + 5 * u * d(u, x[1]) + 0.5 * d(u, x[1], x[1]) + 0.005 * d_n(u, x[1], 4);
}

struct Settings {
  int threads = 2, repeats = 21;
  int points = 0;  ///< 0: those of the case
  bool peer = true, processor_time = false;
  std::size_t block = 0;
  std::string only = {};
  [[nodiscard]] double now() const {
    return processor_time ? 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC : now_ms();
  }
};

template <class T>
void run(Case c, const Settings& settings, Peer* peer) {
  if (settings.points > 0) c.points = settings.points;
  const char* dtype = sizeof(T) == 8 ? "f64" : "f32";
  std::vector<std::string> names;
  for (const Expr& x : coordinates(c.dimension)) names.push_back(x.name());
  const auto graph = std::make_shared<const Graph>(graph_of(c, names));
  HostExecutor<T> executor(graph, {{c.name, {residual(c)}}},
                           {.threads = settings.threads, .block = settings.block});
  Rng rng(1);
  std::vector<double> points(static_cast<std::size_t>(c.points * c.dimension));
  for (double& x : points) x = 2 * rng.uniform() - 1;
  executor.set_points(0, points);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  TrainingLoss loss(executor);
  Adam adam;
  const auto step = [&] { (void)adam.step(loss, theta); };
  step();
  bool with_peer = peer != nullptr;
  if (with_peer) {
    const auto answer =
        peer->ask(fmt::format("{} {} {} {} {} {} {} {}", c.name, c.dimension, c.width, c.depth,
                              c.points, dtype, settings.threads, c.network));
    with_peer = answer && answer->starts_with("ready");
  }
  std::vector<double> ours, theirs;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (int k = 0; k < 3; ++k) {  // short steps: three of ours for one of theirs
      const double begin = settings.now();
      step();
      ours.push_back(settings.now() - begin);
    }
    if (with_peer) {
      const auto answer = peer->ask("step 1");
      if (!answer) break;
      theirs.push_back(std::stod(*answer));
    }
  }
  const double gemm = gemm_gflops<T>() * settings.threads;
  const double ms = median(ours);
  std::string peer_text;
  if (!theirs.empty()) {
    peer_text = fmt::format(" torch_ms={:.2f} ratio={:.2f}", median(theirs), median(theirs) / ms);
    if (c.bar > 0) peer_text += fmt::format(" bar={}", c.bar);
  }
  fmt::print(
      "case={} network={} dim={} w={} d={} n={} dtype={} threads={} cauchy_ms={:.2f}{} "
      "gflops={:.1f} "
      "gemm_gflops={:.1f} block={} components={} resident_mb={:.0f}\n",
      c.name, c.network, c.dimension, c.width, c.depth, c.points, dtype, settings.threads, ms,
      peer_text, executor.flops() / ms / 1e6, gemm, executor.block(0), executor.form(0).jets.size(),
      bench::largest_mb());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (bench::take_smallest(argc, argv)) settings = {.repeats = 1, .points = 20};
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--threads") && i + 1 < argc) {
      settings.threads = std::atoi(argv[++i]);
    } else if (is("--repeats") && i + 1 < argc) {
      settings.repeats = std::atoi(argv[++i]);
    } else if (is("--block") && i + 1 < argc) {
      settings.block = static_cast<std::size_t>(std::atoi(argv[++i]));
    } else if (is("--only") && i + 1 < argc) {
      settings.only = argv[++i];
    } else if (is("--points") && i + 1 < argc) {
      settings.points = std::atoi(argv[++i]);
    } else if (is("--no-peer")) {
      settings.peer = false;
    } else if (is("--processor-time")) {
      settings.processor_time = true;
    } else {
      fmt::print(
          stderr,
          "unknown option '{}'; options are --threads, --repeats, --block, --only, --points, "
          "--no-peer, --processor-time, --smallest\n",
          argv[i]);
      return 2;
    }
  }
  std::optional<Peer> peer;
  if (settings.peer) peer.emplace("bench/torch_step.py", "torch");
  if (peer && settings.processor_time) (void)peer->ask("processor time");
  for (const Case& c : cases) {
    const std::string label =
        fmt::format("{}-{}-{}x{}-{}", c.name, c.dimension, c.width, c.depth, c.network);
    if (label.find(settings.only) == std::string::npos) continue;
    run<float>(c, settings, peer ? &*peer : nullptr);
    run<double>(c, settings, peer ? &*peer : nullptr);
  }
  return 0;
}
