#include <cauchy/data/make_data.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/option_text.hpp>

#include "data/sample_log.hpp"
#include "data/sample_solver.hpp"
#include "problem/fingerprint.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr std::uint64_t most_probes = 4;  // samples that are solved on a finer grid as well
constexpr int most_refine = 16;
constexpr double most_unknowns = 2.5e6;  // of the finer grid
constexpr double default_data_tolerance = 1e-3;
constexpr double worthless = 0.5;  // relative error of samples that say nothing

/// How the samples are solved, and how well.
struct DataPlan {
  SampleMethod method;
  double error = 0;  // relative L2; of a gridded method by the difference to a finer grid
  std::uint64_t probes = 0;
  std::string description = {};  // of the first sample's method: "fdm, 126 x 126 cells, order 2"
};

double tolerance_of(const OperatorProblem& op, const Method& method) {
  double tolerance = 0;
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.tolerance; }) tolerance = m.tolerance;
      },
      method);
  if (tolerance > 0) return tolerance;
  return op.problem.tolerance ? *op.problem.tolerance / 10 : default_data_tolerance;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

/// A sample that has been begun ends with the run.
class LimitWish final : public Progress {
 public:
  explicit LimitWish(const RunLimit& limit) : limit_(limit) {}
  void update(const ProgressState&) override {}
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return limit_.reached(); }

 private:
  const RunLimit& limit_;
};

class DataMaker final {
 public:
  DataMaker(const OperatorProblem& op, IndexRange numbers, const RunOptions& options)
      : op_(op),
        numbers_(numbers),
        options_(options),
        grid_(grid_of(op)),
        threads_(options.threads),
        limit_(begin_limit(options)) {
    data_.name = op.problem.name;
    data_.grid = grid_;
    for (const InputFunction& input : op.inputs) data_.inputs.push_back(input.name);
    data_.outputs = output_channels(op);
    if (op.source) {
      data_.inputs = op.source->inputs();
      data_.times = op.source->times();
    } else if (op.problem.domain->time() != nullptr) {
      data_.times = op.times;
      if (op.times.empty()) data_.times = {op.problem.domain->time()->upper};
    }
    const double size = static_cast<double>(numbers_.size()) *
                        static_cast<double>(data_.in_size() + data_.out_size());
    require_memory(8 * size, "the data set", "take fewer samples or a coarser grid");
  }

  [[nodiscard]] DataSet make() {
    const std::size_t n = numbers_.size();
    // Memory is taken as samples come: gigabytes of zeros would be late for any limit.
    data_.in.reserve(n * data_.in_size());
    data_.out.reserve(n * data_.out_size());
    errors_.assign(n, 0);
    std::vector<char> done(n, 0);
    DataPlan plan;
    std::optional<SampleLog> log;
    if (options_.checkpoint.empty()) {
      plan = make_plan();
    } else {
      const std::optional<Checkpoint> before = SampleLog::head_of(options_.checkpoint);
      const std::string who = identity();
      if (before && before->text("problem") != who) {
        throw Error("the parts that are done belong to another problem or other settings",
                    options_.checkpoint.string(), "remove the file to begin anew");
      }
      plan = before ? plan_of(*before) : make_plan();
      log.emplace(options_.checkpoint, head_of(plan, who), record_size());
      log->read([&](std::uint64_t number, std::span<const double> record) {
        if (number < numbers_.begin || number >= numbers_.end) return;
        put(number - numbers_.begin, record);
        done[number - numbers_.begin] = 1;
      });
    }
    std::vector<std::uint64_t> open;
    for (std::size_t i = 0; i < n; ++i) {
      if (done[i] == 0) open.push_back(numbers_.begin + i);
    }
    solve_all(plan, open, log ? &*log : nullptr);
    add_notes(plan);
    check(data_);
    return std::move(data_);
  }

 private:
  [[nodiscard]] bool stopped() const { return limit_.reached(); }
  [[noreturn]] void interrupt(std::size_t done) const {
    throw Error(ErrorKind::interrupted,
                fmt::format("stopped with {} of {} samples done", done, numbers_.size()),
                "[data.make_data]",
                options_.checkpoint.empty() ? "" : "those are kept, and the rest can be resumed");
  }

  /// A record is the inputs, the outputs and the error of a sample.
  [[nodiscard]] std::size_t record_size() const { return data_.in_size() + data_.out_size() + 1; }
  void put(std::size_t i, std::span<const double> record) {
    const std::size_t in = data_.in_size(), out = data_.out_size();
    if (data_.in.size() < (i + 1) * in) data_.in.resize((i + 1) * in);
    if (data_.out.size() < (i + 1) * out) data_.out.resize((i + 1) * out);
    std::copy_n(record.begin(), in, data_.in.begin() + static_cast<std::ptrdiff_t>(i * in));
    std::copy_n(record.begin() + static_cast<std::ptrdiff_t>(in), out,
                data_.out.begin() + static_cast<std::ptrdiff_t>(i * out));
    errors_[i] = record[in + out];
  }

