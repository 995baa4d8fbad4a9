// The main of programs that are written with Google Benchmark: theirs, with --smallest.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench_options.hpp"

int main(int argc, char** argv) {
  std::vector<char*> arguments{argv[0]};
  char shortest[] = "--benchmark_min_time=1e-6";
  if (cauchy::bench::take_smallest(argc, argv)) arguments.push_back(shortest);
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
