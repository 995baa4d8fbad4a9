#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/clock.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "files/run_inputs.hpp"
#include "support/cli_support.hpp"
#include "support/ctrl_c.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_cli_train {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

/// Heat on a ring: a linear map that one Fourier layer holds exactly.
const char* ring = R"toml(
name = "ring"
title = "Heat on a ring"
fields = ["u"]
tolerance = 0.05

[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }

[[equation]]
form = "u_t = 0.01*u_xx"

[[condition]]
where = "t = 0"
form = "u = a"

[[condition]]
periodic = "x"

[operator]
inputs = { a = { field = "grf(alpha = 3, tau = 5)" } }
grid = 32
samples = 10
validation = 2
test = 4

[train]
loss = "mean_square"
precision = "f64"
[train.network]
kind = "fno"
width = 4
depth = 1
modes = [8]
projection = 0
coordinates = false
[[train.stage]]
optimizer = "lbfgs"
steps = 60
)toml";

std::vector<std::string> train(const std::string& file, const std::string& out,
                               std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"train", file, "--out", out, "--threads", "1", "--quiet"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(TrainCommand, MakesDataLearnsAndGrades) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  const Result r = run(train(file, out));
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("Heat on a ring: converged\n"), std::string::npos) << r.out;
  for (const char* name :
       {"problem.toml", "model.bin", "data.h5", "log.csv", "result.json", "report.html"}) {
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  }
  EXPECT_FALSE(fs::exists(fs::path(out) / "data.part"));
  EXPECT_EQ(read_data_set(fs::path(out) / "data.h5").size(), 16u);
  const json result = json::parse(content(fs::path(out) / "result.json"));
  EXPECT_EQ(result.at("grade"), "converged");
  EXPECT_EQ(result.at("test").at("samples"), 4);
  EXPECT_LT(result.at("error").at("relative_l2").get<double>(), 0.05);
  EXPECT_EQ(result.at("epochs").at("loss").size(), result.at("epochs").at("validation").size());
  const Table log = read_csv(fs::path(out) / "log.csv", {.allow_nonfinite = true});
  EXPECT_EQ(log.columns,
            (std::vector<std::string>{"step", "stage", "seconds", "loss", "error", "data"}));
  EXPECT_NE(content(fs::path(out) / "report.html").find("Samples from the best"),
            std::string::npos);
  // The learnt operator comes back with the same bits.
  const LoadedOperator loaded = load_operator_run(out);
  const DataSet test = read_data_set(fs::path(out) / "data.h5").part(12, 4);
  EXPECT_EQ(measure(*loaded.model, test, 1).mean_l2(),
            result.at("error").at("relative_l2").get<double>());
  // A run that is older than a key was trained without what it says.
  EXPECT_TRUE(std::get<Fno>(std::get<FieldOperator>(loaded.file.method).network).trapezoid);
  std::string text = content(fs::path(out) / "problem.toml");
  const std::size_t at = text.find("trapezoid = true\n");
  ASSERT_NE(at, std::string::npos) << text;
  text.erase(at, std::string("trapezoid = true\n").size());
  folder.write("run/problem.toml", text);
  Checkpoint model = load_checkpoint(fs::path(out) / "model.bin");
  for (auto& [name, sum] : model.texts) {
    if (name.ends_with("problem.toml")) sum = detail::checksum(text);
  }
  save_checkpoint(fs::path(out) / "model.bin", model);
  const LoadedOperator older = load_operator_run(out);
  EXPECT_FALSE(std::get<Fno>(std::get<FieldOperator>(older.file.method).network).trapezoid);
  // Runs of operators are runs.
  EXPECT_EQ(run({"compare", out}).code, 0);
}

/// The antiderivative by a linear DeepONet.
const char* integral = R"toml(
name = "integral"
fields = ["s"]
tolerance = 0.05

[domain]
space = { x = [0, 1] }

[[equation]]
form = "s_x = a"

[[condition]]
where = "left"
form = "s = 0"
hard = true

[operator]
inputs = { a = { field = "chebyshev(n = 3)" } }
grid = 17
samples = 12
validation = 2
test = 4

[train]
kind = "deeponet"
precision = "f64"
width = 5
branch = { kind = "mlp", width = 8, depth = 1, activation = "identity" }
trunk = { kind = "mlp", width = 8, depth = 1 }
[[train.stage]]
optimizer = "lbfgs"
steps = 120
)toml";