  void report(std::uint64_t step, std::uint64_t total, std::string_view stage) const {
    limit_.show({.step = step, .total = total, .stage = stage});
  }

  // --- the plan ---

  [[nodiscard]] SampleMethod first_method() const {
    return op_.source ? SampleMethod{op_.method} : sample_method(op_);
  }

  /// Answers of the first samples.
  [[nodiscard]] std::vector<SampleAnswer> answers(const SampleMethod& method, std::uint64_t n) {
    const SampleSolver solver(op_, method);
    std::vector<SampleAnswer> all(n);
    threads_.run(n, [&](std::size_t i, int) { all[i] = solver.solve(i, &wish_); });
    if (stopped()) interrupt(0);
    return all;
  }

  [[nodiscard]] DataPlan make_plan() {
    DataPlan plan{first_method()};
    if (op_.source) {
      plan.description = op_.source->describe();
      return plan;
    }
    plan.probes = std::clamp<std::uint64_t>(op_.total() / 32, 1, most_probes);
    report(0, 0, "error of the data");
    std::vector<SampleAnswer> now = answers(plan.method, plan.probes);
    plan.description = now[0].method;
    if (!plan.method.gridded) return plan;  // every answer knows its error
    const double tolerance = tolerance_of(op_, plan.method.method);
    for (;;) {
      SampleMethod finer = plan.method;
      finer.refine *= 2;
      report(0, 0, "error of the data");
      std::vector<SampleAnswer> next = answers(finer, plan.probes);
      plan.error = 0;
      for (std::size_t i = 0; i < now.size(); ++i) {
        const double error = relative_difference(now[i].out, next[i].out) + now[i].known_error;
        plan.error += error / static_cast<double>(now.size());
      }
      const double unknowns = static_cast<double>(refined(grid_, 2 * finer.refine).n_points());
      if (op_.refine > 0 || plan.error <= tolerance || finer.refine > most_refine ||
          unknowns > most_unknowns) {
        require_worth(plan);
        return plan;
      }
      plan.method = finer;
      plan.description = next[0].method;
      now = std::move(next);
    }
  }

  static void require_worth(const DataPlan& plan) {
    if (plan.error < worthless) return;
    throw Error(fmt::format("the samples are no solutions: by {} they are {:.0f} % away from those "
                            "on a grid twice as fine",
                            plan.description, 100 * plan.error),
                "[operator]",
                "give a finer grid or refine, or see with `cauchy check` what the problem lacks");
  }

  /// All that decides on a sample, as text.
  [[nodiscard]] std::string identity() const {
    if (op_.source) {
      return fmt::format("{}\nseed {}", op_.source->identity(), op_.seed);
    }
    Problem problem = op_.problem;
    std::erase_if(problem.functions, [&](const TabulatedFunction& f) {
      return std::any_of(op_.inputs.begin(), op_.inputs.end(),
                         [&](const InputFunction& input) { return input.name == f.name; });
    });
    std::string text = fingerprint(problem) + "\n" + option_text("method", op_.method);
    for (const InputFunction& input : op_.inputs) {
      text += fmt::format("\ninput {}({}): {}, {}", input.name, fmt::join(input.arguments, ", "),
                          input.field, to_string(input.map));
      if (input.mean > 0) text += fmt::format(", mean {}", input.mean);
    }
    text += fmt::format("\noutputs {}\ngrid {}\nrefine {}\nseed {}", fmt::join(data_.outputs, ", "),
                        to_string(grid_), op_.refine, op_.seed);
    return text;
  }

  [[nodiscard]] static Checkpoint head_of(const DataPlan& plan, const std::string& who) {
    Checkpoint head;
    head.texts["problem"] = who;
    head.texts["method"] = plan.description;
    head.numbers["refine"] = static_cast<std::uint64_t>(plan.method.refine);
    head.numbers["probes"] = plan.probes;
    head.arrays["error"] = Array::list({plan.error});
    return head;
  }
  [[nodiscard]] DataPlan plan_of(const Checkpoint& head) const {
    DataPlan plan{first_method()};
    plan.method.refine = static_cast<int>(std::min<std::uint64_t>(head.number("refine"), 1024));
    plan.probes = head.number("probes");
    plan.description = head.text("method");
    const Array& error = head.array("error");
    if (error.values.size() == 1) plan.error = error.values[0];
    return plan;
  }

  // --- the samples ---

  /// The record of a sample; empty: it was stopped.
  using Maker = std::function<std::vector<double>(std::uint64_t number)>;

