#include <cauchy/data/data_set.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npz.hpp>

#include "support/io_support.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_data_set {
namespace {

/// Numbers that tell where they stand: sample, channel, node.
DataSet numbered(std::size_t samples, std::vector<int> n, bool periodic) {
  DataSet d;
  d.name = "numbered";
  for (std::size_t k = 0; k < n.size(); ++k) {
    d.grid.axes.push_back({std::string(1, "xyz"[k]), n[k], -1, 2, periodic});
  }
  d.inputs = {"a", "f"};
  d.outputs = {"u(t=0.5)", "u(t=1)", "u(t=2)"};
  d.times = {0.5, 1, 2};
  for (std::size_t i = 0; i < samples * d.in_size(); ++i) d.in.push_back(static_cast<double>(i));
  for (std::size_t i = 0; i < samples * d.out_size(); ++i) {
    d.out.push_back(-1e-3 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < samples * d.grid.n_points(); ++i) {
    d.more["slope"].push_back(std::sqrt(static_cast<double>(i)));
  }
  d.notes = {{"made by", "a test\nof two lines"}, {"error", "1e-3"}};
  return d;
}

void expect_same(const DataSet& a, const DataSet& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.in, b.in);
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(a.more, b.more);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.triples.coordinates, b.triples.coordinates);
  EXPECT_EQ(a.triples.fields, b.triples.fields);
  EXPECT_EQ(a.triples.sample, b.triples.sample);
  EXPECT_EQ(a.triples.points, b.triples.points);
}