TEST(TrainCommand, LearnsFromTriplesAndAnswersAtPoints) {
  const Folder folder;
  const std::string file = folder.write("integral.toml", integral), out = folder.file("run");
  // Answers at points of every function's own: the first run makes them.
  ASSERT_EQ(run(train(file, folder.file("first"))).code, 0);
  const DataSet made = read_data_set(folder.file("first") + "/data.h5");
  std::string rows = "sample,x,s\n";
  for (std::size_t s = 0; s < 12; ++s) {
    for (std::size_t i = s % 2; i < 17; i += 2) {
      rows += fmt::format("{},{},{}\n", s, made.grid.axes[0].node(static_cast<int>(i)),
                          made.out[s * 17 + i]);
    }
  }
  const std::string triples = folder.write("triples.csv", rows);
  const Result r = run(train(file, out, {"--triples", triples}));
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const DataSet kept = read_data_set(out + "/data.h5");
  EXPECT_EQ(kept.size(), 6u);  // validation and test: the training needs no answers on a grid
  EXPECT_EQ(kept.triples.size(), 6u * 9u + 6u * 8u);
  EXPECT_EQ(run({"evaluate", out, "--quiet", "--threads", "1"}).code, 0);
  // Answers at points: s(0) = 0 is built in, and the derivative is the input.
  const std::string points = folder.write("p.csv", "x\n0\n0.33\n1\n");
  const Result at = run(
      {"predict", out, "--at", points, "--of", "s, slope=s_x", "--sample", "1", "--threads", "1"});
  ASSERT_EQ(at.code, 0) << at.err;
  const Table table = parse_csv(at.out, "out");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"sample", "x", "s", "slope"}));
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.values[0], 1);
  EXPECT_EQ(table.values[2], 0);
  const DataSet sample = kept.part(3, 1);
  EXPECT_NEAR(table.values[11], sample.in[16], 0.15);
  const LoadedOperator loaded = load_operator_run(out);
  EXPECT_NEAR(table.values[10], loaded.model->predict(sample, 1)[16], 1e-12);
  const Result all = run({"predict", out, "--grid", "x=0:1:5", "--threads", "1", "--json"});
  EXPECT_EQ(json::parse(all.out).at("rows").size(), 4u * 5u) << all.err;
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", out});
    const Result failed = run(more);
    EXPECT_EQ(failed.code, 2);
    return failed.err;
  };
  EXPECT_NE(
      error({"--at", points, "--sample", "4"}).find("there is no sample 4, they are numbered"),
      std::string::npos);
  EXPECT_NE(error({"--until", "3"}).find("belong to runs that have learnt dynamics"),
            std::string::npos);
  EXPECT_NE(run(train(file, folder.file("x"), {"--triples", points})).err.find("'sample'"),
            std::string::npos);
}

TEST(CheckCommand, DescribesAnOperatorAndItsSensors) {
  const Folder folder;
  const std::string file = folder.write("integral.toml", integral);
  const Result good = run({"check", file});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NE(good.out.find("input        a: chebyshev(n = 3)"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("method       DeepONet"), std::string::npos) << good.out;
  EXPECT_EQ(good.out.find("warning"), std::string::npos) << good.out;
  const Result few = run({"check", file, "--set", "train.sensors=[3]", "--json"});
  ASSERT_EQ(json::parse(few.out).at("warnings").size(), 1u) << few.out << few.err;
  EXPECT_NE(run({"check", file, "--set", "train.sensor_points=[0,2]"}).err.find("outside of the"),
            std::string::npos);
  EXPECT_EQ(run({"check", file, "--explain"}).code, 2);
}

TEST(EvaluateCommand, MeasuresOnOtherGrids) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  ASSERT_EQ(run(train(file, out)).code, 0);
  const Result r = run({"evaluate", out, "--grids", "32,64", "--threads", "1", "--json"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const json result = json::parse(r.out);
  ASSERT_EQ(result.at("errors").size(), 2u);
  const double own = result.at("errors")[0].at("relative_l2");
  EXPECT_EQ(own, result.at("test_error_of_training").get<double>());
  EXPECT_EQ(result.at("errors")[1].at("grid")[0], 64);
  EXPECT_LT(result.at("errors")[1].at("relative_l2").get<double>(), 1.3 * own + 1e-6);
  EXPECT_TRUE(fs::exists(fs::path(out) / "evaluation.html"));
  EXPECT_TRUE(fs::exists(fs::path(out) / "error_against_resolution.svg"));
  EXPECT_NE(run({"evaluate", out, "--threads", "1", "--quiet"}).out.find("trained on 32"),
            std::string::npos);
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"evaluate", out, "--quiet"});
    const Result failed = run(more);
    EXPECT_EQ(failed.code, 2);
    return failed.err;
  };
  EXPECT_EQ(
      error({"--grid", "8"}),
      "cauchy: [networks.fno]: 8 modes along 'x' are more than the 5 frequencies of 8 points; "
      "take fewer modes or a finer grid\n");
  EXPECT_EQ(error({"--grid", "8x8"}),
            "cauchy: --grid: '8x8' has 2 axes, the problem has 1; give one number for all axes, or "
            "one for each\n");
  EXPECT_EQ(error({"--times", "4"}), "cauchy: --times: the outputs have no times; leave it out\n");
  EXPECT_EQ(error({"--data", "x.h5", "--grid", "64"}),
            "cauchy: --data: a file has a grid of its own; leave out --grid and --times\n");
  const Result none = run({"evaluate", folder.file("nothing")});
  EXPECT_EQ(none.err, "cauchy: " + folder.file("nothing") +
                          ": there is no such folder; name the folder that `cauchy train` has "
                          "printed\n");
}

