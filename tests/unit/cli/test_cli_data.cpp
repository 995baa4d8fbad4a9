#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cauchy/data/data_set.hpp>
#include <cauchy/io/files.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_data {
namespace {

using json = nlohmann::json;
using testing_cli::Folder;
using testing_cli::Result;
using testing_cli::run;

constexpr const char* integral = R"toml(
name = "integral"
title = "From a function to its integral"
fields = ["u"]

[domain]
space = { x = [0, 1] }

[[equation]]
form = "u_x = a"

[[condition]]
where = "left"
form = "u = 0"

[operator]
inputs = { a = { field = "polynomial(n = 3)" } }
grid = 9
samples = 4
validation = 1
test = 1
)toml";

TEST(DataCommand, WritesADataSetAndSaysWhatItIs) {
  const Folder folder;
  const std::string file = folder / "integral.toml", out = folder / "out.h5";
  const std::string picture = folder / "samples.svg";
  write_file_atomically(file, integral);
  const Result r = run({"data", file, "--out", out, "--picture", picture, "--quiet"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out.substr(0, r.out.find('\n')), "From a function to its integral");
  EXPECT_NE(r.out.find("  6 samples on 9 on [0, 1] in "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("4 for training, 1 for validation, 1 for the test"), std::string::npos);
  EXPECT_NE(r.out.find("error of the data "), std::string::npos);
  const DataSet data = read_data_set(out);
  EXPECT_EQ(data.size(), 6U);
  EXPECT_EQ(data.name, "integral");
  EXPECT_NE(data.notes.at("problem").find("[operator.inputs.a]"), std::string::npos);
  EXPECT_TRUE(read_file(picture).starts_with("<?xml") || read_file(picture).starts_with("<svg"));
  EXPECT_FALSE(std::filesystem::exists(out + ".part"));

  // A file that is there stays, unless it may be replaced.
  EXPECT_EQ(run({"data", file, "--out", out, "--quiet"}).code, 2);
  const Result other = run({"data", file, "--out", out, "--force", "--quiet", "--json", "--samples",
                            "2", "--validation", "0", "--test", "0", "--grid", "17", "--seed",
                            "18446744073709551615", "--threads", "2"});
  ASSERT_EQ(other.code, 0) << other.err;
  const json summary = json::parse(other.out);
  EXPECT_EQ(summary.at("samples"), 2);
  EXPECT_EQ(summary.at("grid"), std::vector<int>{17});
  EXPECT_EQ(summary.at("notes").at("seed"), "18446744073709551615");
  EXPECT_EQ(read_data_set(out).size(), 2U);
}

TEST(DataCommand, GoesOnWithARunThatWasStopped) {
  const Folder folder;
  const std::string file = folder / "integral.toml", out = folder / "out.h5";
  write_file_atomically(file, integral);
  ASSERT_EQ(run({"data", file, "--out", folder / "whole.h5", "--quiet"}).code, 0);
  // No time at all: the run stops before its end.
  const Result stopped =
      run({"data", file, "--out", out, "--quiet", "--max-seconds", "1e-9", "--threads", "1"});
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("of 6 samples done"), std::string::npos) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  const bool kept = std::filesystem::exists(out + ".part");
  if (kept) {
    const Result again = run({"data", file, "--out", out, "--quiet"});
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.err.find("go on with --resume, or begin anew with --force"), std::string::npos);
    ASSERT_EQ(run({"data", file, "--out", out, "--quiet", "--resume"}).code, 0);
    EXPECT_EQ(read_file(out), read_file(folder / "whole.h5"));
  }
  const Result nothing = run({"data", file, "--out", folder / "new.h5", "--resume", "--quiet"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("there is nothing to resume; leave out --resume"), std::string::npos);
}

TEST(DataCommand, SaysWhatIsWrongInOneSentence) {
  const Folder folder;
  const std::string file = folder / "integral.toml";
  write_file_atomically(file, integral);
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"data", file});
    const Result r = run(words);
    EXPECT_EQ(r.code, 2);
    return r.err;
  };
  EXPECT_EQ(error({"--samples", "0"}),
            "cauchy: --samples: '0' is no whole number from 1 to 100000000; write --samples 1\n");
  EXPECT_EQ(error({"--grid", "3"}),
            "cauchy: --grid: '3' is no grid; write numbers of nodes from 4 to 65536: 256 or "
            "256x128\n");
  EXPECT_EQ(error({"--out", "d.csv"}),
            "cauchy: --out d.csv: a data set is an HDF5 file; name it .h5\n");
  EXPECT_EQ(
      error({"--set", "operator.inputs.b.field=grf", "--out", folder / "d.h5"}),
      "cauchy: --set operator.inputs.b.field=grf: nothing in the equations and conditions uses "
      "'b'; write b(x) where it stands\n");
  const Result unknown = run({"data", "darci"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("neither a file nor an operator problem"), std::string::npos);
  const Result solve = run({"solve", file});
  EXPECT_EQ(solve.code, 2);
  EXPECT_NE(solve.err.find("a problem with [operator] has no single answer; use cauchy data"),
            std::string::npos)
      << solve.err;
}

}  // namespace
}  // namespace cauchy::test_cli_data