  [[nodiscard]] Maker by_source() const {
    return [this](std::uint64_t number) -> std::vector<double> {
      SampleSource::Sample sample;
      try {
        const LimitScope scope(limit_);
        sample = op_.source->make(op_.seed, number, &wish_);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::interrupted) throw;
        return {};
      }
      if (sample.interrupted) return {};
      std::vector<double> record = std::move(sample.in);
      record.insert(record.end(), sample.out.begin(), sample.out.end());
      record.push_back(sample.error);
      if (record.size() != record_size()) {
        throw Error("its channels do not fit the grid", fmt::format("sample {}", number));
      }
      return record;
    };
  }
  [[nodiscard]] Maker by_method(const SampleMethod& method) const {
    const auto solver = std::make_shared<const SampleSolver>(op_, method);
    const auto own = method.refine > 1 ? std::make_shared<const InputSampler>(op_, grid_) : nullptr;
    return [this, solver, own](std::uint64_t number) -> std::vector<double> {
      const InputSampler& inputs = own ? *own : solver->inputs();
      std::vector<double> record;
      record.reserve(record_size());
      for (std::size_t input = 0; input < inputs.size(); ++input) {
        const std::vector<double> values = inputs.on_grid(input, number);
        record.insert(record.end(), values.begin(), values.end());
      }
      const SampleAnswer answer = solver->solve(number, &wish_);
      if (answer.interrupted) return {};
      record.insert(record.end(), answer.out.begin(), answer.out.end());
      record.push_back(answer.error);
      return record;
    };
  }

  void solve_all(DataPlan& plan, const std::vector<std::uint64_t>& open, SampleLog* log) {
    const Maker make = op_.source ? by_source() : by_method(plan.method);
    const std::size_t n = numbers_.size();
    std::size_t done = n - open.size();
    std::mutex mutex;
    report(done, n, "samples");
    threads_.run(open.size(), [&](std::size_t k, int) {
      if (stopped()) return;
      const std::uint64_t i = open[k];
      const std::vector<double> record = make(i);
      if (record.empty()) return;
      const std::lock_guard lock(mutex);
      put(i - numbers_.begin, record);
      if (log != nullptr) log->append(i, record);
      ++done;
      report(done, n, "samples");
    });
    if (done < n) interrupt(done);
    if (options_.progress != nullptr) {
      options_.progress->finish(
          {.step = done, .total = n, .elapsed_s = limit_.seconds(), .stage = "samples"});
    }
    if (plan.method.gridded) return;
    for (const double e : errors_) plan.error = std::isnan(e) ? e : std::max(plan.error, e);
  }

  void add_notes(const DataPlan& plan) {
    data_.notes["seed"] = fmt::format("{}", op_.seed);
    data_.notes["samples"] = fmt::format("{}", op_.samples);
    data_.notes["validation"] = fmt::format("{}", op_.validation);
    data_.notes["test"] = fmt::format("{}", op_.test);
    data_.notes["method"] = plan.description;
    if (op_.source) data_.notes["simulator"] = std::string(op_.source->kind());
    if (!op_.source) data_.notes["refine"] = fmt::format("{}", plan.method.refine);
    for (const InputFunction& input : op_.inputs) {
      data_.notes["input " + input.name] =
          fmt::format("{}, map {}", input.field, to_string(input.map));
      if (input.mean > 0) {
        data_.notes["input " + input.name] += fmt::format(", mean over {}", input.mean);
      }
    }
    if (std::isfinite(plan.error)) data_.notes["error"] = fmt::format("{:.1e}", plan.error);
    data_.notes["error by"] =
        op_.source ? "simulators give none"
        : plan.method.gridded
            ? fmt::format(
                  "{} sample{} on a grid twice as fine: mean relative L2 difference, and "
                  "what is known of the steps of time",
                  plan.probes, plan.probes == 1 ? "" : "s")
            : "the largest estimate of the method itself";
  }

  const OperatorProblem& op_;
  IndexRange numbers_;  // of the samples that are made
  const RunOptions& options_;
  FieldGrid grid_;
  Threads threads_;
  RunLimit limit_;
  mutable LimitWish wish_{limit_};
  DataSet data_;
  std::vector<double> errors_;  // of the samples, as far as their method knows
};

}  // namespace
}  // namespace detail

Problem sample_problem(const OperatorProblem& op, std::uint64_t number, int refine) {
  return detail::InputSampler(op, detail::refined(grid_of(op), refine))
      .problem_of(op.problem, number);
}

DataSet make_data(const OperatorProblem& op, const RunOptions& options) {
  return make_data(op, {0, op.total()}, options);
}

DataSet make_data(const OperatorProblem& op, IndexRange numbers, const RunOptions& options) {
  check(op);
  return detail::DataMaker(op, numbers, options).make();
}

}  // namespace cauchy
