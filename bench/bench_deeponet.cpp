// One Adam step of a physics-informed DeepONet on aligned data: Cauchy against PyTorch in one run.
//
//   bench_deeponet [--functions N] [--points N] [--peer-functions N] [--form nested|zcs]
//                  [--threads N] [--repeats N] [--no-peer] [--smallest]
//
// Branch and trunk 3 x 128 tanh, 128 products, 100 sensors; residual s_t - 0.01 s_xx - 0.01 s^2 - a
// at every pair of a function and a point. PyTorch (bench/torch_deeponet.py, the system's python3)
// keeps every pair with all its derivatives in memory; where that is too much, it gets
// --peer-functions of the functions, and both sides are measured with so many. Memory is the growth
// of the largest resident size of each process.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/training/loss.hpp>

#include "bench_options.hpp"
#include "operators/deeponet/deeponet_executor.hpp"
#include "peer.hpp"

namespace {

using namespace cauchy;
using bench::largest_mb, bench::median, bench::now_ms, bench::Peer;

constexpr int n_sensors = 100, products = 128, width = 128, depth = 3;

struct Settings {
  int functions = 1000, points = 1000, peer_functions = 0, threads = 2, repeats = 5;
  bool peer = true;
  std::string form = "nested";
};

std::vector<double> uniform(std::uint64_t seed, std::size_t n) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& v : x) v = rng.uniform();
  return x;
}

detail::DeepOnetMap map_of(Precision precision) {
  detail::DeepOnetMap map;
  map.method.branch = Network(Mlp{.width = width, .depth = depth});
  map.method.trunk = Mlp{.width = width, .depth = depth};
  map.method.width = products;
  map.method.precision = precision;
  map.grid = map.sensors = FieldGrid{.axes = {{"x", n_sensors, 0, 1, false}}};
  map.inputs = {"a"};
  map.outputs = {"s"};
  map.axes = {{"t", 0, 1, false, true}, {"x", 0, 1, false, false}};
  map.fields = {{.name = "s"}};
  map.input_mean = {0};
  map.input_deviation = {1};
  map.interpolation = {TableInterpolation::cubic};
  return map;
}

/// Steps of a network for so many functions.
class OurSteps final {
 public:
  OurSteps(const Settings& o, int functions, Precision precision) : map_(map_of(precision)) {
    const Coordinate t("t"), x("x");
    const Field s("s");
    const Symbol a("a");
    executor_ = detail::make_deeponet_executor(
        map_, {{"equation", {d(s, t) - 0.01 * d(s, x, x) - 0.01 * s * s - a}, 1, {a}}},
        std::make_shared<Threads>(o.threads), precision);
    const auto n = static_cast<std::size_t>(functions), p = static_cast<std::size_t>(o.points);
    executor_->set_samples(uniform(1, n * n_sensors));
    const std::vector<double> source = uniform(3, n * p), points = uniform(2, 2 * p);
    const detail::AlignedData data[] = {{detail::AlignedData::Per::pair, source}};
    executor_->set_aligned(0, {.points = points, .data = data});
    theta_ = initial_parameters(executor_->graph().parameters(), Rng(2));
    loss_ = std::make_unique<TrainingLoss>(*executor_);
  }
  double ms() {
    const double begin = now_ms();
    (void)adam_.step(*loss_, theta_);
    return now_ms() - begin;
  }

 private:
  detail::DeepOnetMap map_;
  std::unique_ptr<detail::DeepOnetExecutor> executor_;
  std::vector<double> theta_;
  std::unique_ptr<TrainingLoss> loss_;
  Adam adam_;
};

void run(const Settings& o, int functions, Precision precision, bool with_peer) {
  const double before = largest_mb();
  OurSteps ours(o, functions, precision);
  (void)ours.ms();
  const double memory = largest_mb() - before;
  std::optional<Peer> peer;
  if (with_peer) {
    peer.emplace("bench/torch_deeponet.py", "torch");
    const auto answer =
        peer->ask(fmt::format("{} {} {} {} {} {} {} {} {}", o.form, functions, o.points, n_sensors,
                              width, depth, products, to_string(precision), o.threads));
    if (!answer || !answer->starts_with("ready")) peer.reset();
  }
  std::vector<double> mine, theirs;
  for (int repeat = 0; repeat < o.repeats; ++repeat) {
    mine.push_back(ours.ms());
    if (!peer) continue;
    const auto answer = peer->ask("step 1");
    if (!answer) break;
    theirs.push_back(std::stod(*answer));
  }
  std::string text;
  if (!theirs.empty()) {
    text =
        fmt::format(" torch_ms={:.1f} ratio={:.1f}", median(theirs), median(theirs) / median(mine));
    if (const auto answer = peer->ask("memory")) {
      const double mb = std::stod(*answer);
      text += fmt::format(" torch_mb={:.0f} memory_share={:.3f}", mb, memory / mb);
    }
  }
  fmt::print(
      "form={} functions={} points={} dtype={} threads={} cauchy_ms={:.1f} cauchy_mb={:.0f}{}\n",
      o.form, functions, o.points, to_string(precision), o.threads, median(mine), memory, text);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings o;
  if (bench::take_smallest(argc, argv)) o = {.functions = 10, .points = 20, .repeats = 1};
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--functions") && i + 1 < argc) {
      o.functions = std::atoi(argv[++i]);
    } else if (is("--points") && i + 1 < argc) {
      o.points = std::atoi(argv[++i]);
    } else if (is("--peer-functions") && i + 1 < argc) {
      o.peer_functions = std::atoi(argv[++i]);
    } else if (is("--threads") && i + 1 < argc) {
      o.threads = std::atoi(argv[++i]);
    } else if (is("--repeats") && i + 1 < argc) {
      o.repeats = std::atoi(argv[++i]);
    } else if (is("--form") && i + 1 < argc) {
      o.form = argv[++i];
    } else if (is("--no-peer")) {
      o.peer = false;
    } else {
      fmt::print(
          stderr,
          "unknown option '{}'; options are --functions, --points, --peer-functions, --form, "
          "--threads, --repeats, --no-peer, --smallest\n",
          argv[i]);
      return 2;
    }
  }
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const bool reduced = o.peer && o.peer_functions > 0 && o.peer_functions < o.functions;
    if (reduced) run(o, o.peer_functions, precision, true);
    run(o, o.functions, precision, o.peer && !reduced);
  }
  return 0;
}