TEST(TrainCommand, ARunThatIsResumedHasTheSameBits) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), data = folder.file("ring.h5");
  ASSERT_EQ(run({"data", file, "--out", data, "--quiet", "--threads", "1"}).code, 0);
  // Batches in all symmetries of the ring; all samples at once.
  for (const char* chain : {"adam 25, lbfgs 10", "lbfgs 30"}) {
    const std::string whole = folder.file(std::string("whole ") + chain);
    const std::string parts = folder.file(std::string("parts ") + chain);
    const std::vector<std::string> settings = {"--data", data,    "--optimizer",
                                               chain,    "--set", "tolerance=1"};
    ASSERT_EQ(run(train(file, whole, settings)).code, 0);
    // The limit ends the training after its first step.
    std::vector<std::string> limited = settings;
    limited.insert(limited.end(), {"--max-seconds", "1e-6"});
    const Result first = run(train(file, parts, limited));
    EXPECT_NE(first.out.find("go on with: cauchy train " + parts + " --resume"), std::string::npos)
        << first.out << first.err;
    const Result rest = run({"train", parts, "--resume", "--threads", "2", "--quiet"});
    EXPECT_EQ(rest.code, 0) << rest.out << rest.err;
    const Checkpoint a = load_checkpoint(fs::path(whole) / "model.bin");
    const Checkpoint b = load_checkpoint(fs::path(parts) / "model.bin");
    EXPECT_EQ(a.array("theta"), b.array("theta")) << chain;
    const Result again = run({"train", parts, "--resume", "--quiet"});
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.err.find("the run is finished"), std::string::npos) << again.err;
  }
}

TEST(TrainCommand, DataThatWereNotEvenBegunLeaveNothing) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  const Result r = run(train(file, out, {"--max-seconds", "1e-9"}));
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("stopped with 0 of 16 samples done"), std::string::npos) << r.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST(TrainCommand, DataOfAFoundationModelEndWithTheLimitAndAreKept) {
  const Folder folder;
  const std::string out = folder.file("run");
  const Result none =
      run({"train", "morph", "--out", out, "--quiet", "--threads", "1", "--max-seconds", "1e-9"});
  EXPECT_EQ(none.code, 1) << none.out << none.err;
  EXPECT_NE(none.err.find("family 'advection_1d': stopped with 0 of "), std::string::npos)
      << none.err;
  EXPECT_FALSE(fs::exists(out)) << "nothing was begun";
  // The clock goes on at each look alone: the limit comes after some samples.
  Result some;
  {
    const TurnedClock stepped(0, 1e-3);
    some =
        run({"train", "morph", "--out", out, "--quiet", "--threads", "1", "--max-seconds", "10"});
  }
  EXPECT_EQ(some.code, 1) << some.out << some.err;
  const std::string stopped = some.err.substr(0, some.err.find('\n'));
  EXPECT_NE(stopped.find("stopped with "), std::string::npos) << some.err;
  EXPECT_EQ(stopped.find("stopped with 0 of "), std::string::npos) << some.err;
  EXPECT_NE(some.err.find("go on with: cauchy train " + out + " --resume"), std::string::npos)
      << some.err;
  const Result again =
      run({"train", out, "--resume", "--quiet", "--threads", "1", "--max-seconds", "1e-9"});
  EXPECT_EQ(again.err.substr(0, again.err.find('\n')), stopped) << "they are there";
}

