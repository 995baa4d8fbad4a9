#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>

#include "support/io_support.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_problem_observations {
namespace {

/// Heat in a bar with observations from a file.
std::string problem_with(const std::string& observation) {
  return R"toml(
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
[unknown]
k = { initial = 0.2, lower = 0 }
[[equation]]
form = "u_t = k*u_xx"
[[condition]]
where = "boundary"
form = "u = 0"
[method]
network = { width = 4, depth = 1 }
points = { interior = 20, boundary = 10 }
stages = [{ optimizer = "adam", steps = 5 }]
[[observation]]
)toml" + observation;
}

const std::vector<double> times{0.25, 0.5, 1}, places{0.1, 0.5, 0.75}, measured{0.3, -1, 2.5};

std::map<std::string, Array> good_columns() {
  return {{"t", Array::list(times)}, {"x", Array::list(places)}, {"m", Array::list(measured)}};
}

void expect_rows(const Problem& p) {
  ASSERT_EQ(p.observation.size(), 1u);
  const Observation& o = p.observation[0];
  EXPECT_EQ(o.column, "m");
  EXPECT_EQ(o.table.column("t"), times);
  EXPECT_EQ(o.table.column("x"), places);
  EXPECT_EQ(o.table.column("m"), measured);
}

ProblemFile parse_in(const TemporaryFolder& folder, const std::string& observation) {
  return parse_problem_file(problem_with(observation), "p", folder.path());
}

TEST(Observations, AreReadFromNpyWithNamesForItsColumns) {
  const TemporaryFolder folder;
  write_npy(folder / "m.npy", {{3, 3}, {0.25, 0.1, 0.3, 0.5, 0.5, -1, 1, 0.75, 2.5}});
  const ProblemFile file =
      parse_in(folder, "file = \"m.npy\"\ncolumns = [\"t\", \"x\", \"m\"]\ncolumn = \"m\"");
  expect_rows(file.problem);
  expect_rows(parse_problem_file(to_toml(file), "again", folder.path()).problem);
}

TEST(Observations, HaveNoiseByANumberOrByAColumn) {
  const TemporaryFolder folder;
  std::map<std::string, Array> columns = good_columns();
  columns["s"] = Array::list({0.1, 0.2, 0.4});
  write_npz(folder / "m.npz", columns, Compression::deflate);
  const std::string start = "file = \"m.npz\"\ncolumn = \"m\"\n";
  const ProblemFile by_number = parse_in(folder, start + "sigma = 0.05");
  const ProblemFile by_column = parse_in(folder, start + "sigma = \"s\"");
  for (const ProblemFile& f :
       {by_number, parse_problem_file(to_toml(by_number), "again", folder.path())}) {
    EXPECT_EQ(f.problem.observation.at(0).sigma, 0.05);
    EXPECT_EQ(f.problem.observation.at(0).sigma_column, "");
  }
  for (const ProblemFile& f :
       {by_column, parse_problem_file(to_toml(by_column), "again", folder.path())}) {
    EXPECT_FALSE(f.problem.observation.at(0).sigma.has_value());
    EXPECT_EQ(f.problem.observation.at(0).sigma_column, "s");
  }
}

TEST(Observations, RefuseNoiseThatIsNone) {
  const TemporaryFolder folder;
  std::map<std::string, Array> columns = good_columns();
  columns["s"] = Array::list({0.1, 0, 0.4});
  write_npz(folder / "m.npz", columns, Compression::deflate);
  const std::string start = "file = \"m.npz\"\ncolumn = \"m\"\n";
  const auto message = [&](const std::string& sigma) {
    return message_of([&] { (void)parse_in(folder, start + sigma); });
  };
  EXPECT_EQ(message("sigma = 0"),
            "p:20:9: 'sigma' must be positive, got 0; leave it out where the noise is not known");
  EXPECT_EQ(message("sigma = -1e-3"),
            "p:20:9: 'sigma' must be positive, got -0.001; leave it out where the noise is not "
            "known");
  EXPECT_EQ(message("sigma = \"q\""),
            "p:20:9: there is no column 'q' in the file; columns are: m, s, t, x");
  EXPECT_EQ(message("sigma = \"s\""),
            "p:17:1: row 2: 's' is 0; the noise of a value is positive; leave sigma out where it "
            "is not known");
  EXPECT_EQ(message("noise = 1"),
            "p:20:1: unknown key 'noise' in [[observation]]; here it is called 'sigma'");
}

TEST(Observations, AreReadFromNpz) {
  const TemporaryFolder folder;
  write_npz(folder / "m.npz", good_columns(), Compression::deflate);
  const ProblemFile file = parse_in(folder, "file = \"m.npz\"\ncolumn = \"m\"");
  expect_rows(file.problem);
  expect_rows(parse_problem_file(to_toml(file), "again", folder.path()).problem);
}

