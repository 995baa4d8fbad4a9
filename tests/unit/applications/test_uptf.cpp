#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/uptf.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npz.hpp>

namespace cauchy::test_uptf {
namespace {

using Shape = std::array<std::size_t, 7>;

Array counted(std::vector<std::size_t> shape) {
  Array a{shape, std::vector<double>(shape_size(shape))};
  std::iota(a.values.begin(), a.values.end(), 1.0);
  return a;
}

std::string message_of(const auto& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

Uptf of(Array array, std::string axes, std::vector<std::string> fields) {
  const UptfArray one{std::move(array), std::move(axes), std::move(fields)};
  return uptf_of(std::span(&one, 1));
}

TEST(Uptf, HasTheMappingsOfThePublishedTableAndTheWayBack) {
  // Compressible flow in one dimension comes as one array per field: (B, T, W) has no axis F.
  const std::vector<UptfArray> flow = {{counted({2, 3, 8}), "NTW", {"density"}},
                                       {counted({2, 3, 8}), "NTW", {"pressure"}},
                                       {counted({2, 3, 8}), "NTW", {"velocity"}}};
  const Uptf one = uptf_of(flow);
  EXPECT_EQ(one.shape, (Shape{2, 3, 3, 1, 1, 1, 8}));
  EXPECT_EQ(shape_text(one), "(2, 3, 3, 1, 1, 1, 8)");
  for (int f = 0; f < 3; ++f) EXPECT_EQ(array_of(one, "NTW", f), flow[0].array);

  const Array reaction = counted({2, 3, 4, 5, 2});
  const Uptf two = of(reaction, "NTHWF", {"u", "v"});
  EXPECT_EQ(two.shape, (Shape{2, 3, 2, 1, 1, 4, 5}));
  EXPECT_EQ(two.frame(1, 2)[20 + 3 * 5 + 4], reaction.values.back());  // v at the last node
  EXPECT_EQ(array_of(two, "NTHWF"), reaction);

  const Array plasma = counted({2, 1, 2, 3, 4, 3, 3});
  const Uptf three = of(plasma, "NTDHWFC", {"B", "v", "j"});
  EXPECT_EQ(three.shape, (Shape{2, 1, 3, 3, 2, 3, 4}));
  EXPECT_EQ(array_of(three, "NTDHWFC"), plasma);
}

TEST(Uptf, LiftsScalarsToVectorsByZeros) {
  const std::vector<UptfArray> parts = {{counted({2, 3, 4, 4}), "NTHW", {"p"}},
                                        {counted({2, 3, 2, 4, 4}), "NTCHW", {"v"}}};
  const Uptf u = uptf_of(parts);
  EXPECT_EQ(u.shape, (Shape{2, 3, 2, 2, 1, 4, 4}));
  EXPECT_EQ(u.components, (std::vector<std::size_t>{1, 2}));
  for (std::size_t i = 16; i < 32; ++i) EXPECT_EQ(u.frame(1, 1)[i], 0);  // p has no second one
  EXPECT_EQ(array_of(u, "NTHW", 0), parts[0].array);
  EXPECT_EQ(array_of(u, "NTCHW", 1), parts[1].array);
}

TEST(Uptf, SaysInOneSentenceWhichAxisIsMissing) {
  const auto message = [](const char* axes, std::vector<std::size_t> shape,
                          std::vector<std::string> names) {
    return message_of([&] { (void)of(counted(shape), axes, names); });
  };
  EXPECT_EQ(message("NTW", {2, 3, 8}, {"density", "pressure", "velocity"}),
            "axis F (fields) is missing in 'NTW': density, pressure, velocity are named, the array "
            "holds one");
  EXPECT_EQ(message("NW", {2, 8}, {"u"}), "axis T (moments) is missing in 'NW'");
  EXPECT_EQ(message("TW", {2, 8}, {"u"}), "axis N (trajectories) is missing in 'TW'");
  EXPECT_EQ(message("NTH", {2, 3, 8}, {"u"}), "axis W (width) is missing in 'NTH'");
  EXPECT_EQ(message("NTW", {2, 3, 8, 2}, {"u"}), "the axes 'NTW' are 3, the array has 4");
  EXPECT_EQ(message("NTWX", {2, 3, 8, 2}, {"u"}), "'X' in the axes 'NTWX' is no axis");
  EXPECT_EQ(message("NTWW", {2, 3, 8, 2}, {"u"}), "axis W stands twice in 'NTWW'");
  const Uptf plane = of(counted({2, 3, 4, 5}), "NTHW", {"u"});
  EXPECT_EQ(message_of([&] { (void)array_of(plane, "NTW"); }),
            "axis H (height) has 4 points, but 'NTW' leaves it out");
  Uptf holed = plane;
  holed.values[4 * 5 * 4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { check(holed); }),
            "trajectory 1, moment 1, field 'u': a number is not finite");
}

constexpr const char* flow_file = R"T(name = "flow"
fields = ["p", "u", "v"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1], y = [0, 1] }
[[equation]]
form = "p_t = 0"
[[equation]]
form = "u_t = 0"
[[equation]]
form = "v_t = 0"
[[condition]]
where = "t = 0"
form = "p = a"
[[condition]]
where = "t = 0"
form = "u = b"
[[condition]]
where = "t = 0"
form = "v = c"
[[condition]]
periodic = "y"
[operator]
times = [0.5, 1]
grid = [4, 5]
samples = 2
[operator.inputs]
a = { field = "constant" }
b = { field = "constant" }
c = { field = "constant" }
)T";

