#include <cauchy/files/dynamics_file.hpp>

#include <gtest/gtest.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/io/files.hpp>

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_dynamics_file {
namespace {

constexpr const char* table =
    "id,t,x,y\n1,0,1,2\n1,0.5,1.2,nan\n1,1,1.5,2.5\n2,0,3,4\n2,2,3.5,4.5\n";

constexpr const char* text = R"toml(name = "pair"
fields = ["x", "y"]
tolerance = 0.1
[parameters]
c = "2*0.25"
[unknown]
a = 1.5
b = { initial = 0.2, truth = 0.3 }
[dynamics]
data = "d.csv"
trajectory = "id"
hidden = ["z"]
train_until = 1.5
network = { inputs = ["x", "x*z", "t"], outputs = ["n"] }
[[dynamics.event]]
when = "x - 9"
direction = "rising"
set = { x = "x - c*y", z = "b*z" }
[[equation]]
form = "x_t = a*x - n"
[[equation]]
form = "z_t = n - c*z"
[[equation]]
form = "y_t = n*x - b*y + sin(t)"
[train]
kind = "neural_ode"
start = "trained"
read_out = "affine"
windows = [3, 0]
flow = { scheme = "dop853", relative = 1e-7 }
network = { kind = "mlp", width = 8, depth = 2 }
[[train.stage]]
optimizer = "adam"
steps = 5
)toml";

class DynamicsFileTest : public ::testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder / "d.csv", table); }
  DynamicsFile read(const std::string& t, const std::vector<std::string>& set = {}) {
    return parse_dynamics_file(t, "p.toml", folder.path(), set);
  }
  std::string refused(std::string from, const std::string& what, const std::string& by) {
    const auto at = from.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    from.replace(at, what.size(), by);
    return message_of([&] { (void)read(from); });
  }
  TemporaryFolder folder;
};

TEST_F(DynamicsFileTest, ReadsEquationsNetworkAndTrajectories) {
  const DynamicsFile f = read(text);
  const DynamicsProblem& p = f.problem;
  EXPECT_EQ(p.field.states, (std::vector<std::string>{"x", "y", "z"}));
  ASSERT_EQ(p.field.slopes.size(), 3U);
  EXPECT_TRUE(same(p.field.slopes[2], Symbol("n") - Parameter("c") * Field("z")));
  EXPECT_EQ(p.field.known.at("c"), 0.5);
  EXPECT_EQ(p.field.constants[1].initial, 0.2);
  EXPECT_EQ(p.truths.at("b"), 0.3);
  EXPECT_EQ(p.field.unknown->inputs.size(), 3U);
  ASSERT_EQ(p.field.events.size(), 1U);
  EXPECT_EQ(p.field.events[0].direction, 1);
  EXPECT_TRUE(same(p.field.events[0].then.at("z"), Parameter("b") * Field("z")));
  EXPECT_EQ(p.data.trajectories.size(), 2U);
  EXPECT_EQ(p.data.columns, (std::vector<std::string>{"x", "y"}));
  const NeuralOde& m = std::get<NeuralOde>(f.method);
  EXPECT_EQ(m.start, StartRule::trained);
  EXPECT_EQ(m.read_out, ReadOut::affine);
  EXPECT_EQ(m.windows, (std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(m.flow.scheme, FlowScheme::dop853);
  EXPECT_EQ(m.stages.size(), 1U);
}

TEST_F(DynamicsFileTest, WritesItselfBack) {
  const std::string once = to_toml(read(text));
  EXPECT_EQ(to_toml(read(once)), once);
  EXPECT_NE(once.find("form = \"x_t = "), std::string::npos) << once;
}

TEST_F(DynamicsFileTest, SaysWhatIsWrongAndWhere) {
  const std::string t = text;
  EXPECT_NE(refused(t, "data = \"d.csv\"", "data = \"e.csv\"")
                .find("p.toml:10:8: file 'e.csv' not found"),
            std::string::npos);
  EXPECT_NE(refused(t, "\"id\"", "\"number\"").find("p.toml:11:14: there is no column 'number'"),
            std::string::npos);
  EXPECT_NE(refused(t, "x_t = a*x - n", "x_t = q*x - n").find("p.toml:20:15: unknown name 'q'"),
            std::string::npos);
  EXPECT_NE(refused(t, "x_t = a*x - n", "x = a*x - n").find("not the derivative of a field"),
            std::string::npos);
  EXPECT_NE(refused(t, "z_t = n - c*z", "x_t = n - c*z").find("'x' has two equations"),
            std::string::npos);
  EXPECT_NE(refused(t, "hidden", "hiden").find("unknown key 'hiden'"), std::string::npos);
  EXPECT_NE(refused(t, "train_until = 1.5", "test = 2").find("2 trajectories are held back of 2"),
            std::string::npos);
  EXPECT_NE(
      refused(t, "outputs = [\"n\"]", "outputs = [\"n\", \"m\"]").find("no equation uses 'm'"),
      std::string::npos);
  EXPECT_NE(refused(t, "\"rising\"", "\"up\"").find("directions are: falling, rising, both"),
            std::string::npos);
  EXPECT_NE(refused(t, "z = \"b*z\"", "q = \"b*z\"").find("'q' is no field; fields are: x, y, z"),
            std::string::npos);
  EXPECT_NE(refused(t, "x - 9", "x_t - 9").find("derivatives have no place here"),
            std::string::npos);
  EXPECT_NE(refused(t, "x - 9", "n - 9").find("unknown name 'n'"), std::string::npos);
  EXPECT_NE(refused(t, "\"affine\"", "\"linear\"").find("read_out"), std::string::npos);
  EXPECT_NE(refused(t, "relative = 1e-7", "relative = -1").find("relative"), std::string::npos);
  EXPECT_NE(refused(t, "steps = 5", "steps = 5\nredraw = 3").find("no points to be drawn anew"),
            std::string::npos);
  write_file_atomically(folder / "d.csv", "id,t,x,y\n1,0,1,2\n1,0,1,2\n");
  EXPECT_NE(message_of([&] { (void)read(text); }).find("d.csv: row 2: the times of trajectory 1"),
            std::string::npos);
  write_file_atomically(folder / "d.csv", "id,t,x\n1,0,1\n");
  EXPECT_NE(message_of([&] { (void)read(text); }).find("there is no column 'y' in 'd.csv'"),
            std::string::npos);
}

TEST_F(DynamicsFileTest, ARunFolderHoldsTheModelAndItsData) {
  DynamicsFile file = read(text);
  NeuralOde& m = std::get<NeuralOde>(file.method);
  m.stages[0].steps = 2;
  const DynamicsResult r = learn_dynamics(file.problem, file.method, {.threads = 1});
  {
    const RunFolder run = begin_run(folder / "run", file);
    finish_run(run, file, r, {"1", 1});
  }
  EXPECT_TRUE(has_dynamics(folder / "run"));
  const LoadedDynamics loaded = load_dynamics_run(folder / "run");
  const std::vector<std::vector<double>> times(2, {0.5, 3});
  EXPECT_EQ(loaded.model->predict(file.problem.data, times, 1),
            r.model->predict(file.problem.data, times, 1));
  EXPECT_EQ(read_summary(folder / "run").grade, to_string(r.grade));
  write_file_atomically(folder / "run/data/trajectories.csv", std::string(table) + "3,0,1,1\n");
  EXPECT_NE(message_of([&] { (void)load_dynamics_run(folder / "run"); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_dynamics_file