TEST(Observations, AreReadFromHdf5AndFromOneOfItsGroups) {
  const TemporaryFolder folder;
  Hdf5Data data{good_columns(), {}};
  for (const auto& [name, array] : good_columns()) data.arrays["run/first/" + name] = array;
  data.arrays["run/first/m"].values[0] = 7;
  write_hdf5(folder / "m.h5", data);
  expect_rows(parse_in(folder, "file = \"m.h5\"\ncolumn = \"m\"").problem);
  const ProblemFile group = parse_in(folder, "file = \"m.h5:/run/first\"\ncolumn = \"m\"");
  EXPECT_EQ(group.problem.observation[0].table.column("m"), (std::vector<double>{7, -1, 2.5}));
  const ProblemFile again = parse_problem_file(to_toml(group), "again", folder.path());
  EXPECT_EQ(again.problem.observation[0].table.column("m"), (std::vector<double>{7, -1, 2.5}));
}

TEST(Observations, OfABinaryFileAreTheTermOfTheLoss) {
  const TemporaryFolder folder;
  write_hdf5(folder / "m.h5", {good_columns(), {}});
  const ProblemFile file =
      parse_in(folder, "file = \"m.h5\"\nof = \"u\"\ncolumn = \"m\"\nname = \"sensors\"");
  const Solution s = solve(file.problem, file.method, {.threads = 1});
  EXPECT_EQ(s.training->steps, 5u);
  const Points& points = s.training->points.at("sensors");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points.values, (std::vector<double>{0.25, 0.1, 0.5, 0.5, 1, 0.75}));
  // The largest measured value is the size of u, and the term is the mean of squares in that unit.
  EXPECT_EQ(s.training->scales.at("u"), 2.5);
  const std::vector<double> u = s("u", points.values);
  double mean = 0;
  for (std::size_t i = 0; i < 3; ++i) mean += std::pow((u[i] - measured[i]) / 2.5, 2) / 3;
  const auto term =
      std::find(s.training->term_names.begin(), s.training->term_names.end(), "sensors");
  ASSERT_NE(term, s.training->term_names.end());
  const double seen = s.training->history.back()
                          .terms[static_cast<std::size_t>(term - s.training->term_names.begin())];
  EXPECT_LT(std::abs(seen - mean), 1e-12 * mean);
}

TEST(Observations, SayWhatIsWrongWithABinaryFile) {
  const TemporaryFolder folder;
  write_npy(folder / "cube.npy", {{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}});
  write_npy(folder / "two.npy", {{2, 2}, {0.1, 0.2, 0.3, 0.4}});
  auto columns = good_columns();
  columns["m"] = Array::list({1, 2});
  write_npz(folder / "short.npz", columns);
  columns["m"] = {{3, 2}, {1, 2, 3, 4, 5, 6}};
  write_npz(folder / "wide.npz", columns);
  columns.erase("m");
  write_npz(folder / "less.npz", columns);
  write_hdf5(folder / "less.h5", {columns, {}});
  columns["m"] = Array::list({1, NAN, 2});
  write_npz(folder / "nan.npz", columns);
  write_file_atomically(folder / "text.h5", "no HDF5");
  const auto message = [&](const std::string& observation) {
    return error_of([&] { (void)parse_in(folder, observation); }, folder.path());
  };
  const std::string names = "\ncolumns = [\"t\", \"x\", \"m\"]\ncolumn = \"m\"";
  EXPECT_EQ(message("file = \"two.npy\"\ncolumn = \"m\""),
            "p:18:8: two.npy: the file has no column names; give the names of the columns");
  EXPECT_EQ(message("file = \"two.npy\"" + names),
            "p:18:8: two.npy: the array has 2 columns, but 3 names were given");
  EXPECT_EQ(message("file = \"cube.npy\"" + names),
            "p:18:8: cube.npy: a table needs an array of one or two axes, got shape (2, 2, 2)");
  EXPECT_EQ(message("file = \"short.npz\"\ncolumn = \"m\""),
            "p:18:8: short.npz: column 't' has 3 rows, but 'm' has 2");
  EXPECT_EQ(
      message("file = \"wide.npz\"\ncolumn = \"m\""),
      "p:18:8: wide.npz: array 'm' is no column: it has shape (3, 2); columns are arrays of one "
      "axis");
  EXPECT_EQ(message("file = \"less.npz\"\ncolumn = \"m\""),
            "p:19:10: there is no column 'm' in the file; columns are: t, x");
  EXPECT_EQ(message("file = \"less.h5\"\nof = \"u\""),
            "p:19:6: there is no column 'u' in the file; columns are: t, x");
  EXPECT_EQ(message("file = \"nan.npz\"\ncolumn = \"m\""),
            "p:18:8: nan.npz: row 2 of column 'm' is nan, not a finite number; remove the row, or "
            "fill the value in");
  EXPECT_EQ(message("file = \"less.h5:/run\"\ncolumn = \"m\""),
            "p:18:8: less.h5: there is no group '/run'; there are no groups");
  EXPECT_EQ(message("file = \"text.h5\"\ncolumn = \"m\""),
            "p:18:8: text.h5: not a readable HDF5 file");
}

}  // namespace
}  // namespace cauchy::test_problem_observations