TEST(DataSet, TriplesComeFromATableAndGoThroughAFile) {
  const auto table = [](const char* text) {
    return parse_csv(text, "t.csv", {.allow_nonfinite = true});
  };
  const auto read = [&](const char* text) {
    Table t = table(text);
    t.source = "t.csv";
    return triples_of(t, {"t", "x"}, {"u", "v"});
  };
  const auto refused = [&](const char* text) { return message_of([&] { (void)read(text); }); };
  const Triples t = read("x,sample,t,v,u\n0.5,2,1,7,3\n0.25,0,2,nan,4\n");
  EXPECT_EQ(t.sample, (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(t.points, (std::vector<double>{1, 0.5, 2, 0.25}));
  EXPECT_EQ(t.values[0], 3);
  EXPECT_EQ(t.values[1], 7);
  EXPECT_TRUE(std::isnan(t.values[3]));
  const TemporaryFolder folder;
  DataSet d = numbered(3, {4}, false);
  d.triples = t;
  write_data_set(folder / "d.h5", d);
  const DataSet back = read_data_set(folder / "d.h5");
  expect_same(back, d);
  EXPECT_EQ(back.triples.values[0], 3);
  EXPECT_TRUE(std::isnan(back.triples.values[3]));
  EXPECT_TRUE(d.part(0, 1).triples.empty());
  EXPECT_NE(refused("x,sample,t,v,u\n0,-1,0,1,1\n")
                .find("t.csv: row 1: 'sample' must be a whole number from 0 on, got -1"),
            std::string::npos);
  EXPECT_NE(refused("x,sample,t,v,u\n0,0,0,1,1\n0,0,nan,1,1\n").find("row 2: 't' is nan"),
            std::string::npos);
  EXPECT_NE(refused("x,sample,t,v,u\n0,0,0,nan,nan\n").find("row 1: no value of the row"),
            std::string::npos);
  EXPECT_NE(refused("x,sample,t,u\n0,0,0,1\n").find("'v'"), std::string::npos);
  EXPECT_NE(refused("x,number,t,u,v\n0,0,0,1,1\n").find("'sample'"), std::string::npos);
}

TEST(DataSet, APartHasTheSamplesInTheirOrder) {
  const DataSet d = numbered(5, {4, 3}, false);
  const DataSet part = d.part(2, 2);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_EQ(part.in.front(), 2.0 * 2 * 12);
  EXPECT_EQ(part.out.front(), d.out[2 * 3 * 12]);
  EXPECT_EQ(part.more.at("slope").front(), std::sqrt(24.0));
  EXPECT_EQ(part.out.size(), 2U * 3 * 12);
  EXPECT_EQ(d.part(5, 0).size(), 0U);
  EXPECT_EQ(error_of([&] { (void)d.part(4, 2); }),
            "[data.data_set]: samples 4 to 6 of 5; take fewer");
}

TEST(DataSet, ThinningKeepsEveryKthNodeAndTheEnds) {
  const DataSet d = numbered(2, {5, 7}, false);
  const DataSet thin = d.thinned(2);
  EXPECT_EQ(thin.grid.sizes(), (std::vector<int>{3, 4}));
  // Sample 1, channel 1 ("f"), node (1, 2) of the thin grid is node (2, 4).
  EXPECT_EQ(thin.in[(1 * 2 + 1) * 12 + 1 * 4 + 2], d.in[(1 * 2 + 1) * 35 + 2 * 7 + 4]);
  EXPECT_EQ(thin.out.back(), d.out.back());
  EXPECT_EQ(thin.grid.axes[1].node(3), d.grid.axes[1].node(6));
  const DataSet periodic = numbered(1, {6}, true).thinned(3);
  EXPECT_EQ(periodic.grid.sizes(), (std::vector<int>{2}));
  EXPECT_EQ(periodic.in, (std::vector<double>{0, 3, 6, 9}));
  EXPECT_EQ(error_of([&] { (void)d.thinned(3); }),
            "[data.data_set]: every 3-th of 5 nodes along x does not end at the last one; take a "
            "divisor of 4");
}

TEST(DataSet, ChecksSayWhichNumberIsWrong) {
  DataSet d = numbered(3, {4, 3}, false);
  check(d);
  DataSet bad = d;
  bad.out[(2 * 3 + 1) * 12 + 1 * 3 + 2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { check(bad); }),
            "[data.data_set]: 'u(t=1)' of sample 2 is nan at node (1, 2); leave the sample out");
  bad = d;
  bad.in.pop_back();
  EXPECT_NE(error_of([&] { check(bad); }), "no error");
  bad = d;
  bad.out.push_back(0);
  EXPECT_EQ(error_of([&] { check(bad); }),
            "[data.data_set]: 109 numbers of outputs for 3 samples of 36");
  bad = d.part(0, 0);
  EXPECT_EQ(error_of([&] { check(bad); }),
            "[data.data_set]: there are no samples; give at least one");
}

TEST(DataSet, WrittenAndReadItIsTheSame) {
  const TemporaryFolder folder;
  for (const bool periodic : {false, true}) {
    for (const std::vector<int>& n : {std::vector<int>{5}, {4, 3}, {2, 3, 4}}) {
      const DataSet d = numbered(3, n, periodic);
      write_data_set(folder / "d.h5", d);
      expect_same(read_data_set(folder / "d.h5"), d);
    }
  }
  const std::string bytes = read_file(folder / "d.h5");
  write_data_set(folder / "again.h5", read_data_set(folder / "d.h5"));
  EXPECT_EQ(read_file(folder / "again.h5"), bytes);
}

TEST(DataSet, ACloudOfPointsIsWrittenToo) {
  const TemporaryFolder folder;
  DataSet d = numbered(2, {1, 1}, false);
  d.grid.cloud = {0, 0, 0.5, 0.25, 1, 1};
  d.grid.cloud_weights = {3, 3, 3};
  d.more.clear();
  d.in.assign(2 * d.in_size(), 0.5);
  d.out.assign(2 * d.out_size(), 0.25);
  write_data_set(folder / "cloud.h5", d);
  expect_same(read_data_set(folder / "cloud.h5"), d);
}

TEST(DataSet, FilesThatAreNoneAreRefused) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name) {
    return error_of([&] { (void)read_data_set(folder / name); }, folder.path());
  };
  EXPECT_EQ(message("d.csv"),
            "d.csv: a data set is an HDF5 or NPZ file; name it .h5, .hdf5 or .npz");
  write_hdf5(folder / "other.h5", {{{"velocity", Array{{2, 3}, std::vector<double>(6)}}}, {}});
  EXPECT_EQ(
      message("other.h5"),
      "other.h5: the file has no pair of arrays that is known (coeff and sol, Kcoeff and sol, "
      "a and u, x and y); name them; arrays are: velocity");
  // One of ours that lost an array.
  Hdf5Data all;
  write_data_set(folder / "d.h5", numbered(2, {5}, false));
  all = read_hdf5(folder / "d.h5");
  all.arrays.erase("in");
  write_hdf5(folder / "cut.h5", all);
  EXPECT_EQ(message("cut.h5"),
            "cut.h5: the data set has no array 'in'; the file is damaged or was cut off");
}

// --- layouts of others ---

Array array_of(std::vector<std::size_t> shape, std::uint64_t seed) {
  Array a{std::move(shape), {}};
  a.values.resize(shape_size(a.shape));
  Rng(seed).fill_normal(a.values);
  return a;
}