TEST(TrainCommand, ARollOutStartsFromTheInitialValue) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  const Result r = run(train(
      file, out, {"--set", "operator.times=[0.25, 0.5, 0.75, 1.0]", "--set", "train.history=1"}));
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const LoadedOperator loaded = load_operator_run(out);
  const DataSet data = read_data_set(fs::path(out) / "data.h5");
  EXPECT_EQ(loaded.model->outputs().size(), 4u);
  EXPECT_TRUE(loaded.model->given(data).empty());  // the input is the first frame
  // No truth is needed.
  DataSet inputs = data;
  inputs.out.clear();
  EXPECT_EQ(loaded.model->predict(inputs, 1), loaded.model->predict(data, 1));
  const Result finer = run({"evaluate", out, "--times", "7", "--quiet"});
  EXPECT_EQ(finer.code, 2);
  EXPECT_NE(finer.err.find("was trained with steps of 0.25"), std::string::npos) << finer.err;
}

TEST(TrainCommand, ATimeAxisIsMeasuredAtMoreTimes) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  const Result r = run(train(
      file, out,
      {"--set", "operator.times={from = 0.2, to = 1, n = 9}", "--set", "train.time_axis=true",
       "--set", "train.network.modes=[3, 8]", "--set", "tolerance=1", "--optimizer", "lbfgs 5"}));
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  // Every number of times on every grid.
  const Result finer = run({"evaluate", out, "--grids", "32,64", "--times", "9,17", "--json"});
  const json errors = json::parse(finer.out).at("errors");
  ASSERT_EQ(errors.size(), 4u) << finer.err;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(errors[i].at("samples"), 4);
    EXPECT_EQ(errors[i].at("grid")[0], i < 2 ? 32 : 64);
    EXPECT_EQ(errors[i].at("times"), i % 2 == 0 ? 9 : 17);
  }
  const std::string picture = read_file(fs::path(out) / "error_against_resolution.svg");
  EXPECT_NE(picture.find("mean L2, 17 times"), std::string::npos);
  const Result wrong = run({"evaluate", out, "--times", "9,x", "--quiet"});
  EXPECT_EQ(wrong.err,
            "cauchy: --times: 'x' is no number of times from 2 to 100000; write --times 20, or "
            "several: 20,40,80\n");
  // Several files are several rows.
  const std::string data = (fs::path(out) / "data.h5").string();
  const Result files = run({"evaluate", out, "--data", data + "," + data, "--json"});
  EXPECT_EQ(json::parse(files.out).at("errors").size(), 2u) << files.err;
}

TEST(TrainCommand, TakesDataOfAFile) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring), out = folder.file("run");
  const std::string data = folder.file("ring.h5");
  ASSERT_EQ(run({"data", file, "--out", data, "--quiet", "--threads", "1"}).code, 0);
  const Result r = run(train(file, out, {"--data", data}));
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(run({"evaluate", out, "--data", data, "--quiet"}).code, 0);
}

TEST(TrainCommand, WhatIsWrongIsSaidInOneSentence) {
  const Folder folder;
  const std::string file = folder.write("ring.toml", ring);
  const auto error = [&](std::vector<std::string> more) {
    const std::string out = folder.file("run");
    const Result r = run(train(file, out, std::move(more)));
    EXPECT_EQ(r.code, 2) << r.out;
    EXPECT_EQ(lines_of(r.err), 1u) << r.err;
    EXPECT_FALSE(fs::exists(out));
    return r.err;
  };
  EXPECT_NE(error({"--set", "train.network.kind=fnoo"}).find("did you mean 'fno'?"),
            std::string::npos);
  EXPECT_NE(error({"--set", "train.network.modes=[40]"}).find("40 modes"), std::string::npos);
  EXPECT_NE(error({"--set", "operator.samples=0"}).find("must be at least 1"), std::string::npos);
  EXPECT_NE(error({"--set", "train.epochs=5"}).find("'epochs' has no meaning"), std::string::npos);
  EXPECT_NE(error({"--data", folder.file("none.h5")}).find("none.h5"), std::string::npos);
  DataSet other;
  other.name = "other";
  other.grid = {.axes = {{"x", 32, 0, 1, true}}};
  other.inputs = {"b"};
  other.outputs = {"u"};
  other.in.assign(32 * 4, 1.0);
  other.out = other.in;
  write_data_set(folder.file("other.h5"), other);
  EXPECT_NE(
      error({"--data", folder.file("other.h5")})
          .find("the data are not of this problem: they have no input 'a'; their inputs are: b"),
      std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_cli_train