TEST(Uptf, TakesDataSetsOverWithTheirFirstFramesAndGivesThemBack) {
  const OperatorFile file = parse_operator_file(flow_file, "flow.toml", ".");
  DataSet data;
  data.grid = grid_of(file.problem);
  data.inputs = {"a", "b", "c"};
  data.outputs = {"p(t=0.5)", "u(t=0.5)", "v(t=0.5)", "p(t=1)", "u(t=1)", "v(t=1)"};
  data.times = {0.5, 1};
  data.in = counted({2, 3, 4, 5}).values;
  data.out = counted({2, 6, 4, 5}).values;
  const std::vector<UptfVector> vectors = {{"velocity", {"u", "v"}}};
  const Uptf u = uptf_of(file.problem, data, vectors);
  EXPECT_EQ(u.shape, (Shape{2, 3, 2, 2, 1, 4, 5}));
  EXPECT_EQ(u.fields, (std::vector<std::string>{"p", "velocity"}));
  EXPECT_EQ(u.periodic, (std::array<bool, 3>{false, false, true}));
  EXPECT_EQ(u.frame(0, 0)[0], data.in[0]);                 // p at the beginning is the input a
  EXPECT_EQ(u.frame(1, 2)[3 * 20 + 19], data.out.back());  // v at the end
  DataSet empty = data;
  std::fill(empty.in.begin(), empty.in.end(), 0.0);
  std::fill(empty.out.begin(), empty.out.end(), 0.0);
  const DataSet back = data_set_of(u, file.problem, empty, vectors);
  EXPECT_EQ(back.in, data.in);
  EXPECT_EQ(back.out, data.out);
  DataSet still = data;
  still.outputs = {"p", "u", "v"};
  still.times.clear();
  still.name = "flow";
  EXPECT_EQ(message_of([&] { (void)uptf_of(file.problem, still); }),
            "axis T (moments) is missing: the outputs of 'flow' have no times");
}

TEST(Uptf, ComesFromFilesOfOthersAndFromItsOwn) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "cauchy_uptf";
  std::filesystem::create_directories(folder);
  const Array density = counted({2, 3, 8}), velocity = counted({2, 3, 2, 8});
  write_hdf5(folder / "others.h5", {.arrays = {{"rho", density}, {"v", velocity}}});
  write_npz(folder / "others.npz", {{"rho", density}, {"v", velocity}});
  const std::vector<UptfSource> sources = {{"rho", "NTW"}, {"v", "NTCW"}};
  Uptf u = read_uptf(folder / "others.h5", sources);
  EXPECT_EQ(u.fields, (std::vector<std::string>{"rho", "v"}));
  EXPECT_EQ(read_uptf(folder / "others.npz", sources), u);
  EXPECT_EQ(array_of(u, "NTCW", 1), velocity);
  u.periodic[2] = true;
  write_uptf(folder / "own.h5", u);
  EXPECT_EQ(read_uptf(folder / "own.h5"), u);
  const std::vector<UptfSource> wrong = {{"roh", "NTW"}};
  EXPECT_EQ(message_of([&] { (void)read_uptf(folder / "others.h5", wrong); }),
            "there is no array 'roh'");
}

}  // namespace
}  // namespace cauchy::test_uptf