TEST(DataSet, ReadsTheLayoutsOfPublicFiles) {
  const TemporaryFolder folder;
  const Array a = array_of({3, 5, 4}, 1), u = array_of({3, 5, 4}, 2);
  write_npz(folder / "darcy.npz", {{"x", a}, {"y", u}});
  DataSet d = read_data_set(folder / "darcy.npz");
  EXPECT_EQ(d.name, "");
  EXPECT_EQ(d.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(d.in, a.values);
  EXPECT_EQ(d.out, u.values);
  EXPECT_EQ(d.grid.sizes(), (std::vector<int>{5, 4}));
  EXPECT_EQ(d.grid.axes[1].node(3), 1.0);

  // With an axis of channels, and keys that are not known.
  Array channels = a;
  channels.shape = {3, 1, 5, 4};
  write_hdf5(folder / "mine.h5", {{{"porosity", channels}, {"pressure", u}}, {}});
  d = read_data_set(folder / "mine.h5", {{"porosity"}, {"pressure"}, {{"x", 0, 0, 2}, {"y"}}});
  EXPECT_EQ(d.in, a.values);
  EXPECT_EQ(d.grid.axes[0].upper, 2);

  // Frames of the vorticity on the last axis, as MATLAB writes them: all axes turned around.
  const Array w0 = array_of({2, 3, 4}, 3), w = array_of({2, 3, 4, 5}, 4);
  const auto turned = [](const Array& from) {
    Array to{{from.shape.rbegin(), from.shape.rend()}, std::vector<double>(from.values.size())};
    std::vector<std::size_t> at(from.shape.size(), 0);
    for (const double v : from.values) {
      std::size_t place = 0;
      for (std::size_t k = at.size(); k-- > 0;) place = place * from.shape[k] + at[k];
      to.values[place] = v;
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < from.shape[k]) break;
        at[k] = 0;
      }
    }
    return to;
  };
  Hdf5Data matlab;
  matlab.arrays = {{"a", turned(w0)}, {"u", turned(w)}, {"t", Array::list({1, 2, 3, 4, 5})}};
  for (const char* key : {"a", "u", "t"}) matlab.attributes[key]["MATLAB_class"] = "double";
  write_hdf5(folder / "flow.mat", matlab);
  d = read_data_set(folder / "flow.mat");
  EXPECT_EQ(d.in, w0.values);
  EXPECT_EQ(d.outputs.size(), 5U);
  EXPECT_EQ(d.outputs[1], "u(t=2)");
  EXPECT_EQ(d.times, (std::vector<double>{1, 2, 3, 4, 5}));
  // Sample 1, frame 3, node (2, 1).
  EXPECT_EQ(d.out[(1 * 5 + 3) * 12 + 2 * 4 + 1], w.values[((1 * 3 + 2) * 4 + 1) * 5 + 3]);
}

TEST(DataSet, SlopesOfThePublicDarcyFilesGetTheNamesOfTheAxes) {
  const TemporaryFolder folder;
  const std::size_t n = 17;
  Array K{{2, 1, n, n}, {}}, along_first = K, along_second = K;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double x = static_cast<double>(i) / 16, y = static_cast<double>(j) / 16;
        K.values.push_back(x * x + 3 * y);
        along_first.values.push_back(2 * x);
        along_second.values.push_back(3);
      }
    }
  }
  Hdf5Data file;
  file.arrays = {{"coeff", K},
                 {"sol", K},
                 {"Kcoeff", K},
                 {"Kcoeff_x", along_second},
                 {"Kcoeff_y", along_first}};
  write_hdf5(folder / "darcy.hdf5", file);
  DataSet d = read_data_set(folder / "darcy.hdf5");
  EXPECT_EQ(d.inputs, std::vector<std::string>{"coeff"});
  EXPECT_EQ(d.more.at("Kcoeff_x"), along_first.values);
  EXPECT_EQ(d.more.at("Kcoeff_y"), along_second.values);
  EXPECT_EQ(d.notes.size(), 1U);
  // Names that are right stay.
  std::swap(file.arrays["Kcoeff_x"], file.arrays["Kcoeff_y"]);
  write_hdf5(folder / "right.hdf5", file);
  d = read_data_set(folder / "right.hdf5");
  EXPECT_EQ(d.more.at("Kcoeff_x"), along_first.values);
  EXPECT_TRUE(d.notes.empty());
}

TEST(DataSet, LayoutsThatDoNotFitAreSaidInOneSentence) {
  const TemporaryFolder folder;
  const auto message = [&](const std::map<std::string, Array>& arrays,
                           const DataLayout& layout = {}) {
    write_npz(folder / "d.npz", arrays);
    return error_of([&] { (void)read_data_set(folder / "d.npz", layout); }, folder.path());
  };
  const Array a = array_of({3, 5, 4}, 1);
  EXPECT_EQ(message({{"coeff", a}, {"sol", a}}, {{"coef"}, {"sol"}, {}}),
            "d.npz: there is no array 'coef'; did you mean 'coeff'? arrays are: coeff, sol");
  EXPECT_EQ(message({{"a", a}, {"u", array_of({2, 5, 4}, 1)}}),
            "d.npz: 'u' has 2 samples, 'a' has 3; give as many of each");
  EXPECT_EQ(message({{"a", a}, {"u", array_of({3, 9, 7}, 1)}}),
            "d.npz: 'u' has the shape (3, 9, 7), which does not fit the nodes (5, 4) of 'a'; all "
            "functions of a data set live on one grid: thin the finer ones");
  EXPECT_EQ(message({{"a", array_of({0, 5, 4}, 1)}, {"u", array_of({0, 5, 4}, 1)}}),
            "d.npz: 'a' has no samples");
  EXPECT_EQ(message({{"a", array_of({7}, 1)}, {"u", array_of({7}, 1)}}),
            "d.npz: 'a' has the shape (7); an input is [sample, n1, ..., nd] with 1 to 3 axes");
  Array bad = a;
  bad.values[2 * 20 + 7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message({{"a", a}, {"u", bad}}),
            "d.npz: 'u' of sample 2 is inf at node (1, 3); leave the sample out");
}

}  // namespace
}  // namespace cauchy::test_data_set
