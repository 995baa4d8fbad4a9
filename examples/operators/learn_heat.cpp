// Runs:    learn_heat
// Expects: an operator from text: 128 random temperatures on a ring are drawn and solved, one
// Fourier
//          layer without activation learns the map to the temperature at t = 1 (which it can hold
//          exactly), and the same numbers serve a grid three times as fine: mean relative L2 errors
//          of the test samples below 1e-4 on both grids; exit code 0.
#include <fmt/format.h>

#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>

using namespace cauchy;

int main() {
  const OperatorFile file = parse_operator_file(R"toml(
name = "ring"
fields = ["u"]
tolerance = 1e-4
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
samples = 64
validation = 4
test = 60
[train]
precision = "f64"
[train.network]
kind = "fno"
width = 4
depth = 1
modes = [16]
projection = 0
coordinates = false
[[train.stage]]
optimizer = "ssbroyden"
steps = 300
)toml",
                                                "ring.toml");
  const DataSet data = make_data(file.problem);
  const OperatorResult learnt = learn(file.problem, data, file.method);
  for (const std::string& finding : learnt.findings) fmt::print("{}\n", finding);

  OperatorProblem fine = file.problem;  // the same test functions on more nodes
  fine.grid = {96};
  const std::size_t first = fine.samples + fine.validation;
  const OperatorError there =
      measure(*learnt.model, make_data(fine, IndexRange{first, first + fine.test}));
  fmt::print("{}: {:.1e} on 32 nodes, {:.1e} on 96\n", to_string(learnt.grade),
             learnt.test.mean_l2(), there.mean_l2());
  return learnt.grade == Grade::converged && there.mean_l2() < 1e-4 ? 0 : 1;
}
