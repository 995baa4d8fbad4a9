// One Adam step of networks on grids (forward, relative L2 loss, backward, update): Cauchy against
// PyTorch in the same run.
//
//   bench_tensor [--threads N] [--repeats N] [--no-peer] [--only SUBSTRING] [--parts N]
//                [--processor-time] [--smallest]
//
// --processor-time counts what the processors did for either side in place of the time on the
// clock: for machines that others use too, best with one thread. Both sides take turns, the figures
// are medians. PyTorch runs the same networks (bench/torch_fields.py) with the system's python3;
// without it, or with --no-peer, torch_ms and ratio are left out. gradient_ms is our step without
// the update; memory_mb are our buffers and those of Adam; gflops counts the products of the
// network as if nothing of a transform were shared (three times those of forward); gemm_gflops is
// what the linked BLAS reaches on one thread with a 256-cube product, times the number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/tensor/executor.hpp>

#include "bench_options.hpp"
#include "peer.hpp"

namespace {

using namespace cauchy;
using bench::gemm_gflops, bench::median, bench::now_ms, bench::Peer;

struct Case {
  std::string name;
  FieldNetwork network;
  std::vector<int> grid;
  std::size_t batch;
  bool periodic = false;
  double bar = 1;  ///< ratio to PyTorch that is wanted
};

const std::vector<Case> cases{
    {"fno_2d", Fno{.width = 32, .modes = {12}, .padding = 0}, {64, 64}, 20, false, 8},
    {"fno_1d", Fno{.width = 64, .modes = {16}, .padding = 0}, {1024}, 32, false, 4},
    {"unet", Unet{.width = 32, .levels = 3}, {64, 64}, 8},
    {"attention", Transformer{.width = 64, .depth = 2}, {256}, 16, true},
};

struct Settings {
  int threads = 2, repeats = 11;
  std::size_t samples = 1000;  ///< of a batch, at most
  std::size_t parts = 8;
  bool peer = true, processor_time = false;
  std::string only = {};

  [[nodiscard]] double now() const {
    return processor_time ? 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC : now_ms();
  }
};

/// |u - y| / |y| of the answer u to input a.
std::shared_ptr<TensorGraph> graph_of(const Case& c, int& loss) {
  FieldGrid grid;
  for (const int n : c.grid) {
    grid.axes.push_back({.name = fmt::format("x{}", grid.axes.size()), .n = n});
    grid.axes.back().periodic = c.periodic;
  }
  auto g = std::make_shared<TensorGraph>();
  const TensorShape shape{1, c.grid};
  const int a = g->input("a", shape), y = g->input("y", shape);
  const int u = add_field_network(*g, c.network, a, grid, 1);
  const auto norm = [&](int x) {
    return g->activation(g->reduce(g->function(x, ElementFunction::square)), Activation::sqrt);
  };
  loss = g->divide(norm(g->subtract(u, y)), norm(y));
  return g;
}

void run(Case c, Precision precision, const Settings& settings, Peer* peer) {
  c.batch = std::min(c.batch, settings.samples);
  const char* dtype = precision == Precision::f64 ? "f64" : "f32";
  int loss = -1;
  const std::shared_ptr<const TensorGraph> graph = graph_of(c, loss);
  const auto executor = make_tensor_executor(
      graph, {{.name = "error", .value = loss}},
      {.threads = settings.threads, .precision = precision, .parts = settings.parts});
  Rng rng(1);
  std::vector<double> a(c.batch * TensorShape{1, c.grid}.points()), y(a.size());
  rng.fill_uniform(a);
  rng.fill_uniform(y);
  const std::span<const double> batch[] = {a, y};
  executor->set_batch(c.batch, batch);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2)), g(theta.size());
  FunctionObjective objective(theta.size(), [&](std::span<const double> x, std::span<double> by) {
    return by.empty() ? executor->loss(x) : executor->gradient(x, by);
  });
  Adam adam;
  adam.share(std::make_shared<Threads>(settings.threads));
  const auto step = [&] { (void)adam.step(objective, theta); };
  step();
  bool with_peer = peer != nullptr;
  if (with_peer) {
    const auto answer = peer->ask(fmt::format("{} {} {}", c.name, dtype, settings.threads));
    with_peer = answer && answer->starts_with("ready");
  }
  std::vector<double> ours, gradients, theirs;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (int k = 0; k < 2; ++k) {
      double begin = settings.now();
      step();
      ours.push_back(settings.now() - begin);
      begin = settings.now();
      (void)executor->gradient(theta, g);
      gradients.push_back(settings.now() - begin);
    }
    if (with_peer) {
      const auto answer = peer->ask("step 1");
      if (!answer) break;
      theirs.push_back(std::stod(*answer));
    }
  }
  const double ms = median(ours);
  std::string peer_text;
  if (!theirs.empty()) {
    peer_text = fmt::format(" torch_ms={:.2f} ratio={:.2f} bar={}", median(theirs),
                            median(theirs) / ms, c.bar);
  }
  const double bytes = static_cast<double>(executor->bytes(c.batch)) +
                       6 * sizeof(double) * static_cast<double>(theta.size());
  const double gemm = precision == Precision::f64 ? gemm_gflops<double>() : gemm_gflops<float>();
  fmt::print(
      "case={} batch={} parameters={} dtype={} threads={} cauchy_ms={:.2f} gradient_ms={:.2f}{} "
      "gflops={:.1f} gemm_gflops={:.1f} memory_mb={:.0f}\n",
      c.name, c.batch, theta.size(), dtype, settings.threads, ms, median(gradients), peer_text,
      3 * graph->flops() * static_cast<double>(c.batch) / ms / 1e6, gemm * settings.threads,
      bytes / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (bench::take_smallest(argc, argv)) settings = {.repeats = 1, .samples = 1};
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--threads") && i + 1 < argc) {
      settings.threads = std::atoi(argv[++i]);
    } else if (is("--repeats") && i + 1 < argc) {
      settings.repeats = std::atoi(argv[++i]);
    } else if (is("--parts") && i + 1 < argc) {
      settings.parts = static_cast<std::size_t>(std::atoi(argv[++i]));
    } else if (is("--only") && i + 1 < argc) {
      settings.only = argv[++i];
    } else if (is("--no-peer")) {
      settings.peer = false;
    } else if (is("--processor-time")) {
      settings.processor_time = true;
    } else {
      fmt::print(
          stderr,
          "unknown option '{}'; options are --threads, --repeats, --parts, --only, --no-peer, "
          "--processor-time, --smallest\n",
          argv[i]);
      return 2;
    }
  }
  std::optional<Peer> peer;
  if (settings.peer) peer.emplace("bench/torch_fields.py", "torch");
  if (peer && settings.processor_time) (void)peer->ask("processor time");
  for (const Case& c : cases) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const std::string label =
          fmt::format("{}-{}", c.name, precision == Precision::f64 ? "f64" : "f32");
      if (label.find(settings.only) == std::string::npos) continue;
      run(c, precision, settings, peer ? &*peer : nullptr);
    }
  }
  return 0;
}
